"""Operations of the tensor dialect against NumPy."""

import numpy as np
import pytest
from harness import RunError, check, random_array, run, tensor


def rng():
    return np.random.default_rng(40)


def test_slices_with_strides_and_dropped_dims():
    x = random_array(rng(), [9, 20, 3], "f32")
    text = """
func.func @main(%x: tensor<9x20x3xf32>, %o: index, %n: index) -> (tensor<4x?x3xf32>, tensor<?xf32>) {
  %a = tensor.extract_slice %x[1, %o, 0] [4, %n, 3] [2, 3, 1] : tensor<9x20x3xf32> to tensor<4x?x3xf32>
  %b = tensor.extract_slice %x[8, 2, 1] [1, %n, 1] [1, 2, 1] : tensor<9x20x3xf32> to tensor<?xf32>
  return %a, %b : tensor<4x?x3xf32>, tensor<?xf32>
}"""
    inputs = [(x, "f32"), (np.int64(2), "index"), (np.int64(5), "index")]
    check(run(text, inputs), [x[1:8:2, 2:17:3], x[8, 2:12:2, 1]])
    for offset, size in ((2, 8), (-1, 2), (19, 2), (0, -1)):
        inputs[1:] = [(np.int64(offset), "index"), (np.int64(size), "index")]
        with pytest.raises(RunError):
            run(text, inputs)


def test_reshapes_whose_type_says_less_than_their_sizes():
    x = random_array(rng(), [2, 6], "f32")
    text = """
func.func @main(%x: tensor<2x6xf32>, %b: index, %s: index) -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>) {
  %q = tensor.cast %x : tensor<2x6xf32> to tensor<?x?xf32>
  %r = tensor.expand_shape %q [[0], [1, 2]] output_shape [2, %b, %s] : tensor<?x?xf32> into tensor<?x?x?xf32>
  %t = tensor.expand_shape %q [[0, 1], [2]] output_shape [2, 1, 6] : tensor<?x?xf32> into tensor<?x?x?xf32>
  return %r, %t : tensor<?x?x?xf32>, tensor<?x?x?xf32>
}"""
    sizes = [(np.int64(3), "index"), (np.int64(2), "index")]
    check(run(text, [(x, "f32"), *sizes]), [x.reshape(2, 3, 2), x.reshape(2, 1, 6)])
    with pytest.raises(RunError):
        run(text, [(x, "f32"), (np.int64(3), "index"), (np.int64(3), "index")])


def test_insert_slice_keeps_the_rest_and_the_source():
    x, y = random_array(rng(), [6, 8], "f32"), random_array(rng(), [2, 3], "f32")
    text = """
func.func @main(%x: tensor<6x8xf32>, %y: tensor<2x3xf32>) -> (tensor<6x8xf32>, tensor<6x8xf32>) {
  %a = tensor.insert_slice %y into %x[1, 2] [2, 3] [3, 2] : tensor<2x3xf32> into tensor<6x8xf32>
  %b = tensor.insert_slice %y into %a[0, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<6x8xf32>
  return %a, %b : tensor<6x8xf32>, tensor<6x8xf32>
}"""
    a = x.copy()
    a[1:5:3, 2:8:2] = y
    b = a.copy()
    b[:2, :3] = y
    check(run(text, [(x, "f32"), (y, "f32")]), [a, b])


def test_reflect_pad_reads_and_writes_one_value():
    x = random_array(rng(), [3, 20], "f32")
    text = """
func.func @main(%x: tensor<?x20xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x20xf32>
  %s = tensor.extract_slice %x[0, 1] [%d, 4] [1, 1] : tensor<?x20xf32> to tensor<?x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, -b + 3)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<?x4xf32>) outs(%s : tensor<?x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}"""
    check(run(text, [(x, "f32")]), [x[:, 4:0:-1]])


