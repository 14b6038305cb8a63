"""Modules that are legal but seldom written: outputs that are written in part, arithmetic on whole tensors,
other dialects, sizes that do not fit."""

import itertools

import numpy as np
import pytest

from harness import RunError, check, random_array, run


def rng():
    return np.random.default_rng(5)


def test_elements_that_are_not_written_stay():
    text = """
func.func @main(%x: tensor<?xf32>, %column: tensor<?x4xf32>, %even: tensor<?xf32>) -> (tensor<?x4xf32>, tensor<?xf32>) {
  %a = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, 1)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%column : tensor<?x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?x4xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i * 2)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%even : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?xf32>
  return %a, %b : tensor<?x4xf32>, tensor<?xf32>
}"""
    for n in (0, 1, 3, 17):
        x = random_array(rng(), [n], "f32")
        column, even = np.full([n, 4], 9, np.float32), np.full([2 * n], 9, np.float32)
        expected = [column.copy(), even.copy()]
        expected[0][:, 1] = x
        expected[1][::2] = x
        check(run(text, [(x, "f32"), (column, "f32"), (even, "f32")]), expected)


def test_reduction_over_nothing_keeps_the_output():
    text = """
func.func @main(%x: tensor<?x2xi64>, %a: tensor<i64>, %b: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%x : tensor<?x2xi64>) outs(%a, %b : tensor<i64>, tensor<i64>) {
  ^bb0(%in: i64, %o: i64, %p: i64):
    %s = arith.addi %p, %in : i64
    linalg.yield %in, %s : i64, i64
  } -> (tensor<i64>, tensor<i64>)
  return %r#0, %r#1 : tensor<i64>, tensor<i64>
}"""
    for n in (0, 1, 5):
        x = random_array(rng(), [n, 2], "i64")
        last = x[-1, -1] if n else np.int64(7)
        expected = [np.asarray(last), np.asarray(8 + x.sum())]
        check(run(text, [(x, "i64"), (np.int64(7), "i64"), (np.int64(8), "i64")]), expected)


def test_contraction_of_one_output_with_an_epilogue():
    text = """
func.func @main(%x: tensor<1x?x1xf32>, %w: tensor<1x?x1xf32>, %bias: tensor<1xf32>) -> tensor<1x1x1xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<1x1x1xf32>
  %b = linalg.broadcast ins(%bias : tensor<1xf32>) outs(%e : tensor<1x1x1xf32>) dimensions = [0, 2]
  %c = linalg.conv_1d_ncw_fcw ins(%x, %w : tensor<1x?x1xf32>, tensor<1x?x1xf32>) outs(%b : tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%c : tensor<1x1x1xf32>) outs(%e : tensor<1x1x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %one : f32
    linalg.yield %s : f32
  } -> tensor<1x1x1xf32>
  return %r : tensor<1x1x1xf32>
}"""
    for n in (1, 2, 31, 128):
        x, w = random_array(rng(), [1, n, 1], "i32") * 1.0, random_array(rng(), [1, n, 1], "i32") * 1.0
        expected = (x * w).sum(1, keepdims=True) + 1.5
        check(run(text, [(x, "f32"), (w, "f32"), (np.array([0.5]), "f32")]), [expected.astype(np.float32)])


BINARY = {"arith.addf": np.add, "arith.mulf": np.multiply, "arith.maximumf": np.maximum}


@pytest.mark.parametrize("op", BINARY)
def test_arithmetic_on_tensors(op):
    text = f"""
func.func @main(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>, %c: i1) -> (tensor<?x3xf32>, tensor<?x3xi1>, tensor<?x3xf32>, tensor<?x3xf32>) {{
  %a = {op} %x, %y : tensor<?x3xf32>
  %b = arith.cmpf olt, %x, %y : tensor<?x3xf32>
  %s = arith.select %b, %x, %y : tensor<?x3xi1>, tensor<?x3xf32>
  %t = arith.select %c, %x, %y : tensor<?x3xf32>
  %n = math.absf %t : tensor<?x3xf32>
  return %a, %b, %s, %n : tensor<?x3xf32>, tensor<?x3xi1>, tensor<?x3xf32>, tensor<?x3xf32>
}}"""
    for n, c in itertools.product((0, 1, 5), (False, True)):
        x, y = random_array(rng(), [n, 3], "f32"), random_array(rng(), [n, 3], "f32") - 1
        expected = [BINARY[op](x, y), x < y, np.minimum(x, y), np.abs(x if c else y)]
        check(run(text, [(x, "f32"), (y, "f32"), (np.bool_(c), "i1")]), expected)


