// RUN: jit-opt %s --jit-fold-transposes --canonicalize --split-input-file | FileCheck %s

// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[Y:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2) -> (d1, d0)>
// CHECK-LABEL: func.func @all_three
// CHECK-SAME: (%[[X_ARG:.*]]: tensor<5x3xf32>, %[[Y_ARG:.*]]: tensor<7x5xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: linalg.contract indexing_maps = [#[[X]], #[[Y]], #[[OUT]]]
// CHECK-SAME: ins(%[[X_ARG]], %[[Y_ARG]] : tensor<5x3xf32>, tensor<7x5xf32>)
// CHECK-NOT: linalg.transpose
func.func @all_three(%x: tensor<5x3xf32>, %y: tensor<7x5xf32>) -> tensor<7x3xf32> {
  %zero = arith.constant 0.0 : f32
  %ex = tensor.empty() : tensor<3x5xf32>
  %ey = tensor.empty() : tensor<5x7xf32>
  %e = tensor.empty() : tensor<3x7xf32>
  %er = tensor.empty() : tensor<7x3xf32>
  %tx = linalg.transpose ins(%x : tensor<5x3xf32>) outs(%ex : tensor<3x5xf32>) permutation = [1, 0]
  %ty = linalg.transpose ins(%y : tensor<7x5xf32>) outs(%ey : tensor<5x7xf32>) permutation = [1, 0]
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<3x7xf32>) -> tensor<3x7xf32>
  %m = linalg.matmul ins(%tx, %ty : tensor<3x5xf32>, tensor<5x7xf32>)
      outs(%i : tensor<3x7xf32>) -> tensor<3x7xf32>
  %r = linalg.transpose ins(%m : tensor<3x7xf32>) outs(%er : tensor<7x3xf32>) permutation = [1, 0]
  return %r : tensor<7x3xf32>
}

// -----

// Heads of attention: the batch is split where it was collapsed.

// CHECK-DAG: #[[Q:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>
// CHECK-DAG: #[[K:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1, d4)>
// CHECK-DAG: #[[S:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @heads
// CHECK-NOT: linalg.transpose
// CHECK-NOT: linalg.batch_matmul
// CHECK: linalg.contract indexing_maps = [#[[Q]], #[[K]], #[[S]]]
func.func @heads(%q: tensor<?x?x12x32xf32>, %k: tensor<?x?x12x32xf32>, %b: index, %s: index)
    -> tensor<?x12x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c12 = arith.constant 12 : index
  %eq = tensor.empty(%b, %s) : tensor<?x12x?x32xf32>
  %ek = tensor.empty(%b, %s) : tensor<?x12x32x?xf32>
  %tq = linalg.transpose ins(%q : tensor<?x?x12x32xf32>) outs(%eq : tensor<?x12x?x32xf32>)
      permutation = [0, 2, 1, 3]
  %tk = linalg.transpose ins(%k : tensor<?x?x12x32xf32>) outs(%ek : tensor<?x12x32x?xf32>)
      permutation = [0, 2, 3, 1]
  %cq = tensor.collapse_shape %tq [[0, 1], [2], [3]]
      : tensor<?x12x?x32xf32> into tensor<?x?x32xf32>
  %ck = tensor.collapse_shape %tk [[0, 1], [2], [3]]
      : tensor<?x12x32x?xf32> into tensor<?x32x?xf32>
  %bh = arith.muli %b, %c12 : index
  %e = tensor.empty(%bh, %s, %s) : tensor<?x?x?xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %m = linalg.batch_matmul ins(%cq, %ck : tensor<?x?x32xf32>, tensor<?x32x?xf32>)
      outs(%i : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %r = tensor.expand_shape %m [[0, 1], [2], [3]] output_shape [%b, 12, %s, %s]
      : tensor<?x?x?xf32> into tensor<?x12x?x?xf32>
  return %r : tensor<?x12x?x?xf32>
}

// -----

// The rows of a plain matmul stay one loop.

// CHECK-LABEL: func.func @rows
// CHECK: linalg.matmul
// CHECK-NOT: linalg.contract
func.func @rows(%x: tensor<2x?x8xf32>, %w: tensor<8x4xf32>, %s: index, %n: index)
    -> tensor<2x?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %cx = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x?x8xf32> into tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %m = linalg.matmul ins(%cx, %w : tensor<?x8xf32>, tensor<8x4xf32>)
      outs(%i : tensor<?x4xf32>) -> tensor<?x4xf32>
  %r = tensor.expand_shape %m [[0, 1], [2]] output_shape [2, %s, 4]
      : tensor<?x4xf32> into tensor<2x?x4xf32>
  return %r : tensor<2x?x4xf32>
}

// -----

// A product that is added to old values keeps the transpose behind it; so does one that is read
// besides.

// CHECK-LABEL: func.func @added
// CHECK: linalg.matmul
// CHECK: linalg.transpose
func.func @added(%x: tensor<3x5xf32>, %y: tensor<5x7xf32>, %old: tensor<3x7xf32>)
    -> tensor<7x3xf32> {
  %er = tensor.empty() : tensor<7x3xf32>
  %m = linalg.matmul ins(%x, %y : tensor<3x5xf32>, tensor<5x7xf32>)
      outs(%old : tensor<3x7xf32>) -> tensor<3x7xf32>
  %r = linalg.transpose ins(%m : tensor<3x7xf32>) outs(%er : tensor<7x3xf32>) permutation = [1, 0]
  return %r : tensor<7x3xf32>
}

// -----

// With a conversion in the body nothing changes.

// CHECK-LABEL: func.func @converted
// CHECK: linalg.transpose
// CHECK: linalg.matmul
func.func @converted(%x: tensor<5x3xi8>, %y: tensor<5x7xi8>, %i: tensor<3x7xi32>)
    -> tensor<3x7xi32> {
  %ex = tensor.empty() : tensor<3x5xi8>
  %tx = linalg.transpose ins(%x : tensor<5x3xi8>) outs(%ex : tensor<3x5xi8>) permutation = [1, 0]
  %m = linalg.matmul ins(%tx, %y : tensor<3x5xi8>, tensor<5x7xi8>)
      outs(%i : tensor<3x7xi32>) -> tensor<3x7xi32>
  return %m : tensor<3x7xi32>
}