def test_reshapes():
    x = random_array(rng(), [6, 4, 5], "f32")
    text = """
func.func @main(%x: tensor<?x4x?xf32>, %n: i64) -> (tensor<?x?xf32>, tensor<2x?x4x?x1xf32>, tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x4x?xf32>
  %d2 = tensor.dim %x, %c2 : tensor<?x4x?xf32>
  %h = arith.divsi %d0, %c2 : index
  %a = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x4x?xf32> into tensor<?x?xf32>
  %b = tensor.expand_shape %x [[0, 1], [2], [3, 4]] output_shape [2, %h, 4, %d2, 1] : tensor<?x4x?xf32> into tensor<2x?x4x?x1xf32>
  %ni = arith.index_cast %n : i64 to index
  %d4 = arith.constant 120 : index
  %m = arith.divsi %d4, %ni : index
  %mi = arith.index_cast %m : index to i64
  %s = tensor.from_elements %n, %mi : tensor<2xi64>
  %c = tensor.reshape %x(%s) : (tensor<?x4x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %s1 = tensor.from_elements %d4 : tensor<1xindex>
  %d = tensor.reshape %x(%s1) : (tensor<?x4x?xf32>, tensor<1xindex>) -> tensor<?xf32>
  return %a, %b, %c, %d : tensor<?x?xf32>, tensor<2x?x4x?x1xf32>, tensor<?x?xf32>, tensor<?xf32>
}"""
    expected = [x.reshape(24, 5), x.reshape(2, 3, 4, 5, 1), x.reshape(10, 12), x.ravel()]
    check(run(text, [(x, "f32"), (np.int64(10), "i64")]), expected)
    with pytest.raises(RunError):
        run(text, [(x, "f32"), (np.int64(7), "i64")])


@pytest.mark.parametrize("dtype", ["i1", "i32", "bf16", "f64"])
def test_pad_concat_splat_generate(dtype):
    x, y = random_array(rng(), [3, 4], dtype), random_array(rng(), [3, 2], dtype)
    value = random_array(rng(), [], dtype)
    text = f"""
func.func @main(%x: tensor<3x?x{dtype}>, %y: tensor<3x2x{dtype}>, %v: {dtype}, %p: index) -> (tensor<?x?x{dtype}>, tensor<3x?x{dtype}>, tensor<6x?x{dtype}>, tensor<5x{dtype}>) {{
  %a = tensor.pad %x low[1, %p] high[%p, 2] {{
  ^bb0(%i: index, %j: index):
    tensor.yield %v : {dtype}
  }} : tensor<3x?x{dtype}> to tensor<?x?x{dtype}>
  %b = tensor.concat dim(1) %x, %y, %x : (tensor<3x?x{dtype}>, tensor<3x2x{dtype}>, tensor<3x?x{dtype}>) -> tensor<3x?x{dtype}>
  %c = tensor.concat dim(0) %x, %x : (tensor<3x?x{dtype}>, tensor<3x?x{dtype}>) -> tensor<6x?x{dtype}>
  %d = tensor.splat %v : tensor<5x{dtype}>
  return %a, %b, %c, %d : tensor<?x?x{dtype}>, tensor<3x?x{dtype}>, tensor<6x?x{dtype}>, tensor<5x{dtype}>
}}"""
    inputs = [(x, dtype), (y, dtype), (value, dtype), (np.int64(3), "index")]
    expected = [np.pad(x, [(1, 3), (3, 2)], constant_values=value), np.concatenate([x, y, x], 1),
                np.concatenate([x, x], 0), np.broadcast_to(value, [5])]
    check(run(text, inputs), expected)


def test_pad_with_computed_value():
    x = random_array(rng(), [3, 4], "i64")
    text = """
func.func @main(%x: tensor<3x4xi64>) -> tensor<5x6xi64> {
  %a = tensor.pad %x low[1, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    %s = arith.addi %i, %j : index
    %v = arith.index_cast %s : index to i64
    tensor.yield %v : i64
  } : tensor<3x4xi64> to tensor<5x6xi64>
  return %a : tensor<5x6xi64>
}"""
    expected = np.add.outer(np.arange(5), np.arange(6))
    expected[1:4, 1:5] = x
    check(run(text, [(x, "i64")]), [expected])


