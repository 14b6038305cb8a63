// RUN: jit-opt %s -jit-merge-contractions -allow-unregistered-dialect | FileCheck %s

// Products of one matrix with several constant ones, in a loop, are one.

// CHECK-LABEL: func.func @gates
// CHECK-SAME:    %[[H:.*]]: tensor<?x2xf32>, %[[N:.*]]: index
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<2x5xf32>
// CHECK:         %[[I:.*]] = tensor.insert_slice %{{.*}} into %[[E]][0, 0] [2, 3] [1, 1]
// CHECK:         %[[W:.*]] = tensor.insert_slice %{{.*}} into %[[I]][0, 3] [2, 2] [1, 1]
// CHECK:         scf.for
// CHECK-SAME:        iter_args(%[[S:.*]] = %[[H]])
// CHECK:           %[[M:.*]] = linalg.matmul ins(%[[S]], %[[W]] : tensor<?x2xf32>, tensor<2x5xf32>)
// CHECK-NOT:       linalg.matmul
// CHECK:           %[[A:.*]] = tensor.extract_slice %[[M]][0, 0] [%{{.*}}, 3] [1, 1]
// CHECK:           %[[B:.*]] = tensor.extract_slice %[[M]][0, 3] [%{{.*}}, 2] [1, 1]
// CHECK:           "test.use"(%[[A]], %[[B]])
func.func @gates(%h: tensor<?x2xf32>, %n: index, %rows: index) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %wa = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %wb = arith.constant dense<[[1.0, 2.0], [4.0, 5.0]]> : tensor<2x2xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %h) -> (tensor<?x2xf32>) {
    %ea = tensor.empty(%rows) : tensor<?x3xf32>
    %za = linalg.fill ins(%zero : f32) outs(%ea : tensor<?x3xf32>) -> tensor<?x3xf32>
    %a = linalg.matmul ins(%s, %wa : tensor<?x2xf32>, tensor<2x3xf32>) outs(%za : tensor<?x3xf32>) -> tensor<?x3xf32>
    %eb = tensor.empty(%rows) : tensor<?x2xf32>
    %zb = linalg.fill ins(%zero : f32) outs(%eb : tensor<?x2xf32>) -> tensor<?x2xf32>
    %b = linalg.matmul ins(%s, %wb : tensor<?x2xf32>, tensor<2x2xf32>) outs(%zb : tensor<?x2xf32>) -> tensor<?x2xf32>
    "test.use"(%a, %b) : (tensor<?x3xf32>, tensor<?x2xf32>) -> ()
    scf.yield %b : tensor<?x2xf32>
  }
  return %r : tensor<?x2xf32>
}

// Accumulators that start at another value, another matrix on the left, weights that the caller
// brings, and elements of another type stand apart.

// CHECK-LABEL: func.func @different
// CHECK-COUNT-5: linalg.matmul
func.func @different(%h: tensor<1x2xf32>, %u: tensor<2x2xf32>, %one: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %wa = arith.constant dense<[[1.0, 2.0], [4.0, 5.0]]> : tensor<2x2xf32>
  %wh = arith.constant dense<[[1.0, 2.0], [4.0, 5.0]]> : tensor<2x2xf16>
  %e = tensor.empty() : tensor<1x2xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2xf32>) -> tensor<1x2xf32>
  %o = linalg.fill ins(%one : f32) outs(%e : tensor<1x2xf32>) -> tensor<1x2xf32>
  scf.for %i = %c0 to %n step %c1 {
    %a = linalg.matmul ins(%h, %wa : tensor<1x2xf32>, tensor<2x2xf32>) outs(%z : tensor<1x2xf32>) -> tensor<1x2xf32>
    %b = linalg.matmul ins(%h, %wa : tensor<1x2xf32>, tensor<2x2xf32>) outs(%o : tensor<1x2xf32>) -> tensor<1x2xf32>
    %c = linalg.matmul ins(%a, %wa : tensor<1x2xf32>, tensor<2x2xf32>) outs(%z : tensor<1x2xf32>) -> tensor<1x2xf32>
    %d = linalg.matmul ins(%h, %u : tensor<1x2xf32>, tensor<2x2xf32>) outs(%z : tensor<1x2xf32>) -> tensor<1x2xf32>
    %f = linalg.matmul ins(%h, %wh : tensor<1x2xf32>, tensor<2x2xf16>) outs(%z : tensor<1x2xf32>) -> tensor<1x2xf32>
    "test.use"(%a, %b, %c, %d, %f) : (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) -> ()
  }
  return
}

// CHECK-LABEL: func.func @not_in_a_loop
// CHECK-COUNT-2: linalg.matmul
func.func @not_in_a_loop(%h: tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>) {
  %zero = arith.constant 0.0 : f32
  %wa = arith.constant dense<[[1.0, 2.0], [4.0, 5.0]]> : tensor<2x2xf32>
  %wb = arith.constant dense<[[1.0, 2.0], [4.0, 6.0]]> : tensor<2x2xf32>
  %e = tensor.empty() : tensor<1x2xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2xf32>) -> tensor<1x2xf32>
  %a = linalg.matmul ins(%h, %wa : tensor<1x2xf32>, tensor<2x2xf32>) outs(%z : tensor<1x2xf32>) -> tensor<1x2xf32>
  %b = linalg.matmul ins(%h, %wb : tensor<1x2xf32>, tensor<2x2xf32>) outs(%z : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %a, %b : tensor<1x2xf32>, tensor<1x2xf32>
}
