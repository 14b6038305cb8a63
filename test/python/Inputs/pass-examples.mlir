// The modules that the examples of docs/Passes.md are parts of, with the pass.

// ----- jit-drop-dead-results
func.func @f(%x: tensor<4x8xf32>, %m: tensor<4xf32>, %i: tensor<4xi64>) -> tensor<4xf32> {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%m, %i : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%in: f32, %max: f32, %at: i64):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.maximumf %in, %max : f32
    %3 = arith.cmpf ogt, %in, %max : f32
    %4 = arith.select %3, %1, %at : i64
    linalg.yield %2, %4 : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  return %r#0 : tensor<4xf32>
}

// ----- jit-fold-broadcast-matmul
func.func @f(%x: tensor<?x?x384xf32>, %w: tensor<384x384xf32>, %e: tensor<?x384x384xf32>, %z: tensor<?x?x384xf32>) -> tensor<?x?x384xf32> {
  %w3 = linalg.broadcast ins(%w : tensor<384x384xf32>) outs(%e : tensor<?x384x384xf32>) dimensions = [0]
  %y = linalg.batch_matmul ins(%x, %w3 : tensor<?x?x384xf32>, tensor<?x384x384xf32>)
      outs(%z : tensor<?x?x384xf32>) -> tensor<?x?x384xf32>
  return %y : tensor<?x?x384xf32>
}

// ----- jit-fold-operands
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<2.0> : tensor<f32>
  %0 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> ()>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
      ins(%x, %c : tensor<4xf32>, tensor<f32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %1 = arith.mulf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// ----- jit-fold-transposes
func.func @f(%x: tensor<2x6x12x32xf32>, %z: tensor<2x12x32x8xf32>, %e: tensor<2x12x6x32xf32>, %o: tensor<24x6x8xf32>) -> tensor<2x12x6x8xf32> {
  %t = linalg.transpose ins(%x : tensor<2x6x12x32xf32>) outs(%e : tensor<2x12x6x32xf32>) permutation = [0, 2, 1, 3]
  %c = tensor.collapse_shape %t [[0, 1], [2], [3]] : tensor<2x12x6x32xf32> into tensor<24x6x32xf32>
  %y = tensor.collapse_shape %z [[0, 1], [2], [3]] : tensor<2x12x32x8xf32> into tensor<24x32x8xf32>
  %m = linalg.batch_matmul ins(%c, %y : tensor<24x6x32xf32>, tensor<24x32x8xf32>) outs(%o : tensor<24x6x8xf32>) -> tensor<24x6x8xf32>
  %r = tensor.expand_shape %m [[0, 1], [2], [3]] output_shape [2, 12, 6, 8] : tensor<24x6x8xf32> into tensor<2x12x6x8xf32>
  return %r : tensor<2x12x6x8xf32>
}

// ----- jit-fuse-elementwise
func.func @f(%x: tensor<4x8xf32>, %m: tensor<4xf32>, %e: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %1 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a, b)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %3 = arith.subf %a, %b : f32
    linalg.yield %3 : f32
  } -> tensor<4x8xf32>
  %2 = linalg.exp ins(%1 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// ----- jit-hoist-contractions
func.func @f(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>, %init: tensor<1x4xf32>, %e: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%h = %init) -> (tensor<1x4xf32>) {
    %row = tensor.extract_slice %x[%t, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<1x8xf32>
    %a = linalg.matmul ins(%row, %w : tensor<1x8xf32>, tensor<8x4xf32>) outs(%zeros : tensor<1x4xf32>) -> tensor<1x4xf32>
    %next = linalg.max ins(%a, %h : tensor<1x4xf32>, tensor<1x4xf32>) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
    scf.yield %next : tensor<1x4xf32>
  }
  return %r : tensor<1x4xf32>
}

// ----- jit-lower-inputs
func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tosa.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// ----- jit-lower-parallel-loops
func.func @f(%init: tensor<4xf32>, %s: tensor<1xf32>) -> tensor<4xf32> {
  %r = scf.forall (%i) in (4) shared_outs(%o = %init) -> (tensor<4xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  return %r : tensor<4xf32>
}

// ----- jit-lower-scalars
func.func @f(%a: index, %b: index, %c: index) -> (index, index) {
  %0 = affine.apply affine_map<()[s0, s1] -> (s0 * s1)>()[%a, %b]
  %1 = index.maxs %0, %c
  return %0, %1 : index, index
}

// ----- jit-lower-tensor-ops
func.func @f(%a: tensor<2x4xf32>, %b: tensor<3x4xf32>) -> tensor<5x4xf32> {
  %0 = tensor.concat dim(0) %a, %b : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// ----- jit-merge-contractions
func.func @f(%init: tensor<1x8xf32>, %n: index, %o: tensor<1x4xf32>) -> tensor<1x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %wa = arith.constant dense<1.0> : tensor<8x4xf32>
  %wb = arith.constant dense<2.0> : tensor<8x4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%o : tensor<1x4xf32>) -> tensor<1x4xf32>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%h = %init) -> (tensor<1x8xf32>) {
    %a = linalg.matmul ins(%h, %wa : tensor<1x8xf32>, tensor<8x4xf32>) outs(%zeros : tensor<1x4xf32>) -> tensor<1x4xf32>
    %b = linalg.matmul ins(%h, %wb : tensor<1x8xf32>, tensor<8x4xf32>) outs(%zeros : tensor<1x4xf32>) -> tensor<1x4xf32>
    %next = tensor.concat dim(1) %a, %b : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x8xf32>
    scf.yield %next : tensor<1x8xf32>
  }
  return %r : tensor<1x8xf32>
}

