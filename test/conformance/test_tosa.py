"""The operations of TOSA, one by one, against NumPy: at the interpreter and at baseline."""

import math

import numpy as np
import pytest

from harness import run

RNG = np.random.default_rng(3)
TYPES = {"float32": "f32", "int32": "i32", "bool": "i1", "int8": "i8"}


def tensor_type(array):
    return "tensor<" + "".join(f"{size}x" for size in array.shape) + TYPES[str(array.dtype)] + ">"


def floats(*shape):
    return RNG.random(shape, dtype=np.float32) * 2 - 1


X, Y = floats(3, 5), floats(3, 5)
POSITIVE = np.abs(X) + np.float32(0.1)
I = RNG.integers(-50, 50, (3, 5)).astype(np.int32)
J = RNG.integers(1, 9, (3, 5)).astype(np.int32)
P, Q = X > 0, Y > 0

CASES = []


def case(name, inputs, results, body, tolerance=1e-5):
    """`body` computes %r, or %r0, %r1, ..., of the inputs %a0, %a1, ...; {0}, {1}, ... in it are their types,
    {r0}, {r1}, ... those of the results."""
    CASES.append(pytest.param(inputs, results, body, tolerance, id=name))


def simple(name, inputs, result, attributes="", tolerance=1e-5):
    operands = ", ".join(f"%a{i}" for i in range(len(inputs)))
    types = ", ".join(tensor_type(array) for array in inputs)
    case(f"{name}-{TYPES[str(inputs[0].dtype)]}", inputs, [result],
         f"%r = tosa.{name} {operands} {attributes} : ({types}) -> {tensor_type(result)}", tolerance)


def constant(name, type, values):
    return f'%{name} = "tosa.const"() {{values = dense<{values}> : {type}}} : () -> {type}\n'


def shape(name, *sizes):
    n = len(sizes)
    return (f"%{name} = tosa.const_shape {{values = dense<{list(sizes)}> : tensor<{n}xindex>}} : () -> "
            f"!tosa.shape<{n}>\n")


ZERO = constant("z", "tensor<1xf32>", "0.0")

# Element by element.
for name, result in {
        "abs": np.abs(X), "ceil": np.ceil(X), "floor": np.floor(X), "exp": np.exp(X), "tanh": np.tanh(X),
        "sigmoid": 1 / (1 + np.exp(-X)), "sin": np.sin(X), "cos": np.cos(X), "reciprocal": 1 / X, "identity": X,
        "erf": np.vectorize(math.erf)(X).astype(np.float32)}.items():
    simple(name, [X], result)
simple("log", [POSITIVE], np.log(POSITIVE))
simple("rsqrt", [POSITIVE], 1 / np.sqrt(POSITIVE))
simple("pow", [POSITIVE, Y], POSITIVE**Y)
simple("clamp", [X], np.clip(X, -0.5, 0.25), "{min_val = -0.5 : f32, max_val = 0.25 : f32}")
for a, b in ((X, Y), (I, J)):
    for name, function in (("add", np.add), ("sub", np.subtract), ("maximum", np.maximum),
                           ("minimum", np.minimum), ("greater", np.greater), ("greater_equal", np.greater_equal),
                           ("equal", np.equal)):
        simple(name, [a, b], function(a, b))
    case(f"mul-{TYPES[str(a.dtype)]}", [a, b], [a * b],
         constant("s", "tensor<1xi8>", 0) + "%r = tosa.mul %a0, %a1, %s : ({0}, {1}, tensor<1xi8>) -> {r0}")
for name, result in {
        "bitwise_and": I & J, "bitwise_or": I | J, "bitwise_xor": I ^ J, "logical_left_shift": I << J,
        "intdiv": np.trunc(I / J).astype(np.int32)}.items():
    simple(name, [I, J], result)
simple("arithmetic_right_shift", [I, J], I >> J, "{round = false}")
simple("bitwise_not", [I], ~I)
simple("clz", [J], np.vectorize(lambda v: 32 - int(v).bit_length())(J).astype(np.int32))
for name, result in {"logical_and": P & Q, "logical_or": P | Q, "logical_xor": P ^ Q}.items():
    simple(name, [P, Q], result)
simple("logical_not", [P], ~P)
simple("select", [P, X, Y], np.where(P, X, Y))
simple("cast", [X * 50], np.rint(X * 50).astype(np.int32))
simple("cast", [I], I.astype(np.float32))
case("cast-i32-i1", [I], [I != 0], "%r = tosa.cast %a0 : ({0}) -> {r0}")
case("negate", [X], [-X], ZERO + "%r = tosa.negate %a0, %z, %z : ({0}, tensor<1xf32>, tensor<1xf32>) -> {r0}")
case("rescale", [I], [np.floor(I / 2 + 0.5).astype(np.int8)],
     constant("m", "tensor<1xi32>", 2**30) + constant("s", "tensor<1xi8>", 31) + constant("z", "tensor<1xi32>", 0) +
     constant("q", "tensor<1xi8>", 0) +
     "%r = tosa.rescale %a0, %m, %s, %z, %q {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, "
     "input_unsigned = false, output_unsigned = false} : ({0}, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, "
     "tensor<1xi8>) -> {r0}")
