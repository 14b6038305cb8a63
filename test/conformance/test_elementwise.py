"""Every arith and math operation, in bodies and on host scalars, against NumPy and math.

Values on which an operation is undefined in MLIR have the meaning that Opcodes.def gives them.
"""

import math

import numpy as np
import pytest
from harness import FLOATS, INTEGERS, NUMPY_TYPES, check, quantise, random_array, run, tensor

WIDTH = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}


def signed(value, dtype):
    """Python integer wrapped to the type."""
    width = WIDTH[dtype]
    value &= (1 << width) - 1
    if dtype == "i1":
        return value
    return value - (1 << width) if value >> (width - 1) else value


def unsigned(value, dtype):
    return value & ((1 << WIDTH[dtype]) - 1)


def div_s(a, b, dtype, rounding="zero"):
    if b == 0:
        return -1
    quotient, remainder = divmod(a, b)
    if rounding == "zero" and remainder and quotient < 0:
        quotient += 1
    if rounding == "ceil" and remainder:
        quotient += 1
    return quotient


def rem_s(a, b):
    return a if b == 0 else int(math.copysign(1, a)) * (abs(a) % abs(b))


def shift(a, b, dtype, kind):
    width, count = WIDTH[dtype], unsigned(b, dtype)
    if kind == "left":
        return a << count if count < width else 0
    if kind == "unsigned":
        return unsigned(a, dtype) >> count if count < width else 0
    return a >> min(count, width - 1)


def via_unsigned(function):
    return lambda a, b, t: function(unsigned(a, t), unsigned(b, t))