def test_generate_from_elements_extract_insert():
    x = random_array(rng(), [3, 4], "f32")
    text = """
func.func @main(%x: tensor<3x4xf32>, %i: index, %j: index) -> (tensor<?x4xf32>, tensor<2x2xf32>, f32, tensor<3x4xf32>, index) {
  %c2 = arith.constant 2.0 : f32
  %g = tensor.generate %i {
  ^bb0(%a: index, %b: index):
    %e = tensor.extract %x[%a, %b] : tensor<3x4xf32>
    %m = arith.mulf %e, %c2 : f32
    tensor.yield %m : f32
  } : tensor<?x4xf32>
  %v = tensor.extract %x[%i, %j] : tensor<3x4xf32>
  %s = arith.addf %v, %c2 : f32
  %f = tensor.from_elements %v, %s, %c2, %v : tensor<2x2xf32>
  %n = tensor.insert %s into %x[%i, %j] : tensor<3x4xf32>
  %r = tensor.rank %x : tensor<3x4xf32>
  return %g, %f, %v, %n, %r : tensor<?x4xf32>, tensor<2x2xf32>, f32, tensor<3x4xf32>, index
}"""
    v = x[2, 1]
    changed = x.copy()
    changed[2, 1] = v + 2
    expected = [x[:2] * 2, np.array([[v, v + 2], [2, v]], np.float32), v, changed, np.int64(2)]
    inputs = [(x, "f32"), (np.int64(2), "index"), (np.int64(1), "index")]
    check(run(text, inputs), expected)
    inputs[2] = (np.int64(4), "index")
    with pytest.raises(RunError, match="4"):
        run(text, inputs)


def test_gather_and_scatter():
    x = random_array(rng(), [5, 6, 3], "f32")
    indices = np.array([[4], [0], [4], [2]])
    text = """
func.func @main(%x: tensor<5x6x3xf32>, %i: tensor<4x1xi64>, %u: tensor<3x1xi64>, %s: tensor<3x1x6x3xf32>) -> (tensor<4x6x3xf32>, tensor<4x1x6x3xf32>, tensor<5x6x3xf32>) {
  %a = tensor.gather %x[%i] gather_dims([0]) : (tensor<5x6x3xf32>, tensor<4x1xi64>) -> tensor<4x6x3xf32>
  %b = tensor.gather %x[%i] gather_dims([0]) : (tensor<5x6x3xf32>, tensor<4x1xi64>) -> tensor<4x1x6x3xf32>
  %c = tensor.scatter %s into %x[%u] scatter_dims([0]) unique : (tensor<3x1x6x3xf32>, tensor<5x6x3xf32>, tensor<3x1xi64>) -> tensor<5x6x3xf32>
  return %a, %b, %c : tensor<4x6x3xf32>, tensor<4x1x6x3xf32>, tensor<5x6x3xf32>
}"""
    unique = np.array([[1], [4], [0]])
    updates = random_array(rng(), [3, 1, 6, 3], "f32")
    scattered = x.copy()
    scattered[unique[:, 0]] = updates[:, 0]
    taken = x[indices[:, 0]]
    inputs = [(x, "f32"), (indices, "i64"), (unique, "i64"), (updates, "f32")]
    check(run(text, inputs), [taken, taken[:, None], scattered])
    with pytest.raises(RunError, match="5"):
        run(text, [(x, "f32"), (indices + 1, "i64"), (unique, "i64"), (updates, "f32")])