BYTES, TABLE = RNG.integers(-128, 127, (3, 5)).astype(np.int8), RNG.integers(-128, 127, 256).astype(np.int8)
simple("table", [BYTES, TABLE], TABLE[BYTES.astype(int) + 128])

# Reductions.
for name, function in (("sum", np.sum), ("max", np.max), ("min", np.min), ("product", np.prod)):
    for axis in (0, 1):
        case(f"reduce_{name}-{axis}", [X], [function(X, axis, keepdims=True)],
             f"%r = tosa.reduce_{name} %a0 {{axis = {axis} : i32}} : ({{0}}) -> {{r0}}")
simple("reduce_all", [P], P.all(1, keepdims=True), "{axis = 1 : i32}")
simple("reduce_any", [P], P.any(0, keepdims=True), "{axis = 0 : i32}")
simple("argmax", [X], X.argmax(1).astype(np.int32), "{axis = 1 : i32}")

# Moves.
simple("reverse", [X], X[:, ::-1], "{axis = 1 : i32}")
simple("concat", [X, Y], np.concatenate([X, Y]), "{axis = 0 : i32}")
simple("transpose", [X], X.T, "{perms = array<i32: 1, 0>}")
case("reshape", [X], [X.reshape(5, 3)],
     shape("s", 5, 3) + "%r = tosa.reshape %a0, %s : ({0}, !tosa.shape<2>) -> {r0}")
case("tile", [X], [np.tile(X, (2, 3))], shape("s", 2, 3) + "%r = tosa.tile %a0, %s : ({0}, !tosa.shape<2>) -> {r0}")
case("slice", [X], [X[1:, 2:]],
     shape("s", 1, 2) + shape("t", 2, 3) +
     "%r = tosa.slice %a0, %s, %t : ({0}, !tosa.shape<2>, !tosa.shape<2>) -> {r0}")
case("pad", [X], [np.pad(X, ((1, 0), (2, 1)), constant_values=7)],
     shape("s", 1, 0, 2, 1) + constant("c", "tensor<1xf32>", "7.0") +
     "%r = tosa.pad %a0, %s, %c : ({0}, !tosa.shape<4>, tensor<1xf32>) -> {r0}")
VALUES, PICKED = floats(2, 6, 3), np.stack([RNG.permutation(6)[:4] for _ in range(2)]).astype(np.int32)
simple("gather", [VALUES, PICKED], np.stack([VALUES[n][PICKED[n]] for n in range(2)]))
NEW = floats(2, 4, 3)
SCATTERED = VALUES.copy()
for n in range(2):
    SCATTERED[n][PICKED[n]] = NEW[n]
simple("scatter", [VALUES, PICKED, NEW], SCATTERED)

# Contractions, convolutions, pools.
A, B = floats(2, 3, 4), floats(2, 4, 5)
case("matmul", [A, B], [A @ B],
     ZERO + "%r = tosa.matmul %a0, %a1, %z, %z : ({0}, {1}, tensor<1xf32>, tensor<1xf32>) -> {r0}")
IMAGE = floats(1, 6, 7, 3)
PADDED = np.pad(IMAGE, ((0, 0), (1, 1), (1, 1), (0, 0)))


def points(function, height, width):
    return np.stack([np.stack([function(h, w) for w in range(width)]) for h in range(height)])[None]


def convolution(name, inputs, result, attributes):
    case(name, inputs, [result.astype(np.float32)],
         ZERO + f"%r = tosa.{name} %a0, %a1, %a2, %z, %z {{acc_type = f32, {attributes}}} : ({{0}}, {{1}}, {{2}}, "
         "tensor<1xf32>, tensor<1xf32>) -> {r0}")


W, BIAS = floats(4, 3, 3, 3), floats(4)
convolution("conv2d", [IMAGE, W, BIAS],
            points(lambda h, w: np.einsum("ijc,oijc->o", PADDED[0, h:h + 3, w:w + 3], W) + BIAS, 6, 7),
            "dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>")
DW, DBIAS = floats(3, 3, 3, 2), floats(6)
convolution("depthwise_conv2d", [IMAGE, DW, DBIAS],
            points(lambda h, w: np.einsum("ijc,ijcm->cm", PADDED[0, h:h + 3, w:w + 3], DW).ravel() + DBIAS, 6, 7),
            "dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>")
TW = floats(4, 2, 2, 3)
TRANSPOSED = np.zeros((1, 12, 14, 4), np.float32) + BIAS
for h in range(6):
    for w in range(7):
        TRANSPOSED[0, 2 * h:2 * h + 2, 2 * w:2 * w + 2] += np.einsum("c,oijc->ijo", IMAGE[0, h, w], TW)
convolution("transpose_conv2d", [IMAGE, TW, BIAS], TRANSPOSED,
            "out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>")
