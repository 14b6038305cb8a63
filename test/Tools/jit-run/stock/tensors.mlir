// Tensors and numbers in and out: copies, aliases, sizes that follow from values.
// RUN: jit-run %s -e swap --input=2xf32="1 2" --input=i64=7 | FileCheck %s --check-prefix=SWAP
// RUN: jit-run %s -e twice --input=2xf32="1 2" --repeat=5 | FileCheck %s --check-prefix=TWICE
// RUN: jit-run %s -e update --input=2x2xf32="1 2 3 4" --repeat=3 | FileCheck %s --check-prefix=UPDATE
// RUN: jit-run %s -e buffer | FileCheck %s --check-prefix=BUFFER
// RUN: jit-run %s -e pack --input=5xf32="1 2 3 4 5" | FileCheck %s --check-prefix=PACK
// RUN: jit-run %s -e expand --input=12xf32=iota --input=index=2 --input=index=3 | FileCheck %s --check-prefix=EXPAND
// RUN: jit-run %s -e expand --input=0xf32=0 --input=index=3 --input=index=0 | FileCheck %s --check-prefix=EMPTY
// RUN: jit-run %s -e expand_part --input=3x9xf32=iota --input=index=2 --input=index=3 | FileCheck %s --check-prefix=PART

func.func @swap(%x: tensor<?xf32>, %i: i64) -> (i64, tensor<?xf32>, i1, f16) {
  %t = arith.constant true
  %h = arith.constant 1.5 : f16
  %c = arith.constant 1 : index
  %v = vector.broadcast %i : i64 to vector<2xi64>
  %s = vector.reduction <add>, %v : vector<2xi64> into i64
  return %s, %x, %t, %h : i64, tensor<?xf32>, i1, f16
}
// SWAP: result[0]: i64=14
// SWAP-NEXT: result[1]: 2xf32=[1, 2]
// SWAP-NEXT: result[2]: i1=true
// SWAP-NEXT: result[3]: f16=1.5

func.func @twice(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %v = arith.constant dense<1.0> : vector<2xf32>
  vector.print punctuation <no_punctuation>
  %y = arith.addf %x, %x : tensor<2xf32>
  return %y, %y, %x : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
// TWICE: result[0]: 2xf32=[2, 4]
// TWICE-NEXT: result[1]: 2xf32=[2, 4]
// TWICE-NEXT: result[2]: 2xf32=[1, 2]

// The argument is not written, so that each call gives the same.
func.func @update(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0, %c0], %pad : tensor<2x2xf32>, vector<2x2xf32>
  %w = arith.addf %v, %v : vector<2x2xf32>
  %r = vector.transfer_write %w, %x[%c0, %c0] : vector<2x2xf32>, tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}
// UPDATE: result[0]: 2x2xf32={{\[\[}}2, 4], [6, 8]]

memref.global "private" constant @table : memref<3xi32> = dense<[4, 5, 6]>
func.func @buffer() -> memref<3xi32> {
  %g = memref.get_global @table : memref<3xi32>
  return %g : memref<3xi32>
}
// BUFFER: result[0]: 3xi32=[4, 5, 6]

func.func @pack(%x: tensor<5xf32>) -> (tensor<3x2xf32>, tensor<5xf32>) {
  %pad = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x2xf32>
  %p = linalg.pack %x padding_value(%pad : f32) inner_dims_pos = [0] inner_tiles = [2] into %e : tensor<5xf32> -> tensor<3x2xf32>
  %f = tensor.empty() : tensor<5xf32>
  %u = linalg.unpack %p inner_dims_pos = [0] inner_tiles = [2] into %f : tensor<3x2xf32> -> tensor<5xf32>
  return %p, %u : tensor<3x2xf32>, tensor<5xf32>
}
// PACK: result[0]: 3x2xf32={{\[\[}}1, 2], [3, 4], [5, 0]]
// PACK-NEXT: result[1]: 5xf32=[1, 2, 3, 4, 5]

// Two sizes that are known in the call only, of one dimension.
func.func @expand(%x: tensor<?xf32>, %b: index, %s: index) -> tensor<?x?x2xf32> {
  vector.print punctuation <no_punctuation>
  %r = tensor.expand_shape %x [[0, 1, 2]] output_shape [%b, %s, 2] : tensor<?xf32> into tensor<?x?x2xf32>
  return %r : tensor<?x?x2xf32>
}
// EXPAND: result[0]: 2x3x2xf32={{\[\[\[}}0, 1], [2, 3], [4, 5]], {{\[\[}}6, 7], [8, 9], [10, 11]]]
// EMPTY: result[0]: 3x0x2xf32={{\[}}[], [], []]

// The same of a part that has strides.
func.func @expand_part(%x: tensor<?x?xf32>, %b: index, %s: index) -> tensor<?x?x?xf32> {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  vector.print punctuation <no_punctuation>
  %p = tensor.extract_slice %x[1, 1] [2, 6] [1, 1] : tensor<?x?xf32> to tensor<2x6xf32>
  %q = tensor.cast %p : tensor<2x6xf32> to tensor<?x?xf32>
  %r = tensor.expand_shape %q [[0], [1, 2]] output_shape [2, %b, %s] : tensor<?x?xf32> into tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}
// PART: result[0]: 2x2x3xf32={{\[\[\[}}10, 11, 12], [13, 14, 15]], {{\[\[}}19, 20, 21], [22, 23, 24]]]