// ----- jit-raise-broadcast-gather
func.func @f(%x: tensor<?x?x1xf32>) -> tensor<?x?x384xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x1xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x1xf32>
  %e = tensor.empty(%b, %s) : tensor<?x?x384xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%e : tensor<?x?x384xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi eq, %b, %c1 : index
    %i0 = arith.select %c, %c0, %i : index
    %v = tensor.extract %x[%i0, %j, %c0] : tensor<?x?x1xf32>
    linalg.yield %v : f32
  } -> tensor<?x?x384xf32>
  return %0 : tensor<?x?x384xf32>
}

// ----- jit-raise-one-hot
func.func @f(%label: tensor<?x1xi32>, %e: tensor<?x3xf32>, %o: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %zero = arith.constant 0.0 : f32
  %iota = arith.constant dense<[[0, 1, 2]]> : tensor<1x3xi32>
  %table = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %hot = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, 0)>, affine_map<(a, b) -> (0, b)>, affine_map<(a, b) -> (a, b)>],
      iterator_types = ["parallel", "parallel"]} ins(%label, %iota : tensor<?x1xi32>, tensor<1x3xi32>) outs(%e : tensor<?x3xf32>) {
  ^bb0(%l: i32, %k: i32, %out: f32):
    %0 = arith.cmpi eq, %l, %k : i32
    %1 = arith.uitofp %0 : i1 to f32
    linalg.yield %1 : f32
  } -> tensor<?x3xf32>
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<?x2xf32>) -> tensor<?x2xf32>
  %r = linalg.matmul ins(%hot, %table : tensor<?x3xf32>, tensor<3x2xf32>) outs(%z : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

// ----- jit-resolve-reshape
func.func @f(%x: tensor<?x?x384xf32>) -> tensor<?x?x12x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n0 = tensor.dim %x, %c0 : tensor<?x?x384xf32>
  %n1 = tensor.dim %x, %c1 : tensor<?x?x384xf32>
  %b = arith.index_cast %n0 : index to i64
  %s = arith.index_cast %n1 : index to i64
  %c12_i64 = arith.constant 12 : i64
  %c32_i64 = arith.constant 32 : i64
  %shape = tensor.from_elements %b, %s, %c12_i64, %c32_i64 : tensor<4xi64>
  %r = tensor.reshape %x(%shape) : (tensor<?x?x384xf32>, tensor<4xi64>) -> tensor<?x?x12x32xf32>
  return %r : tensor<?x?x12x32xf32>
}

// ----- jit-simplify-shapes
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c0_i64 = arith.constant 0 : i64
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i64
  %neg = arith.cmpi slt, %i, %c0_i64 : i64
  %m = arith.select %neg, %c1, %n : index
  %e = tensor.empty(%m) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// ----- jit-sink-reshapes
func.func @f(%x: tensor<?x8xf32>, %w: tensor<8x384xf32>, %z: tensor<?x384xf32>, %bias: tensor<384xf32>, %b: index, %s: index) -> tensor<?x?x384xf32> {
  %1 = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x384xf32>) outs(%z : tensor<?x384xf32>) -> tensor<?x384xf32>
  %2 = tensor.expand_shape %1 [[0, 1], [2]] output_shape [%b, %s, 384] : tensor<?x384xf32> into tensor<?x?x384xf32>
  %e = tensor.empty(%b, %s) : tensor<?x?x384xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (c)>, affine_map<(a, b, c) -> (a, b, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %bias : tensor<?x?x384xf32>, tensor<384xf32>) outs(%e : tensor<?x?x384xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.addf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<?x?x384xf32>
  return %3 : tensor<?x?x384xf32>
}

