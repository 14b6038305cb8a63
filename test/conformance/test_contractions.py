"""Named contractions, convolutions and pooling of linalg against NumPy, in every layout."""

import numpy as np
import pytest
from harness import check, quantise, random_array, run, tensor

RTOL = {"f16": 2e-3, "bf16": 1.6e-2, "f32": 2e-5, "f64": 1e-12}


def tolerance(dtype):
    return {"rtol": RTOL.get(dtype, 0), "atol": 20 * RTOL.get(dtype, 0)}


def as_result(array, dtype):
    return quantise(array, dtype)


# Operation: operand and result subscripts.
CONTRACTIONS = {
    "matmul": ("mk", "kn", "mn"),
    "batch_matmul": ("bmk", "bkn", "bmn"),
    "matvec": ("mk", "k", "m"),
    "vecmat": ("k", "kn", "n"),
    "dot": ("k", "k", ""),
    "batch_matvec": ("bmk", "bk", "bm"),
    "batch_vecmat": ("bk", "bkn", "bn"),
    "batch_reduce_matmul": ("bmk", "bkn", "mn"),
    "mmt4d": ("MKmk", "NKnk", "MNmn"),
    "batch_mmt4d": ("bMKmk", "bNKnk", "bMNmn"),
}
SIZES = [
    dict(b=2, m=5, n=7, k=3, M=2, N=3, K=2),
    dict(b=1, m=1, n=1, k=1, M=1, N=1, K=1),
    dict(b=3, m=33, n=65, k=129, M=2, N=2, K=3),
    dict(b=2, m=4, n=0, k=3, M=1, N=0, K=2),
    dict(b=2, m=4, n=3, k=0, M=1, N=2, K=0),
]


def contract(op, a, b, c, subscripts, dtype):
    spec = f"{subscripts[0]},{subscripts[1]}->{subscripts[2]}"
    wide = np.int64 if dtype.startswith("i") else np.float64
    total = c.astype(wide) + np.einsum(spec, a.astype(wide), b.astype(wide))
    return as_result(total, dtype)


@pytest.mark.parametrize("dtype", ["f32", "f64", "f16", "bf16", "i8", "i32", "i64"])
@pytest.mark.parametrize("op", CONTRACTIONS)
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_contraction(op, dtype, dynamic):
    subscripts = CONTRACTIONS[op]
    cases = SIZES if dtype == "f32" else SIZES[::2][:2]
    rng = np.random.default_rng(1)
    for sizes in cases:
        shapes = [[sizes[s] for s in sub] for sub in subscripts]
        arrays = [random_array(rng, shape, dtype) for shape in shapes]
        types = [tensor([None] * len(s) if dynamic else s, dtype) for s in shapes]
        text = f"""
func.func @main(%a: {types[0]}, %b: {types[1]}, %c: {types[2]}) -> {types[2]} {{
  %r = linalg.{op} ins(%a, %b : {types[0]}, {types[1]}) outs(%c : {types[2]}) -> {types[2]}
  return %r : {types[2]}
}}"""
        results = run(text, [(x, dtype) for x in arrays])
        check(results, [contract(op, *arrays, subscripts, dtype)], **tolerance(dtype))


@pytest.mark.parametrize("types", [("i8", "i32"), ("f16", "f32"), ("bf16", "f32"), ("f32", "f64")])
def test_matmul_widens(types):
    small, large = types
    rng = np.random.default_rng(2)
    a, b = random_array(rng, [9, 21], small, -100, 100), random_array(rng, [21, 18], small, -100, 100)
    c = random_array(rng, [9, 18], large)
    text = f"""
func.func @main(%a: tensor<9x21x{small}>, %b: tensor<21x18x{small}>, %c: tensor<9x18x{large}>) -> tensor<9x18x{large}> {{
  %r = linalg.matmul ins(%a, %b : tensor<9x21x{small}>, tensor<21x18x{small}>) outs(%c : tensor<9x18x{large}>) -> tensor<9x18x{large}>
  return %r : tensor<9x18x{large}>
}}"""
    wide = np.int64 if large.startswith("i") else np.float64
    expected = c.astype(wide) + a.astype(wide) @ b.astype(wide)
    check(run(text, [(a, small), (b, small), (c, large)]), [quantise(expected, large)],
          **tolerance(large))


