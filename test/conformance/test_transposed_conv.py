"""Transposed convolutions, as importers write them: a convolution over an input with zeros put between its elements.
They are computed phase by phase; against NumPy and bit for bit at any number of threads and tier.
"""

import itertools

import numpy as np
import pytest

from harness import run

# Layout: op, dimensions of input and filter by letter (n, c: input channel, f: output channel, spatial i and window k).
LAYOUTS = {
    "conv_1d_ncw_fcw": ("nci", "fck", "nfi"),
    "conv_1d_nwc_wcf": ("nic", "kcf", "nif"),
    "conv_2d_nchw_fchw": ("ncii", "fckk", "nfii"),
    "conv_2d_nhwc_hwcf": ("niic", "kkcf", "niif"),
    "conv_2d_nhwc_fhwc": ("niic", "fkkc", "niif"),
    "conv_3d_ncdhw_fcdhw": ("nciii", "fckkk", "nfiii"),
    "depthwise_conv_2d_nchw_chw": ("ncii", "ckk", "ncii"),
    "depthwise_conv_2d_nhwc_hwc": ("niic", "kkc", "niic"),
}


def tensor(sizes, dynamic=False):
    return "tensor<" + "x".join("?" if dynamic else str(size) for size in sizes) + "xf32>"


def module(op, taps, stride, offset, trailing, channels, filters, init):
    """`trailing`: zeros behind the last input. Every size but those of the filter is dynamic."""
    letters, window, output = LAYOUTS[op]
    rank = len(letters)
    sizes = {"c": channels, "f": filters, "k": taps}
    x, w, y = tensor(letters, True), tensor([sizes[d] for d in window]), tensor(output, True)
    lines = [f"%n{d} = tensor.dim %x, %c{d} : {x}" for d in range(rank)]
    spread, out = [], []
    for d, letter in enumerate(letters):
        if letter != "i":
            spread.append(f"%n{d}")
            continue
        lines += [
            f"%a{d} = arith.subi %n{d}, %c1 : index",
            f"%b{d} = arith.muli %a{d}, %s : index",
            f"%p{d} = arith.addi %b{d}, %z : index",
            f"%q{d} = arith.addi %b{d}, %o : index",
        ]
        spread.append(f"%p{d}")
    for d, letter in enumerate(output):
        out.append("%f" if letter == "f" else f"%q{d}" if letter == "i" else f"%n{letters.index(letter)}")
    offsets = ", ".join(str(offset if letter == "i" else 0) for letter in letters)
    strides = ", ".join(str(stride if letter == "i" else 1) for letter in letters)
    whole = ", ".join(f"%n{d}" for d in range(rank))
    spatial = letters.count("i")
    if init == "fill":
        lines.append(f"%start = linalg.fill ins(%half : f32) outs(%ye : {y}) -> {y}")
    else:
        along = output.index("f" if "f" in output else "c")
        others = ", ".join(str(d) for d in range(len(output)) if d != along)
        lines.append(
            f"%start = linalg.broadcast ins(%bias : tensor<?xf32>) outs(%ye : {y}) dimensions = [{others}]"
        )
    constants = "".join(f"  %c{d} = arith.constant {d} : index\n" for d in range(6))
    body = "\n  ".join(lines[:-1])
    return f"""
func.func @main(%x: {x}, %w: {w}, %bias: tensor<?xf32>) -> {y} {{
{constants}  %s = arith.constant {stride} : index
  %f = arith.constant {filters} : index
  %z = arith.constant {offset + 1 + trailing} : index
  %o = arith.constant {offset + 1 + trailing - taps + 1} : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  {body}
  %ze = tensor.empty({", ".join(spread)}) : {x}
  %zeros = linalg.fill ins(%zero : f32) outs(%ze : {x}) -> {x}
  %in = tensor.insert_slice %x into %zeros[{offsets}] [{whole}] [{strides}] : {x} into {x}
  %ye = tensor.empty({", ".join(out)}) : {y}
  {lines[-1]}
  %y = linalg.{op} {{dilations = dense<1> : vector<{spatial}xi64>, strides = dense<1> : vector<{spatial}xi64>}}
      ins(%in, %w : {x}, {w}) outs(%start : {y}) -> {y}
  return %y : {y}
}}
"""


