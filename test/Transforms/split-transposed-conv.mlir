// RUN: jit-opt %s -jit-split-transposed-conv -canonicalize -split-input-file | FileCheck %s

// All phases see windows of one tap: one op with two loops for the phases.
// CHECK-DAG:   #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d4, d2 + d5, d3 + d6)>
// CHECK-DAG:   #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d7, d8, d1, d4, d5, d6)>
// CHECK-DAG:   #[[Y:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d1, d2, d7, d3, d8)>
// CHECK-LABEL: func.func @together
// CHECK-SAME:    %[[IN:.*]]: tensor<?x8x?x?xf32>, %[[F:.*]]: tensor<4x8x2x2xf32>
// CHECK:         tensor.extract_slice %[[F]][0, 0, 1, 1] [4, 8, 1, 1] [1, 1, 2, 2]
// CHECK:         tensor.insert_slice {{.*}}[0, 0, 0, 0, 0, 0] [1, 1, 4, 8, 1, 1]
// CHECK:         tensor.extract_slice %[[F]][0, 0, 1, 0] [4, 8, 1, 1] [1, 1, 2, 2]
// CHECK:         tensor.insert_slice {{.*}}[0, 1, 0, 0, 0, 0] [1, 1, 4, 8, 1, 1]
// CHECK:         %[[P:.*]] = linalg.generic {indexing_maps = [#[[X]], #[[W]], #[[Y]]]
// CHECK-SAME:      ins(%[[IN]], %{{.*}} : tensor<?x8x?x?xf32>, tensor<2x2x4x8x1x1xf32>)
// CHECK:         tensor.collapse_shape %[[P]] {{\[\[}}0], [1], [2, 3], [4, 5]]
func.func @together(%x: tensor<?x8x?x?xf32>, %f: tensor<4x8x2x2xf32>) -> tensor<?x4x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %b = tensor.dim %x, %c0 : tensor<?x8x?x?xf32>
  %h = tensor.dim %x, %c2 : tensor<?x8x?x?xf32>
  %w = tensor.dim %x, %c3 : tensor<?x8x?x?xf32>
  %h2 = arith.muli %h, %c2 : index
  %w2 = arith.muli %w, %c2 : index
  %h3 = arith.addi %h2, %c1 : index
  %w3 = arith.addi %w2, %c1 : index
  %e = tensor.empty(%b, %h3, %w3) : tensor<?x8x?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
  %i = tensor.insert_slice %x into %z[0, 0, 1, 1] [%b, 8, %h, %w] [1, 1, 2, 2] : tensor<?x8x?x?xf32> into tensor<?x8x?x?xf32>
  %o = tensor.empty(%b, %h2, %w2) : tensor<?x4x?x?xf32>
  %s = linalg.fill ins(%zero : f32) outs(%o : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%i, %f : tensor<?x8x?x?xf32>, tensor<4x8x2x2xf32>) outs(%s : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  return %y : tensor<?x4x?x?xf32>
}

// -----

// Three taps at stride two: phase 0 sees the middle one, phase 1 the other two.
// CHECK-LABEL: func.func @one_by_one
// CHECK-SAME:    %[[IN:.*]]: tensor<2x5x3xf32>, %[[F:.*]]: tensor<3x3x4xf32>
// CHECK:         %[[MIDDLE:.*]] = tensor.extract_slice %[[F]][1, 0, 0] [1, 3, 4] [2, 1, 1]
// CHECK:         %[[FIRST:.*]] = linalg.generic {{.*}} ins(%[[IN]], %[[MIDDLE]] : tensor<2x5x3xf32>, tensor<1x3x4xf32>)
// CHECK:         tensor.insert_slice %[[FIRST]] into %{{.*}}[0, 0, 0] [2, 5, 4] [1, 2, 1]
// CHECK:         %[[SIDES:.*]] = tensor.extract_slice %[[F]][0, 0, 0] [2, 3, 4] [2, 1, 1]
// CHECK:         %[[SECOND:.*]] = linalg.generic {{.*}} ins(%[[IN]], %[[SIDES]] : tensor<2x5x3xf32>, tensor<2x3x4xf32>)
// CHECK:         tensor.insert_slice %[[SECOND]] into %{{.*}}[0, 1, 0] [2, 4, 4] [1, 2, 1]
func.func @one_by_one(%x: tensor<2x5x3xf32>, %f: tensor<3x3x4xf32>) -> tensor<2x9x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x11x3xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x11x3xf32>) -> tensor<2x11x3xf32>
  %i = tensor.insert_slice %x into %z[0, 1, 0] [2, 5, 3] [1, 2, 1] : tensor<2x5x3xf32> into tensor<2x11x3xf32>
  %o = tensor.empty() : tensor<2x9x4xf32>
  %s = linalg.fill ins(%zero : f32) outs(%o : tensor<2x9x4xf32>) -> tensor<2x9x4xf32>
  %y = linalg.conv_1d_nwc_wcf ins(%i, %f : tensor<2x11x3xf32>, tensor<3x3x4xf32>) outs(%s : tensor<2x9x4xf32>) -> tensor<2x9x4xf32>
  return %y : tensor<2x9x4xf32>
}

