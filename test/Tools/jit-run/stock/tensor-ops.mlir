// Operations on tensors that MLIR has no lowering to buffers for, in functions that are compiled whole.
// RUN: jit-run %s -e gather --input=8x3xf32=iota "--input=2x1xindex=1 0" | FileCheck %s --check-prefix=GATHER
// RUN: not jit-run %s -e gather --input=8x3xf32=iota "--input=2x1xindex=1 2" 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: jit-run %s -e scatter --input=4xf32=0 "--input=2x1xindex=3 1" "--input=2x1xf32=8 9" | FileCheck %s --check-prefix=SCATTER
// RUN: jit-run %s -e bitcast "--input=2xf32=1 -2" | FileCheck %s --check-prefix=BITCAST
// RUN: jit-run %s -e softmax --input=1x2xf32=3 | FileCheck %s --check-prefix=SOFTMAX
// RUN: jit-run %s -e winograd --input=1x3x3x1xf32=1 | FileCheck %s --check-prefix=WINOGRAD
// RUN: jit-run %s -e unknown --input=2x3xf32=1 --input=index=1 | FileCheck %s --check-prefix=DIM
// RUN: not jit-run %s -e unknown --input=2x3xf32=1 --input=index=2 2>&1 | FileCheck %s --check-prefix=NODIM
// RUN: jit-run %s -e packed --input=4xf32=iota --input=index=2 | FileCheck %s --check-prefix=PACKED
// RUN: not jit-run %s -e packed --input=4xf32=iota --input=index=3 2>&1 | FileCheck %s --check-prefix=REST

// GATHER: result[0]: 2x1x3x4xf32={{\[\[\[}}[12, 15, 18, 21], [13, 16, 19, 22], [14, 17, 20, 23]]], {{\[\[}}[0, 3, 6, 9], [1, 4, 7, 10], [2, 5, 8, 11]]]]
func.func @gather(%x: tensor<8x3xf32>, %i: tensor<2x1xindex>) -> tensor<2x1x3x4xf32> {
  vector.print punctuation <no_punctuation>
  %e = tensor.empty() : tensor<2x3x4xf32>
  %p = linalg.pack %x inner_dims_pos = [0] inner_tiles = [4] into %e : tensor<8x3xf32> -> tensor<2x3x4xf32>
  %r = tensor.gather %p[%i] gather_dims([0]) : (tensor<2x3x4xf32>, tensor<2x1xindex>) -> tensor<2x1x3x4xf32>
  return %r : tensor<2x1x3x4xf32>
}
// OUTSIDE: tensor-ops.mlir:[[#@LINE-3]]:8: error: {{.*}}

// SCATTER: result[0]: 4xf32=[0, 9, 0, 8]
func.func @scatter(%x: tensor<4xf32>, %i: tensor<2x1xindex>, %s: tensor<2x1xf32>) -> tensor<4xf32> {
  vector.print punctuation <no_punctuation>
  %r = tensor.scatter %s into %x[%i] scatter_dims([0]) unique : (tensor<2x1xf32>, tensor<4xf32>, tensor<2x1xindex>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// BITCAST: result[0]: 2xi32=[1065353216, -1073741824]
func.func @bitcast(%x: tensor<2xf32>) -> tensor<2xi32> {
  vector.print punctuation <no_punctuation>
  %r = tensor.bitcast %x : tensor<2xf32> to tensor<2xi32>
  return %r : tensor<2xi32>
}

// SOFTMAX: result[0]: 1x2xf32={{\[\[}}0.5, 0.5]]
func.func @softmax(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  vector.print punctuation <no_punctuation>
  %e = tensor.empty() : tensor<1x2xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<1x2xf32>) outs(%e : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %r : tensor<1x2xf32>
}

// WINOGRAD: result[0]: 6x6x1x1xf32={{.*}}0.0625
func.func @winograd(%x: tensor<1x3x3x1xf32>) -> tensor<6x6x1x1xf32> {
  vector.print punctuation <no_punctuation>
  %e = tensor.empty() : tensor<6x6x1x1xf32>
  %r = linalg.winograd_filter_transform fmr(F_4_3) ins(%x : tensor<1x3x3x1xf32>) outs(%e : tensor<6x6x1x1xf32>) -> tensor<6x6x1x1xf32>
  return %r : tensor<6x6x1x1xf32>
}

// DIM: result[0]: index=3
func.func @unknown(%x: tensor<2x3xf32>, %i: index) -> index {
  vector.print punctuation <no_punctuation>
  %d = tensor.dim %x, %i : tensor<2x3xf32>
  return %d : index
}
// NODIM: tensor-ops.mlir:[[#@LINE-3]]:8: error: assert failed: tensor.dim: the tensor has no such dimension

// PACKED: result[0]: 2x2xf32={{\[\[}}0, 1], [2, 3]]
func.func @packed(%x: tensor<4xf32>, %n: index) -> tensor<2x?xf32> {
  %e = tensor.empty(%n) : tensor<2x?xf32>
  %r = linalg.pack %x inner_dims_pos = [0] inner_tiles = [%n] into %e : tensor<4xf32> -> tensor<2x?xf32>
  return %r : tensor<2x?xf32>
}
// REST: tensor-ops.mlir:[[#@LINE-3]]:8: error: assert failed: linalg.pack: the tiles do not divide the source, and there is no padding value
