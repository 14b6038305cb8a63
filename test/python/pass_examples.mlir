// The modules that the examples of docs/Passes.md are parts of, by pass.

// PASS jit-drop-dead-results
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
// PASS jit-fold-broadcast-matmul
func.func @f(%x: tensor<?x?x384xf32>, %w: tensor<384x384xf32>, %b: index, %m: index) -> tensor<?x?x384xf32> {
  %e = tensor.empty(%b) : tensor<?x384x384xf32>
  %w3 = linalg.broadcast ins(%w : tensor<384x384xf32>) outs(%e : tensor<?x384x384xf32>) dimensions = [0]
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty(%b, %m) : tensor<?x?x384xf32>
  %z = linalg.fill ins(%zero : f32) outs(%0 : tensor<?x?x384xf32>) -> tensor<?x?x384xf32>
  %y = linalg.batch_matmul ins(%x, %w3 : tensor<?x?x384xf32>, tensor<?x384x384xf32>)
      outs(%z : tensor<?x?x384xf32>) -> tensor<?x?x384xf32>
  return %y : tensor<?x?x384xf32>
}
// PASS jit-fold-operands
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
// PASS jit-fold-transposes
func.func @f(%x: tensor<2x?x12x32xf32>, %z: tensor<2x12x32x?xf32>, %n: index) -> tensor<2x12x?x?xf32> {
  %te = tensor.empty(%n) : tensor<2x12x?x32xf32>
  %t = linalg.transpose ins(%x : tensor<2x?x12x32xf32>) outs(%te : tensor<2x12x?x32xf32>) permutation = [0, 2, 1, 3]
  %c = tensor.collapse_shape %t [[0, 1], [2], [3]] : tensor<2x12x?x32xf32> into tensor<24x?x32xf32>
  %y = tensor.collapse_shape %z [[0, 1], [2], [3]] : tensor<2x12x32x?xf32> into tensor<24x32x?xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n, %n) : tensor<24x?x?xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<24x?x?xf32>) -> tensor<24x?x?xf32>
  %m = linalg.batch_matmul ins(%c, %y : tensor<24x?x32xf32>, tensor<24x32x?xf32>) outs(%i : tensor<24x?x?xf32>) -> tensor<24x?x?xf32>
  %r = tensor.expand_shape %m [[0, 1], [2], [3]] output_shape [2, 12, %n, %n] : tensor<24x?x?xf32> into tensor<2x12x?x?xf32>
  return %r : tensor<2x12x?x?xf32>
}
// PASS jit-fuse-elementwise
func.func @f(%x: tensor<4x8xf32>, %m: tensor<4xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a, b)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.subf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>],
      iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.exp %a : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}
// PASS jit-fold-views
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %0 = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
// PASS jit-inline-calls
func.func private @twice(%x: f32) -> f32 {
  %0 = arith.addf %x, %x : f32
  return %0 : f32
}
func.func @main(%x: f32) -> f32 {
  %0 = func.call @twice(%x) : (f32) -> f32
  return %0 : f32
}
// PASS jit-lower-inputs
func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tosa.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// PASS jit-lower-parallel-loops
func.func @f(%init: tensor<4xf32>, %s: tensor<1xf32>) -> tensor<4xf32> {
  %r = scf.forall (%i) in (4) shared_outs(%o = %init) -> (tensor<4xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  return %r : tensor<4xf32>
}
// PASS jit-lower-scalars
func.func @f(%a: index, %b: index, %c: index) -> (index, index) {
  %0 = affine.apply affine_map<()[s0, s1] -> (s0 * s1)>()[%a, %b]
  %1 = index.maxs %0, %c
  return %0, %1 : index, index
}
// PASS jit-lower-tensor-ops
func.func @f(%a: tensor<2x4xf32>, %b: tensor<3x4xf32>) -> tensor<5x4xf32> {
  %0 = tensor.concat dim(0) %a, %b : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}
// PASS jit-outline-constants
func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %v = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
      ins(%v : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.rsqrt %a : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b) -> (b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<8xf32>) outs(%x : tensor<?x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.mulf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
// PASS jit-raise-broadcast-gather
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
// PASS jit-resolve-reshape
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
// PASS jit-simplify-shapes
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
// PASS jit-sink-reshapes
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
// PASS jit-propagate-heat
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.exp {jit.hotness = #jit.hotness<count = 8>} ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.abs ins(%0 : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
// PASS jit-expand-math
func.func @f(%x: vector<16xf32>) -> vector<16xf32> {
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %m = arith.maximumf %x, %zero : vector<16xf32>
  %r = math.rsqrt %m : vector<16xf32>
  return %r : vector<16xf32>
}
// PASS jit-hoist-vector-constants
llvm.func @f(%x: vector<16xf32>, %b: i1) -> vector<16xf32> {
  llvm.cond_br %b, ^bb1, ^bb2(%x : vector<16xf32>)
^bb1:
  %c = llvm.mlir.constant(dense<0.5> : vector<16xf32>) : vector<16xf32>
  %y = llvm.fmul %x, %c : vector<16xf32>
  llvm.br ^bb2(%y : vector<16xf32>)
^bb2(%r: vector<16xf32>):
  llvm.return %r : vector<16xf32>
}
// PASS jit-update-loops-in-place
jit.unit private @step(%h: tensor<4xf32>, %o: tensor<4xf32> {jit.write_only}) -> tensor<4xf32> {
  %0 = linalg.exp ins(%h : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  jit.return %0 : tensor<4xf32>
}
func.func @f(%init: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %init) -> (tensor<4xf32>) {
    %next = jit.invoke @step(%h : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
// PASS jit-write-slices-in-place
jit.unit private @f(%x: tensor<2xf32>, %o: tensor<2xf32> {jit.write_only}) -> tensor<2xf32> {
  %0 = linalg.exp ins(%x : tensor<2xf32>) outs(%o : tensor<2xf32>) -> tensor<2xf32>
  jit.return %0 : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>) -> tensor<5xf32> {
  %ea = tensor.empty() : tensor<2xf32>
  %a = jit.invoke @f(%x : tensor<2xf32>) outs(%ea : tensor<2xf32>) -> tensor<2xf32>
  %e = tensor.empty() : tensor<5xf32>
  %r = tensor.insert_slice %a into %e[1] [2] [1] : tensor<2xf32> into tensor<5xf32>
  return %r : tensor<5xf32>
}
// PASS jit-stock-prepare
func.func @f(%x: tensor<4xf32>, %ok: i1) -> tensor<4xf32> {
  cf.assert %ok, "too many"
  return %x : tensor<4xf32>
}
