"""Structured and unstructured control flow, calls and asserts at the level of functions."""

import numpy as np
import pytest
from harness import RunError, check, random_array, run


def rng():
    return np.random.default_rng(50)


ADD = """
func.func private @add(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %r = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
"""


def test_private_functions_are_called():
    x = random_array(rng(), [9], "f32")
    text = ADD + """
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %a = call @add(%x, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %b = call @add(%a, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %b : tensor<?xf32>
}"""
    check(run(text, [(x, "f32")]), [x + x + x])


def test_loop_carries_tensors_and_scalars():
    x = random_array(rng(), [9], "f32")
    text = ADD + """
func.func @main(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32>, index, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %r:3 = scf.for %i = %c0 to %n step %c2 iter_args(%a = %x, %s = %c0, %b = %x) -> (tensor<?xf32>, index, tensor<?xf32>) {
    %t = func.call @add(%a, %b) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %k = arith.addi %s, %i : index
    scf.yield %t, %k, %a : tensor<?xf32>, index, tensor<?xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<?xf32>, index, tensor<?xf32>
}"""
    for count in (0, 1, 7):
        a, s, b = x, 0, x
        for i in range(0, count, 2):
            a, s, b = a + b, s + i, a
        check(run(text, [(x, "f32"), (np.int64(count), "index")]), [a, np.int64(s), b])


def test_loop_grows_a_tensor():
    x = random_array(rng(), [3], "f32")
    text = """
func.func @main(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %t = tensor.concat dim(0) %a, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %t : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}"""
    check(run(text, [(x, "f32"), (np.int64(5), "index")]), [np.tile(x, 6)])


def test_loop_reads_a_slice_of_growing_size():
    x = random_array(rng(), [8], "f32")
    text = """
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %e) -> (tensor<8xf32>) {
    %k = arith.addi %i, %c1 : index
    %s = tensor.extract_slice %x[0] [%k] [1] : tensor<8xf32> to tensor<?xf32>
    %z0 = tensor.empty() : tensor<f32>
    %z = linalg.fill ins(%zero : f32) outs(%z0 : tensor<f32>) -> tensor<f32>
    %sum = linalg.reduce { arith.addf } ins(%s : tensor<?xf32>) outs(%z : tensor<f32>) dimensions = [0]
    %v = tensor.extract %sum[] : tensor<f32>
    %t = tensor.insert %v into %a[%i] : tensor<8xf32>
    scf.yield %t : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}"""
    check(run(text, [(x, "f32")]), [np.cumsum(x.astype(np.float64)).astype(np.float32)], 1e-5, 1e-6)


def test_if_with_tensors_of_different_sizes():
    x = random_array(rng(), [9], "f32")
    text = """
func.func @main(%x: tensor<?xf32>, %k: i1) -> tensor<?xf32> {
  %r = scf.if %k -> (tensor<?xf32>) {
    %s = tensor.extract_slice %x[1] [4] [2] : tensor<?xf32> to tensor<4xf32>
    %t = tensor.cast %s : tensor<4xf32> to tensor<?xf32>
    scf.yield %t : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}"""
    check(run(text, [(x, "f32"), (np.bool_(True), "i1")]), [x[1:9:2]])
    check(run(text, [(x, "f32"), (np.bool_(False), "i1")]), [x])


def test_condition_from_tensor_values():
    text = """
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, i32) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %none = arith.constant 0 : i32
  %limit = arith.constant 100.0 : f32
  %r:2 = scf.while (%a = %x, %n = %none) : (tensor<4xf32>, i32) -> (tensor<4xf32>, i32) {
    %v = tensor.extract %a[%c0] : tensor<4xf32>
    %k = arith.cmpf olt, %v, %limit : f32
    scf.condition(%k) %a, %n : tensor<4xf32>, i32
  } do {
  ^bb0(%a: tensor<4xf32>, %n: i32):
    %e = tensor.empty() : tensor<4xf32>
    %t = linalg.add ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %m = arith.addi %n, %one : i32
    scf.yield %t, %m : tensor<4xf32>, i32
  }
  return %r#0, %r#1 : tensor<4xf32>, i32
}"""
    x = np.array([3, 1, 0, -1], np.float32)
    check(run(text, [(x, "f32")]), [x * 64, np.int32(6)])


