// RUN: jit-opt %s --load-dialect-plugin=%libs/ForeignCostDialect.so --jit-select-mode='realtime default-dim=64' --remarks-filter=jit-select-mode -o /dev/null 2>&1 | FileCheck %s
// RUN: jit-opt %s --load-dialect-plugin=%libs/ForeignCostDialect.so --jit-assign-tiers=default-dim=64 --remarks-filter=jit-assign-tiers -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIER

// Units of operations that nothing is known of (test/lib/ForeignCostDialect), and functions that call themselves.

// CHECK: @recursive: critical path {{.*}} us, 1 operations without a time

// It says what it costs: 3 FLOPs and two moves of each of 64 x 8 elements.
// CHECK: @spin: aot, since it is on the critical path; shapes data-dependent; P_hot = 1; time of a call 0.2048 us (modelled)
// TIER: @spin: tier interpreter: no tier saves more than min-benefit-us = 0; N = 100, N_expected = 100, t_0 = 0.2048 us (modelled)
jit.unit private @spin(%x: tensor<?x8xf32>, %o: tensor<64x8xf32>) -> tensor<64x8xf32> attributes {hotness = #jit.hotness<count = 100>} {
  %0 = "foreign.spin"(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  jit.return %o : tensor<64x8xf32>
}

// It says nothing: no time, and nobody knows whether it is on the critical path.
// CHECK: @opaque: aot, since it has no time, and may be on the critical path; shapes static; P_hot = 0; time of a call not known
// TIER: @opaque: no tier: how often it is called is not known
jit.unit private @opaque(%x: tensor<64x8xf32>, %o: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %0 = "foreign.opaque"(%x) : (tensor<64x8xf32>) -> tensor<64x8xf32>
  jit.return %0 : tensor<64x8xf32>
}

// CHECK: @not_called: jit, since its sizes follow from more than those of its arguments; shapes data-dependent
jit.unit private @not_called(%x: tensor<?xf32>) {
  %0 = "foreign.opaque"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  jit.return
}

func.func @main(%x: tensor<?x8xf32>, %e: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %0 = jit.invoke @spin(%x : tensor<?x8xf32>) outs(%e : tensor<64x8xf32>) -> tensor<64x8xf32> {effects}
  %1 = jit.invoke @opaque(%0 : tensor<64x8xf32>) outs(%e : tensor<64x8xf32>) -> tensor<64x8xf32> {effects}
  return %1 : tensor<64x8xf32>
}
func.func @recursive(%x: tensor<?x8xf32>) {
  func.call @recursive(%x) : (tensor<?x8xf32>) -> ()
  return
}
