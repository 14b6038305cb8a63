// RUN: jit-opt %s --jit-print-op-cost -o /dev/null | FileCheck %s

// FLOPs and bytes of structured ops and moves, in the sizes that aren't known.

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#diagonal = affine_map<(d0, d1) -> (d0, d0)>

// CHECK-LABEL: func.func @matmul
// CHECK-NEXT: d0 = dim 0 of %arg0
// CHECK-NEXT: d1 = dim 1 of %arg1
// CHECK-NEXT: %{{.*}} = linalg.fill: flops=0, read=0, written=4*d0*d1, intensity=0
// CHECK-NEXT: %{{.*}} = linalg.matmul: flops=768*d0*d1, read=4*d0*d1 + 1536*d0 + 1536*d1, written=4*d0*d1, intensity=96*d0*d1/(d0*d1 + 192*d0 + 192*d1)
// CHECK-NEXT: total: flops=768*d0*d1, read=4*d0*d1 + 1536*d0 + 1536*d1, written=8*d0*d1, intensity=
func.func @matmul(%x: tensor<?x384xf32>, %w: tensor<384x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x384xf32>
  %n = tensor.dim %w, %c1 : tensor<384x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<?x384xf32>, tensor<384x?xf32>)
      outs(%i : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Windows overlap: the image is read once.
// CHECK-LABEL: func.func @convolution
// CHECK: linalg.conv_2d_nchw_fchw: flops=86400*d0, read=12208*d0 + 1728, written=6400*d0
func.func @convolution(%x: tensor<?x3x22x22xf32>, %w: tensor<16x3x3x3xf32>,
                       %o: tensor<?x16x10x10xf32>) -> tensor<?x16x10x10xf32> {
  %0 = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<?x3x22x22xf32>, tensor<16x3x3x3xf32>)
      outs(%o : tensor<?x16x10x10xf32>) -> tensor<?x16x10x10xf32>
  return %0 : tensor<?x16x10x10xf32>
}

// exp counts 18, the division 4, the comparison 1; the selection moves. The output isn't read, a row
// that is broadcast is read once, and what nobody uses isn't read.
// CHECK-LABEL: func.func @body
// CHECK: linalg.generic: flops=184*d0, read=36*d0, written=16*d0
func.func @body(%x: tensor<?x8xf32>, %row: tensor<?xf32>, %unused: tensor<?x8xf32>,
                %o: tensor<?x8xf16>) -> tensor<?x8xf16> {
  %0 = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %row, %unused : tensor<?x8xf32>, tensor<?xf32>, tensor<?x8xf32>) outs(%o : tensor<?x8xf16>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f16):
    %1 = math.exp %a : f32
    %2 = arith.divf %1, %b : f32
    %3 = arith.cmpf olt, %2, %a : f32
    %4 = arith.select %3, %2, %a : f32
    %5 = arith.truncf %4 : f32 to f16
    linalg.yield %5 : f16
  } -> tensor<?x8xf16>
  return %0 : tensor<?x8xf16>
}