def numbered(dims, letter):
    """An einsum name for each of the dimensions that have `letter`."""
    names = iter("xyz")
    return "".join(next(names) if d == letter else d for d in dims)


def expected(op, x, w, start, stride, offset, trailing):
    letters, window, output = LAYOUTS[op]

    def places(position, spacing=1, count=None):
        """A slice for each spatial dimension of x, all of the others."""
        spatial = iter(position)
        result = []
        for d, letter in enumerate(letters):
            at = next(spatial) if letter == "i" else None
            n = x.shape[d] if count is None else count[d]
            result.append(slice(None) if at is None else slice(at, at + (n - 1) * spacing + 1, spacing))
        return tuple(result)

    rank = letters.count("i")
    shape = [(n - 1) * stride + offset + 1 + trailing if d == "i" else n for d, n in zip(letters, x.shape)]
    spread = np.zeros(shape)
    spread[places([offset] * rank, stride)] = x
    taps = w.shape[window.index("k")]
    counts = [n - taps + 1 for n in shape]
    total = start.astype(np.float64)
    for at in itertools.product(range(taps), repeat=rank):
        tap = iter(at)
        weights = w[tuple(next(tap) if d == "k" else slice(None) for d in window)].astype(np.float64)
        dims = f"{numbered(letters, 'i')},{window.replace('k', '')}->{numbered(output, 'i')}"
        total = total + np.einsum(dims, spread[places(at, 1, counts)], weights)
    return total.astype(np.float32)


# Taps, stride, zeros before the first input and behind the last.
WINDOWS = [(2, 2, 1, 1), (3, 2, 1, 1), (4, 2, 2, 2), (4, 4, 3, 3), (3, 3, 2, 2), (5, 3, 2, 4), (2, 3, 1, 1), (1, 2, 0, 1), (3, 2, 2, 5)]


def cases():
    for number, window in enumerate(WINDOWS):
        for op in LAYOUTS:
            # Each window with some of the layouts, each layout with some of the windows.
            if "3d" in op and number % 3:
                continue
            yield pytest.param(op, window, "fill" if (number + len(op)) % 3 else "broadcast", id=f"{op}-{window}")


@pytest.mark.parametrize("op, window, init", cases())
def test_against_numpy(op, window, init):
    taps, stride, offset, trailing = window
    rng = np.random.default_rng(taps * 7 + stride)
    letters, filter_dims, output = LAYOUTS[op]
    channels = 3
    filters = 5 if "f" in output else channels
    text = module(op, taps, stride, offset, trailing, channels, filters, init)
    for extent in (1, 2, 7) if "3d" in op else (1, 2, 13, 33):
        if (extent - 1) * stride + offset + 1 + trailing < taps:
            continue
        x = rng.standard_normal([{"n": 2, "c": channels, "i": extent}[d] for d in letters], np.float32)
        w = rng.standard_normal([{"c": channels, "f": filters, "k": taps}[d] for d in filter_dims], np.float32)
        bias = rng.standard_normal(filters, np.float32)
        along = output.index("f" if "f" in output else "c")
        start = bias.reshape([-1 if d == along else 1 for d in range(len(output))])
        if init == "fill":
            start = np.float32(0.5).reshape([1] * len(output))
        want = expected(op, x, w, start, stride, offset, trailing)
        inputs = [(x, "f32"), (w, "f32"), (bias, "f32")]
        (one,) = run(text, inputs, options=["--tiers=interpreter"], threads=1)
        np.testing.assert_allclose(one, want, rtol=1e-5, atol=1e-5)
        (other,) = run(text, inputs, options=["--force-tier=baseline"], threads=3)
        assert other.tobytes() == one.tobytes()
