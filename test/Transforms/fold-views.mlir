// RUN: jit-opt %s -jit-fold-views | FileCheck %s

// Views of everything, whatever the sizes are called.
// CHECK-LABEL: func.func @all
// CHECK-SAME:    %[[X:.*]]: tensor<?x4xf32>
// CHECK-NOT:     tensor.extract_slice
// CHECK-NOT:     tensor.insert_slice
// CHECK-NOT:     tensor.pad
// CHECK:         return %[[X]], %[[X]], %[[X]]
func.func @all(%x: tensor<?x4xf32>, %f: f32) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %m = tensor.dim %x, %c0 : tensor<?x4xf32>
  %0 = tensor.extract_slice %x[0, 0] [%n, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  %e = tensor.empty(%m) : tensor<?x4xf32>
  %1 = tensor.insert_slice %x into %e[0, 0] [%m, 4] [1, 1] : tensor<?x4xf32> into tensor<?x4xf32>
  %2 = tensor.pad %x low[0, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %f : f32
  } : tensor<?x4xf32> to tensor<?x4xf32>
  return %0, %1, %2 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// A part, an offset, a stride, another size.
// CHECK-LABEL: func.func @parts
// CHECK-COUNT-4: tensor.extract_slice
func.func @parts(%x: tensor<?x4xf32>, %n: index) -> (tensor<?x3xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x2xf32>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x4xf32>
  %0 = tensor.extract_slice %x[0, 0] [%m, 3] [1, 1] : tensor<?x4xf32> to tensor<?x3xf32>
  %1 = tensor.extract_slice %x[%n, 0] [%m, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  %2 = tensor.extract_slice %x[0, 0] [%n, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  %3 = tensor.extract_slice %x[0, 0] [%m, 2] [1, 2] : tensor<?x4xf32> to tensor<?x2xf32>
  return %0, %1, %2, %3 : tensor<?x3xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x2xf32>
}

// Reshapes in a row, and one that undoes another.
// CHECK-LABEL: func.func @reshapes
// CHECK-SAME:    %[[X:.*]]: tensor<2x3x4xf32>
// CHECK:         %[[C:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1, 2]]
// CHECK:         return %[[C]], %[[X]]
func.func @reshapes(%x: tensor<2x3x4xf32>) -> (tensor<24xf32>, tensor<2x3x4xf32>) {
  %0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<6x4xf32> into tensor<24xf32>
  %2 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xf32> into tensor<2x3x4xf32>
  return %1, %2 : tensor<24xf32>, tensor<2x3x4xf32>
}

// An expansion to other sizes is no undoing.
// CHECK-LABEL: func.func @other_factors
// CHECK:         tensor.collapse_shape
// CHECK:         tensor.expand_shape
func.func @other_factors(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [3, 2] : tensor<6xf32> into tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}

// Constants keep their bytes, resources their blob.
// CHECK-LABEL: func.func @constants
// CHECK-DAG:     arith.constant dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi32>
// CHECK-DAG:     arith.constant dense_resource<blob> : tensor<4xi32>
// CHECK-NOT:     tensor.
func.func @constants() -> (tensor<2x2xi32>, tensor<4xi32>) {
  %0 = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [2, 2] : tensor<4xi32> into tensor<2x2xi32>
  %2 = arith.constant dense_resource<blob> : tensor<1x4xi32>
  %3 = tensor.collapse_shape %2 [[0, 1]] : tensor<1x4xi32> into tensor<4xi32>
  return %1, %3 : tensor<2x2xi32>, tensor<4xi32>
}

// CHECK-LABEL: func.func @casts
// CHECK-SAME:    %[[X:.*]]: tensor<4x4xf32>, %[[Y:.*]]: tensor<?x4xf32>
// CHECK:         %[[C:.*]] = tensor.cast %[[X]] : tensor<4x4xf32> to tensor<?x?xf32>
// CHECK:         %[[S:.*]] = tensor.cast %[[Y]] : tensor<?x4xf32> to tensor<4x4xf32>
// CHECK:         tensor.cast %[[S]] : tensor<4x4xf32> to tensor<4x?xf32>
func.func @casts(%x: tensor<4x4xf32>, %y: tensor<?x4xf32>) -> (tensor<?x?xf32>, tensor<4x?xf32>) {
  %0 = tensor.cast %x : tensor<4x4xf32> to tensor<?x4xf32>
  %1 = tensor.cast %0 : tensor<?x4xf32> to tensor<?x?xf32>
  // This one says more than its source: it is a check.
  %2 = tensor.cast %y : tensor<?x4xf32> to tensor<4x4xf32>
  %3 = tensor.cast %2 : tensor<4x4xf32> to tensor<4x?xf32>
  return %1, %3 : tensor<?x?xf32>, tensor<4x?xf32>
}

{-#
  dialect_resources: {
    builtin: {
      blob: "0x0400000001000000020000000300000004000000"
    }
  }
#-}