VOLUME, W3, BIAS3 = floats(1, 4, 5, 6, 2), floats(3, 2, 2, 2, 2), floats(3)
convolution("conv3d", [VOLUME, W3, BIAS3],
            np.stack([points(lambda h, w: np.einsum("zijc,ozijc->o", VOLUME[0, d:d + 2, h:h + 2, w:w + 2], W3) + BIAS3,
                             4, 5)[0] for d in range(3)])[None],
            "dilation = array<i64: 1, 1, 1>, pad = array<i64: 0, 0, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1>")
SQUARE = np.ascontiguousarray(IMAGE[:, :, :6])
WINDOWS = SQUARE.reshape(1, 3, 2, 3, 2, 3)
POOL = "kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>"
simple("max_pool2d", [SQUARE], WINDOWS.max((2, 4)), f"{{{POOL}}}")
case("avg_pool2d", [SQUARE], [WINDOWS.mean((2, 4))],
     ZERO + f"%r = tosa.avg_pool2d %a0, %z, %z {{acc_type = f32, {POOL}}} : ({{0}}, tensor<1xf32>, tensor<1xf32>) "
     "-> {r0}")
SMALL = floats(1, 4, 4, 1)
case("resize-nearest", [SMALL], [SMALL[:, [0, 1, 1, 2, 2, 3, 3]][:, :, [0, 1, 1, 2, 2, 3, 3]]],
     shape("s", 2, 1, 2, 1) + shape("o", 0, 0) + shape("b", 0, 0) +
     "%r = tosa.resize %a0, %s, %o, %b {mode = NEAREST_NEIGHBOR} : ({0}, !tosa.shape<4>, !tosa.shape<2>, "
     "!tosa.shape<2>) -> {r0}")
GRID = np.zeros((7, 4), np.float32)
for n in range(7):
    GRID[n, n // 2] += 1 - n % 2 / 2
    if n % 2:
        GRID[n, n // 2 + 1] += 0.5
case("resize-bilinear", [SMALL], [np.einsum("hi,bijc,wj->bhwc", GRID, SMALL, GRID).astype(np.float32)],
     shape("s", 2, 1, 2, 1) + shape("o", 0, 0) + shape("b", 0, 0) +
     "%r = tosa.resize %a0, %s, %o, %b {mode = BILINEAR} : ({0}, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) "
     "-> {r0}")
REAL, IMAGINARY = floats(1, 4, 4), floats(1, 4, 4)
SPECTRUM = np.fft.fft2(REAL[0] + 1j * IMAGINARY[0])[None]
case("fft2d", [REAL, IMAGINARY], [SPECTRUM.real.astype(np.float32), SPECTRUM.imag.astype(np.float32)],
     "%r0, %r1 = tosa.fft2d %a0, %a1 {inverse = false} : ({0}, {1}) -> ({r0}, {r1})", 1e-4)
HALF = np.fft.rfft2(REAL[0])[None]
case("rfft2d", [REAL], [HALF.real.astype(np.float32), HALF.imag.astype(np.float32)],
     "%r0, %r1 = tosa.rfft2d %a0 : ({0}) -> ({r0}, {r1})", 1e-4)
for taken in (True, False):
    case(f"cond_if-{taken}", [np.array(taken), X, Y], [X + Y if taken else X],
         "%r = tosa.cond_if %a0 (%p = %a1, %q = %a2) : {0} ({1}, {2}) -> {r0} {\n"
         "^bb0(%p: {1}, %q: {2}):\n %s = tosa.add %p, %q : ({1}, {2}) -> {r0}\n tosa.yield %s : {r0}\n"
         "} else {\n^bb0(%p: {1}, %q: {2}):\n tosa.yield %p : {r0}\n}")


@pytest.mark.parametrize("inputs, results, body, tolerance", CASES)
def test_operation(inputs, results, body, tolerance):
    types = [tensor_type(array) for array in inputs]
    result_types = [tensor_type(array) for array in results]
    for i, type in enumerate(types):
        body = body.replace(f"{{{i}}}", type)
    for i, type in enumerate(result_types):
        body = body.replace(f"{{r{i}}}", type)
    names = ["%r"] if len(results) == 1 else [f"%r{i}" for i in range(len(results))]
    signature = ", ".join(f"%a{i}: {type}" for i, type in enumerate(types))
    text = (f"func.func @main({signature}) -> ({', '.join(result_types)}) {{\n{body}\n"
            f"return {', '.join(names)} : {', '.join(result_types)}\n}}\n")
    arguments = [(array, TYPES[str(array.dtype)]) for array in inputs]
    got = run(text, arguments)
    for actual, expected in zip(got, results, strict=True):
        assert actual.shape == expected.shape
        np.testing.assert_allclose(actual.astype(np.float64), expected.astype(np.float64), rtol=tolerance,
                                   atol=tolerance)
    for actual, expected in zip(run(text, arguments, options=["--force-tier=baseline"]), got, strict=True):
        np.testing.assert_array_equal(actual, expected)