def test_matmul_unsigned_cast():
    rng = np.random.default_rng(3)
    a, b = random_array(rng, [4, 6], "i8", -128, 127), random_array(rng, [6, 5], "i8", -128, 127)
    text = """
func.func @main(%a: tensor<4x6xi8>, %b: tensor<6x5xi8>, %c: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %r = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : tensor<4x6xi8>, tensor<6x5xi8>) outs(%c : tensor<4x5xi32>) -> tensor<4x5xi32>
  return %r : tensor<4x5xi32>
}"""
    c = np.zeros([4, 5], np.int32)
    expected = a.view(np.uint8).astype(np.int32) @ b.view(np.uint8).astype(np.int32)
    check(run(text, [(a, "i8"), (b, "i8"), (c, "i32")]), [expected])


def test_transposed_and_broadcast_maps():
    rng = np.random.default_rng(4)
    a, b = random_array(rng, [7, 5], "f32"), random_array(rng, [9, 7], "f32")
    text = """
#a = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @main(%a: tensor<7x5xf32>, %b: tensor<9x7xf32>) -> tensor<5x9xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x9xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<5x9xf32>) -> tensor<5x9xf32>
  %r = linalg.matmul indexing_maps = [#a, #b, #c] ins(%a, %b : tensor<7x5xf32>, tensor<9x7xf32>) outs(%f : tensor<5x9xf32>) -> tensor<5x9xf32>
  return %r : tensor<5x9xf32>
}"""
    check(run(text, [(a, "f32"), (b, "f32")]), [(a.T @ b.T).astype(np.float32)], 1e-5, 1e-5)


# Input and filter layouts; m multiplies the channels of a depthwise convolution.
CONVOLUTIONS = {
    "conv_1d": ("w", "w"),
    "conv_2d": ("hw", "hw"),
    "conv_3d": ("dhw", "dhw"),
    "conv_1d_ncw_fcw": ("ncw", "fcw"),
    "conv_1d_nwc_wcf": ("nwc", "wcf"),
    "conv_2d_nchw_fchw": ("nchw", "fchw"),
    "conv_2d_nhwc_hwcf": ("nhwc", "hwcf"),
    "conv_2d_nhwc_fhwc": ("nhwc", "fhwc"),
    "conv_3d_ncdhw_fcdhw": ("ncdhw", "fcdhw"),
    "conv_3d_ndhwc_dhwcf": ("ndhwc", "dhwcf"),
    "conv_2d_ngchw_fgchw": ("ngchw", "fgchw"),
    "conv_2d_ngchw_gfchw": ("ngchw", "gfchw"),
    "conv_2d_nhwgc_gfhwc": ("nhwgc", "gfhwc"),
    "depthwise_conv_1d_ncw_cw": ("ncw", "cw"),
    "depthwise_conv_1d_nwc_wc": ("nwc", "wc"),
    "depthwise_conv_1d_nwc_wcm": ("nwc", "wcm"),
    "depthwise_conv_2d_nchw_chw": ("nchw", "chw"),
    "depthwise_conv_2d_nhwc_hwc": ("nhwc", "hwc"),
    "depthwise_conv_2d_nhwc_hwcm": ("nhwc", "hwcm"),
    "depthwise_conv_3d_ndhwc_dhwc": ("ndhwc", "dhwc"),
    "depthwise_conv_3d_ncdhw_cdhw": ("ncdhw", "cdhw"),
    "depthwise_conv_3d_ndhwc_dhwcm": ("ndhwc", "dhwcm"),
}
UNITLESS = {"conv_1d", "conv_2d", "conv_3d"}


def window_letters(layout):
    return [c for c in layout if c in "dhw"]


def window_view(image, layout, kernel, strides, dilations):
    """Adds a kernel axis (upper-case letter) for each spatial axis of `image`."""
    spatial = window_letters(layout)
    for letter, size, stride, dilation in zip(spatial, kernel, strides, dilations):
        axis = layout.index(letter)
        reach = (size - 1) * dilation + 1
        view = np.lib.stride_tricks.sliding_window_view(image, reach, axis)
        view = np.take(view, np.arange(0, view.shape[axis], stride), axis)
        image = view[..., ::dilation]
    return image, layout + "".join(s.upper() for s in spatial)


