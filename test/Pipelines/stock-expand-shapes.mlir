// RUN: jit-opt %s --jit-stock-expand-shapes | FileCheck %s

// CHECK-LABEL: func.func @expand(
// CHECK-SAME: %[[X:.*]]: memref<?x4xf32, strided<[?, 2], offset: ?>>, %[[A:.*]]: index, %[[B:.*]]: index
// CHECK: %{{.*}}, %[[OFFSET:.*]], %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[X]]
// CHECK: %[[STRIDE:.*]] = affine.apply #{{.*}}()[%[[STRIDES]]#0, %[[B]]]
// CHECK: memref.reinterpret_cast %[[X]] to offset: [%[[OFFSET]]], sizes: [%[[A]], %[[B]], 2, 2], strides: [%[[STRIDE]], %[[STRIDES]]#0, 4, 2]
func.func @expand(%x: memref<?x4xf32, strided<[?, 2], offset: ?>>, %a: index, %b: index)
    -> memref<?x?x2x2xf32, strided<[?, ?, 4, 2], offset: ?>> {
  %y = memref.expand_shape %x [[0, 1], [2, 3]] output_shape [%a, %b, 2, 2]
      : memref<?x4xf32, strided<[?, 2], offset: ?>> into memref<?x?x2x2xf32, strided<[?, ?, 4, 2], offset: ?>>
  return %y : memref<?x?x2x2xf32, strided<[?, ?, 4, 2], offset: ?>>
}
// One size that isn't known: left to MLIR.
// CHECK-LABEL: func.func @expand_one
// CHECK: memref.expand_shape
func.func @expand_one(%x: memref<?xf32>, %a: index) -> memref<?x2xf32> {
  %y = memref.expand_shape %x [[0, 1]] output_shape [%a, 2] : memref<?xf32> into memref<?x2xf32>
  return %y : memref<?x2xf32>
}
