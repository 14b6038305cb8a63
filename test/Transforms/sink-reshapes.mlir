// RUN: jit-opt %s -jit-sink-reshapes -split-input-file | FileCheck %s

#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#last = affine_map<(d0, d1, d2) -> (d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>

// The bias follows the product directly, and so do what stands on it and a reduction of its rows.
// CHECK-LABEL: func.func @epilogue
// CHECK:         %[[MM:.*]] = linalg.matmul
// CHECK:         %[[BIAS:.*]] = linalg.generic
// CHECK-SAME:        ins(%[[MM]], %{{.*}} : tensor<?x8xf32>, tensor<8xf32>)
// CHECK:         %[[EXP:.*]] = linalg.generic
// CHECK-SAME:        ins(%[[BIAS]] : tensor<?x8xf32>)
// CHECK:         %[[R0:.*]] = tensor.expand_shape %[[EXP]] {{\[\[}}0, 1], [2]]
// CHECK:         %[[SUM:.*]] = linalg.generic
// CHECK-SAME:        iterator_types = ["parallel", "reduction"]
// CHECK-SAME:        ins(%[[EXP]] : tensor<?x8xf32>)
// CHECK:         %[[R1:.*]] = tensor.expand_shape %[[SUM]] {{\[\[}}0, 1]]
// CHECK:         return %[[R0]], %[[R1]]
func.func @epilogue(%x: tensor<?x4xf32>, %w: tensor<4x8xf32>, %bias: tensor<8xf32>, %b: index, %s: index) -> (tensor<?x?x8xf32>, tensor<?x?xf32>) {
  %f0 = arith.constant 0.0 : f32
  %n = arith.muli %b, %s : index
  %e2 = tensor.empty(%n) : tensor<?x8xf32>
  %z2 = linalg.fill ins(%f0 : f32) outs(%e2 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %mm = linalg.matmul ins(%x, %w : tensor<?x4xf32>, tensor<4x8xf32>) outs(%z2 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %y = tensor.expand_shape %mm [[0, 1], [2]] output_shape [%b, %s, 8] : tensor<?x8xf32> into tensor<?x?x8xf32>
  %e = tensor.empty(%b, %s) : tensor<?x?x8xf32>
  %0 = linalg.generic {indexing_maps = [#id3, #last, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y, %bias : tensor<?x?x8xf32>, tensor<8xf32>) outs(%e : tensor<?x?x8xf32>) {
  ^bb0(%in: f32, %c: f32, %out: f32):
    %1 = arith.addf %in, %c : f32
    linalg.yield %1 : f32
  } -> tensor<?x?x8xf32>
  %2 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0 : tensor<?x?x8xf32>) outs(%e : tensor<?x?x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = math.exp %in : f32
    linalg.yield %1 : f32
  } -> tensor<?x?x8xf32>
  %er = tensor.empty(%b, %s) : tensor<?x?xf32>
  %zr = linalg.fill ins(%f0 : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %3 = linalg.generic {indexing_maps = [#id3, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%2 : tensor<?x?x8xf32>) outs(%zr : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.addf %in, %out : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  return %2, %3 : tensor<?x?x8xf32>, tensor<?x?xf32>
}

// -----

// An operand that is broadcast along a part of the group, a counter that is read, a transposition that
// takes the group apart.
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#part = affine_map<(d0, d1, d2) -> (0, d1, d2)>
#swap = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
// CHECK-LABEL: func.func @not_whole_groups
// CHECK:         %[[Y:.*]] = tensor.expand_shape
// CHECK:         linalg.generic
// CHECK-SAME:        ins(%[[Y]], %{{.*}} : tensor<2x3x8xf32>, tensor<1x3x8xf32>)
// CHECK:         linalg.generic
// CHECK-SAME:        ins(%[[Y]] : tensor<2x3x8xf32>)
// CHECK:         linalg.generic
// CHECK-SAME:        ins(%[[Y]] : tensor<2x3x8xf32>)
func.func @not_whole_groups(%x: tensor<6x4xf32>, %w: tensor<4x8xf32>, %z: tensor<6x8xf32>, %p: tensor<1x3x8xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xi64>, tensor<3x2x8xf32>) {
  %mm = linalg.matmul ins(%x, %w : tensor<6x4xf32>, tensor<4x8xf32>) outs(%z : tensor<6x8xf32>) -> tensor<6x8xf32>
  %y = tensor.expand_shape %mm [[0, 1], [2]] output_shape [2, 3, 8] : tensor<6x8xf32> into tensor<2x3x8xf32>
  %e = tensor.empty() : tensor<2x3x8xf32>
  %0 = linalg.generic {indexing_maps = [#id3, #part, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y, %p : tensor<2x3x8xf32>, tensor<1x3x8xf32>) outs(%e : tensor<2x3x8xf32>) {
  ^bb0(%in: f32, %c: f32, %out: f32):
    %1 = arith.addf %in, %c : f32
    linalg.yield %1 : f32
  } -> tensor<2x3x8xf32>
  %ei = tensor.empty() : tensor<2x3x8xi64>
  %2 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y : tensor<2x3x8xf32>) outs(%ei : tensor<2x3x8xi64>) {
  ^bb0(%in: f32, %out: i64):
    %i = linalg.index 1 : index
    %k = arith.index_cast %i : index to i64
    %v = arith.fptosi %in : f32 to i64
    %s = arith.addi %k, %v : i64
    linalg.yield %s : i64
  } -> tensor<2x3x8xi64>
  %et = tensor.empty() : tensor<3x2x8xf32>
  %3 = linalg.generic {indexing_maps = [#id3, #swap], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y : tensor<2x3x8xf32>) outs(%et : tensor<3x2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x2x8xf32>
  return %0, %2, %3 : tensor<2x3x8xf32>, tensor<2x3x8xi64>, tensor<3x2x8xf32>
}

// -----

// After a convolution the bias and what follows run over the convolution's own dimensions.
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#channel = affine_map<(d0, d1, d2) -> (0, d1, 0)>
// CHECK-LABEL: func.func @after_convolution
// CHECK:         %[[CONV:.*]] = linalg.conv_2d_nchw_fchw
// CHECK:         %[[BIAS:.*]] = linalg.generic
// CHECK-SAME:        ins(%[[CONV]], %{{.*}} : tensor<?x2x4x1xf32>, tensor<1x2x1xf32>)
// CHECK:         %[[RELU:.*]] = linalg.generic
// CHECK-SAME:        ins(%[[BIAS]] : tensor<?x2x4x1xf32>)
// CHECK:         %[[R:.*]] = tensor.collapse_shape %[[RELU]] {{\[\[}}0], [1], [2, 3]]
// CHECK:         return %[[R]]
func.func @after_convolution(%x: tensor<?x3x4x1xf32>, %w: tensor<2x3x1x1xf32>, %z: tensor<?x2x4x1xf32>, %bias: tensor<1x2x1xf32>) -> tensor<?x2x4xf32> {
  %c0 = arith.constant 0 : index
  %f0 = arith.constant 0.0 : f32
  %n = tensor.dim %z, %c0 : tensor<?x2x4x1xf32>
  %conv = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<?x3x4x1xf32>, tensor<2x3x1x1xf32>) outs(%z : tensor<?x2x4x1xf32>) -> tensor<?x2x4x1xf32>
  %y = tensor.collapse_shape %conv [[0], [1], [2, 3]] : tensor<?x2x4x1xf32> into tensor<?x2x4xf32>
  %e = tensor.empty(%n) : tensor<?x2x4xf32>
  %0 = linalg.generic {indexing_maps = [#id3, #channel, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y, %bias : tensor<?x2x4xf32>, tensor<1x2x1xf32>) outs(%e : tensor<?x2x4xf32>) {
  ^bb0(%in: f32, %c: f32, %out: f32):
    %1 = arith.addf %in, %c : f32
    linalg.yield %1 : f32
  } -> tensor<?x2x4xf32>
  %2 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0 : tensor<?x2x4xf32>) outs(%e : tensor<?x2x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.maximumf %in, %f0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x2x4xf32>
  return %2 : tensor<?x2x4xf32>
}

// -----

// A dimension of one is no dimension to read.
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#keep = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
// CHECK: #[[ROW:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @unit_dimension
// CHECK-NOT:     tensor.expand_shape
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}, #[[ROW]], #{{.*}}]
// CHECK-SAME:        ins(%arg0, %arg1 : tensor<2x3x4xf32>, tensor<2x3xf32>)
func.func @unit_dimension(%x: tensor<2x3x4xf32>, %max: tensor<2x3xf32>) -> tensor<2x3x4xf32> {
  %m = tensor.expand_shape %max [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
  %e = tensor.empty() : tensor<2x3x4xf32>
  %0 = linalg.generic {indexing_maps = [#id3, #keep, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %m : tensor<2x3x4xf32>, tensor<2x3x1xf32>) outs(%e : tensor<2x3x4xf32>) {
  ^bb0(%in: f32, %c: f32, %out: f32):
    %1 = arith.subf %in, %c : f32
    linalg.yield %1 : f32
  } -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// -----

// Nothing is won: the expanded tensor is an argument.
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-LABEL: func.func @no_chain
// CHECK:         tensor.expand_shape %arg0
// CHECK:         linalg.generic
// CHECK-SAME:        ins(%{{.*}} : tensor<2x3x4xf32>)
func.func @no_chain(%x: tensor<6x4xf32>) -> tensor<2x3x4xf32> {
  %y = tensor.expand_shape %x [[0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xf32> into tensor<2x3x4xf32>
  %e = tensor.empty() : tensor<2x3x4xf32>
  %0 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y : tensor<2x3x4xf32>) outs(%e : tensor<2x3x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.negf %in : f32
    linalg.yield %1 : f32
  } -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}