def test_sizes_from_tensor_values():
    text = """
func.func @main(%x: tensor<?xf32>, %n: tensor<i64>) -> tensor<?xf32> {
  %v = tensor.extract %n[] : tensor<i64>
  %k = arith.index_cast %v : i64 to index
  %s = tensor.extract_slice %x[0] [%k] [1] : tensor<?xf32> to tensor<?xf32>
  %e = tensor.empty(%k) : tensor<?xf32>
  %r = linalg.exp ins(%s : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}"""
    x = random_array(rng(), [9], "f32")
    check(run(text, [(x, "f32"), (np.int64(4), "i64")]), [np.exp(x[:4])], 1e-6)
    with pytest.raises(RunError):
        run(text, [(x, "f32"), (np.int64(10), "i64")])


@pytest.mark.parametrize("case,expected", [(0, 1), (2, 5), (7, 9), (-1, 9)])
def test_index_switch(case, expected):
    text = """
func.func @main(%k: index) -> i32 {
  %r = scf.index_switch %k -> i32
  case 0 {
    %a = arith.constant 1 : i32
    scf.yield %a : i32
  }
  case 2 {
    %a = arith.constant 5 : i32
    scf.yield %a : i32
  }
  default {
    %a = arith.constant 9 : i32
    scf.yield %a : i32
  }
  return %r : i32
}"""
    check(run(text, [(np.int64(case), "index")]), [np.int32(expected)])


def test_forall_and_parallel():
    x = random_array(rng(), [6, 5], "f32")
    text = """
func.func @main(%x: tensor<6x5xf32>) -> (tensor<6x5xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x5xf32>
  %r = scf.forall (%i) in (6) shared_outs(%o = %e) -> (tensor<6x5xf32>) {
    %s = tensor.extract_slice %x[%i, 0] [1, 5] [1, 1] : tensor<6x5xf32> to tensor<1x5xf32>
    %d = tensor.extract_slice %o[%i, 0] [1, 5] [1, 1] : tensor<6x5xf32> to tensor<1x5xf32>
    %t = linalg.exp ins(%s : tensor<1x5xf32>) outs(%d : tensor<1x5xf32>) -> tensor<1x5xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i, 0] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<6x5xf32>
    }
  }
  %sum = scf.parallel (%i, %j) = (%c0, %c0) to (%c6, %c5) step (%c1, %c1) init (%zero) -> f32 {
    %v = tensor.extract %x[%i, %j] : tensor<6x5xf32>
    scf.reduce(%v : f32) {
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      scf.reduce.return %t : f32
    }
  }
  return %r, %sum : tensor<6x5xf32>, f32
}"""
    check(run(text, [(x, "f32")]), [np.exp(x), x.astype(np.float64).sum().astype(np.float32)], 1e-5, 1e-5)


def test_branches_become_structured():
    x = random_array(rng(), [9], "f32")
    text = ADD + """
func.func @main(%x: tensor<?xf32>, %k: i1) -> tensor<?xf32> {
  cf.cond_br %k, ^yes, ^no(%x : tensor<?xf32>)
^yes:
  %a = call @add(%x, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  cf.br ^no(%a : tensor<?xf32>)
^no(%r: tensor<?xf32>):
  return %r : tensor<?xf32>
}"""
    check(run(text, [(x, "f32"), (np.bool_(True), "i1")]), [x + x])
    check(run(text, [(x, "f32"), (np.bool_(False), "i1")]), [x])


def test_asserts_on_shapes_and_on_values():
    text = """
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %k = arith.cmpi sge, %d, %c3 : index
  cf.assert %k, "needs three elements"
  %e = tensor.empty(%d) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.cmpf oge, %a, %zero : f32
    cf.assert %p, "negative element"
    %s = math.sqrt %a : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}"""
    x = np.array([1, 4, 9], np.float32)
    check(run(text, [(x, "f32")]), [np.sqrt(x)])
    with pytest.raises(RunError, match="needs three elements"):
        run(text, [(x[:2], "f32")])
    with pytest.raises(RunError, match="negative element"):
        run(text, [(-x, "f32")])


def test_odd_entry_names():
    text = '''
func.func @"a b.c\\"d"(%x: f32) -> f32 {
  return %x : f32
}
func.func @main(%x: f32) -> f32 {
  %y = arith.negf %x : f32
  return %y : f32
}'''
    check(run(text, [(np.float32(2), "f32")], entry='a b.c"d'), [np.float32(2)])
    check(run(text, [(np.float32(2), "f32")]), [np.float32(-2)])
    with pytest.raises(RunError, match="main"):
        run(text, [(np.float32(2), "f32")], entry="other")