def test_index_dialect():
    text = """
func.func @main(%a: index, %b: index) -> (index, index, index, index, i1, i1, i32, index) {
  %0 = index.add %a, %b
  %1 = index.ceildivs %a, %b
  %2 = index.rems %a, %b
  %3 = index.maxu %a, %b
  %4 = index.cmp slt(%a, %b)
  %5 = index.cmp ult(%a, %b)
  %6 = index.casts %a : index to i32
  %7 = index.sizeof
  return %0, %1, %2, %3, %4, %5, %6, %7 : index, index, index, index, i1, i1, i32, index
}"""
    actual = run(text, [(np.int64(-7), "index"), (np.int64(3), "index")])
    expected = [-4, -2, -1, -7, True, False, np.int32(-7), 64]
    assert [int(a) for a in actual] == [int(e) for e in expected]


def test_rfft2d():
    text = """
func.func @main(%x: tensor<2x4x8xf32>) -> (tensor<2x4x5xf32>, tensor<2x4x5xf32>) {
  %re, %im = tosa.rfft2d %x : (tensor<2x4x8xf32>) -> (tensor<2x4x5xf32>, tensor<2x4x5xf32>)
  return %re, %im : tensor<2x4x5xf32>, tensor<2x4x5xf32>
}"""
    x = random_array(rng(), [2, 4, 8], "f32")
    f = np.fft.rfft2(x)
    check(run(text, [(x, "f32")]), [f.real.astype(np.float32), f.imag.astype(np.float32)], 1e-4, 1e-4)


def test_switch_between_blocks():
    text = """
func.func @main(%n: i32, %x: tensor<2xf32>) -> (i32, tensor<2xf32>) {
  %z = arith.constant 10 : i32
  %y = arith.constant dense<5.0> : tensor<2xf32>
  cf.switch %n : i32, [default: ^d(%n : i32), 3: ^a(%x : tensor<2xf32>), -4: ^a(%y : tensor<2xf32>)]
^a(%t: tensor<2xf32>):
  return %z, %t : i32, tensor<2xf32>
^d(%q: i32):
  return %q, %y : i32, tensor<2xf32>
^nowhere:
  return %z, %x : i32, tensor<2xf32>
}"""
    x = np.array([1, 2], np.float32)
    for n, expected in ((3, [np.int32(10), x]), (-4, [np.int32(10), x * 0 + 5]), (6, [np.int32(6), x * 0 + 5])):
        check(run(text, [(np.int32(n), "i32"), (x, "f32")]), expected)


@pytest.mark.parametrize("text,inputs,message", [
    ("""func.func @main(%x: tensor<?x2xf32>, %y: tensor<?x2xf32>) -> tensor<?x4xf32> {
          %r = tensor.concat dim(1) %x, %y : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x4xf32>
          return %r : tensor<?x4xf32>
        }""", [(np.ones([3, 2]), "f32"), (np.ones([2, 2]), "f32")], "tensor.concat"),
    ("""func.func @main(%x: tensor<?x?xf32>, %k: index) -> index {
          %d = tensor.dim %x, %k : tensor<?x?xf32>
          return %d : index
        }""", [(np.ones([3, 2]), "f32"), (np.int64(2), "index")], "tensor.dim"),
    ("""func.func @main(%x: tensor<?xf32>) -> tensor<2x3xf32> {
          %e = tensor.empty() : tensor<2x3xf32>
          %r = linalg.pack %x inner_dims_pos = [0] inner_tiles = [3] into %e : tensor<?xf32> -> tensor<2x3xf32>
          return %r : tensor<2x3xf32>
        }""", [(np.ones([7]), "f32")], "the tiles do not divide the source"),
    ("""func.func private @g(%x: f32) -> f32
        func.func @main(%x: f32) -> f32 {
          %r = call @g(%x) : (f32) -> f32
          return %r : f32
        }""", [(np.float32(1), "f32")], "function 'g' has no body"),
], ids=["concat", "dim", "pack", "call"])
def test_what_does_not_fit(text, inputs, message):
    with pytest.raises(RunError) as error:
        run(text, inputs)
    assert error.value.code == 1
    assert message in error.value.message