def test_cast_dim_bitcast():
    x = random_array(rng(), [3, 4], "f32")
    text = """
func.func @main(%x: tensor<?x4xf32>, %k: index) -> (tensor<3x?xf32>, index, tensor<?x4xi32>) {
  %a = tensor.cast %x : tensor<?x4xf32> to tensor<3x4xf32>
  %b = tensor.cast %a : tensor<3x4xf32> to tensor<3x?xf32>
  %d = tensor.dim %x, %k : tensor<?x4xf32>
  %c = tensor.bitcast %x : tensor<?x4xf32> to tensor<?x4xi32>
  return %b, %d, %c : tensor<3x?xf32>, index, tensor<?x4xi32>
}"""
    check(run(text, [(x, "f32"), (np.int64(1), "index")]), [x, np.int64(4), x.view(np.int32)])
    with pytest.raises(RunError):
        run(text, [(x[:2], "f32"), (np.int64(1), "index")])


def test_pack_and_unpack():
    x = random_array(rng(), [7, 10], "f32")
    text = """
func.func @main(%x: tensor<7x10xf32>) -> (tensor<3x2x4x3xf32>, tensor<7x10xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x2x4x3xf32>
  %e0 = tensor.empty() : tensor<7x10xf32>
  %p = linalg.pack %x padding_value(%zero : f32) outer_dims_perm = [0, 1] inner_dims_pos = [1, 0] inner_tiles = [4, 3] into %e : tensor<7x10xf32> -> tensor<3x2x4x3xf32>
  %u = linalg.unpack %p outer_dims_perm = [0, 1] inner_dims_pos = [1, 0] inner_tiles = [4, 3] into %e0 : tensor<3x2x4x3xf32> -> tensor<7x10xf32>
  return %p, %u : tensor<3x2x4x3xf32>, tensor<7x10xf32>
}"""
    text = text.replace("3x2x4x3", "3x3x4x3")
    padded = np.pad(x, [(0, 2), (0, 2)])
    packed = padded.reshape(3, 3, 3, 4).transpose(0, 2, 3, 1)
    check(run(text, [(x, "f32")]), [packed, x])


def test_constants_of_every_form():
    text = """
func.func @main() -> (tensor<2x3xf32>, tensor<3xi1>, tensor<2xbf16>, tensor<4xi8>, tensor<i64>, tensor<0x3xf32>, tensor<3xi64>) {
  %a = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %b = arith.constant dense<[true, false, true]> : tensor<3xi1>
  %c = arith.constant dense<1.5> : tensor<2xbf16>
  %d = arith.constant dense<"0x01FF7F80"> : tensor<4xi8>
  %e = arith.constant dense<-7> : tensor<i64>
  %f = arith.constant dense<> : tensor<0x3xf32>
  %g = arith.constant sparse<[[1]], [9]> : tensor<3xi64>
  return %a, %b, %c, %d, %e, %f, %g : tensor<2x3xf32>, tensor<3xi1>, tensor<2xbf16>, tensor<4xi8>, tensor<i64>, tensor<0x3xf32>, tensor<3xi64>
}"""
    expected = [np.arange(1, 7, dtype=np.float32).reshape(2, 3), np.array([True, False, True]),
                np.full(2, 1.5, np.float32), np.array([1, -1, 127, -128], np.int8), np.int64(-7),
                np.zeros([0, 3], np.float32), np.array([0, 9, 0])]
    check(run(text), expected)


@pytest.mark.parametrize("shape", [[0, 4], [1, 1], [5, 0]], ids=str)
def test_empty_and_unit_sizes(shape):
    x = random_array(rng(), shape, "f32")
    text = """
func.func @main(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %a = tensor.dim %x, %c0 : tensor<?x?xf32>
  %b = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%a, %a) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %t0 = tensor.empty(%b, %a) : tensor<?x?xf32>
  %t = linalg.transpose ins(%x : tensor<?x?xf32>) outs(%t0 : tensor<?x?xf32>) permutation = [1, 0]
  %m = linalg.matmul ins(%x, %t : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s0 = tensor.empty(%a) : tensor<?xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<?x?xf32>) outs(%s1 : tensor<?xf32>) dimensions = [1]
  return %m, %s : tensor<?x?xf32>, tensor<?xf32>
}"""
    check(run(text, [(x, "f32")]), [x @ x.T, x.sum(1)], 1e-6, 1e-6)