// -----

// What is between the inputs is no zero; the window has a stride; the largest of a window is not a
// sum; the filter's window is not known; there is no space between the inputs.
// CHECK-LABEL: func.func @untouched
// CHECK-COUNT-5: linalg.{{conv|pooling}}
// CHECK-NOT:     linalg.generic
func.func @untouched(%x: tensor<1x2x4xf32>, %f: tensor<3x2x2xf32>, %v: tensor<3x2x?xf32>, %p: tensor<2xf32>)
    -> (tensor<1x3x7xf32>, tensor<1x3x4xf32>, tensor<1x2x7xf32>, tensor<1x3x?xf32>, tensor<1x3x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<1x2x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  %ones = linalg.fill ins(%one : f32) outs(%e : tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  %i = tensor.insert_slice %x into %z[0, 0, 1] [1, 2, 4] [1, 1, 2] : tensor<1x2x4xf32> into tensor<1x2x8xf32>
  %j = tensor.insert_slice %x into %ones[0, 0, 1] [1, 2, 4] [1, 1, 2] : tensor<1x2x4xf32> into tensor<1x2x8xf32>
  %k = tensor.insert_slice %x into %z[0, 0, 1] [1, 2, 4] [1, 1, 1] : tensor<1x2x4xf32> into tensor<1x2x8xf32>
  %o = tensor.empty() : tensor<1x3x7xf32>
  %s = linalg.fill ins(%zero : f32) outs(%o : tensor<1x3x7xf32>) -> tensor<1x3x7xf32>
  %o2 = tensor.empty() : tensor<1x3x4xf32>
  %s2 = linalg.fill ins(%zero : f32) outs(%o2 : tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
  %o3 = tensor.empty() : tensor<1x2x7xf32>
  %s3 = linalg.fill ins(%zero : f32) outs(%o3 : tensor<1x2x7xf32>) -> tensor<1x2x7xf32>
  %n = arith.constant 7 : index
  %o4 = tensor.empty(%n) : tensor<1x3x?xf32>
  %s4 = linalg.fill ins(%zero : f32) outs(%o4 : tensor<1x3x?xf32>) -> tensor<1x3x?xf32>
  %a = linalg.conv_1d_ncw_fcw ins(%j, %f : tensor<1x2x8xf32>, tensor<3x2x2xf32>) outs(%s : tensor<1x3x7xf32>) -> tensor<1x3x7xf32>
  %b = linalg.conv_1d_ncw_fcw {strides = dense<2> : vector<1xi64>} ins(%i, %f : tensor<1x2x8xf32>, tensor<3x2x2xf32>) outs(%s2 : tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
  %c = linalg.pooling_ncw_max ins(%i, %p : tensor<1x2x8xf32>, tensor<2xf32>) outs(%s3 : tensor<1x2x7xf32>) -> tensor<1x2x7xf32>
  %d = linalg.conv_1d_ncw_fcw ins(%i, %v : tensor<1x2x8xf32>, tensor<3x2x?xf32>) outs(%s4 : tensor<1x3x?xf32>) -> tensor<1x3x?xf32>
  %g = linalg.conv_1d_ncw_fcw ins(%k, %f : tensor<1x2x8xf32>, tensor<3x2x2xf32>) outs(%s : tensor<1x3x7xf32>) -> tensor<1x3x7xf32>
  return %a, %b, %c, %d, %g : tensor<1x3x7xf32>, tensor<1x3x4xf32>, tensor<1x2x7xf32>, tensor<1x3x?xf32>, tensor<1x3x7xf32>
}