INT_BINARY = {
    "arith.addi": lambda a, b, t: a + b,
    "arith.subi": lambda a, b, t: a - b,
    "arith.muli": lambda a, b, t: a * b,
    "arith.divsi": lambda a, b, t: div_s(a, b, t),
    "arith.divui": via_unsigned(lambda a, b: a // b if b else -1),
    "arith.ceildivsi": lambda a, b, t: div_s(a, b, t, "ceil"),
    "arith.ceildivui": via_unsigned(lambda a, b: -(-a // b) if b else -1),
    "arith.floordivsi": lambda a, b, t: div_s(a, b, t, "floor"),
    "arith.remsi": lambda a, b, t: rem_s(a, b),
    "arith.remui": via_unsigned(lambda a, b: a % b if b else a),
    "arith.andi": lambda a, b, t: a & b,
    "arith.ori": lambda a, b, t: a | b,
    "arith.xori": lambda a, b, t: a ^ b,
    "arith.shli": lambda a, b, t: shift(a, b, t, "left"),
    "arith.shrsi": lambda a, b, t: shift(a, b, t, "signed"),
    "arith.shrui": lambda a, b, t: shift(a, b, t, "unsigned"),
    "arith.maxsi": lambda a, b, t: max(a, b),
    "arith.maxui": via_unsigned(max),
    "arith.minsi": lambda a, b, t: min(a, b),
    "arith.minui": via_unsigned(min),
}
INT_UNARY = {
    "math.absi": lambda a, t: abs(a),
    "math.ctlz": lambda a, t: WIDTH[t] - unsigned(a, t).bit_length(),
    "math.cttz": lambda a, t: (a & -a).bit_length() - 1 if a else WIDTH[t],
    "math.ctpop": lambda a, t: bin(unsigned(a, t)).count("1"),
}
PREDICATES = {
    "eq": lambda a, b, t: a == b,
    "ne": lambda a, b, t: a != b,
    "slt": lambda a, b, t: a < b,
    "sle": lambda a, b, t: a <= b,
    "sgt": lambda a, b, t: a > b,
    "sge": lambda a, b, t: a >= b,
    "ult": via_unsigned(lambda a, b: a < b),
    "ule": via_unsigned(lambda a, b: a <= b),
    "ugt": via_unsigned(lambda a, b: a > b),
    "uge": via_unsigned(lambda a, b: a >= b),
}


def int_samples(dtype, count=67):
    width = WIDTH[dtype]
    rng = np.random.default_rng(8)
    edges = [0, 1, -1, 2, -2, 3, width - 1, width, -(1 << (width - 1)), (1 << (width - 1)) - 1]
    values = [signed(e, dtype) for e in edges]
    values += [signed(int(v), dtype) for v in rng.integers(-(2**62), 2**62, count)]
    values += [signed(int(v), dtype) for v in rng.integers(-9, 9, count)]
    return values


def int_pairs(dtype):
    values = int_samples(dtype)
    rng = np.random.default_rng(9)
    pairs = [(a, b) for a in values[:10] for b in values[:10]]
    order = rng.permutation(len(values))
    return pairs + [(values[i], values[int(j)]) for i, j in enumerate(order)]


def body_module(line, operands, result, prelude=""):
    """Applies `line` (which reads %a, %b, ... and defines %r) to each element of 1-D tensors."""
    names = "abc"[: len(operands)]
    identity = "affine_map<(i) -> (i)>"
    maps = ", ".join([identity] * (len(operands) + 1))
    arguments = ", ".join(f"%t{n}: {tensor([None], t)}" for n, t in zip(names, operands))
    types = ", ".join(tensor([None], t) for t in operands)
    block = ", ".join([f"%{n}: {t}" for n, t in zip(names, operands)] + [f"%out: {result}"])
    out = tensor([None], result)
    return f"""
func.func @main({arguments}) -> {out} {{
  %c0 = arith.constant 0 : index
  {prelude}
  %d = tensor.dim %ta, %c0 : {tensor([None], operands[0])}
  %e = tensor.empty(%d) : {out}
  %z = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
      ins({", ".join(f"%t{n}" for n in names)} : {types}) outs(%e : {out}) {{
  ^bb0({block}):
    {line}
    linalg.yield %r : {result}
  }} -> {out}
  return %z : {out}
}}"""


def scalar_module(line, operands, result):
    names = "abc"[: len(operands)]
    arguments = ", ".join(f"%{n}: {t}" for n, t in zip(names, operands))
    return f"""
func.func @main({arguments}) -> {result} {{
  {line}
  return %r : {result}
}}"""


def check_both(line, columns, types, result, expected, rtol=0.0, atol=0.0, scalars=6):
    """Whole columns through a body, and the first few rows through host scalars."""
    inputs = [(np.asarray(c), t) for c, t in zip(columns, types)]
    check(run(body_module(line, types, result), inputs), [expected], rtol, atol)
    for row in range(min(scalars, len(expected))):
        inputs = [(np.asarray(c[row]), t) for c, t in zip(columns, types)]
        check(run(scalar_module(line, types, result), inputs), [expected[row]], rtol, atol)


@pytest.mark.parametrize("dtype", INTEGERS + ["index"])
@pytest.mark.parametrize("op", INT_BINARY)
def test_integer_binary(op, dtype):
    pairs = int_pairs(dtype)
    columns = [np.array(c, NUMPY_TYPES[dtype]) for c in zip(*pairs)]
    expected = np.array([signed(int(INT_BINARY[op](a, b, dtype)), dtype) for a, b in pairs],
                        NUMPY_TYPES[dtype])
    check_both(f"%r = {op} %a, %b : {dtype}", columns, [dtype] * 2, dtype, expected, scalars=2)


@pytest.mark.parametrize("op", ["arith.addi", "arith.muli", "arith.andi", "arith.ori", "arith.xori",
                                "arith.subi"])
def test_boolean_binary(op):
    pairs = [(a, b) for a in (0, 1) for b in (0, 1)] * 5
    columns = [np.array(c, np.bool_) for c in zip(*pairs)]
    expected = np.array([signed(int(INT_BINARY[op](a, b, "i1")), "i1") for a, b in pairs], np.bool_)
    check_both(f"%r = {op} %a, %b : i1", columns, ["i1"] * 2, "i1", expected, scalars=4)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("op", INT_UNARY)
def test_integer_unary(op, dtype):
    values = int_samples(dtype)
    expected = np.array([signed(int(INT_UNARY[op](a, dtype)), dtype) for a in values],
                        NUMPY_TYPES[dtype])
    check_both(f"%r = {op} %a : {dtype}", [np.array(values, NUMPY_TYPES[dtype])], [dtype], dtype,
               expected, scalars=2)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("predicate", PREDICATES)
def test_integer_compare(predicate, dtype):
    pairs = int_pairs(dtype)
    columns = [np.array(c, NUMPY_TYPES[dtype]) for c in zip(*pairs)]
    expected = np.array([PREDICATES[predicate](a, b, dtype) for a, b in pairs], np.bool_)
    check_both(f"%r = arith.cmpi {predicate}, %a, %b : {dtype}", columns, [dtype] * 2, "i1", expected,
               scalars=1)


@pytest.mark.parametrize("dtype", ["i8", "i32", "i64"])
@pytest.mark.parametrize("op", ["addui", "mulsi", "mului"])
@pytest.mark.parametrize("which", [0, 1])
def test_integer_extended(op, dtype, which):
    pairs = int_pairs(dtype)
    columns = [np.array(c, NUMPY_TYPES[dtype]) for c in zip(*pairs)]
    width = WIDTH[dtype]
    results = []
    for a, b in pairs:
        if op == "addui":
            total = unsigned(a, dtype) + unsigned(b, dtype)
        elif op == "mului":
            total = unsigned(a, dtype) * unsigned(b, dtype)
        else:
            total = a * b
        results.append(signed(total if which == 0 else total >> width, dtype))
    second = "i1" if op == "addui" else dtype
    result = dtype if which == 0 else second
    types = f"{dtype}, i1" if op == "addui" else dtype
    line = f"%x:2 = arith.{op}_extended %a, %b : {types}\n    "
    zero = "false" if result == "i1" else f"0 : {result}"
    line += f"%k = arith.constant {zero}\n    %r = arith.ori %x#{which}, %k : {result}"
    if result == "i1":
        results = [r & 1 for r in results]
    check_both(line, columns, [dtype] * 2, result, np.array(results, NUMPY_TYPES[result]), scalars=1)


def float_samples(dtype, low=-8.0, high=8.0, count=301, edges=True):
    rng = np.random.default_rng(10)
    values = list(rng.uniform(low, high, count))
    if edges:
        values = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -2.5, np.inf, -np.inf, np.nan] + values
    return quantise(values, dtype)


EPSILON = {"f16": 2.0**-10, "bf16": 2.0**-7, "f32": 2.0**-23, "f64": 2.0**-52}
FLOAT_BINARY = {
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
    "arith.remf": np.fmod,
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
    "arith.maxnumf": np.fmax,
    "arith.minnumf": np.fmin,
    "math.copysign": np.copysign,
    "math.atan2": np.arctan2,
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", FLOAT_BINARY)
def test_float_binary(op, dtype):
    a = float_samples(dtype)
    b = a[np.random.default_rng(11).permutation(len(a))]
    with np.errstate(all="ignore"):
        wide = FLOAT_BINARY[op](a.astype(np.float64), b.astype(np.float64))
    rtol = 2 * EPSILON[dtype] if op == "math.atan2" else 0
    check_both(f"%r = {op} %a, %b : {dtype}", [a, b], [dtype] * 2, dtype, quantise(wide, dtype), rtol,
               1e-30, scalars=3)


# Operation: reference, range of arguments, units in the last place allowed beyond rounding.
FLOAT_UNARY = {
    "arith.negf": (np.negative, -8, 8, 0),
    "math.absf": (np.abs, -8, 8, 0),
    "math.ceil": (np.ceil, -8, 8, 0),
    "math.floor": (np.floor, -8, 8, 0),
    "math.trunc": (np.trunc, -8, 8, 0),
    "math.roundeven": (np.rint, -8, 8, 0),
    "math.round": (lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x), -8, 8, 0),
    "math.sqrt": (np.sqrt, 0, 100, 0),
    "math.rsqrt": (lambda x: 1 / np.sqrt(x), 0, 100, 2),
    "math.cbrt": (np.cbrt, -100, 100, 4),
    "math.exp": (np.exp, -10, 10, 4),
    "math.exp2": (np.exp2, -10, 10, 4),
    "math.expm1": (np.expm1, -10, 10, 4),
    "math.log": (np.log, 0, 100, 4),
    "math.log2": (np.log2, 0, 100, 4),
    "math.log10": (np.log10, 0, 100, 4),
    "math.log1p": (np.log1p, -1, 100, 4),
    "math.sin": (np.sin, -50, 50, 4),
    "math.cos": (np.cos, -50, 50, 4),
    "math.tan": (np.tan, -10, 10, 6),
    "math.asin": (np.arcsin, -1, 1, 4),
    "math.acos": (np.arccos, -1, 1, 4),
    "math.atan": (np.arctan, -50, 50, 4),
    "math.sinh": (np.sinh, -10, 10, 4),
    "math.cosh": (np.cosh, -10, 10, 4),
    "math.tanh": (np.tanh, -10, 10, 4),
    "math.asinh": (np.arcsinh, -50, 50, 4),
    "math.acosh": (np.arccosh, 1, 50, 4),
    "math.atanh": (np.arctanh, -1, 1, 4),
    "math.erf": (np.vectorize(math.erf, otypes=[np.float64]), -5, 5, 4),
    "math.erfc": (np.vectorize(math.erfc, otypes=[np.float64]), -3, 3, 6),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", FLOAT_UNARY)
def test_float_unary(op, dtype):
    reference, low, high, ulps = FLOAT_UNARY[op]
    a = float_samples(dtype, low, high)
    with np.errstate(all="ignore"):
        expected = quantise(reference(a.astype(np.float64)), dtype)
    check_both(f"%r = {op} %a : {dtype}", [a], [dtype], dtype, expected, ulps * EPSILON[dtype],
               ulps * EPSILON[dtype] * 0.25, scalars=2)


@pytest.mark.parametrize("dtype", FLOATS)
def test_pow_fma_clamp_select(dtype):
    rng = np.random.default_rng(12)
    a, b, c = (quantise(rng.uniform(0.1, 4, 97), dtype) for _ in range(3))
    wide = [x.astype(np.float64) for x in (a, b, c)]
    check_both(f"%r = math.powf %a, %b : {dtype}", [a, b], [dtype] * 2, dtype,
               quantise(wide[0] ** wide[1], dtype), 4 * EPSILON[dtype], scalars=1)
    if dtype in ("f16", "bf16"):
        # The product of two 16-bit floats is exact in double, and so is the sum here.
        check_both(f"%r = math.fma %a, %b, %c : {dtype}", [a, b, c], [dtype] * 3, dtype,
                   quantise(wide[0] * wide[1] + wide[2], dtype), EPSILON[dtype], scalars=1)
    low, high = np.minimum(b, c), np.maximum(b, c)
    check_both(f"%r = math.clampf %a to [%b, %c] : {dtype}", [a, low, high], [dtype] * 3, dtype,
               np.clip(a, low, high), scalars=1)
    check_both(f"%k = arith.cmpf olt, %a, %b : {dtype}\n    %r = arith.select %k, %a, %c : {dtype}",
               [a, b, c], [dtype] * 3, dtype, np.where(a < b, a, c), scalars=2)


FLOAT_PREDICATES = {
    "false": lambda a, b: np.zeros(a.shape, np.bool_),
    "oeq": lambda a, b: a == b,
    "ogt": lambda a, b: a > b,
    "oge": lambda a, b: a >= b,
    "olt": lambda a, b: a < b,
    "ole": lambda a, b: a <= b,
    "one": lambda a, b: (a < b) | (a > b),
    "ord": lambda a, b: ~(np.isnan(a) | np.isnan(b)),
    "ueq": lambda a, b: ~((a < b) | (a > b)),
    "ugt": lambda a, b: ~(a <= b),
    "uge": lambda a, b: ~(a < b),
    "ult": lambda a, b: ~(a >= b),
    "ule": lambda a, b: ~(a > b),
    "une": lambda a, b: a != b,
    "uno": lambda a, b: np.isnan(a) | np.isnan(b),
    "true": lambda a, b: np.ones(a.shape, np.bool_),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("predicate", FLOAT_PREDICATES)
def test_float_compare(predicate, dtype):
    edges = quantise([0, -0.0, 1, -1, np.inf, -np.inf, np.nan], dtype)
    a, b = (x.ravel() for x in np.meshgrid(edges, edges))
    check_both(f"%r = arith.cmpf {predicate}, %a, %b : {dtype}", [a, b], [dtype] * 2, "i1",
               FLOAT_PREDICATES[predicate](a, b), scalars=1)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op,reference", [("isfinite", np.isfinite), ("isinf", np.isinf),
                                          ("isnan", np.isnan)])
def test_float_class(op, reference, dtype):
    a = float_samples(dtype)
    check_both(f"%r = math.{op} %a : {dtype}", [a], [dtype], "i1", reference(a), scalars=1)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("exponent", [0, 1, 2, 3, -1, -2, 7])
def test_integer_power_of_float(exponent, dtype):
    a = float_samples(dtype, 0.5, 2, edges=False)
    line = f"%k = arith.constant {exponent} : i32\n    %r = math.fpowi %a, %k : {dtype}, i32"
    expected = quantise(a.astype(np.float64) ** exponent, dtype)
    check_both(line, [a], [dtype], dtype, expected, (abs(exponent) + 2) * EPSILON[dtype], scalars=1)


@pytest.mark.parametrize("dtype", ["i32", "i64"])
def test_integer_power_of_integer(dtype):
    a = np.array([0, 1, 2, -3, 5, 7, -1, 2], NUMPY_TYPES[dtype])
    b = np.array([0, 5, 10, 3, 2, 1, 9, 31], NUMPY_TYPES[dtype])
    expected = np.array([signed(int(x) ** int(y), dtype) for x, y in zip(a, b)], NUMPY_TYPES[dtype])
    check_both(f"%r = math.ipowi %a, %b : {dtype}", [a, b], [dtype] * 2, dtype, expected, scalars=2)


@pytest.mark.parametrize("source", ["i1"] + INTEGERS)
@pytest.mark.parametrize("target", INTEGERS)
def test_integer_conversion(source, target):
    values = int_samples(source) if source != "i1" else [0, 1, 1, 0]
    array = np.array(values, NUMPY_TYPES[source])
    wider = WIDTH[target] > WIDTH[source]
    if WIDTH[target] == WIDTH[source]:
        pytest.skip("no conversion")
    ops = ["extsi", "extui"] if wider else ["trunci"]
    for op in ops:
        if op == "extsi" and source == "i1":
            expected = [-v for v in values]
        elif op == "extui":
            expected = [unsigned(v, source) for v in values]
        else:
            expected = values
        expected = np.array([signed(v, target) for v in expected], NUMPY_TYPES[target])
        check_both(f"%r = arith.{op} %a : {source} to {target}", [array], [source], target, expected,
                   scalars=1)


@pytest.mark.parametrize("integer", ["i1"] + INTEGERS)
@pytest.mark.parametrize("real", FLOATS)
def test_integer_to_float(integer, real):
    values = int_samples(integer) if integer != "i1" else [0, 1, 1, 0]
    array = np.array(values, NUMPY_TYPES[integer])
    for op in ("sitofp", "uitofp"):
        if op == "sitofp":
            numbers = [-v for v in values] if integer == "i1" else values
        else:
            numbers = [unsigned(v, integer) for v in values]
        if real == "f64":
            expected = np.array([float(v) for v in numbers], np.float64)
        elif real == "f32":
            expected = np.array([np.float32(np.longdouble(v)) for v in numbers], np.float32)
        else:
            expected = quantise([np.float32(np.longdouble(v)) for v in numbers], real)
        check_both(f"%r = arith.{op} %a : {integer} to {real}", [array], [integer], real, expected,
                   EPSILON[real] if real in ("f16", "bf16") else 0, scalars=1)


@pytest.mark.parametrize("integer", INTEGERS)
@pytest.mark.parametrize("real", FLOATS)
def test_float_to_integer_saturates(integer, real):
    values = quantise([0, -0.0, 0.9, -0.9, 1.5, -1.5, 100.7, -100.7, 127, 128, -128, -129, 255, 256,
                       1e4, -1e4, 3e38, -3e38, np.inf, -np.inf, np.nan], real)
    width = WIDTH[integer]
    for op, low, high in (("fptosi", -(1 << (width - 1)), (1 << (width - 1)) - 1),
                          ("fptoui", 0, (1 << width) - 1)):
        expected = []
        for v in values.astype(np.float64):
            if np.isnan(v):
                expected.append(0)
            else:
                expected.append(low if v <= low else high if v >= high else int(v))
        expected = np.array([signed(v, integer) for v in expected], NUMPY_TYPES[integer])
        check_both(f"%r = arith.{op} %a : {real} to {integer}", [values], [real], integer, expected,
                   scalars=1)


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("target", FLOATS)
def test_float_conversion(source, target):
    order = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
    if order[source] == order[target]:
        pytest.skip("no conversion")
    op = "extf" if order[target] > order[source] else "truncf"
    a = float_samples(source)
    expected = quantise(a.astype(np.float64), target) if target != "bf16" else quantise(
        a.astype(np.float32), target)
    check_both(f"%r = arith.{op} %a : {source} to {target}", [a], [source], target, expected, scalars=2)


def away(n):
    return np.nextafter(n, np.copysign(n.dtype.type(np.inf), n))


ROUNDING = {
    "upward": lambda n, x: np.where(n < x, np.nextafter(n, np.inf), n),
    "downward": lambda n, x: np.where(n > x, np.nextafter(n, -np.inf), n),
    "toward_zero": lambda n, x: np.where(np.abs(n) > np.abs(x), np.nextafter(n, 0), n),
    "to_nearest_away": lambda n, x: np.where(x - n == away(n) - x, away(n), n),
}


@pytest.mark.parametrize("source,target", [("f64", "f32"), ("f64", "f16"), ("f32", "f16")])
@pytest.mark.parametrize("mode", ROUNDING)
def test_rounding_modes(mode, source, target):
    tiny, step = np.finfo(NUMPY_TYPES[target]).smallest_subnormal, np.finfo(NUMPY_TYPES[target]).eps
    a = np.concatenate([float_samples("f64"), [tiny / 2, tiny / 4, 1e30, -1e30], np.arange(1, 9) * step / 2 + 1])
    a = np.concatenate([a, -a]).astype(NUMPY_TYPES[source])
    with np.errstate(all="ignore"):
        near = a.astype(NUMPY_TYPES[target])
        expected = ROUNDING[mode](near, a.astype(np.float64)).astype(near.dtype)
    check_both(f"%r = arith.truncf %a {mode} : {source} to {target}", [a], [source], target, expected,
               scalars=1)


def test_rounding_modes_to_bf16():
    a = np.array([1 + 2.0**-8, 1 + 2.0**-9, -1 - 2.0**-8, 1e-45, -1e-45, 3.4e38, np.inf, np.nan], np.float32)
    one, next_, tiny = 1, 1 + 2.0**-7, 2.0**-133
    top = 3.3895313892515355e38
    expected = {
        "upward": [next_, next_, -one, tiny, -0.0, np.inf, np.inf, np.nan],
        "downward": [one, one, -next_, 0, -tiny, top, np.inf, np.nan],
        "toward_zero": [one, one, -one, 0, -0.0, top, np.inf, np.nan],
        "to_nearest_away": [next_, one, -next_, 0, -0.0, np.inf, np.inf, np.nan],
    }
    for mode, values in expected.items():
        check_both(f"%r = arith.truncf %a {mode} : f32 to bf16", [a], ["f32"], "bf16",
                   np.array(values, np.float32), scalars=1)


def test_scaling_conversions():
    """A scale counts by its exponent only."""
    a, scale = np.array([1.5, -3, 0.25, 7], np.float16), np.array([4, 0.5, 1, 3], np.float16)
    power = np.exp2(np.floor(np.log2(scale.astype(np.float32))))
    check_both("%r = arith.scaling_extf %a, %b : f16, f16 to f32", [a, scale], ["f16", "f16"], "f32",
               a * power, scalars=1)
    check_both("%r = arith.scaling_truncf %a, %b : f32, f16 to f16",
               [a.astype(np.float32), scale], ["f32", "f16"], "f16", (a / power).astype(np.float16), scalars=1)


@pytest.mark.parametrize("pair", [("f32", "i32"), ("f64", "i64"), ("f16", "i16")])
def test_bitcast(pair):
    real, integer = pair
    a = float_samples(real, edges=False)
    line = f"%r = arith.bitcast %a : {real} to {integer}"
    check_both(line, [a], [real], integer, a.view(NUMPY_TYPES[integer]), scalars=1)


def test_index_casts():
    a = np.array([0, 1, -1, 2**31 - 1, -(2**31)], np.int32)
    check_both("%r = arith.index_cast %a : i32 to index", [a], ["i32"], "index", a.astype(np.int64),
               scalars=2)
    check_both("%r = arith.index_castui %a : i32 to index", [a], ["i32"], "index",
               a.view(np.uint32).astype(np.int64), scalars=3)


UNARY_NAMED = {
    "exp": np.exp, "log": np.log, "abs": np.abs, "ceil": np.ceil, "floor": np.floor,
    "negf": np.negative, "reciprocal": np.reciprocal, "round": np.rint, "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x), "square": np.square, "tanh": np.tanh,
    "erf": np.vectorize(math.erf, otypes=[np.float64]),
}
BINARY_NAMED = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
    "max": np.maximum, "min": np.minimum, "powf": np.power,
}


@pytest.mark.parametrize("op", list(UNARY_NAMED) + list(BINARY_NAMED))
def test_named_elementwise(op):
    rng = np.random.default_rng(13)
    count = 1 if op in UNARY_NAMED else 2
    arrays = [quantise(rng.uniform(0.2, 3, [3, 17, 5]), "f32") for _ in range(count)]
    type_ = tensor([3, None, 5], "f32")
    names = ["%a", "%b"][:count]
    text = f"""
func.func @main({", ".join(f"{n}: {type_}" for n in names)}) -> {type_} {{
  %c1 = arith.constant 1 : index
  %d = tensor.dim %a, %c1 : {type_}
  %e = tensor.empty(%d) : {type_}
  %r = linalg.{op} ins({", ".join(names)} : {", ".join([type_] * count)}) outs(%e : {type_}) -> {type_}
  return %r : {type_}
}}"""
    function = UNARY_NAMED.get(op) or BINARY_NAMED[op]
    wide = function(*[x.astype(np.float64) for x in arrays])
    check(run(text, [(x, "f32") for x in arrays]), [wide.astype(np.float32)], 1e-6, 1e-7)


def test_select_and_div_unsigned():
    rng = np.random.default_rng(14)
    k = random_array(rng, [9], "i1")
    a, b = random_array(rng, [9], "i32", 1, 100), random_array(rng, [9], "i32", 1, 9)
    text = """
func.func @main(%k: tensor<9xi1>, %a: tensor<9xi32>, %b: tensor<9xi32>) -> tensor<9xi32> {
  %e = tensor.empty() : tensor<9xi32>
  %q = linalg.div_unsigned ins(%a, %b : tensor<9xi32>, tensor<9xi32>) outs(%e : tensor<9xi32>) -> tensor<9xi32>
  %r = linalg.select ins(%k, %q, %b : tensor<9xi1>, tensor<9xi32>, tensor<9xi32>) outs(%e : tensor<9xi32>) -> tensor<9xi32>
  return %r : tensor<9xi32>
}"""
    check(run(text, [(k, "i1"), (a, "i32"), (b, "i32")]), [np.where(k, a // b, b)])