def test_results_that_are_arguments_or_equal():
    x = random_array(rng(), [4], "f32")
    text = """
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = tensor.extract_slice %r[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
  return %x, %r, %r, %s : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>
}"""
    y = np.exp(x)
    check(run(text, [(x, "f32")]), [x, y, y, y[1:3]], 1e-6)


def test_tosa():
    x, y = random_array(rng(), [2, 3, 4], "f32"), random_array(rng(), [2, 4, 5], "f32")
    text = """
func.func @main(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>) -> (tensor<2x3x5xf32>, tensor<2x1x4xf32>) {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %m = tosa.matmul %x, %y, %z, %z : (tensor<2x3x4xf32>, tensor<2x4x5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3x5xf32>
  %t = tosa.tanh %m : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %s = tosa.reduce_max %x {axis = 1 : i32} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  return %t, %s : tensor<2x3x5xf32>, tensor<2x1x4xf32>
}"""
    expected = [np.tanh(x.astype(np.float64) @ y).astype(np.float32), x.max(1, keepdims=True)]
    check(run(text, [(x, "f32"), (y, "f32")]), expected, 1e-5, 1e-6)


@pytest.mark.parametrize("count", [0, 1, 4])
def test_counter_is_read_after_a_loop_of_branches(count):
    text = """
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %n: index) -> (index, tensor<2xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  cf.br ^head(%x, %c0, %y : tensor<2xf32>, index, tensor<2xf32>)
^head(%a: tensor<2xf32>, %i: index, %b: tensor<2xf32>):
  %k = arith.cmpi slt, %i, %n : index
  cf.cond_br %k, ^body, ^exit
^body:
  %s = arith.addf %a, %b : tensor<2xf32>
  %j = arith.addi %i, %c3 : index
  cf.br ^head(%b, %j, %s : tensor<2xf32>, index, tensor<2xf32>)
^exit:
  return %i, %a, %b : index, tensor<2xf32>, tensor<2xf32>
}"""
    a, b, i = np.array([1, 2], np.float32), np.array([3, 5], np.float32), 0
    inputs = [(a, "f32"), (b, "f32"), (np.int64(count), "index")]
    while i < count:
        a, b, i = b, a + b, i + 3
    check(run(text, inputs), [np.int64(i), a, b])


@pytest.mark.parametrize("taken", [True, False])
def test_a_branch_of_unknown_size_is_returned_where_it_is(taken):
    """Memory of what is made after it must be another's, to the end of the call."""
    z, y = random_array(rng(), [7], "f32", 1, 4), random_array(rng(), [3], "f32")
    tensor, maps = "tensor<?xf32>", "[affine_map<(i) -> (i)>, affine_map<(i) -> (i)>]"
    text = f"""
func.func @main(%y: {tensor}, %z: {tensor}, %c: i1) -> ({tensor}, {tensor}) {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %z, %c0 : {tensor}
  %e = tensor.empty(%n) : {tensor}
  %a = scf.if %c -> {tensor} {{
    %h = linalg.exp ins(%z : {tensor}) outs(%e : {tensor}) -> {tensor}
    scf.yield %h : {tensor}
  }} else {{
    scf.yield %y : {tensor}
  }}
  %k = linalg.log ins(%z : {tensor}) outs(%e : {tensor}) -> {tensor}
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<f32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce ins(%k : {tensor}) outs(%f0 : tensor<f32>) dimensions = [0] (%p: f32, %q: f32) {{
    %t = arith.addf %p, %q : f32
    linalg.yield %t : f32
  }}
  %l = tensor.extract %s[] : tensor<f32>
  %b = linalg.generic {{indexing_maps = {maps}, iterator_types = ["parallel"]}}
      ins(%k : {tensor}) outs(%e : {tensor}) {{
  ^bb0(%p: f32, %o: f32):
    %t = arith.subf %p, %l : f32
    linalg.yield %t : f32
  }} -> {tensor}
  return %b, %a : {tensor}, {tensor}
}}"""
    logs = np.log(z)
    for options in ([], ["--force-tier=baseline"]):
        results = run(text, [(y, "f32"), (z, "f32"), (np.array(taken), "i1")], options=options)
        check(results, [logs - logs.sum(), np.exp(z) if taken else y], rtol=1e-5, atol=1e-5)
