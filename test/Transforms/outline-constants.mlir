// RUN: jit-opt %s -jit-outline-constants -split-input-file | FileCheck %s
// RUN: jit-opt %s -jit-outline-constants="free-bytes=0 max-growth=1" -split-input-file | FileCheck %s --check-prefix=TIGHT

// Scales and transposed weights are computed once; what else they need goes along.
// CHECK-LABEL: func.func private @__jit_init() -> (tensor<2xf32>, tensor<4x2xf32>)
// CHECK:         %[[S:.*]] = linalg.rsqrt
// CHECK:         %[[T:.*]] = linalg.transpose
// CHECK:         return %[[S]], %[[T]]
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %[[C:.*]]:2 = call @__jit_init()
// CHECK-NOT:     linalg.rsqrt
// CHECK-NOT:     linalg.transpose
// CHECK:         linalg.matmul ins(%arg0, %[[C]]#1 :
// CHECK:         linalg.broadcast ins(%[[C]]#0 :
func.func @main(%x: tensor<?x4xf32>, %z: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  %var = arith.constant dense<[1.0, 4.0]> : tensor<2xf32>
  %eps = arith.constant dense<[0.1, 0.2]> : tensor<2xf32>
  %w = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  %e = tensor.empty() : tensor<2xf32>
  %0 = linalg.add ins(%var, %eps : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %1 = linalg.rsqrt ins(%0 : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %et = tensor.empty() : tensor<4x2xf32>
  %wt = linalg.transpose ins(%w : tensor<2x4xf32>) outs(%et : tensor<4x2xf32>) permutation = [1, 0]
  %2 = linalg.matmul ins(%x, %wt : tensor<?x4xf32>, tensor<4x2xf32>) outs(%z : tensor<?x2xf32>) -> tensor<?x2xf32>
  %3 = linalg.broadcast ins(%1 : tensor<2xf32>) outs(%z : tensor<?x2xf32>) dimensions = [0]
  return %2, %3 : tensor<?x2xf32>, tensor<?x2xf32>
}

// -----

// Fills, broadcasts and reshapes are cheaper to have where they are used; the reshape's operand is
// worth computing.
// CHECK-LABEL: func.func private @__jit_init() -> tensor<4xf32>
// CHECK:         linalg.exp
// CHECK-NOT:     tensor.expand_shape
// CHECK-LABEL: func.func @cheap
// TIGHT-LABEL: func.func @cheap
// CHECK:         %[[C:.*]] = call @__jit_init()
// CHECK:         linalg.fill
// CHECK:         linalg.broadcast
// CHECK:         tensor.expand_shape %[[C]]
func.func @cheap() -> (tensor<8xf32>, tensor<2x4xf32>, tensor<2x2xf32>) {
  %f0 = arith.constant 0.0 : f32
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %e8 = tensor.empty() : tensor<8xf32>
  %z = linalg.fill ins(%f0 : f32) outs(%e8 : tensor<8xf32>) -> tensor<8xf32>
  %eb = tensor.empty() : tensor<2x4xf32>
  %b = linalg.broadcast ins(%c : tensor<4xf32>) outs(%eb : tensor<2x4xf32>) dimensions = [0]
  %e4 = tensor.empty() : tensor<4xf32>
  %x = linalg.exp ins(%c : tensor<4xf32>) outs(%e4 : tensor<4xf32>) -> tensor<4xf32>
  %r = tensor.expand_shape %x [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  return %z, %b, %r : tensor<8xf32>, tensor<2x4xf32>, tensor<2x2xf32>
}

// -----

// An outer sum grows: stored if it is small.
// CHECK-LABEL: func.func private @__jit_init
// TIGHT-NOT:   func.func private @__jit_init
// TIGHT-LABEL: func.func @growing
// TIGHT:         linalg.generic
func.func @growing() -> tensor<8x8xf32> {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%c, %c : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// Read in a loop, by two functions; a body that captures an argument stays.
// CHECK-LABEL: func.func private @__jit_init() -> (tensor<2xf32>, tensor<2xf32>)
// CHECK-LABEL: func.func @first
// CHECK:         %[[C:.*]]:2 = call @__jit_init()
// CHECK:         scf.for
// CHECK:           linalg.add ins(%{{.*}}, %[[C]]#0 :
// CHECK-LABEL: func.func @second
// CHECK:         %[[D:.*]]:2 = call @__jit_init()
// CHECK:         %[[M:.*]] = linalg.generic
// CHECK:           arith.mulf %{{.*}}, %arg0
// CHECK:         return %[[D]]#1, %[[M]]
func.func @first(%x: tensor<2xf32>, %n: index) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %s = tensor.extract_slice %w[1] [2] [1] : tensor<3xf32> to tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<2xf32> {
    %0 = linalg.add ins(%a, %s : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
    scf.yield %0 : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}
func.func @second(%f: f32) -> (tensor<2xf32>, tensor<2xf32>) {
  %w = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %0 = linalg.exp ins(%w : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%w : tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%a: f32, %out: f32):
    %2 = arith.mulf %a, %f : f32
    linalg.yield %2 : f32
  } -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// -----

// Nothing to compute, nothing to call.
// CHECK-NOT:   @__jit_init
// CHECK-LABEL: func.func @nothing
func.func @nothing(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %0 = linalg.add ins(%x, %w : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
