// RUN: jit-opt %s --load-dialect-plugin=%libs/ForeignCostDialect.so --jit-print-op-cost -o /dev/null | FileCheck %s

// Operations of a dialect that the analysis knows nothing of have costs by their interfaces
// (test/lib/ForeignCostDialect).

// CHECK-LABEL: func.func @own_interface
// CHECK: foreign.spin: flops=24*d0, read=32*d0, written=32*d0
func.func @own_interface(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = "foreign.spin"(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// There is no body to count the operations of: one a point. The sizes of its result are those of its
// destination.
// CHECK-LABEL: func.func @tiling_and_destination
// CHECK: foreign.scan: flops=8*d0, read=64*d0, written=32*d0, intensity=0.08333 (FLOPs estimated: one a point where there is no body to count)
// CHECK: math.absf: flops=8*d0
func.func @tiling_and_destination(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = "foreign.scan"(%x, %x) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = math.absf %0 : tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @no_interface
// CHECK: foreign.opaque: unknown: 'foreign.opaque' has no interface that tells its cost
// CHECK: linalg.map: unknown: in its body, 'foreign.opaque' has no interface that tells its cost
// CHECK: total: flops=8*d0, read=32*d0, written=32*d0, intensity=0.125 (without 2 of unknown cost: 'foreign.opaque' has no interface that tells its cost)
func.func @no_interface(%x: tensor<?x8xf32>, %o: tensor<4xf32>) -> (tensor<?x8xf32>, tensor<4xf32>) {
  %0 = math.absf %x : tensor<?x8xf32>
  %1 = "foreign.opaque"(%0) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %2 = linalg.map ins(%o : tensor<4xf32>) outs(%o : tensor<4xf32>)
      (%in: f32, %out: f32) {
        %3 = "foreign.opaque"(%in) : (f32) -> f32
        linalg.yield %3 : f32
      }
  return %1, %2 : tensor<?x8xf32>, tensor<4xf32>
}

// What an op says of the sizes of its result holds for those that use it.
// CHECK-LABEL: func.func @reified
// CHECK-NEXT: d0 = dim 0 of %arg0
// CHECK: math.absf: flops=16*d0, read=64*d0, written=64*d0
func.func @reified(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = "foreign.repeat"(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = math.absf %0 : tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// A structured operation has a body to count.
// CHECK-LABEL: func.func @structured
// CHECK: foreign.square: flops=8*d0, read=32*d0, written=32*d0, intensity=0.125{{$}}
func.func @structured(%x: tensor<?x8xf32>, %o: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = "foreign.square"(%x, %o) ({
  ^bb0(%in: f32, %out: f32):
    %1 = arith.mulf %in, %in : f32
    linalg.yield %1 : f32
  }) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
