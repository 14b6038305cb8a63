// RUN: jit-opt %s --jit-tier-baseline | FileCheck %s
// RUN: jit-opt %s --jit-tier-baseline=vector-width=8 | FileCheck %s --check-prefix=AVX2
// RUN: jit-opt %s --jit-normalize --jit-form-units --jit-tier-baseline | FileCheck %s --check-prefix=STAGES

// Units become functions of the LLVM dialect and nothing else; what isn't a unit is dropped.

#id = affine_map<(d0) -> (d0)>

// CHECK-NOT: {{ (arith|math|linalg|tensor|func)\.}}
// CHECK: llvm.func @softplus.body.0(%{{.*}}: !llvm.ptr) -> i32
// CHECK:   llvm.intr.fma
// CHECK: llvm.func @softplus(%{{.*}}: !llvm.ptr) -> i32
// AVX2: vector<8xf32>
// AVX2-NOT: vector<16x
// STAGES: llvm.func @softplus.body.0
// STAGES: llvm.func @host.abs_0.body.0
jit.unit @softplus(%x: tensor<?xf32>, %out: tensor<?xf32> {jit.write_only}) -> tensor<?xf32> {
  %one = arith.constant 1.0 : f32
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%out : tensor<?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %e = math.exp %a : f32
      %s = arith.addf %e, %one : f32
      %l = math.log %s : f32
      linalg.yield %l : f32
  } -> tensor<?xf32>
  jit.return %r : tensor<?xf32>
}

func.func @host(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.abs ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
