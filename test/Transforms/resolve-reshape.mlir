// RUN: jit-opt %s -jit-resolve-reshape -split-input-file | FileCheck %s

// Leading sizes are the same values: only the last dimension is split.
// CHECK-LABEL: func.func @split_last
// CHECK-NOT:     cf.assert
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0], [1], [2, 3]] output_shape [%{{.*}}, %{{.*}}, 12, 32]
func.func @split_last(%x: tensor<?x?x384xf32>) -> tensor<?x?x12x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : i64
  %c32 = arith.constant 32 : i64
  %b = tensor.dim %x, %c0 : tensor<?x?x384xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x384xf32>
  %bi = arith.index_cast %b : index to i64
  %si = arith.index_cast %s : index to i64
  %shape = tensor.from_elements %bi, %si, %c12, %c32 : tensor<4xi64>
  %r = tensor.reshape %x(%shape) : (tensor<?x?x384xf32>, tensor<4xi64>) -> tensor<?x?x12x32xf32>
  return %r : tensor<?x?x12x32xf32>
}

// -----

// A product of sizes is split into its factors.
// CHECK-LABEL: func.func @split_product
// CHECK-NOT:     cf.assert
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [%arg1, %arg2, 4]
func.func @split_product(%f: f32, %a: index, %b: index) -> tensor<?x?x4xf32> {
  %c4 = arith.constant 4 : index
  %p = arith.muli %b, %a : index
  %x = tensor.empty(%p) : tensor<?x4xf32>
  %shape = tensor.from_elements %a, %b, %c4 : tensor<3xindex>
  %r = tensor.reshape %x(%shape) : (tensor<?x4xf32>, tensor<3xindex>) -> tensor<?x?x4xf32>
  return %r : tensor<?x?x4xf32>
}

// -----

// Static factors that regroup: through their product.
// CHECK-LABEL: func.func @regroup
// CHECK:         %[[C:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0], [1, 2]]
// CHECK:         tensor.expand_shape %[[C]] {{\[\[}}0], [1, 2]] output_shape [2, 4, 6]
func.func @regroup(%x: tensor<2x3x8xf32>) -> tensor<2x4x6xf32> {
  %shape = arith.constant dense<[2, 4, 6]> : tensor<3xi64>
  %r = tensor.reshape %x(%shape) : (tensor<2x3x8xf32>, tensor<3xi64>) -> tensor<2x4x6xf32>
  return %r : tensor<2x4x6xf32>
}

// -----

// Sizes that come from elsewhere: the numbers of elements are compared when it runs; equal constants
// at the end stay apart.
// CHECK-LABEL: func.func @checked
// CHECK:         %[[FITS:.*]] = arith.cmpi eq
// CHECK:         %[[A:.*]] = arith.cmpi sge
// CHECK:         %[[B:.*]] = arith.cmpi sge
// CHECK:         cf.assert %{{.*}}, "tensor.reshape: the new shape has another number of elements"
// CHECK:         %[[C:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2]]
// CHECK:         tensor.expand_shape %[[C]] {{\[\[}}0, 1], [2]]
func.func @checked(%x: tensor<?x?x8xf32>, %n: i32, %m: i32) -> tensor<?x?x8xf32> {
  %c8 = arith.constant 8 : i32
  %shape = tensor.from_elements %n, %m, %c8 : tensor<3xi32>
  %r = tensor.reshape %x(%shape) : (tensor<?x?x8xf32>, tensor<3xi32>) -> tensor<?x?x8xf32>
  return %r : tensor<?x?x8xf32>
}

// -----

// The shape is computed by tensor code: its elements are read.
// CHECK-LABEL: func.func @shape_is_data
// CHECK:         %[[E:.*]] = tensor.extract %arg1[%{{.*}}]
// CHECK:         arith.index_cast %[[E]] : i64 to index
// CHECK:         cf.assert
// CHECK-NOT:     = tensor.reshape
func.func @shape_is_data(%x: tensor<?xf32>, %shape: tensor<2xi64>) -> tensor<?x4xf32> {
  %r = tensor.reshape %x(%shape) : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

// To and from no dimensions at all.
// CHECK-LABEL: func.func @rank_zero
// CHECK:         %[[C:.*]] = tensor.collapse_shape %arg0 [] : tensor<1x1xf32> into tensor<f32>
// CHECK:         tensor.expand_shape %arg1 [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
func.func @rank_zero(%x: tensor<1x1xf32>, %y: tensor<f32>) -> (tensor<f32>, tensor<1x1xf32>) {
  %none = arith.constant dense<> : tensor<0xi64>
  %ones = arith.constant dense<1> : tensor<2xi64>
  %0 = tensor.reshape %x(%none) : (tensor<1x1xf32>, tensor<0xi64>) -> tensor<f32>
  %1 = tensor.reshape %y(%ones) : (tensor<f32>, tensor<2xi64>) -> tensor<1x1xf32>
  return %0, %1 : tensor<f32>, tensor<1x1xf32>
}

// -----

// Casts around it that only forget sizes are looked through.
// CHECK-LABEL: func.func @casts
// CHECK:         tensor.expand_shape %arg0 {{\[\[}}0], [1, 2]] output_shape [2, 3, 4] : tensor<2x12xf32> into tensor<2x3x4xf32>
func.func @casts(%x: tensor<2x12xf32>) -> tensor<?x?x?xf32> {
  %shape = arith.constant dense<[2, 3, 4]> : tensor<3xi64>
  %d = tensor.cast %x : tensor<2x12xf32> to tensor<?x?xf32>
  %r = tensor.reshape %d(%shape) : (tensor<?x?xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// -----

// A rank that is not known is left alone.
// CHECK-LABEL: func.func @unranked
// CHECK:         tensor.reshape
func.func @unranked(%x: tensor<4xf32>, %shape: tensor<?xi64>) -> tensor<*xf32> {
  %r = tensor.reshape %x(%shape) : (tensor<4xf32>, tensor<?xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}
