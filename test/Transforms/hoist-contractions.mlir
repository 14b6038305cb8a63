// RUN: jit-opt %s -jit-hoist-contractions -allow-unregistered-dialect | FileCheck %s
// RUN: jit-opt %s -jit-hoist-contractions=max-growth=1 -allow-unregistered-dialect | FileCheck %s --check-prefix=SMALL
// RUN: not jit-opt %s -jit-hoist-contractions=max-growth=0 -allow-unregistered-dialect 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: jit-hoist-contractions: max-growth must be positive, but is 0

// The product of one step of a sequence is rows of the product of the whole sequence.

// CHECK-LABEL: func.func @step
// CHECK-SAME:    %[[X:.*]]: tensor<?x1x2xf32>, %[[W:.*]]: tensor<2x4xf32>
// CHECK:         %[[ROWS:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]]
// CHECK:         %[[ALL:.*]] = linalg.matmul ins(%[[ROWS]], %[[W]] : tensor<?x2xf32>, tensor<2x4xf32>)
// CHECK:         scf.for %[[T:.*]] =
// CHECK-NOT:       linalg.matmul
// CHECK:           %[[A:.*]] = tensor.extract_slice %[[ALL]][%[[T]], 0] [1, 4] [1, 1]
// CHECK:           "test.use"(%[[A]])
// SMALL-LABEL: func.func @step
// SMALL:         scf.for
// SMALL:           linalg.matmul
func.func @step(%x: tensor<?x1x2xf32>, %w: tensor<2x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x1x2xf32>
  scf.for %t = %c0 to %n step %c1 {
    %s = tensor.extract_slice %x[%t, 0, 0] [1, 1, 2] [1, 1, 1] : tensor<?x1x2xf32> to tensor<1x1x2xf32>
    %row = tensor.collapse_shape %s [[0, 1], [2]] : tensor<1x1x2xf32> into tensor<1x2xf32>
    %e = tensor.empty() : tensor<1x4xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
    %a = linalg.matmul ins(%row, %w : tensor<1x2xf32>, tensor<2x4xf32>) outs(%z : tensor<1x4xf32>) -> tensor<1x4xf32>
    "test.use"(%a) : (tensor<1x4xf32>) -> ()
  }
  return
}

// A batch of three, backwards: iteration t takes the rows of step 9 - t.

// CHECK-LABEL: func.func @backwards
// CHECK:         %[[ALL:.*]] = linalg.matmul {{.*}} -> tensor<30x2xf32>
// CHECK:         scf.for %[[T:.*]] =
// CHECK:           %[[U:.*]] = arith.subi %{{.*}}, %[[T]]
// CHECK:           %[[ROW:.*]] = arith.muli %[[U]], %{{.*}}
// CHECK:           tensor.extract_slice %[[ALL]][%[[ROW]], 0] [3, 2] [1, 1]
func.func @backwards(%x: tensor<10x3x2xf32>, %w: tensor<2x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c10 = arith.constant 10 : index
  %zero = arith.constant 0.0 : f32
  scf.for %t = %c0 to %c10 step %c1 {
    %u = arith.subi %c9, %t : index
    %rows = tensor.extract_slice %x[%u, 0, 0] [1, 3, 2] [1, 1, 1] : tensor<10x3x2xf32> to tensor<3x2xf32>
    %e = tensor.empty() : tensor<3x2xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
    %a = linalg.matmul ins(%rows, %w : tensor<3x2xf32>, tensor<2x2xf32>) outs(%z : tensor<3x2xf32>) -> tensor<3x2xf32>
    "test.use"(%a) : (tensor<3x2xf32>) -> ()
  }
  return
}

// The loop doesn't take every step, the slice is a part of one, or the matrix changes.

// CHECK-LABEL: func.func @stays
// CHECK-NOT:     linalg.matmul
// CHECK:         scf.for
// CHECK-COUNT-3:   linalg.matmul
func.func @stays(%x: tensor<?x4xf32>, %w: tensor<2x2xf32>, %v: tensor<4x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2xf32>) -> tensor<1x2xf32>
  %e4 = tensor.empty() : tensor<1x4xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<1x4xf32>) -> tensor<1x4xf32>
  %d = tensor.dim %x, %c0 : tensor<?x4xf32>
  scf.for %t = %c0 to %n step %c1 {
    %row = tensor.extract_slice %x[%t, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<1x4xf32>
    %a = linalg.matmul ins(%row, %v : tensor<1x4xf32>, tensor<4x4xf32>) outs(%z4 : tensor<1x4xf32>) -> tensor<1x4xf32>
    "test.use"(%a) : (tensor<1x4xf32>) -> ()
  }
  %r = scf.for %t = %c0 to %d step %c1 iter_args(%m = %v) -> (tensor<4x4xf32>) {
    %part = tensor.extract_slice %x[%t, 1] [1, 2] [1, 1] : tensor<?x4xf32> to tensor<1x2xf32>
    %a = linalg.matmul ins(%part, %w : tensor<1x2xf32>, tensor<2x2xf32>) outs(%z : tensor<1x2xf32>) -> tensor<1x2xf32>
    %row = tensor.extract_slice %x[%t, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<1x4xf32>
    %b = linalg.matmul ins(%row, %m : tensor<1x4xf32>, tensor<4x4xf32>) outs(%z4 : tensor<1x4xf32>) -> tensor<1x4xf32>
    "test.use"(%a, %b) : (tensor<1x2xf32>, tensor<1x4xf32>) -> ()
    scf.yield %m : tensor<4x4xf32>
  }
  return
}
