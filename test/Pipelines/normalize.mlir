// RUN: jit-opt %s -jit-normalize -split-input-file | FileCheck %s

// One layer of a transformer as it is imported: weights broadcast along the batch, a bias added in
// three dimensions, a broadcast written as a gather, a reshape whose shape is computed. What is left is
// one product with its epilogue behind it, and no shape that has to be looked at.
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#last = affine_map<(d0, d1, d2) -> (d2)>
#w = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: #[[COL:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @layer
// CHECK-SAME:    %[[X:.*]]: tensor<?x?x8xf32>, %[[W:.*]]: tensor<8x12xf32>, %[[BIAS:.*]]: tensor<12xf32>
// CHECK-NOT:     cf.assert
// CHECK-NOT:     tensor.reshape
// CHECK:         %[[ROWS:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]]
// CHECK:         %[[MM:.*]] = linalg.matmul ins(%[[ROWS]], %[[W]]
// CHECK-NEXT:    %[[Y:.*]] = linalg.generic {indexing_maps = [#[[ID]], #[[COL]], #[[ID]]]
// CHECK-SAME:        ins(%[[MM]], %[[BIAS]] :
// CHECK:           arith.addf
// CHECK:           arith.maximumf
// CHECK-NOT:     linalg.generic
// CHECK:         %[[R:.*]] = tensor.expand_shape %[[Y]] {{\[\[}}0, 1], [2, 3]]
// CHECK:         return %[[R]]
func.func @layer(%x: tensor<?x?x8xf32>, %w: tensor<8x12xf32>, %bias: tensor<12xf32>) -> tensor<?x?x3x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c0_i64 = arith.constant 0 : i64
  %c3_i64 = arith.constant 3 : i64
  %c4_i64 = arith.constant 4 : i64
  %f0 = arith.constant 0.0 : f32
  %b = tensor.dim %x, %c0 : tensor<?x?x8xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x8xf32>
  %bi = arith.index_cast %b : index to i64
  %si = arith.index_cast %s : index to i64
  %we = tensor.empty(%b) : tensor<?x8x12xf32>
  %wb = linalg.generic {indexing_maps = [#w, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w : tensor<8x12xf32>) outs(%we : tensor<?x8x12xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?x8x12xf32>
  %e = tensor.empty(%b, %s) : tensor<?x?x12xf32>
  %z = linalg.fill ins(%f0 : f32) outs(%e : tensor<?x?x12xf32>) -> tensor<?x?x12xf32>
  %mm = linalg.batch_matmul ins(%x, %wb : tensor<?x?x8xf32>, tensor<?x8x12xf32>) outs(%z : tensor<?x?x12xf32>) -> tensor<?x?x12xf32>
  %0 = linalg.generic {indexing_maps = [#id3, #last, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%mm, %bias : tensor<?x?x12xf32>, tensor<12xf32>) outs(%e : tensor<?x?x12xf32>) {
  ^bb0(%in: f32, %c: f32, %out: f32):
    %1 = arith.addf %in, %c : f32
    linalg.yield %1 : f32
  } -> tensor<?x?x12xf32>
  %zero = tensor.empty(%b, %s) : tensor<?x?x1xf32>
  %zeros = linalg.fill ins(%f0 : f32) outs(%zero : tensor<?x?x1xf32>) -> tensor<?x?x1xf32>
  %spread = linalg.generic {indexing_maps = [#id3], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%e : tensor<?x?x12xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %is = arith.cmpi eq, %b, %c1 : index
    %i0 = arith.select %is, %c0, %i : index
    %v = tensor.extract %zeros[%i0, %j, %c0] : tensor<?x?x1xf32>
    linalg.yield %v : f32
  } -> tensor<?x?x12xf32>
  %2 = linalg.generic {indexing_maps = [#id3, #id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0, %spread : tensor<?x?x12xf32>, tensor<?x?x12xf32>) outs(%e : tensor<?x?x12xf32>) {
  ^bb0(%in: f32, %c: f32, %out: f32):
    %3 = arith.maximumf %in, %c : f32
    linalg.yield %3 : f32
  } -> tensor<?x?x12xf32>
  %neg = arith.cmpi slt, %bi, %c0_i64 : i64
  %size = arith.select %neg, %c0_i64, %bi : i64
  %ok = arith.cmpi eq, %size, %bi : i64
  cf.assert %ok, "negative"
  %shape = tensor.from_elements %size, %si, %c3_i64, %c4_i64 : tensor<4xi64>
  %r = tensor.reshape %2(%shape) : (tensor<?x?x12xf32>, tensor<4xi64>) -> tensor<?x?x3x4xf32>
  return %r : tensor<?x?x3x4xf32>
}

// -----

// A batch normalisation behind a convolution: its scale is computed at load, the rest follows the
// convolution; the padding stays before it, the fill in its output.
#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#channel = affine_map<(d0, d1, d2, d3) -> (0, d1, 0, 0)>
// CHECK-LABEL: func.func private @__jit_init() -> tensor<1x2x1x1xf32>
// CHECK:         arith.addf
// CHECK-NEXT:    math.rsqrt
// CHECK-LABEL: func.func @convolution
// CHECK:         %[[SCALE:.*]] = call @__jit_init()
// CHECK:         %[[PAD:.*]] = tensor.pad
// CHECK:         %[[INIT:.*]] = linalg.fill
// CHECK:         %[[CONV:.*]] = linalg.conv_2d_nchw_fchw {{.*}} ins(%[[PAD]], %{{.*}}) outs(%[[INIT]]
// CHECK:         linalg.generic
// CHECK-SAME:        ins(%[[CONV]], %{{.*}}, %[[SCALE]] :
// CHECK:           arith.subf
// CHECK-NEXT:      arith.mulf
// CHECK-NOT:     linalg.generic
func.func @convolution(%x: tensor<?x3x4x4xf32>) -> tensor<?x2x4x4xf32> {
  %c0 = arith.constant 0 : index
  %f0 = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %w = arith.constant dense<0.5> : tensor<2x3x3x3xf32>
  %mean = arith.constant dense<[[[[0.1]], [[0.2]]]]> : tensor<1x2x1x1xf32>
  %var = arith.constant dense<[[[[1.1]], [[1.2]]]]> : tensor<1x2x1x1xf32>
  %n = tensor.dim %x, %c0 : tensor<?x3x4x4xf32>
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %f0 : f32
  } : tensor<?x3x4x4xf32> to tensor<?x3x6x6xf32>
  %e = tensor.empty(%n) : tensor<?x2x4x4xf32>
  %z = linalg.fill ins(%f0 : f32) outs(%e : tensor<?x2x4x4xf32>) -> tensor<?x2x4x4xf32>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%p, %w : tensor<?x3x6x6xf32>, tensor<2x3x3x3xf32>) outs(%z : tensor<?x2x4x4xf32>) -> tensor<?x2x4x4xf32>
  %ec = tensor.empty() : tensor<1x2x1x1xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%var : tensor<1x2x1x1xf32>) outs(%ec : tensor<1x2x1x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %4 = arith.addf %in, %eps : f32
    linalg.yield %4 : f32
  } -> tensor<1x2x1x1xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0 : tensor<1x2x1x1xf32>) outs(%ec : tensor<1x2x1x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %4 = math.rsqrt %in : f32
    linalg.yield %4 : f32
  } -> tensor<1x2x1x1xf32>
  %2 = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y, %mean : tensor<?x2x4x4xf32>, tensor<1x2x1x1xf32>) outs(%e : tensor<?x2x4x4xf32>) {
  ^bb0(%in: f32, %c: f32, %out: f32):
    %4 = arith.subf %in, %c : f32
    linalg.yield %4 : f32
  } -> tensor<?x2x4x4xf32>
  %3 = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%2, %1 : tensor<?x2x4x4xf32>, tensor<1x2x1x1xf32>) outs(%e : tensor<?x2x4x4xf32>) {
  ^bb0(%in: f32, %c: f32, %out: f32):
    %4 = arith.mulf %in, %c : f32
    linalg.yield %4 : f32
  } -> tensor<?x2x4x4xf32>
  return %3 : tensor<?x2x4x4xf32>
}

