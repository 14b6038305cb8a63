// RUN: jit-opt %s -jit-fold-broadcast-matmul -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @weights
// CHECK-SAME:    %[[X:.*]]: tensor<?x?x8xf32>, %[[W:.*]]: tensor<8x4xf32>
// CHECK-NOT:     linalg.broadcast
// CHECK:         %[[ROWS:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]]
// CHECK:         %[[Y:.*]] = linalg.matmul ins(%[[ROWS]], %[[W]] :
// CHECK:         tensor.expand_shape %[[Y]] {{\[\[}}0, 1], [2]]
func.func @weights(%x: tensor<?x?x8xf32>, %w: tensor<8x4xf32>, %b: index, %m: index) -> tensor<?x?x4xf32> {
  %f = arith.constant 0.0 : f32
  %we = tensor.empty(%b) : tensor<?x8x4xf32>
  %w3 = linalg.broadcast ins(%w : tensor<8x4xf32>) outs(%we : tensor<?x8x4xf32>) dimensions = [0]
  %e = tensor.empty(%b, %m) : tensor<?x?x4xf32>
  %z = linalg.fill ins(%f : f32) outs(%e : tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  %y = linalg.batch_matmul ins(%x, %w3 : tensor<?x?x8xf32>, tensor<?x8x4xf32>) outs(%z : tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  return %y : tensor<?x?x4xf32>
}

// -----

// A generic that broadcasts and transposes.
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#t = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG:   #[[A:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG:   #[[B:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG:   #[[C:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @transposed_weights
// CHECK:         linalg.matmul indexing_maps = [#[[A]], #[[B]], #[[C]]] ins(%{{.*}}, %arg1 :
func.func @transposed_weights(%x: tensor<2x3x8xf32>, %w: tensor<4x8xf32>, %z: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %we = tensor.empty() : tensor<2x8x4xf32>
  %w3 = linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w : tensor<4x8xf32>) outs(%we : tensor<2x8x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x8x4xf32>
  %y = linalg.batch_matmul ins(%x, %w3 : tensor<2x3x8xf32>, tensor<2x8x4xf32>) outs(%z : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// -----

// The batch is two collapsed dimensions, broadcast both.
// CHECK-LABEL: func.func @through_collapse
// CHECK:         linalg.matmul ins(%{{.*}}, %arg1 : tensor<?x8xf32>, tensor<8x4xf32>)
func.func @through_collapse(%x: tensor<?x3x8xf32>, %w: tensor<8x4xf32>, %z: tensor<?x3x4xf32>, %a: index, %b: index) -> tensor<?x3x4xf32> {
  %we = tensor.empty(%a, %b) : tensor<?x?x8x4xf32>
  %w4 = linalg.broadcast ins(%w : tensor<8x4xf32>) outs(%we : tensor<?x?x8x4xf32>) dimensions = [0, 1]
  %w3 = tensor.collapse_shape %w4 [[0, 1], [2], [3]] : tensor<?x?x8x4xf32> into tensor<?x8x4xf32>
  %y = linalg.batch_matmul ins(%x, %w3 : tensor<?x3x8xf32>, tensor<?x8x4xf32>) outs(%z : tensor<?x3x4xf32>) -> tensor<?x3x4xf32>
  return %y : tensor<?x3x4xf32>
}

// -----

// A batch of one.
// CHECK-LABEL: func.func @batch_of_one
// CHECK:         linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<3x8xf32>, tensor<8x4xf32>)
func.func @batch_of_one(%x: tensor<1x3x8xf32>, %w: tensor<1x8x4xf32>, %z: tensor<1x3x4xf32>) -> tensor<1x3x4xf32> {
  %y = linalg.batch_matmul ins(%x, %w : tensor<1x3x8xf32>, tensor<1x8x4xf32>) outs(%z : tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
  return %y : tensor<1x3x4xf32>
}

// -----

// On the left the matrix is read in every batch.
// CHECK-DAG:   #[[A:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
// CHECK-LABEL: func.func @left
// CHECK-NOT:     linalg.broadcast
// CHECK:         linalg.batch_matmul indexing_maps = [#[[A]], {{.*}}] ins(%arg1, %arg0 :
func.func @left(%x: tensor<?x8x4xf32>, %w: tensor<3x8xf32>, %z: tensor<?x3x4xf32>, %b: index) -> tensor<?x3x4xf32> {
  %we = tensor.empty(%b) : tensor<?x3x8xf32>
  %w3 = linalg.broadcast ins(%w : tensor<3x8xf32>) outs(%we : tensor<?x3x8xf32>) dimensions = [0]
  %y = linalg.batch_matmul ins(%w3, %x : tensor<?x3x8xf32>, tensor<?x8x4xf32>) outs(%z : tensor<?x3x4xf32>) -> tensor<?x3x4xf32>
  return %y : tensor<?x3x4xf32>
}

// -----

// A matrix for each batch.
// CHECK-LABEL: func.func @no_broadcast
// CHECK:         linalg.batch_matmul ins(%arg0, %arg1 :
func.func @no_broadcast(%x: tensor<?x3x8xf32>, %w: tensor<?x8x4xf32>, %z: tensor<?x3x4xf32>) -> tensor<?x3x4xf32> {
  %y = linalg.batch_matmul ins(%x, %w : tensor<?x3x8xf32>, tensor<?x8x4xf32>) outs(%z : tensor<?x3x4xf32>) -> tensor<?x3x4xf32>
  return %y : tensor<?x3x4xf32>
}

// -----

// Broadcast along the columns, not the batch.
// CHECK-LABEL: func.func @other_broadcast
// CHECK:         linalg.broadcast
// CHECK:         linalg.batch_matmul
func.func @other_broadcast(%x: tensor<?x3x8xf32>, %w: tensor<?x8xf32>, %z: tensor<?x3x4xf32>, %b: index) -> tensor<?x3x4xf32> {
  %we = tensor.empty(%b) : tensor<?x8x4xf32>
  %w3 = linalg.broadcast ins(%w : tensor<?x8xf32>) outs(%we : tensor<?x8x4xf32>) dimensions = [2]
  %y = linalg.batch_matmul ins(%x, %w3 : tensor<?x3x8xf32>, tensor<?x8x4xf32>) outs(%z : tensor<?x3x4xf32>) -> tensor<?x3x4xf32>
  return %y : tensor<?x3x4xf32>
}
