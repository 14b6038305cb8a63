// RUN: jit-opt %s -jit-lower-tensor-ops -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @concat
// CHECK:         %[[N:.*]] = tensor.dim %arg0
// CHECK:         %[[M:.*]] = tensor.dim %arg2
// CHECK:         %[[A:.*]] = tensor.insert_slice %arg0 into %{{.*}}[0, 0] [%[[N]], 4] [1, 1]
// CHECK:         %[[B:.*]] = tensor.insert_slice %arg1 into %[[A]][%[[N]], 0] [2, 4] [1, 1]
// CHECK:         tensor.insert_slice %arg2 into %[[B]][%{{.*}}, 0] [%[[M]], 4] [1, 1]
func.func @concat(%a: tensor<?x4xf32>, %b: tensor<2x4xf32>, %c: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = tensor.concat dim(0) %a, %b, %c : (tensor<?x4xf32>, tensor<2x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// Slices of one operand each: the concat goes; a slice over two keeps it.
// CHECK-LABEL: func.func @slices_of_concat
// CHECK-NOT:     tensor.insert_slice
// CHECK:         %[[A:.*]] = tensor.extract_slice %arg0[0, 0] [3, 1] [1, 1]
// CHECK:         %[[B:.*]] = tensor.extract_slice %arg1[0, 1] [3, 1] [1, 1]
// CHECK:         return %[[A]], %[[B]]
func.func @slices_of_concat(%a: tensor<3x1xf32>, %b: tensor<3x2xf32>) -> (tensor<3x1xf32>, tensor<3x1xf32>) {
  %0 = tensor.concat dim(1) %a, %b : (tensor<3x1xf32>, tensor<3x2xf32>) -> tensor<3x3xf32>
  %1 = tensor.extract_slice %0[0, 0] [3, 1] [1, 1] : tensor<3x3xf32> to tensor<3x1xf32>
  %2 = tensor.extract_slice %0[0, 2] [3, 1] [1, 1] : tensor<3x3xf32> to tensor<3x1xf32>
  return %1, %2 : tensor<3x1xf32>, tensor<3x1xf32>
}
// CHECK-LABEL: func.func @slice_over_two
// CHECK-COUNT-2: tensor.insert_slice
// CHECK:         tensor.extract_slice %{{.*}}[0, 0] [3, 2]
func.func @slice_over_two(%a: tensor<3x1xf32>, %b: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = tensor.concat dim(1) %a, %b : (tensor<3x1xf32>, tensor<3x2xf32>) -> tensor<3x3xf32>
  %1 = tensor.extract_slice %0[0, 0] [3, 2] [1, 1] : tensor<3x3xf32> to tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}

// -----

// CHECK-LABEL: func.func @generate
// CHECK:         %[[E:.*]] = tensor.empty(%arg0) : tensor<?x4xindex>
// CHECK:         linalg.generic
// CHECK-SAME:        outs(%[[E]]
// CHECK-DAG:       %[[I:.*]] = linalg.index 0
// CHECK-DAG:       %[[J:.*]] = linalg.index 1
// CHECK:           arith.addi %[[I]], %[[J]]
func.func @generate(%n: index) -> tensor<?x4xindex> {
  %0 = tensor.generate %n {
  ^bb0(%i: index, %j: index):
    %1 = arith.addi %i, %j : index
    tensor.yield %1 : index
  } : tensor<?x4xindex>
  return %0 : tensor<?x4xindex>
}

// -----

// CHECK-LABEL: func.func @gather
// CHECK:         linalg.generic
// CHECK-SAME:        iterator_types = ["parallel", "parallel", "parallel", "parallel"]
// CHECK:           %[[C:.*]] = tensor.extract %arg1[%{{.*}}, %{{.*}}]
// CHECK:           %[[ROW:.*]] = arith.index_cast %[[C]] : i32 to index
// CHECK:           tensor.extract %arg0[%{{.*}}, %[[ROW]], %{{.*}}]
func.func @gather(%x: tensor<3x4x5xf32>, %at: tensor<6x1xi32>) -> tensor<6x3x1x5xf32> {
  %0 = tensor.gather %x[%at] gather_dims([1]) : (tensor<3x4x5xf32>, tensor<6x1xi32>) -> tensor<6x3x1x5xf32>
  return %0 : tensor<6x3x1x5xf32>
}
// CHECK-LABEL: func.func @gather_fewer_dims
// CHECK:         tensor.empty() : tensor<6x3x5xf32>
func.func @gather_fewer_dims(%x: tensor<3x4x5xf32>, %at: tensor<6x1xindex>) -> tensor<6x3x5xf32> {
  %0 = tensor.gather %x[%at] gather_dims([1]) : (tensor<3x4x5xf32>, tensor<6x1xindex>) -> tensor<6x3x5xf32>
  return %0 : tensor<6x3x5xf32>
}

// -----

// CHECK-LABEL: func.func @scatter
// CHECK:         scf.for %[[I:.*]] = {{.*}} iter_args(%[[D:.*]] = %arg1)
// CHECK:           %[[ROW:.*]] = tensor.extract %arg2[%[[I]], %{{.*}}]
// CHECK:           %[[S:.*]] = tensor.extract_slice %arg0[%[[I]], 0, 0] [1, 1, 5] [1, 1, 1]
// CHECK:           tensor.insert_slice %[[S]] into %[[D]][%[[ROW]], 0] [1, 5] [1, 1]
func.func @scatter(%x: tensor<3x1x5xf32>, %d: tensor<4x5xf32>, %at: tensor<3x1xindex>) -> tensor<4x5xf32> {
  %0 = tensor.scatter %x into %d[%at] scatter_dims([0]) unique : (tensor<3x1x5xf32>, tensor<4x5xf32>, tensor<3x1xindex>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

// CHECK-LABEL: func.func @elements
// CHECK:         arith.constant dense<[1, 2]> : tensor<2xi64>
// CHECK:         linalg.fill ins(%arg0
// CHECK:         linalg.fill ins(%arg0
// CHECK:         tensor.insert %arg0 into %{{.*}}[%{{.*}}, %{{.*}}]
// CHECK:         tensor.insert %arg1 into
// CHECK-NOT:     tensor.from_elements
func.func @elements(%a: i64, %b: i64) -> (tensor<2xi64>, tensor<i64>, tensor<4xi64>, tensor<1x2xi64>) {
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %0 = tensor.from_elements %c1, %c2 : tensor<2xi64>
  %1 = tensor.from_elements %a : tensor<i64>
  %2 = tensor.splat %a : tensor<4xi64>
  %3 = tensor.from_elements %a, %b : tensor<1x2xi64>
  return %0, %1, %2, %3 : tensor<2xi64>, tensor<i64>, tensor<4xi64>, tensor<1x2xi64>
}

// -----

// CHECK-LABEL: func.func @bitcast
// CHECK:         linalg.generic
// CHECK:           arith.bitcast %{{.*}} : f32 to i32
func.func @bitcast(%x: tensor<?xf32>) -> tensor<?xi32> {
  %0 = tensor.bitcast %x : tensor<?xf32> to tensor<?xi32>
  return %0 : tensor<?xi32>
}

// -----

// One value everywhere: a pad. A value for each position: computed, the source inserted.
// CHECK-LABEL: func.func @pads
// CHECK:         tensor.pad
// CHECK:         %[[E:.*]] = linalg.generic
// CHECK:           linalg.index 0
// CHECK:         tensor.insert_slice %arg0 into %[[E]][1] [%{{.*}}] [1]
func.func @pads(%x: tensor<?xindex>, %v: index) -> (tensor<?xindex>, tensor<?xindex>) {
  %0 = tensor.pad %x low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %v : index
  } : tensor<?xindex> to tensor<?xindex>
  %1 = tensor.pad %x low[1] high[2] {
  ^bb0(%i: index):
    %2 = arith.addi %i, %v : index
    tensor.yield %2 : index
  } : tensor<?xindex> to tensor<?xindex>
  return %0, %1 : tensor<?xindex>, tensor<?xindex>
}

// -----

// CHECK-LABEL: func.func @dim_at_run_time
// CHECK:         arith.cmpi eq, %arg1
// CHECK:         arith.select
func.func @dim_at_run_time(%x: tensor<?x?xf32>, %d: index) -> index {
  %0 = tensor.dim %x, %d : tensor<?x?xf32>
  return %0 : index
}

// -----

// A dimension that the tensor has not: the assert fires if it is asked for.
// CHECK-LABEL: func.func @no_such_dim
// CHECK:         %[[C:.*]] = arith.constant -52 : index
// CHECK:         %[[IN:.*]] = arith.cmpi ult, %[[C]]
// CHECK:         cf.assert %[[IN]], "tensor.dim: the tensor has no such dimension"
// CHECK-NOT:     tensor.dim %arg0, %[[C]]
func.func @no_such_dim(%x: tensor<?x?xf32>) -> index {
  %c = arith.constant -52 : index
  %0 = tensor.dim %x, %c : tensor<?x?xf32>
  return %0 : index
}

// -----

// By one condition. Element by element it is no tensor op.
// CHECK-LABEL: func.func @selects
// CHECK-NEXT:    %[[W:.*]] = scf.if %arg0 -> (tensor<?xf32>) {
// CHECK-NEXT:      scf.yield %arg1
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %arg2
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[E:.*]] = arith.select %arg3, %[[W]], %arg1
// CHECK-NEXT:    return %[[E]]
func.func @selects(%c: i1, %a: tensor<?xf32>, %b: tensor<?xf32>, %m: tensor<?xi1>) -> tensor<?xf32> {
  %0 = arith.select %c, %a, %b : tensor<?xf32>
  %1 = arith.select %m, %0, %a : tensor<?xi1>, tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @softmax
// CHECK-NOT:     linalg.softmax
// CHECK:         linalg.generic
// CHECK:           math.exp
// CHECK:         linalg.generic
// CHECK:           arith.divf
func.func @softmax(%x: tensor<2x16xf32>, %e: tensor<2x16xf32>) -> tensor<2x16xf32> {
  %0 = linalg.softmax dimension(1) ins(%x : tensor<2x16xf32>) outs(%e : tensor<2x16xf32>) -> tensor<2x16xf32>
  return %0 : tensor<2x16xf32>
}

// -----

// Tiles whose sizes the call decides: element by element.
// CHECK-LABEL: func.func @pack_by_elements
// CHECK:         cf.assert {{.*}}the tiles do not divide the source
// CHECK:         linalg.generic
// CHECK:         scf.if
// CHECK:         tensor.extract
func.func @pack_by_elements(%x: tensor<16xf32>, %e: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %0 = linalg.pack %x inner_dims_pos = [0] inner_tiles = [%n] into %e : tensor<16xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @pack_and_unpack
// CHECK-NOT:     linalg.pack
// CHECK-NOT:     linalg.unpack
// CHECK:         linalg.transpose
func.func @pack_and_unpack(%x: tensor<16x16xf32>, %e: tensor<2x4x8x4xf32>, %d: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [8, 4] into %e : tensor<16x16xf32> -> tensor<2x4x8x4xf32>
  %1 = linalg.unpack %0 inner_dims_pos = [0, 1] inner_tiles = [8, 4] into %d : tensor<2x4x8x4xf32> -> tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}