// -----

// A recurrent loop whose state is declared dynamic and is not: it becomes static, and the weight's
// transposition leaves the loop and the program.
// CHECK-LABEL: func.func private @__jit_init() -> tensor<4x4xf32>
// CHECK:         linalg.transpose
// CHECK-LABEL: func.func @recurrent
// CHECK:         %[[W:.*]] = call @__jit_init()
// CHECK:         scf.for {{.*}} -> (tensor<1x4xf32>)
// CHECK-NOT:       linalg.transpose
// CHECK:           %[[MM:.*]] = linalg.matmul ins(%{{.*}}, %[[W]] : tensor<1x4xf32>, tensor<4x4xf32>)
// CHECK:           linalg.tanh ins(%[[MM]]
func.func @recurrent(%h: tensor<1x4xf32>, %n: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f0 = arith.constant 0.0 : f32
  %w = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [1.5, 2.5, 3.5, 4.5], [0.0, 0.0, 1.0, 0.0]]> : tensor<4x4xf32>
  %hd = tensor.cast %h : tensor<1x4xf32> to tensor<?x4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %hd) -> tensor<?x4xf32> {
    %et = tensor.empty() : tensor<4x4xf32>
    %wt = linalg.transpose ins(%w : tensor<4x4xf32>) outs(%et : tensor<4x4xf32>) permutation = [1, 0]
    %m = tensor.dim %s, %c0 : tensor<?x4xf32>
    %e = tensor.empty(%m) : tensor<?x4xf32>
    %z = linalg.fill ins(%f0 : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
    %0 = linalg.matmul ins(%s, %wt : tensor<?x4xf32>, tensor<4x4xf32>) outs(%z : tensor<?x4xf32>) -> tensor<?x4xf32>
    %1 = linalg.tanh ins(%0 : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
    scf.yield %1 : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// -----

// Empty batches are legal, and so is a body that holds nothing but a check.
// CHECK-LABEL: func.func @checks
// CHECK:         linalg.generic
// CHECK:           cf.assert
func.func @checks(%x: tensor<?xi64>) {
  %c0_i64 = arith.constant 0 : i64
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xi64>) {
  ^bb0(%in: i64):
    %0 = arith.cmpi sge, %in, %c0_i64 : i64
    cf.assert %0, "negative"
    linalg.yield
  }
  return
}