def output_layout(op, layouts):
    image, kernel = layouts
    if "depthwise" in op:
        return image + ("m" if "m" in kernel else "")
    if op == "conv_2d_ngchw_fgchw" or op == "conv_2d_ngchw_gfchw":
        return "ngfhw"
    if op == "conv_2d_nhwgc_gfhwc":
        return "nhwgf"
    return image.replace("c", "f")


@pytest.mark.parametrize("op", CONVOLUTIONS)
@pytest.mark.parametrize("dtype", ["f32", "f16", "i32"])
@pytest.mark.parametrize("geometry", [(1, 1), (2, 1), (1, 2), (3, 2)], ids=str)
def test_convolution(op, dtype, geometry):
    stride, dilation = (1, 1) if op in UNITLESS else geometry
    if geometry != (1, 1) and (op in UNITLESS or dtype == "f16"):
        pytest.skip("the operation has no strides" if op in UNITLESS else "one geometry suffices")
    layouts = CONVOLUTIONS[op]
    rank = len(window_letters(layouts[0]))
    kernel = dict(zip("dhw"[3 - rank:], [2, 3, 2][:rank]))
    out = dict(zip("dhw"[3 - rank:], [3, 2, 19][3 - rank:]))
    sizes = dict(n=2, c=5, f=17, g=2, m=3)
    extent = {s: (out[s] - 1) * stride + (kernel[s] - 1) * dilation + 1 for s in kernel}
    image_shape = [extent.get(s, sizes.get(s)) for s in layouts[0]]
    filter_shape = [kernel.get(s, sizes.get(s)) for s in layouts[1]]
    result = output_layout(op, layouts)
    result_shape = [out.get(s, sizes.get(s)) for s in result]

    rng = np.random.default_rng(5)
    x, w = random_array(rng, image_shape, dtype), random_array(rng, filter_shape, dtype)
    y = random_array(rng, result_shape, dtype)
    attributes = "" if op in UNITLESS else (
        f"{{dilations = dense<{dilation}> : tensor<{rank}xi64>, "
        f"strides = dense<{stride}> : tensor<{rank}xi64>}}")
    types = [tensor(s, dtype) for s in (image_shape, filter_shape, result_shape)]
    text = f"""
func.func @main(%x: {types[0]}, %w: {types[1]}, %y: {types[2]}) -> {types[2]} {{
  %r = linalg.{op} {attributes} ins(%x, %w : {types[0]}, {types[1]}) outs(%y : {types[2]}) -> {types[2]}
  return %r : {types[2]}
}}"""
    view, view_layout = window_view(x, layouts[0], [kernel[s] for s in window_letters(layouts[0])],
                                    [stride] * rank, [dilation] * rank)
    upper = {s: s.upper() for s in "dhw"}
    spec = f"{view_layout},{''.join(upper.get(s, s) for s in layouts[1])}->{result}"
    wide = np.int64 if dtype.startswith("i") else np.float64
    expected = y.astype(wide) + np.einsum(spec, view.astype(wide), w.astype(wide))
    check(run(text, [(x, dtype), (w, dtype), (y, dtype)]), [as_result(expected, dtype)],
          **tolerance(dtype))


