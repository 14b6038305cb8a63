// RUN: jit-opt %s -jit-raise-one-hot -canonicalize -split-input-file | FileCheck %s

#row = affine_map<(d0, d1) -> (d0, 0)>
#col = affine_map<(d0, d1) -> (0, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-DAG:   #[[ROW:.*]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-LABEL: func.func @compare_with_iota
// CHECK-SAME:    %[[LABELS:.*]]: tensor<?x1xi32>
// CHECK:         %[[TABLE:.*]] = arith.constant dense<{{.*}}> : tensor<3x2xf32>
// CHECK-NOT:     linalg.matmul
// CHECK:         %[[R:.*]] = linalg.generic {indexing_maps = [#[[ROW]], #{{.*}}]
// CHECK-SAME:        ins(%[[LABELS]] : tensor<?x1xi32>)
// CHECK:           %[[I:.*]] = arith.index_castui %{{.*}} : i32 to index
// CHECK:           %[[IN:.*]] = arith.cmpi ult, %[[I]], %c3
// CHECK:           %[[SAFE:.*]] = arith.select %[[IN]], %[[I]], %c0
// CHECK:           %[[V:.*]] = tensor.extract %[[TABLE]][%[[SAFE]], %{{.*}}]
// CHECK:           %[[SUM:.*]] = arith.addf %[[V]], %[[ZERO:.*]] : f32
// CHECK:           arith.select %[[IN]], %[[SUM]], %[[ZERO]]
// CHECK:         return %[[R]]
func.func @compare_with_iota(%labels: tensor<?x1xi32>, %n: index) -> tensor<?x2xf32> {
  %f0 = arith.constant 0.0 : f32
  %iota = arith.constant dense<[[0, 1, 2]]> : tensor<1x3xi32>
  %table = arith.constant dense<[[1.0, 2.0], [-0.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %be = tensor.empty(%n) : tensor<?x3xi1>
  %bits = linalg.generic {indexing_maps = [#row, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%labels, %iota : tensor<?x1xi32>, tensor<1x3xi32>) outs(%be : tensor<?x3xi1>) {
  ^bb0(%l: i32, %k: i32, %out: i1):
    %0 = arith.cmpi eq, %l, %k : i32
    linalg.yield %0 : i1
  } -> tensor<?x3xi1>
  %he = tensor.empty(%n) : tensor<?x3xf32>
  %hot = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%bits : tensor<?x3xi1>) outs(%he : tensor<?x3xf32>) {
  ^bb0(%b: i1, %out: f32):
    %0 = arith.uitofp %b : i1 to f32
    linalg.yield %0 : f32
  } -> tensor<?x3xf32>
  %e = tensor.empty(%n) : tensor<?x2xf32>
  %z = linalg.fill ins(%f0 : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
  %r = linalg.matmul ins(%hot, %table : tensor<?x3xf32>, tensor<3x2xf32>) outs(%z : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

// -----

// The class is the loop's counter, the value chosen by a select, the labels have two dimensions.
// CHECK-LABEL: func.func @compare_with_counter
// CHECK-SAME:    %[[LABELS:.*]]: tensor<4x5xi64>
// CHECK:         %[[R:.*]] = linalg.generic
// CHECK-SAME:        ins(%[[LABELS]] : tensor<4x5xi64>) outs(%{{.*}} : tensor<4x5x2xf32>)
// CHECK:         tensor.collapse_shape %[[R]] {{\[\[}}0, 1], [2]]
func.func @compare_with_counter(%labels: tensor<4x5xi64>) -> tensor<20x2xf32> {
  %f0 = arith.constant 0.0 : f32
  %f1 = arith.constant 1.0 : f32
  %table = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %he = tensor.empty() : tensor<4x5x3xf32>
  %hot = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%labels : tensor<4x5xi64>) outs(%he : tensor<4x5x3xf32>) {
  ^bb0(%l: i64, %out: f32):
    %i = linalg.index 2 : index
    %k = arith.index_cast %i : index to i64
    %0 = arith.cmpi eq, %k, %l : i64
    %1 = arith.select %0, %f1, %f0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x5x3xf32>
  %rows = tensor.collapse_shape %hot [[0, 1], [2]] : tensor<4x5x3xf32> into tensor<20x3xf32>
  %e = tensor.empty() : tensor<20x2xf32>
  %z = linalg.fill ins(%f0 : f32) outs(%e : tensor<20x2xf32>) -> tensor<20x2xf32>
  %r = linalg.matmul ins(%rows, %table : tensor<20x3xf32>, tensor<3x2xf32>) outs(%z : tensor<20x2xf32>) -> tensor<20x2xf32>
  return %r : tensor<20x2xf32>
}

// -----

// Zero times infinity is no zero.
#row = affine_map<(d0, d1) -> (d0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @infinite_table
// CHECK:         linalg.matmul
func.func @infinite_table(%labels: tensor<4xi64>) -> tensor<4x1xf32> {
  %f0 = arith.constant 0.0 : f32
  %f1 = arith.constant 1.0 : f32
  %table = arith.constant dense<[[1.0], [0x7F800000], [5.0]]> : tensor<3x1xf32>
  %he = tensor.empty() : tensor<4x3xf32>
  %hot = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%labels : tensor<4xi64>) outs(%he : tensor<4x3xf32>) {
  ^bb0(%l: i64, %out: f32):
    %i = linalg.index 1 : index
    %k = arith.index_cast %i : index to i64
    %0 = arith.cmpi eq, %k, %l : i64
    %1 = arith.select %0, %f1, %f0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x3xf32>
  %e = tensor.empty() : tensor<4x1xf32>
  %z = linalg.fill ins(%f0 : f32) outs(%e : tensor<4x1xf32>) -> tensor<4x1xf32>
  %r = linalg.matmul ins(%hot, %table : tensor<4x3xf32>, tensor<3x1xf32>) outs(%z : tensor<4x1xf32>) -> tensor<4x1xf32>
  return %r : tensor<4x1xf32>
}

// -----

// A table that is not constant, an accumulator that does not start at zero, no one-hot at all.
#row = affine_map<(d0, d1) -> (d0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @left_alone
// CHECK-COUNT-3: linalg.matmul
func.func @left_alone(%labels: tensor<4xi64>, %t: tensor<3x1xf32>, %acc: tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>) {
  %f0 = arith.constant 0.0 : f32
  %f1 = arith.constant 1.0 : f32
  %table = arith.constant dense<[[1.0], [2.0], [5.0]]> : tensor<3x1xf32>
  %he = tensor.empty() : tensor<4x3xf32>
  %hot = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%labels : tensor<4xi64>) outs(%he : tensor<4x3xf32>) {
  ^bb0(%l: i64, %out: f32):
    %i = linalg.index 1 : index
    %k = arith.index_cast %i : index to i64
    %0 = arith.cmpi eq, %k, %l : i64
    %1 = arith.select %0, %f1, %f0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x3xf32>
  %many = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%labels : tensor<4xi64>) outs(%he : tensor<4x3xf32>) {
  ^bb0(%l: i64, %out: f32):
    %i = linalg.index 1 : index
    %k = arith.index_cast %i : index to i64
    %0 = arith.cmpi sle, %k, %l : i64
    %1 = arith.select %0, %f1, %f0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x3xf32>
  %e = tensor.empty() : tensor<4x1xf32>
  %z = linalg.fill ins(%f0 : f32) outs(%e : tensor<4x1xf32>) -> tensor<4x1xf32>
  %0 = linalg.matmul ins(%hot, %t : tensor<4x3xf32>, tensor<3x1xf32>) outs(%z : tensor<4x1xf32>) -> tensor<4x1xf32>
  %1 = linalg.matmul ins(%hot, %table : tensor<4x3xf32>, tensor<3x1xf32>) outs(%acc : tensor<4x1xf32>) -> tensor<4x1xf32>
  %2 = linalg.matmul ins(%many, %table : tensor<4x3xf32>, tensor<3x1xf32>) outs(%z : tensor<4x1xf32>) -> tensor<4x1xf32>
  return %0, %1, %2 : tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>
}

// -----

// Ones and zeros that are integers first.
#row = affine_map<(d0, d1) -> (d0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @integers_first
// CHECK-NOT:     linalg.matmul
// CHECK:         tensor.extract
func.func @integers_first(%labels: tensor<4xi64>) -> tensor<4x2xf32> {
  %f0 = arith.constant 0.0 : f32
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %table = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %he = tensor.empty() : tensor<4x3xf32>
  %hot = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%labels : tensor<4xi64>) outs(%he : tensor<4x3xf32>) {
  ^bb0(%l: i64, %out: f32):
    %i = linalg.index 1 : index
    %k = arith.index_cast %i : index to i64
    %0 = arith.cmpi eq, %k, %l : i64
    %1 = arith.select %0, %i1, %i0 : i32
    %2 = arith.sitofp %1 : i32 to f32
    linalg.yield %2 : f32
  } -> tensor<4x3xf32>
  %e = tensor.empty() : tensor<4x2xf32>
  %z = linalg.fill ins(%f0 : f32) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
  %r = linalg.matmul ins(%hot, %table : tensor<4x3xf32>, tensor<3x2xf32>) outs(%z : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}
