// RUN: jit-opt %s -jit-raise-broadcast-gather -split-input-file | FileCheck %s

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK: #[[MAP:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
// CHECK-LABEL: func.func @select_of_counter
// CHECK-SAME:    %[[B:.*]]: index, %[[S:.*]]: index
// CHECK:         %[[X:.*]] = tensor.empty(%[[B]], %[[S]]) : tensor<?x?x1xf32>
// CHECK:         linalg.generic {indexing_maps = [#[[MAP]], #{{.*}}]
// CHECK-SAME:        ins(%[[X]] : tensor<?x?x1xf32>)
// CHECK:         ^bb0(%[[IN:.*]]: f32, %{{.*}}: f32):
// CHECK-NOT:       tensor.extract
// CHECK:           linalg.yield %[[IN]]
func.func @select_of_counter(%b: index, %s: index) -> tensor<?x?x384xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tensor.empty(%b, %s) : tensor<?x?x1xf32>
  %e = tensor.empty(%b, %s) : tensor<?x?x384xf32>
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel"]} outs(%e : tensor<?x?x384xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %ib = arith.cmpi eq, %b, %c1 : index
    %i0 = arith.select %ib, %c0, %i : index
    %v = tensor.extract %x[%i0, %j, %c0] : tensor<?x?x1xf32>
    linalg.yield %v : f32
  } -> tensor<?x?x384xf32>
  return %0 : tensor<?x?x384xf32>
}

// -----

// The source is one collapsed dimension, as long as the product of the two.
// CHECK-LABEL: func.func @product_of_sizes
// CHECK:         linalg.generic
// CHECK-SAME:        ins(%{{.*}} : tensor<?xf32>)
// CHECK-NOT:       tensor.extract
func.func @product_of_sizes(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.dim %x, %c0 : tensor<?x?xf32>
  %b = tensor.dim %x, %c1 : tensor<?x?xf32>
  %n = arith.muli %a, %b : index
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %is = arith.cmpi eq, %n, %c1 : index
    %i0 = arith.select %is, %c0, %i : index
    %v = tensor.extract %c[%i0] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// The dimension may have one size and the loop another: which it is shows at run time.
// CHECK-LABEL: func.func @sizes_may_differ
// CHECK:         tensor.extract
func.func @sizes_may_differ(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %is = arith.cmpi eq, %s, %c1 : index
    %i0 = arith.select %is, %c0, %i : index
    %v = tensor.extract %x[%i0] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Rows chosen by data.
// CHECK-LABEL: func.func @embedding
// CHECK:         tensor.extract
func.func @embedding(%ids: tensor<4xi64>, %table: tensor<100x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<4xi64>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: i64, %out: f32):
    %i = arith.index_cast %in : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %table[%i, %j] : tensor<100x8xf32>
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// A constant index inside the dimension, and one that may be outside.
// CHECK-LABEL: func.func @constant_index
// CHECK:         linalg.generic
// CHECK-SAME:        ins(%arg0 : tensor<3xf32>)
// CHECK:         ^bb0(%[[A:.*]]: f32, %{{.*}}: f32):
// CHECK:           %[[B:.*]] = tensor.extract %arg1
// CHECK:           arith.addf %[[A]], %[[B]]
func.func @constant_index(%x: tensor<3xf32>, %y: tensor<?xf32>) -> tensor<4xf32> {
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<4xf32>) {
  ^bb0(%out: f32):
    %a = tensor.extract %x[%c2] : tensor<3xf32>
    %b = tensor.extract %y[%c2] : tensor<?xf32>
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