def test_padded_strided_convolution_with_dynamic_sizes():
    rng = np.random.default_rng(6)
    x, w = random_array(rng, [2, 3, 13, 29], "f32"), random_array(rng, [8, 3, 3, 3], "f32")
    bias = random_array(rng, [8], "f32")
    text = """
func.func @main(%x: tensor<?x3x?x?xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<8xf32>) -> tensor<?x8x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x3x?x?xf32>
  %h = tensor.dim %x, %c2 : tensor<?x3x?x?xf32>
  %w0 = tensor.dim %x, %c3 : tensor<?x3x?x?xf32>
  %h1 = arith.subi %h, %c1 : index
  %h2 = arith.floordivsi %h1, %c2 : index
  %oh = arith.addi %h2, %c1 : index
  %w1 = arith.subi %w0, %c1 : index
  %w2 = arith.floordivsi %w1, %c2 : index
  %ow = arith.addi %w2, %c1 : index
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x3x?x?xf32> to tensor<?x3x?x?xf32>
  %e = tensor.empty(%n, %oh, %ow) : tensor<?x8x?x?xf32>
  %bb = linalg.broadcast ins(%b : tensor<8xf32>) outs(%e : tensor<?x8x?x?xf32>) dimensions = [0, 2, 3]
  %r = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
      ins(%p, %w : tensor<?x3x?x?xf32>, tensor<8x3x3x3xf32>) outs(%bb : tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
  %relu = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%r : tensor<?x8x?x?xf32>) outs(%e : tensor<?x8x?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %zero : f32
    linalg.yield %m : f32
  } -> tensor<?x8x?x?xf32>
  return %relu : tensor<?x8x?x?xf32>
}"""
    padded = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)])
    view, layout = window_view(padded, "nchw", [3, 3], [2, 2], [1, 1])
    expected = np.einsum(f"{layout},fcHW->nfhw", view.astype(np.float64), w.astype(np.float64))
    expected = np.maximum(expected + bias[:, None, None], 0).astype(np.float32)
    check(run(text, [(x, "f32"), (w, "f32"), (bias, "f32")]), [expected], 1e-5, 1e-5)


POOLINGS = {
    "nhwc_sum": "nhwc", "nhwc_max": "nhwc", "nhwc_min": "nhwc",
    "nchw_sum": "nchw", "nchw_max": "nchw",
    "nwc_sum": "nwc", "nwc_max": "nwc", "nwc_min": "nwc", "ncw_sum": "ncw", "ncw_max": "ncw",
    "ndhwc_sum": "ndhwc", "ndhwc_max": "ndhwc", "ndhwc_min": "ndhwc",
    "nhwc_max_unsigned": "nhwc", "nhwc_min_unsigned": "nhwc",
    "nwc_max_unsigned": "nwc", "nwc_min_unsigned": "nwc",
}


@pytest.mark.parametrize("op", POOLINGS)
@pytest.mark.parametrize("dtype", ["f32", "i32"])
@pytest.mark.parametrize("geometry", [(1, 1), (2, 1), (2, 3)], ids=str)
def test_pooling(op, dtype, geometry):
    if "unsigned" in op and dtype != "i32":
        pytest.skip("integers only")
    stride, dilation = geometry
    layout = POOLINGS[op]
    letters = window_letters(layout)
    kernel = [2, 3, 2][: len(letters)]
    out = [3, 4, 18][-len(letters):]
    extent = {s: (o - 1) * stride + (k - 1) * dilation + 1 for s, o, k in zip(letters, out, kernel)}
    shape = [extent.get(s, dict(n=2, c=5).get(s)) for s in layout]
    rng = np.random.default_rng(7)
    x = random_array(rng, shape, dtype, -100, 100)
    view, _ = window_view(x, layout, kernel, [stride] * len(kernel), [dilation] * len(kernel))
    axes = tuple(range(len(layout), view.ndim))
    y = random_array(rng, view.shape[: len(layout)], dtype)
    if "sum" in op:
        expected = (y.astype(np.float64) + view.astype(np.float64).sum(axes)).astype(y.dtype)
    else:
        reduce = np.max if "max" in op else np.min
        combine = np.maximum if "max" in op else np.minimum
        if "unsigned" in op:
            expected = combine(y.view(np.uint32), reduce(view.view(np.uint32), axes)).view(np.int32)
        else:
            expected = combine(y, reduce(view, axes))
    types = [tensor(s, dtype) for s in (x.shape, kernel, y.shape)]
    rank = len(kernel)
    text = f"""
func.func @main(%x: {types[0]}, %y: {types[2]}) -> {types[2]} {{
  %w = tensor.empty() : {types[1]}
  %r = linalg.pooling_{op} {{dilations = dense<{dilation}> : tensor<{rank}xi64>, strides = dense<{stride}> : tensor<{rank}xi64>}}
      ins(%x, %w : {types[0]}, {types[1]}) outs(%y : {types[2]}) -> {types[2]}
  return %r : {types[2]}
}}"""
    check(run(text, [(x, dtype), (y, dtype)]), [expected], 1e-5, 1e-4)
