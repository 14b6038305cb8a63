// RUN: jit-opt %s --jit-specialize-shapes="unit=scale shapes='[8, 4], any, any; [exp2(1 ... 2), 4], any, any; [1, 4], any, any; [0, 4], any, any'" --jit-specialize-shapes="unit=product shapes='[1, 7], any, any; [8, 4], [?, 5], any'" --jit-insert-guards -o %t.mlir
// RUN: FileCheck %s --check-prefix=TABLE < %t.mlir
// RUN: %python %S/Inputs/compare_variants.py %s %t.mlir %t

// A module with guards gives what the generic units give, bit for bit, for shapes that hit a variant and for shapes that
// hit none, in the interpreter and compiled; and so do the stages of jit-opt.

// TABLE-DAG: jit.variant @scale.8x4_8x4 of @scale
// TABLE-DAG: jit.variant @scale.e1to2x4_e1to2x4 of @scale
// TABLE-DAG: jit.variant @scale.1x4_1x4 of @scale
// TABLE-DAG: jit.variant @scale.0x4_0x4 of @scale
// TABLE-DAG: jit.variant @product.1x7_7xn_1xn of @product
// TABLE-DAG: jit.variant @product.8x4_4x5_8x5 of @product
// TABLE: jit.guard

#id = affine_map<(d0, d1) -> (d0, d1)>
jit.unit private @scale(%x: tensor<?x4xf32>, %s: f32, %o: tensor<?x4xf32> {jit.write_only})
    -> tensor<?x4xf32> {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x4xf32>) outs(%o : tensor<?x4xf32>) {
  ^bb0(%a: f32, %old: f32):
    %e = math.exp %a : f32
    %m = arith.mulf %e, %s : f32
    linalg.yield %m : f32
  } -> tensor<?x4xf32>
  jit.return %r : tensor<?x4xf32>
}

jit.unit private @product(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>,
                          %o: tensor<?x?xf32> {jit.write_only}) -> tensor<?x?xf32> {
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  jit.return %p : tensor<?x?xf32>
}

func.func @once(%x: tensor<?x4xf32>, %s: f32) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %o = tensor.empty(%n) : tensor<?x4xf32>
  %r = jit.invoke @scale(%x, %s : tensor<?x4xf32>, f32) outs(%o : tensor<?x4xf32>)
      -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// In a loop, in a branch that depends on the iteration, into memory that the loop carries.
func.func @often(%x: tensor<?x4xf32>, %s: f32) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> (tensor<?x4xf32>) {
    %is1 = arith.cmpi eq, %i, %c1 : index
    %t = scf.if %is1 -> (tensor<?x4xf32>) {
      scf.yield %h : tensor<?x4xf32>
    } else {
      %o = tensor.empty(%n) : tensor<?x4xf32>
      %q = jit.invoke @scale(%h, %s : tensor<?x4xf32>, f32) outs(%o : tensor<?x4xf32>)
          -> tensor<?x4xf32>
      scf.yield %q : tensor<?x4xf32>
    }
    scf.yield %t : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// Sizes that are known only in the call: how many elements are positive.
func.func @by_value(%x: tensor<?x4xf32>, %s: f32) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %k = scf.for %i = %c0 to %n step %c1 iter_args(%count = %c0) -> (index) {
    %e = tensor.extract %x[%i, %c0] : tensor<?x4xf32>
    %is = arith.cmpf ogt, %e, %z : f32
    %one = arith.select %is, %c1, %c0 : index
    %next = arith.addi %count, %one : index
    scf.yield %next : index
  }
  %part = tensor.extract_slice %x[0, 0] [%k, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  %o = tensor.empty(%k) : tensor<?x4xf32>
  %r = jit.invoke @scale(%part, %s : tensor<?x4xf32>, f32) outs(%o : tensor<?x4xf32>)
      -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

func.func @multiply(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %o = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = jit.invoke @product(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
