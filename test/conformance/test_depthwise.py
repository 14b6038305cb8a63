"""Depthwise convolutions with padding: rows of it are left out where that changes nothing.

The same convolution of an input that was padded before reads all of it: both agree bit for bit, also where a weight
is infinite, so that its product with a padding zero is NaN, and where sums begin at -0.
"""

import numpy as np
import pytest

from harness import run

PLAIN = "affine_map<(n, c, h, w) -> (n, c, h, w)>"


def module(taps, stride, dilation, padded, dtype, init):
    pad = (taps - 1) * dilation // 2
    tensor, weights = f"tensor<?x?x?x?x{dtype}>", f"tensor<?x{taps}x{taps}x{dtype}>"
    padding = (
        f"""%p = tensor.pad %x low[0, 0, {pad}, {pad}] high[0, 0, {pad}, {pad}] {{
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : {dtype}
  }} : {tensor} to {tensor}"""
        if padded
        else f"%p = tensor.cast %x : {tensor} to {tensor}"
    )
    start = (
        f"%s = linalg.fill ins(%init : {dtype}) outs(%out : {tensor}) -> {tensor}"
        if init == "fill"
        else f"%s = linalg.broadcast ins(%bias : tensor<?x{dtype}>) outs(%out : {tensor}) dimensions = [0, 2, 3]"
    )
    return f"""
func.func @main(%x: {tensor}, %w: {weights}, %bias: tensor<?x{dtype}>, %init: {dtype}, %out: {tensor}) -> {tensor} {{
  %zero = arith.constant 0.0 : {dtype}
  {padding}
  {start}
  %y = linalg.depthwise_conv_2d_nchw_chw {{dilations = dense<{dilation}> : vector<2xi64>,
      strides = dense<[{stride}, 1]> : vector<2xi64>}} ins(%p, %w : {tensor}, {weights}) outs(%s : {tensor}) -> {tensor}
  return %y : {tensor}
}}
"""


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("init", ["fill", "broadcast"])
@pytest.mark.parametrize("taps, stride, dilation", [(3, 1, 1), (5, 1, 1), (5, 2, 1), (7, 1, 1), (3, 1, 2), (3, 2, 3)])
@pytest.mark.parametrize("special", ["plain", "infinite", "negative zero"])
def test_padding(taps, stride, dilation, init, special, dtype):
    rng = np.random.default_rng(taps + stride)
    numpy_type = np.float32 if dtype == "f32" else np.float64
    pad = (taps - 1) * dilation // 2
    # A few channels are computed plane by plane, more of them side by side where planes are small.
    for height, width, channels in [(1, 1, 3), (3, 40, 3), (2, 17, 19), (12, 33, 3), (40, 5, 9), (7, 9, 33)]:
        x = rng.standard_normal((2, channels, height, width)).astype(numpy_type)
        w = rng.standard_normal((channels, taps, taps)).astype(numpy_type)
        bias = rng.standard_normal(channels).astype(numpy_type)
        value = numpy_type(0.25)
        if special == "infinite":
            w[1, 0, taps - 1] = np.inf
            w[2, taps - 1, 0] = np.nan
        elif special == "negative zero":
            x[:, 0] = 0
            w[0] = -1
            bias[0] = -0.0
            value = numpy_type(-0.0)
        around = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
        rows = (height + 2 * pad - (taps - 1) * dilation - 1) // stride + 1
        out = np.zeros((2, channels, rows, width), numpy_type)
        results = []
        for padded, given in ((True, x), (False, around)):
            text = module(taps, stride, dilation, padded, dtype, init)
            inputs = [(a, dtype) for a in (given, w, bias, value, out)]
            results += run(text, inputs, options=["--tiers=interpreter"])
        bits = [np.where(np.isnan(r), numpy_type(7), r).tobytes() for r in results]
        assert bits[0] == bits[1]
        want = np.broadcast_to(value if init == "fill" else bias.reshape(1, -1, 1, 1), out.shape).astype(np.float64)
        with np.errstate(invalid="ignore"):
            for i in range(taps):
                for j in range(taps):
                    part = around[:, :, i * dilation :, j * dilation :][:, :, : (rows - 1) * stride + 1 : stride, :width]
                    want = want + part.astype(np.float64) * w[:, i, j].reshape(1, -1, 1, 1)
        np.testing.assert_allclose(results[0], want, rtol=1e-4, atol=1e-5, equal_nan=True)