// ----- jit-split-transposed-conv
func.func @f(%x: tensor<1x8x5xf32>, %f: tensor<4x8x2xf32>, %e: tensor<1x8x11xf32>, %o: tensor<1x4x10xf32>) -> tensor<1x4x10xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x11xf32>) -> tensor<1x8x11xf32>
  %i = tensor.insert_slice %x into %z[0, 0, 1] [1, 8, 5] [1, 1, 2]
      : tensor<1x8x5xf32> into tensor<1x8x11xf32>
  %y = linalg.conv_1d_ncw_fcw ins(%i, %f : tensor<1x8x11xf32>, tensor<4x8x2xf32>)
      outs(%o : tensor<1x4x10xf32>) -> tensor<1x4x10xf32>
  return %y : tensor<1x4x10xf32>
}

// ----- jit-hoist-index-math
func.func @f(%x: tensor<4x?xf32>, %e: tensor<4x?xf32>, %last: index) -> tensor<4x?xf32> {
  %c2 = arith.constant 2 : index
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %t = arith.divui %j, %c2 : index
    %k = arith.minui %t, %last : index
    %v = tensor.extract %x[%i, %k] : tensor<4x?xf32>
    linalg.yield %v : f32
  } -> tensor<4x?xf32>
  return %r : tensor<4x?xf32>
}

// ----- jit-propagate-heat
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.exp {jit.hotness = #jit.hotness<count = 8>} ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.abs ins(%0 : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// ----- jit-expand-math
func.func @f(%x: vector<16xf32>) -> vector<16xf32> {
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %m = arith.maximumf %x, %zero : vector<16xf32>
  %r = math.rsqrt %m : vector<16xf32>
  return %r : vector<16xf32>
}

// ----- jit-inline-loops
func.func @f(%x: tensor<4xf32>, %n: index, %e: tensor<4xf32>) -> tensor<4xf32> {
  %r = jit.invoke @f.loop_0(%n, %x : index, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
jit.unit private @f.loop_0(%n: index, %x: tensor<4xf32>, %out: tensor<4xf32> {jit.write_only})
    -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %t = jit.invoke @f.tanh_0(%s : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %t : tensor<4xf32>
  }
  jit.return %r : tensor<4xf32>
}
jit.unit private @f.tanh_0(%x: tensor<4xf32>, %out: tensor<4xf32> {jit.write_only}) -> tensor<4xf32> {
  %r = linalg.tanh ins(%x : tensor<4xf32>) outs(%out : tensor<4xf32>) -> tensor<4xf32>
  jit.return %r : tensor<4xf32>
}

// ----- jit-insert-guards
jit.unit private @neg(%x: tensor<?x4xf32>, %out: tensor<?x4xf32> {jit.write_only}) -> tensor<?x4xf32> {
  %r = linalg.negf ins(%x : tensor<?x4xf32>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  jit.return %r : tensor<?x4xf32>
}
jit.unit private @neg.8x4_8x4(%x: tensor<8x4xf32>, %out: tensor<8x4xf32> {jit.write_only}) -> tensor<8x4xf32> {
  %r = linalg.negf ins(%x : tensor<8x4xf32>) outs(%out : tensor<8x4xf32>) -> tensor<8x4xf32>
  jit.return %r : tensor<8x4xf32>
}
jit.variant @neg.8x4_8x4 of @neg when (<[8, 4]>, <[8, 4]>)
func.func @f(%x: tensor<?x4xf32>, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = jit.invoke @neg(%x : tensor<?x4xf32>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// ----- jit-lower-guards
func.func @f(%a: tensor<?x?xf32>) -> i1 {
  %ok = jit.guard %a in <[8, exp2(9/2 ... 5)]> : tensor<?x?xf32>
  return %ok : i1
}

// ----- jit-update-loops-in-place
jit.unit private @step(%h: tensor<4xf32>, %o: tensor<4xf32> {jit.write_only}) -> tensor<4xf32> {
  %0 = linalg.exp ins(%h : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  jit.return %0 : tensor<4xf32>
}
func.func @f(%init: tensor<4xf32>, %n: index, %e: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %init) -> (tensor<4xf32>) {
    %next = jit.invoke @step(%h : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// ----- jit-write-slices-in-place
jit.unit private @exp(%x: tensor<2xf32>, %o: tensor<2xf32> {jit.write_only}) -> tensor<2xf32> {
  %0 = linalg.exp ins(%x : tensor<2xf32>) outs(%o : tensor<2xf32>) -> tensor<2xf32>
  jit.return %0 : tensor<2xf32>
}
func.func @f(%x: tensor<2xf32>) -> tensor<5xf32> {
  %ea = tensor.empty() : tensor<2xf32>
  %a = jit.invoke @exp(%x : tensor<2xf32>) outs(%ea : tensor<2xf32>) -> tensor<2xf32>
  %e = tensor.empty() : tensor<5xf32>
  %r = tensor.insert_slice %a into %e[1] [2] [1] : tensor<2xf32> into tensor<5xf32>
  return %r : tensor<5xf32>
}