// CHECK-LABEL: func.func @diagonal
// CHECK: linalg.generic: flops=0, read=4*d0, written=32*d0
func.func @diagonal(%x: tensor<?x?xf32>, %o: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = linalg.generic {indexing_maps = [#diagonal, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// A gather reads one element a point, of a table of whatever size, and the indices.
// CHECK-LABEL: func.func @gather
// CHECK: linalg.generic: flops=0, read=40*d0, written=32*d0
func.func @gather(%table: tensor<30522x8xf32>, %ids: tensor<?xi64>, %o: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<?xi64>) outs(%o : tensor<?x8xf32>) {
  ^bb0(%id: i64, %out: f32):
    %i = arith.index_cast %id : i64 to index
    %j = linalg.index 1 : index
    %e = tensor.extract %table[%i, %j] : tensor<30522x8xf32>
    linalg.yield %e : f32
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// Views are free; sizes go through them.
// CHECK-LABEL: func.func @views
// CHECK-NOT: tensor.expand_shape:
// CHECK: tensor.pad: flops=0, read=8*d0, written=8*d0 + 24
// CHECK-NEXT: tensor.concat: flops=0, read=16*d0 + 48, written=16*d0 + 48
// CHECK-NEXT: tensor.insert_slice: flops=0, read=8*d0 + 24, written=8*d0 + 24
// CHECK-NEXT: math.absf: flops=4*d0 + 12, read=16*d0 + 48, written=16*d0 + 48
func.func @views(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %d = tensor.dim %x, %c0 : tensor<?x2xf32>
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x2xf32> into tensor<?xf32>
  %back = tensor.expand_shape %flat [[0, 1]] output_shape [%d, 2] : tensor<?xf32> into tensor<?x2xf32>
  %p = tensor.pad %back low[1, 0] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x2xf32> to tensor<?x2xf32>
  %c = tensor.concat dim(0) %p, %p : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %n = arith.addi %d, %c3 : index
  %s = tensor.insert_slice %p into %c[0, 0] [%n, 2] [1, 1] : tensor<?x2xf32> into tensor<?x2xf32>
  %a = math.absf %s : tensor<?x2xf32>
  return %a : tensor<?x2xf32>
}

// What is computed of sizes is one symbol wherever it is computed.
// CHECK-LABEL: func.func @same_symbol
// CHECK-NEXT: d0 = dim 0 of %arg0
// CHECK-NEXT: s0 = arith.divsi(d0, 3)
// CHECK-NEXT: linalg.fill: flops=0, read=0, written=4*s0
// CHECK-NEXT: linalg.fill: flops=0, read=0, written=4*s0
// CHECK-NEXT: total: flops=0, read=0, written=8*s0
func.func @same_symbol(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %d0 = tensor.dim %x, %c0 : tensor<?xf32>
  %n0 = arith.divsi %d0, %c3 : index
  %e0 = tensor.empty(%n0) : tensor<?xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?xf32>) -> tensor<?xf32>
  %d1 = tensor.dim %x, %c0 : tensor<?xf32>
  %n1 = arith.divsi %d1, %c3 : index
  %e1 = tensor.empty(%n1) : tensor<?xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// Nothing is moved where there is nothing.
// CHECK-LABEL: func.func @zero_size
// CHECK-NEXT: total: flops=0, read=0, written=0, intensity=0
func.func @zero_size(%x: tensor<4x0xf32>, %w: tensor<0x8xf32>, %o: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<4x0xf32>, tensor<0x8xf32>) outs(%o : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @beyond_64_bits
// CHECK: linalg.fill: flops=0, read=0, written=85070591730234615865843651857942052864, intensity=0 (beyond 64 bits; exact)
func.func @beyond_64_bits(%o: tensor<4611686018427387904x4611686018427387904xf32>) -> tensor<4611686018427387904x4611686018427387904xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%o : tensor<4611686018427387904x4611686018427387904xf32>) -> tensor<4611686018427387904x4611686018427387904xf32>
  return %0 : tensor<4611686018427387904x4611686018427387904xf32>
}

// Without a body to count, softmax has a cost of its own.
// CHECK-LABEL: func.func @softmax
// CHECK: linalg.softmax: flops=200*d0, read=32*d0, written=32*d0
func.func @softmax(%x: tensor<?x8xf32>, %o: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = linalg.softmax dimension(1) ins(%x : tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// Integers count as floats do, in bodies; arithmetic on indices doesn't.
// CHECK-LABEL: func.func @integers
// CHECK: linalg.generic: flops=32, read=32, written=64
func.func @integers(%x: tensor<4x8xi8>, %o: tensor<4x8xi16>) -> tensor<4x8xi16> {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xi8>) outs(%o : tensor<4x8xi16>) {
  ^bb0(%a: i8, %out: i16):
    %i = linalg.index 0 : index
    %j = arith.addi %i, %i : index
    %k = arith.extsi %a : i8 to i16
    %m = arith.muli %k, %k : i16
    linalg.yield %m : i16
  } -> tensor<4x8xi16>
  return %0 : tensor<4x8xi16>
}

// What is no structured op: moves, elements, buffers; vectors are in registers.
// CHECK-LABEL: func.func @moves
// CHECK: tensor.generate: flops=18*s0, read=0, written=4*s0
// CHECK: tensor.gather: flops=0, read=4*d0*d1 + 8*d0, written=4*d0*d1
// CHECK: arith.addf: flops=8, read=0, written=0
// CHECK: memref.copy: flops=0, read=4*d2, written=4*d2
// CHECK: affine.for: flops=0, read=40, written=40
func.func @moves(%n: index, %x: tensor<?x?xf32>, %i: tensor<?x1xindex>, %v: vector<8xf32>, %m: memref<?xf32>)
    -> (tensor<?xf32>, tensor<?x1x?xf32>, vector<8xf32>) {
  %c0 = arith.constant 0 : index
  %t = tensor.generate %n {
  ^bb0(%j: index):
    %a = arith.index_cast %j : index to i64
    %b = arith.sitofp %a : i64 to f32
    %c = math.exp %b : f32
    tensor.yield %c : f32
  } : tensor<?xf32>
  %g = tensor.gather %x[%i] gather_dims([0]) : (tensor<?x?xf32>, tensor<?x1xindex>) -> tensor<?x1x?xf32>
  %w = arith.addf %v, %v : vector<8xf32>
  %d = memref.dim %m, %c0 : memref<?xf32>
  %o = memref.alloc(%d) : memref<?xf32>
  memref.copy %m, %o : memref<?xf32> to memref<?xf32>
  affine.for %k = 0 to 10 {
    %e = affine.load %m[%k] : memref<?xf32>
    affine.store %e, %o[%k] : memref<?xf32>
  }
  return %t, %g, %w : tensor<?xf32>, tensor<?x1x?xf32>, vector<8xf32>
}

// Sizes that aren't known at all don't make a cost of 0.
// CHECK-LABEL: func.func @unranked
// CHECK: math.absf: unknown: the size of tensor<*xf32> is not known
func.func @unranked(%x: tensor<*xf32>) -> tensor<*xf32> {
  %0 = math.absf %x : tensor<*xf32>
  return %0 : tensor<*xf32>
}
