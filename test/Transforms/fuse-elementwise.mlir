// RUN: jit-opt %s -jit-fuse-elementwise -split-input-file | FileCheck %s
// RUN: jit-opt %s -jit-fuse-elementwise=max-body-ops=2 -split-input-file | FileCheck %s --check-prefix=SMALL

#id = affine_map<(d0, d1) -> (d0, d1)>

// A value with several readers in one chain.
// CHECK-LABEL: func.func @chain
// CHECK-COUNT-1: linalg.generic
// CHECK:           math.tanh
// CHECK:           arith.mulf
// CHECK:           arith.addf
// CHECK-NOT:     linalg.generic
// SMALL-LABEL: func.func @chain
// SMALL-COUNT-2: linalg.generic
func.func @chain(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %v = math.tanh %a : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %v = arith.mulf %a, %a : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %1 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %v = arith.addf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// Named ops join; a transposition is read the other way round, a counter goes along with it.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: #[[SWAP:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func.func @named
// CHECK:         linalg.generic {indexing_maps = [#[[SWAP]], #{{.*}}]
// CHECK-SAME:        ins(%arg0 : tensor<8x4xf32>)
// CHECK:           %[[I:.*]] = linalg.index 1
// CHECK:           arith.index_cast %[[I]]
// CHECK:           math.exp
// CHECK-NOT:     linalg.generic
func.func @named(%x: tensor<8x4xf32>) -> tensor<4x8xf32> {
  %ex = tensor.empty() : tensor<8x4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x4xf32>) outs(%ex : tensor<8x4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f32
    %v = arith.divf %a, %f : f32
    linalg.yield %v : f32
  } -> tensor<8x4xf32>
  %1 = linalg.transpose ins(%0 : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
  %2 = linalg.exp ins(%1 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// The rows' exponentials are read twice: kept. The difference goes into them, the quotient does not go
// back across its broadcast.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @softmax
// CHECK:         %[[E:.*]] = linalg.generic
// CHECK:           arith.subf
// CHECK-NEXT:      math.exp
// CHECK:         %[[S:.*]] = linalg.generic
// CHECK-SAME:        "reduction"
// CHECK-SAME:        ins(%[[E]] :
// CHECK:         %[[R:.*]] = linalg.generic
// CHECK-SAME:        iterator_types = ["parallel"]
// CHECK:           arith.divf
// CHECK:         linalg.generic
// CHECK-SAME:        ins(%[[E]], %[[R]] :
// CHECK:           arith.mulf
func.func @softmax(%x: tensor<4x8xf32>, %max: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4x8xf32> {
  %f1 = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %er = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %v = arith.subf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %1 = linalg.exp ins(%0 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%1 : tensor<4x8xf32>) outs(%z : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %v = arith.addf %a, %out : f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%2 : tensor<4xf32>) outs(%er : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %v = arith.divf %f1, %a : f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  %4 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%1, %3 : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %v = arith.mulf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}

// -----

// A square goes into the sum; a product of two tensors does not: that would be a contraction. A cheap
// difference is computed in both of its readers.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @into_reductions
// CHECK:         linalg.generic
// CHECK-SAME:        "reduction"
// CHECK-SAME:        ins(%arg0, %arg1 :
// CHECK:           arith.subf
// CHECK-NEXT:      arith.mulf
// CHECK-NEXT:      arith.addf
// CHECK:         %[[P:.*]] = linalg.generic
// CHECK-SAME:        ins(%arg0, %arg1, %arg2 :
// CHECK:           arith.subf
// CHECK-NEXT:      arith.mulf
// CHECK-NEXT:      linalg.yield
// CHECK:         linalg.generic
// CHECK-SAME:        "reduction"
// CHECK-SAME:        ins(%[[P]] :
func.func @into_reductions(%x: tensor<4x8xf32>, %mean: tensor<4xf32>, %y: tensor<4x8xf32>, %z: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %v = arith.subf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  %1 = linalg.square ins(%0 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%1 : tensor<4x8xf32>) outs(%z : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %v = arith.addf %a, %out : f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  %3 = linalg.mul ins(%0, %y : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%3 : tensor<4x8xf32>) outs(%z : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %v = arith.addf %a, %out : f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %2, %4 : tensor<4xf32>, tensor<4xf32>
}

// -----

// The contraction takes nothing in; what follows it stays its epilogue, before the transposition and
// before the sum.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @contraction
// CHECK:         %[[A:.*]] = linalg.exp
// CHECK:         %[[MM:.*]] = linalg.matmul ins(%[[A]],
// CHECK:         %[[B:.*]] = linalg.generic
// CHECK-SAME:        ins(%[[MM]], %arg3 :
// CHECK:         linalg.transpose ins(%[[B]]
// CHECK:         %[[MM2:.*]] = linalg.matmul
// CHECK:         %[[B2:.*]] = linalg.generic
// CHECK-SAME:        ins(%[[MM2]], %arg3 :
// CHECK:         linalg.generic
// CHECK-SAME:        "reduction"
// CHECK-SAME:        ins(%[[B2]] :
func.func @contraction(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %z: tensor<4x2xf32>, %bias: tensor<2xf32>, %zr: tensor<4xf32>) -> (tensor<2x4xf32>, tensor<4xf32>) {
  %ex = tensor.empty() : tensor<4x8xf32>
  %e = tensor.empty() : tensor<4x2xf32>
  %et = tensor.empty() : tensor<2x4xf32>
  %0 = linalg.exp ins(%x : tensor<4x8xf32>) outs(%ex : tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = linalg.matmul ins(%0, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%z : tensor<4x2xf32>) -> tensor<4x2xf32>
  %2 = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%1, %bias : tensor<4x2xf32>, tensor<2xf32>) outs(%e : tensor<4x2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %v = arith.addf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<4x2xf32>
  %3 = linalg.transpose ins(%2 : tensor<4x2xf32>) outs(%et : tensor<2x4xf32>) permutation = [1, 0]
  %4 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%z : tensor<4x2xf32>) -> tensor<4x2xf32>
  %5 = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%4, %bias : tensor<4x2xf32>, tensor<2xf32>) outs(%e : tensor<4x2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %v = arith.addf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<4x2xf32>
  %6 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%5 : tensor<4x2xf32>) outs(%zr : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %v = arith.addf %a, %out : f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %3, %6 : tensor<2x4xf32>, tensor<4xf32>
}

// -----

// An assert stays once: with one reader it goes along, with two it stays where it is.
#id = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @asserts
// CHECK:         linalg.generic
// CHECK:           cf.assert %{{.*}}, "one"
// CHECK:           math.sqrt
// CHECK:         %[[T:.*]] = linalg.generic
// CHECK:           cf.assert %{{.*}}, "two"
// CHECK-NEXT:      linalg.yield
// CHECK:         linalg.sqrt ins(%[[T]] :
// CHECK:         linalg.exp ins(%[[T]] :
func.func @asserts(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %f0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %c = arith.cmpf oge, %a, %f0 : f32
    cf.assert %c, "one"
    linalg.yield %a : f32
  } -> tensor<4xf32>
  %1 = linalg.sqrt ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %c = arith.cmpf oge, %a, %f0 : f32
    cf.assert %c, "two"
    linalg.yield %a : f32
  } -> tensor<4xf32>
  %3 = linalg.sqrt ins(%2 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %4 = linalg.exp ins(%2 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %1, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Read through another tensor op, or as the start of a sum: not fused.
#id = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @other_readers
// CHECK:         %[[A:.*]] = linalg.exp
// CHECK:         tensor.extract_slice %[[A]]
// CHECK:         linalg.sqrt
// CHECK:         %[[B:.*]] = linalg.exp
// CHECK:         linalg.generic
// CHECK-SAME:        outs(%[[B]] :
func.func @other_readers(%x: tensor<4xf32>, %y: tensor<4x8xf32>) -> (tensor<2xf32>, tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = tensor.extract_slice %0[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %2 = linalg.sqrt ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %3 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<4x8xf32>) outs(%3 : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %v = arith.addf %a, %out : f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %1, %2, %4 : tensor<2xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Two results of one op, read in one chain and in two.
#id = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @several_results
// CHECK-COUNT-1: linalg.generic
// CHECK:           math.sin
// CHECK-NEXT:      math.cos
// CHECK-NEXT:      arith.divf
// CHECK:         %[[P:.*]]:2 = linalg.generic
// CHECK:         linalg.exp ins(%[[P]]#0
// CHECK:         linalg.sqrt ins(%[[P]]#1
func.func @several_results(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %0:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e, %e : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %o0: f32, %o1: f32):
    %s = math.sin %a : f32
    %c = math.cos %a : f32
    linalg.yield %s, %c : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  %1 = linalg.div ins(%0#0, %0#1 : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %2:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e, %e : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %o0: f32, %o1: f32):
    %s = math.sin %a : f32
    %c = math.cos %a : f32
    linalg.yield %s, %c : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  %3 = linalg.exp ins(%2#0 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %4 = linalg.sqrt ins(%2#1 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %1, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A batch of one: index zero is the counter.
#id = affine_map<(d0, d1) -> (d0, d1)>
#unit = affine_map<(d0, d1) -> (0, d1)>
// CHECK: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @unit_batch
// CHECK:         linalg.matmul
// CHECK:         linalg.generic {indexing_maps = [#[[ID]], #[[ID]], #[[ID]]]
// CHECK:           arith.negf
// CHECK-NEXT:      arith.addf
// CHECK-NOT:     linalg.generic
func.func @unit_batch(%x: tensor<1x8xf32>, %w: tensor<8x4xf32>, %z: tensor<1x4xf32>, %y: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %e = tensor.empty() : tensor<1x4xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<1x8xf32>, tensor<8x4xf32>) outs(%z : tensor<1x4xf32>) -> tensor<1x4xf32>
  %1 = linalg.negf ins(%0 : tensor<1x4xf32>) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
  %2 = linalg.generic {indexing_maps = [#unit, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%1, %y : tensor<1x4xf32>, tensor<1x4xf32>) outs(%e : tensor<1x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %v = arith.addf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<1x4xf32>
  return %2 : tensor<1x4xf32>
}

// -----

// A sum of products is a contraction whatever its factors are computed by; nothing is fused into it.
// CHECK-LABEL: func.func @into_contraction
// CHECK:         %[[N:.*]] = linalg.generic
// CHECK:           arith.negf
// CHECK:         linalg.generic
// CHECK-SAME:        ins(%[[N]], %arg1
// CHECK:           math.exp
// CHECK:           arith.mulf
func.func @into_contraction(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %e: tensor<4x8xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%x: f32, %out: f32):
    %0 = arith.negf %x : f32
    linalg.yield %0 : f32
  } -> tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%n, %b : tensor<4x8xf32>, tensor<4x8xf32>) outs(%d : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = math.exp %x : f32
    %1 = arith.mulf %0, %y : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
