// RUN: jit-opt %s --jit-form-units --split-input-file | FileCheck %s

// Softmax along the last dimension: one unit.

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @softmax
// CHECK-COUNT-1: jit.invoke
// CHECK-NOT: jit.invoke
func.func @softmax(%x: tensor<?x16xf32>, %n: index) -> tensor<?x16xf32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty(%n) : tensor<?xf32>
  %all = tensor.empty(%n) : tensor<?x16xf32>
  %i0 = linalg.fill ins(%low : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x16xf32>) outs(%i0 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %exp = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<?x16xf32>, tensor<?xf32>) outs(%all : tensor<?x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x16xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<?x16xf32>) outs(%i1 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<?x16xf32>, tensor<?xf32>) outs(%all : tensor<?x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// -----

// Two sums over the same rows, of which one is reached only backwards: one unit.

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#one = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @sum_and_squares
// CHECK-COUNT-1: jit.invoke
// CHECK-NOT: jit.invoke
func.func @sum_and_squares(%x: tensor<?x16xf32>, %n: index) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty(%n) : tensor<?xf32>
  %i = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x16xf32>) outs(%i : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %squares = linalg.generic {indexing_maps = [#id, #row],
                             iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x16xf32>) outs(%i : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel"]}
      ins(%sum, %squares : tensor<?xf32>, tensor<?xf32>) outs(%rows : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.subf %b, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// The second reduction goes over the rows of the first: no row loop is left.

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#one = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>
// CHECK-LABEL: func.func @over_rows
// CHECK-COUNT-2: jit.invoke
// CHECK-NOT: jit.invoke
func.func @over_rows(%x: tensor<?x16xf32>, %n: index) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty(%n) : tensor<?xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x16xf32>) outs(%i0 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %e = tensor.empty() : tensor<f32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [#one, #none], iterator_types = ["reduction"]}
      ins(%sum : tensor<?xf32>) outs(%i1 : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// Read crosswise: row i of one is not row i of the other.

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @crosswise
// CHECK-COUNT-2: jit.invoke
// CHECK-NOT: jit.invoke
func.func @crosswise(%x: tensor<16x16xf32>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<16xf32>
  %i = linalg.fill ins(%zero : f32) outs(%rows : tensor<16xf32>) -> tensor<16xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<16x16xf32>) outs(%i : tensor<16xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<16xf32>
  %r = linalg.generic {indexing_maps = [#id, #column, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x, %sum : tensor<16x16xf32>, tensor<16xf32>) outs(%i : tensor<16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.maximumf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// -----

// What is read elsewhere too ends a chain: sum alone, then the rest.

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @read_elsewhere
// CHECK-COUNT-2: jit.invoke
// CHECK-NOT: jit.invoke
func.func @read_elsewhere(%x: tensor<?x16xf32>, %n: index) -> (tensor<?xf32>, tensor<?x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty(%n) : tensor<?xf32>
  %all = tensor.empty(%n) : tensor<?x16xf32>
  %i = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x16xf32>) outs(%i : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<?x16xf32>, tensor<?xf32>) outs(%all : tensor<?x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x16xf32>
  return %sum, %r : tensor<?xf32>, tensor<?x16xf32>
}

// -----

// An attention block: scores, a reduction over their rows, and what reads these for the same batch.

#mk = affine_map<(b, m, n, k) -> (b, m, k)>
#nk = affine_map<(b, m, n, k) -> (b, n, k)>
#mn = affine_map<(b, m, n, k) -> (b, m, n)>
#id = affine_map<(b, m, n) -> (b, m, n)>
#row = affine_map<(b, m, n) -> (b, m)>
// CHECK-LABEL: func.func @attention
// CHECK-COUNT-1: jit.invoke
// CHECK-NOT: jit.invoke
func.func @attention(%q: tensor<2x7x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x3xf32>)
    -> tensor<2x7x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<2x7x7xf32>
  %e1 = tensor.empty() : tensor<2x7xf32>
  %e2 = tensor.empty() : tensor<2x7x3xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %s = linalg.contract indexing_maps = [#mk, #nk, #mn]
      ins(%q, %k : tensor<2x7x5xf32>, tensor<2x7x5xf32>)
      outs(%i0 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<2x7x7xf32>) outs(%i1 : tensor<2x7xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x7xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %sum : tensor<2x7x7xf32>, tensor<2x7xf32>) outs(%e0 : tensor<2x7x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x7x7xf32>
  %i2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<2x7x7xf32>, tensor<2x7x3xf32>)
      outs(%i2 : tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
  return %r : tensor<2x7x3xf32>
}

// -----

// Without a reduction between them two products stay two units.

#id = affine_map<(b, m, n) -> (b, m, n)>
// CHECK-LABEL: func.func @two_products
// CHECK-COUNT-2: jit.invoke
// CHECK-NOT: jit.invoke
func.func @two_products(%x: tensor<2x7x5xf32>, %y: tensor<2x5x7xf32>, %z: tensor<2x7x3xf32>)
    -> tensor<2x7x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<2x7x7xf32>
  %e1 = tensor.empty() : tensor<2x7x3xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %s = linalg.batch_matmul ins(%x, %y : tensor<2x7x5xf32>, tensor<2x5x7xf32>)
      outs(%i0 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
  %r = linalg.batch_matmul ins(%s, %z : tensor<2x7x7xf32>, tensor<2x7x3xf32>)
      outs(%i1 : tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
  return %r : tensor<2x7x3xf32>
}
