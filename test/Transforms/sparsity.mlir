// RUN: jit-opt %s --load-dialect-plugin=%libs/ForeignCostDialect.so --jit-print-sparsity -o /dev/null | FileCheck %s
// RUN: jit-opt %s --load-dialect-plugin=%libs/ForeignCostDialect.so --jit-print-sparsity=max-density=0.01 -o /dev/null | FileCheck %s --check-prefix=STRICT
// RUN: jit-opt %s --load-dialect-plugin=%libs/ForeignCostDialect.so --jit-print-sparsity=annotate | FileCheck %s --check-prefix=ATTR
// RUN: not jit-opt %s --load-dialect-plugin=%libs/ForeignCostDialect.so --jit-print-sparsity=max-density=2 2>&1 | FileCheck %s --check-prefix=RANGE

// RANGE: error: jit-print-sparsity: max-density is 2.000000, but must be from 0 to 1

#row = affine_map<(d0, d1) -> (d0, 0)>
#col = affine_map<(d0, d1) -> (0, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// A label compared with the number of the class; casts are looked through.
// CHECK-LABEL: func.func @compared
// CHECK-NEXT: = linalg.generic: one-hot along dim 1, density 0.3333 (compares a label with the number of the class)
// CHECK-NEXT: operand #0 of 'linalg.matmul'
// CHECK-NOT: =
// ATTR: func.func @compared
// ATTR: jit.sparsity = [{density = 0.333{{.*}}, dim = 1 : i64, kind = "one-hot", result = 0 : i64, why = "compares a label with the number of the class"}]
func.func @compared(%labels: tensor<?x1xi32>, %n: index, %table: tensor<3x2xf32>, %z: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %iota = arith.constant dense<[[0, 1, 2]]> : tensor<1x3xi32>
  %f0 = arith.constant 0.0 : f32
  %f1 = arith.constant 1.0 : f32
  %e = tensor.empty(%n) : tensor<?x3xf32>
  %hot = linalg.generic {indexing_maps = [#row, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%labels, %iota : tensor<?x1xi32>, tensor<1x3xi32>) outs(%e : tensor<?x3xf32>) {
  ^bb0(%l: i32, %k: i32, %out: f32):
    %0 = arith.cmpi eq, %l, %k : i32
    %1 = arith.select %0, %f1, %f0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x3xf32>
  %c = tensor.cast %hot : tensor<?x3xf32> to tensor<?x?xf32>
  %d = tensor.cast %c : tensor<?x?xf32> to tensor<?x3xf32>
  %r = linalg.matmul ins(%d, %table : tensor<?x3xf32>, tensor<3x2xf32>) outs(%z : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

// Compared for less, or chosen between other values: no one-hot. What an argument holds isn't known.
// CHECK-LABEL: func.func @not_compared
// CHECK-NOT: one-hot
func.func @not_compared(%labels: tensor<4x1xi32>, %hot: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %iota = arith.constant dense<[[0, 1, 2]]> : tensor<1x3xi32>
  %f0 = arith.constant 0.0 : f32
  %f1 = arith.constant 1.0 : f32
  %f2 = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<4x3xf32>
  %less = linalg.generic {indexing_maps = [#row, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%labels, %iota : tensor<4x1xi32>, tensor<1x3xi32>) outs(%e : tensor<4x3xf32>) {
  ^bb0(%l: i32, %k: i32, %out: f32):
    %0 = arith.cmpi slt, %l, %k : i32
    %1 = arith.select %0, %f1, %f0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x3xf32>
  %two = linalg.generic {indexing_maps = [#row, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%labels, %iota : tensor<4x1xi32>, tensor<1x3xi32>) outs(%e : tensor<4x3xf32>) {
  ^bb0(%l: i32, %k: i32, %out: f32):
    %0 = arith.cmpi eq, %l, %k : i32
    %1 = arith.select %0, %f2, %f0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x3xf32>
  %r = linalg.add ins(%hot, %two : tensor<4x3xf32>, tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) -> tensor<4x3xf32>
  return %less, %r : tensor<4x3xf32>, tensor<4x3xf32>
}

// Constants: their elements are read, from resource blobs too. -0 is a zero.
// CHECK-LABEL: func.func @constants
// CHECK-NEXT: = arith.constant: one-hot along dim 1, density 0.25 (a constant with 2 of 8 elements that aren't zero)
// CHECK-NEXT: operand #0 of 'foreign.opaque'
// CHECK-NEXT: = arith.constant: diagonal, density 0.5 (a constant with 2 of 4 elements that aren't zero)
// CHECK-NEXT: operand #1 of 'foreign.opaque'
// CHECK-NEXT: = arith.constant: lower triangular, density 0.75
// CHECK-NEXT: operand #2
// CHECK-NEXT: = arith.constant: upper triangular, density 0.5
// CHECK-NEXT: operand #3
// CHECK-NEXT: = arith.constant: mostly zero, density 0.125
// CHECK-NEXT: operand #4
// CHECK-NEXT: = arith.constant: one-hot along dim 0, density 0.25
// CHECK-NEXT: operand #7
// CHECK-NOT: =
// STRICT-LABEL: func.func @constants
// STRICT-NOT: mostly zero
func.func @constants() {
  %hot = arith.constant dense<[[0.0, 1.0, 0.0, -0.0], [0.0, 0.0, 0.0, 1.0]]> : tensor<2x4xf32>
  %diagonal = arith.constant dense<[[2, 0], [0, 3]]> : tensor<2x2xi32>
  %lower = arith.constant dense<[[2.0, 0.0], [5.0, 3.0]]> : tensor<2x2xf16>
  %upper = arith.constant dense<[[0, 1], [0, 2]]> : tensor<2x2xi8>
  %few = arith.constant dense<[0.0, 7.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<8xf64>
  %dense = arith.constant dense<[1.0, 7.0, 0.0, 0.0]> : tensor<4xf32>
  %empty = arith.constant dense<> : tensor<0x4xf32>
  %blob = arith.constant dense_resource<hot> : tensor<4xi32>
  "foreign.opaque"(%hot, %diagonal, %lower, %upper, %few, %dense, %empty, %blob) : (tensor<2x4xf32>, tensor<2x2xi32>, tensor<2x2xf16>, tensor<2x2xi8>, tensor<8xf64>, tensor<4xf32>, tensor<0x4xf32>, tensor<4xi32>) -> ()
  return
}

// Deconvolutions write what they spread into zeros.
// CHECK-LABEL: func.func @stuffed
// CHECK-NEXT: = tensor.insert_slice: zero-stuffed, density 0.25 (written into zeros with strides 1x2x2)
// CHECK-NEXT: operand #0 of 'tensor.pad'
// CHECK-NEXT: = tensor.pad: zero-stuffed, density 0.25 (written into zeros with strides 1x2x2, padded with zeros)
// CHECK-NOT: =
func.func @stuffed(%x: tensor<1x4x4xf32>, %other: tensor<1x8x8xf32>) -> (tensor<1x10x10xf32>, tensor<1x8x8xf32>, tensor<1x8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<1x8x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x8xf32>) -> tensor<1x8x8xf32>
  %o = linalg.fill ins(%one : f32) outs(%e : tensor<1x8x8xf32>) -> tensor<1x8x8xf32>
  %s = tensor.insert_slice %x into %z[0, 0, 0] [1, 4, 4] [1, 2, 2] : tensor<1x4x4xf32> into tensor<1x8x8xf32>
  %p = tensor.pad %s low[0, 1, 1] high[0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<1x8x8xf32> to tensor<1x10x10xf32>
  // Neither into ones, nor without strides.
  %t = tensor.insert_slice %x into %o[0, 0, 0] [1, 4, 4] [1, 2, 2] : tensor<1x4x4xf32> into tensor<1x8x8xf32>
  %u = tensor.insert_slice %x into %z[0, 0, 0] [1, 4, 4] [1, 1, 1] : tensor<1x4x4xf32> into tensor<1x8x8xf32>
  return %p, %t, %u : tensor<1x10x10xf32>, tensor<1x8x8xf32>, tensor<1x8x8xf32>
}

// CHECK-LABEL: func.func @written
// CHECK-NEXT: = tensor.insert: one-hot along dim 0, density 0.125 (one element inserted into zeros)
// CHECK-NEXT: operand #0 of 'func.return'
// CHECK-NEXT: = tensor.scatter: mostly zero, density 0.25 (scattered into zeros)
// CHECK-NOT: =
func.func @written(%i: index, %at: tensor<2x1xindex>, %x: tensor<2x1xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %one = arith.constant 1.0 : f32
  %z = arith.constant dense<0.0> : tensor<8xf32>
  %0 = tensor.insert %one into %z[%i] : tensor<8xf32>
  %1 = tensor.scatter %x into %z[%at] scatter_dims([0]) unique : (tensor<2x1xf32>, tensor<8xf32>, tensor<2x1xindex>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// Masks: of 4 rows and 4 columns 10 elements have a column that isn't larger, 6 a larger row, and 3
// lie on the diagonal beside the main one.
// CHECK-LABEL: func.func @masks
// CHECK-NEXT: = linalg.generic: lower triangular, density 0.625 (compares the last two counters)
// CHECK-NEXT: operand #0 of 'func.return'
// CHECK-NEXT: = linalg.generic: upper triangular, density 0.375 (compares the last two counters)
// CHECK-NEXT: operand #1 of 'func.return'
// CHECK-NEXT: = linalg.generic: diagonal, density 0.1875 (compares the last two counters)
// CHECK-NOT: =
func.func @masks(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xi32>) {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x4xf32>
  %f = tensor.empty() : tensor<4x4xi32>
  %lower = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %0 = arith.cmpi ugt, %j, %i : index
    %1 = arith.select %0, %zero, %in : f32
    linalg.yield %1 : f32
  } -> tensor<4x4xf32>
  %upper = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %0 = arith.cmpi slt, %i, %j : index
    %1 = arith.select %0, %in, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<4x4xf32>
  %beside = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]}
      outs(%f : tensor<4x4xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.addi %i, %c1 : index
    %0 = arith.cmpi eq, %k, %j : index
    %1 = arith.extui %0 : i1 to i32
    linalg.yield %1 : i32
  } -> tensor<4x4xi32>
  return %lower, %upper, %beside : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xi32>
}

// Of other counters, or with a value in the place of zero: no mask. A size of 0 has no density.
// CHECK-LABEL: func.func @no_masks
// CHECK-NEXT: = linalg.generic: lower triangular (compares the last two counters)
// CHECK-NOT: =
func.func @no_masks(%x: tensor<4x4xf32>, %y: tensor<0x4xf32>, %s: f32) -> (tensor<4x4xf32>, tensor<0x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %f = tensor.empty() : tensor<0x4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi ugt, %j, %i : index
    %r = arith.select %c, %s, %in : f32
    linalg.yield %r : f32
  } -> tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<0x4xf32>) outs(%f : tensor<0x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi ugt, %j, %i : index
    %r = arith.select %c, %zero, %in : f32
    linalg.yield %r : f32
  } -> tensor<0x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<0x4xf32>
}

// Units are looked at as functions are.
// CHECK: jit.unit @unit
// CHECK-NEXT: = arith.constant: one-hot along dim 0
jit.unit @unit(%o: tensor<4xf32>) -> tensor<4xf32> {
  %hot = arith.constant dense<[0.0, 0.0, 1.0, 0.0]> : tensor<4xf32>
  %0 = linalg.exp ins(%hot : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  jit.return %0 : tensor<4xf32>
}

{-#
  dialect_resources: {
    builtin: {
      hot: "0x0400000000000000000000000100000000000000"
    }
  }
#-}
