"""linalg.generic with every kind of indexing map, iterator and reduction, and the named operations that
are short for one, against NumPy."""

import numpy as np
import pytest
from harness import RunError, check, random_array, run, tensor


def generic(maps, iterators, ins, outs, body, dims=None):
    """Text of one linalg.generic %r; ins and outs are (name, type) pairs."""
    out_types = ", ".join(t for _, t in outs)
    dims = dims or "d0, d1, d2, d3, d4"[: 4 * len(iterators) - 2]
    text = ", ".join(f"affine_map<({dims}) -> ({m})>" for m in maps)
    kinds = ", ".join(f'"{i}"' for i in iterators)
    source = ""
    if ins:
        source = f"ins({', '.join(n for n, _ in ins)} : {', '.join(t for _, t in ins)})"
    result = f"({out_types})" if len(outs) > 1 else out_types
    return f"""linalg.generic {{indexing_maps = [{text}], iterator_types = [{kinds}]}} {source}
      outs({', '.join(n for n, _ in outs)} : {out_types}) {{
    {body}
  }} -> {result}"""


P, R = "parallel", "reduction"


def unary(maps, iterators, in_type, out_type, body, dtype="f32"):
    block = f"^bb0(%a: {dtype}, %b: {dtype}):\n      {body}"
    op = generic(maps, iterators, [("%x", in_type)], [("%y", out_type)], block)
    return f"func.func @main(%x: {in_type}, %y: {out_type}) -> {out_type} {{\n  %r = {op}\n  return %r : {out_type}\n}}"


SHAPES = [[0, 3, 5], [1, 1, 1], [2, 3, 5], [3, 17, 33], [4, 1, 129]]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (2, 1, 0), (2, 0, 1)], ids=str)
def test_transpose_copies(shape, dtype, order):
    if dtype not in ("f32", "i8") and order != (2, 0, 1):
        pytest.skip("one order suffices for the other types")
    rng = np.random.default_rng(20)
    x = random_array(rng, shape, dtype)
    out = [shape[i] for i in order]
    text = f"""
func.func @main(%x: {tensor(shape, dtype)}) -> {tensor(out, dtype)} {{
  %e = tensor.empty() : {tensor(out, dtype)}
  %r = linalg.transpose ins(%x : {tensor(shape, dtype)}) outs(%e : {tensor(out, dtype)}) permutation = {list(order)}
  return %r : {tensor(out, dtype)}
}}"""
    check(run(text, [(x, dtype)]), [np.transpose(x, order)])


@pytest.mark.parametrize("maps", [("d0, d1, d2", "d0, d1, d2"), ("d0, d1, 0", "d0, d1, d2"),
                                  ("0, d1, d2", "d0, d1, d2"), ("0, 0, 0", "d0, d1, d2")], ids=str)
def test_broadcast_inside_maps(maps):
    full = [3, 17, 33]
    shape = [1 if part.strip() == "0" else size for part, size in zip(maps[0].split(","), full)]
    rng = np.random.default_rng(21)
    x, y = random_array(rng, shape, "f32"), random_array(rng, full, "f32")
    text = unary(maps, [P] * 3, tensor(shape, "f32"), tensor(full, "f32"),
                 "%s = arith.addf %a, %b : f32\n      linalg.yield %s : f32")
    check(run(text, [(x, "f32"), (y, "f32")]), [x + y])


def test_named_broadcast_fill_copy_map():
    rng = np.random.default_rng(22)
    x = random_array(rng, [5], "f32")
    text = """
func.func @main(%x: tensor<5xf32>, %s: f32) -> (tensor<3x5x2xf32>, tensor<4xf32>, tensor<5xf64>, tensor<5xf32>) {
  %e = tensor.empty() : tensor<3x5x2xf32>
  %b = linalg.broadcast ins(%x : tensor<5xf32>) outs(%e : tensor<3x5x2xf32>) dimensions = [0, 2]
  %e4 = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%s : f32) outs(%e4 : tensor<4xf32>) -> tensor<4xf32>
  %e5 = tensor.empty() : tensor<5xf64>
  %c = linalg.copy ins(%x : tensor<5xf32>) outs(%e5 : tensor<5xf64>) -> tensor<5xf64>
  %e6 = tensor.empty() : tensor<5xf32>
  %m = linalg.map { math.absf } ins(%x : tensor<5xf32>) outs(%e6 : tensor<5xf32>)
  return %b, %f, %c, %m : tensor<3x5x2xf32>, tensor<4xf32>, tensor<5xf64>, tensor<5xf32>
}"""
    expected = [np.broadcast_to(x[None, :, None], [3, 5, 2]), np.full(4, 2.5, np.float32),
                x.astype(np.float64), np.abs(x)]
    check(run(text, [(x, "f32"), (np.float32(2.5), "f32")]), expected)


@pytest.mark.parametrize("maps", [
    ("-d0 + 16, d1", "d0, d1"),
    ("d0 * 2 + 1, d1", "d0, d1"),
    ("d0 + d1, d1", "d0, d1"),
    ("d0 floordiv 2, d1", "d0, d1"),
    ("d0 mod 3, d1", "d0, d1"),
    ("(d0 * 7 + d1) mod 11, (d0 + d1) floordiv 5", "d0, d1"),
    ("d0 ceildiv 2, 3", "d0, d1"),
], ids=str)
def test_affine_accesses(maps):
    rng = np.random.default_rng(23)
    x = random_array(rng, [40, 19], "f32")
    y = random_array(rng, [17, 19], "f32")
    first, second = [m.strip() for m in maps[0].split(",")]
    python = [e.replace("floordiv", "//").replace("mod", "%") for e in (first, second)]
    python = [e.replace("d0 ceildiv 2", "-(-d0 // 2)") for e in python]
    expected = np.empty([17, 19], np.float32)
    for d0 in range(17):
        for d1 in range(19):
            scope = {"d0": d0, "d1": d1}
            expected[d0, d1] = x[eval(python[0], scope), eval(python[1], scope)] + y[d0, d1]
    text = unary(maps, [P, P], "tensor<40x19xf32>", "tensor<17x19xf32>",
                 "%s = arith.addf %a, %b : f32\n      linalg.yield %s : f32")
    check(run(text, [(x, "f32"), (y, "f32")]), [expected])


COMBINERS = {
    "addf": ("f", lambda x, y, axes: y + x.astype(np.float64).sum(axes)),
    "mulf": ("f", lambda x, y, axes: y * x.astype(np.float64).prod(axes)),
    "maximumf": ("f", lambda x, y, axes: np.maximum(y, x.max(axes, initial=-np.inf))),
    "minimumf": ("f", lambda x, y, axes: np.minimum(y, x.min(axes, initial=np.inf))),
    "maxnumf": ("f", lambda x, y, axes: np.maximum(y, x.max(axes, initial=-np.inf))),
    "minnumf": ("f", lambda x, y, axes: np.minimum(y, x.min(axes, initial=np.inf))),
    "addi": ("i", lambda x, y, axes: y + x.astype(np.int64).sum(axes)),
    "muli": ("i", lambda x, y, axes: y * x.astype(np.int64).prod(axes)),
    "maxsi": ("i", lambda x, y, axes: np.maximum(y, x.max(axes, initial=-128))),
    "minsi": ("i", lambda x, y, axes: np.minimum(y, x.min(axes, initial=127))),
    "andi": ("i", lambda x, y, axes: y & np.bitwise_and.reduce(x, axes)),
    "ori": ("i", lambda x, y, axes: y | np.bitwise_or.reduce(x, axes)),
    "xori": ("i", lambda x, y, axes: y ^ np.bitwise_xor.reduce(x, axes)),
    "subf": ("f", lambda x, y, axes: y - x.astype(np.float64).sum(axes)),
}


@pytest.mark.parametrize("combiner", COMBINERS)
@pytest.mark.parametrize("axes", [(2,), (0,), (1,), (0, 1), (1, 2), (0, 2), (0, 1, 2)], ids=str)
@pytest.mark.parametrize("shape", [[0, 3, 5], [1, 1, 1], [3, 17, 33], [2, 5, 600]], ids=str)
def test_reductions(combiner, axes, shape):
    kind, reference = COMBINERS[combiner]
    if shape != [3, 17, 33] and combiner not in ("addf", "maximumf", "addi"):
        pytest.skip("one shape suffices for the other combiners")
    rng = np.random.default_rng(24)
    dtypes = ["i8", "i32", "i64"] if kind == "i" else ["f32", "f64"]
    for dtype in dtypes:
        x = random_array(rng, shape, dtype)
        if "mul" in combiner and kind == "f":
            x = (1 + x / 100).astype(x.dtype)
        out = [s for i, s in enumerate(shape) if i not in axes]
        y = random_array(rng, out, dtype)
        iterators = [R if i in axes else P for i in range(3)]
        kept = ", ".join(f"d{i}" for i in range(3) if i not in axes)
        operands = "%b, %a" if combiner == "subf" else "%a, %b"
        text = unary(("d0, d1, d2", kept), iterators, tensor(shape, dtype), tensor(out, dtype),
                     f"%s = arith.{combiner} {operands} : {dtype}\n      linalg.yield %s : {dtype}", dtype)
        with np.errstate(all="ignore"):
            expected = np.asarray(reference(x, y, axes)).astype(x.dtype)
        tolerance = 1e-5 if dtype == "f32" else 1e-12
        check(run(text, [(x, dtype), (y, dtype)]), [expected], tolerance, 200 * tolerance)


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_half_reductions_accumulate_wide(dtype):
    x = random_array(np.random.default_rng(25), [4, 3000], dtype, 0, 1)
    y = random_array(np.random.default_rng(25), [4], dtype, 0, 1)
    text = unary(("d0, d1", "d0"), [P, R], tensor(x.shape, dtype), tensor(y.shape, dtype),
                 f"%s = arith.addf %a, %b : {dtype}\n      linalg.yield %s : {dtype}", dtype)
    (result,) = run(text, [(x, dtype), (y, dtype)])
    expected = x.astype(np.float64).sum(1) + y.astype(np.float64)
    np.testing.assert_allclose(result.astype(np.float64), expected, rtol=2.0**-7)


def test_named_reduce_with_two_results():
    x = random_array(np.random.default_rng(26), [7, 19], "f32")
    text = """
func.func @main(%x: tensor<7x19xf32>) -> (tensor<7xf32>, tensor<7xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<7xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<7xf32>) -> tensor<7xf32>
  %m = linalg.fill ins(%low : f32) outs(%e : tensor<7xf32>) -> tensor<7xf32>
  %r:2 = linalg.reduce ins(%x, %x : tensor<7x19xf32>, tensor<7x19xf32>) outs(%s, %m : tensor<7xf32>, tensor<7xf32>) dimensions = [1]
    (%a: f32, %b: f32, %c: f32, %d: f32) {
      %sum = arith.addf %a, %c : f32
      %max = arith.maximumf %b, %d : f32
      linalg.yield %sum, %max : f32, f32
    }
  return %r#0, %r#1 : tensor<7xf32>, tensor<7xf32>
}"""
    check(run(text, [(x, "f32")]), [x.astype(np.float64).sum(1).astype(np.float32), x.max(1)], 1e-5, 1e-5)


@pytest.mark.parametrize("axis", [0, 1])
def test_argmax(axis):
    x = random_array(np.random.default_rng(27), [13, 37], "f32")
    x[3, 5] = x.max() + 1
    kept, iterators = ("d0", [P, R]) if axis == 1 else ("d1", [R, P])
    size = x.shape[1 - axis]
    body = f"""^bb0(%a: f32, %m: f32, %i: i64):
      %k = linalg.index {axis} : index
      %j = arith.index_cast %k : index to i64
      %g = arith.cmpf ogt, %a, %m : f32
      %n = arith.maximumf %a, %m : f32
      %s = arith.select %g, %j, %i : i64
      linalg.yield %n, %s : f32, i64"""
    op = generic(("d0, d1", kept, kept), iterators, [("%x", "tensor<13x37xf32>")],
                 [("%f", f"tensor<{size}xf32>"), ("%z", f"tensor<{size}xi64>")], body)
    text = f"""
func.func @main(%x: tensor<13x37xf32>) -> (tensor<{size}xf32>, tensor<{size}xi64>) {{
  %low = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : i64
  %ef = tensor.empty() : tensor<{size}xf32>
  %ei = tensor.empty() : tensor<{size}xi64>
  %f = linalg.fill ins(%low : f32) outs(%ef : tensor<{size}xf32>) -> tensor<{size}xf32>
  %z = linalg.fill ins(%c0 : i64) outs(%ei : tensor<{size}xi64>) -> tensor<{size}xi64>
  %r:2 = {op}
  return %r#0, %r#1 : tensor<{size}xf32>, tensor<{size}xi64>
}}"""
    check(run(text, [(x, "f32")]), [x.max(axis), x.argmax(axis)])


def test_index_and_gather_in_bodies():
    rng = np.random.default_rng(28)
    table = random_array(rng, [50, 24], "f32")
    ids = rng.integers(0, 50, [3, 7])
    text = """
func.func @main(%t: tensor<?x24xf32>, %i: tensor<?x?xi64>) -> (tensor<?x?x24xf32>, tensor<?x?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %i, %c0 : tensor<?x?xi64>
  %s = tensor.dim %i, %c1 : tensor<?x?xi64>
  %e = tensor.empty(%b, %s) : tensor<?x?x24xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b)>, affine_map<(a, b, c) -> (a, b, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%i : tensor<?x?xi64>) outs(%e : tensor<?x?x24xf32>) {
  ^bb0(%id: i64, %o: f32):
    %row = arith.index_cast %id : i64 to index
    %col = linalg.index 2 : index
    %v = tensor.extract %t[%row, %col] : tensor<?x24xf32>
    linalg.yield %v : f32
  } -> tensor<?x?x24xf32>
  %e2 = tensor.empty(%b, %s) : tensor<?x?xi64>
  %p = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} outs(%e2 : tensor<?x?xi64>) {
  ^bb0(%o: i64):
    %x = linalg.index 0 : index
    %y = linalg.index 1 : index
    %m = arith.muli %x, %s : index
    %n = arith.addi %m, %y : index
    %c = arith.index_cast %n : index to i64
    linalg.yield %c : i64
  } -> tensor<?x?xi64>
  return %g, %p : tensor<?x?x24xf32>, tensor<?x?xi64>
}"""
    check(run(text, [(table, "f32"), (ids, "i64")]), [table[ids], np.arange(21).reshape(3, 7)])
    for bad in (50, -1, 2**40):
        wrong = ids.copy()
        wrong[1, 3] = bad
        with pytest.raises(RunError, match=str(bad)):
            run(text, [(table, "f32"), (wrong, "i64")])


def test_control_flow_inside_a_body():
    x = random_array(np.random.default_rng(29), [50], "i32", 0, 40)
    text = """
func.func @main(%x: tensor<50xi32>) -> tensor<50xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %limit = arith.constant 20 : i32
  %e = tensor.empty() : tensor<50xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<50xi32>) outs(%e : tensor<50xi32>) {
  ^bb0(%a: i32, %o: i32):
    %n = arith.index_cast %a : i32 to index
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (i32) {
      %j = arith.index_cast %i : index to i32
      %t = arith.addi %s, %j : i32
      scf.yield %t : i32
    }
    %big = arith.cmpi sgt, %a, %limit : i32
    %v = scf.if %big -> (i32) {
      %m = arith.subi %zero, %sum : i32
      scf.yield %m : i32
    } else {
      scf.yield %sum : i32
    }
    linalg.yield %v : i32
  } -> tensor<50xi32>
  return %r : tensor<50xi32>
}"""
    total = x * (x - 1) // 2
    check(run(text, [(x, "i32")]), [np.where(x > 20, -total, total).astype(np.int32)])


def test_softmax_and_layer_norm():
    x = random_array(np.random.default_rng(30), [5, 37], "f32")
    text = """
func.func @main(%x: tensor<?x37xf32>) -> tensor<?x37xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x37xf32>
  %e = tensor.empty(%d) : tensor<?x37xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x37xf32>) outs(%e : tensor<?x37xf32>) -> tensor<?x37xf32>
  return %r : tensor<?x37xf32>
}"""
    wide = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    check(run(text, [(x, "f32")]), [(wide / wide.sum(1, keepdims=True)).astype(np.float32)], 1e-5, 1e-7)


def test_contract_and_elementwise_ops():
    rng = np.random.default_rng(31)
    a, b = random_array(rng, [4, 6, 5], "f32"), random_array(rng, [7, 5, 6], "f32")
    text = """
#a = affine_map<(m, n, p, q) -> (m, p, q)>
#b = affine_map<(m, n, p, q) -> (n, q, p)>
#c = affine_map<(m, n, p, q) -> (m, n)>
#i = affine_map<(m, n) -> (m, n)>
#t = affine_map<(m, n) -> (n, m)>
func.func @main(%a: tensor<4x6x5xf32>, %b: tensor<7x5x6xf32>) -> tensor<7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x7xf32>) -> tensor<4x7xf32>
  %r = linalg.contract indexing_maps = [#a, #b, #c] ins(%a, %b : tensor<4x6x5xf32>, tensor<7x5x6xf32>) outs(%f : tensor<4x7xf32>) -> tensor<4x7xf32>
  %e2 = tensor.empty() : tensor<7x4xf32>
  %s = linalg.elementwise kind=#linalg.elementwise_kind<exp> indexing_maps = [#t, #i] ins(%r : tensor<4x7xf32>) outs(%e2 : tensor<7x4xf32>) -> tensor<7x4xf32>
  return %s : tensor<7x4xf32>
}"""
    a, b = a / 8, b / 8
    expected = np.exp(np.einsum("mpq,nqp->mn", a.astype(np.float64), b.astype(np.float64))).T
    check(run(text, [(a, "f32"), (b, "f32")]), [expected.astype(np.float32)], 1e-5, 1e-6)


SELECTED = {
    # Body, dtype and a step of the reduction; each reads what was selected before in more than the select.
    "count": ("%s = arith.addi %o, %one : T\n %k = arith.cmpi sgt, %a, %zero : T\n %r = arith.select %k, %s, %o : T",
              lambda a, o: o + 1 if a > 0 else o),
    "grow": ("%s = arith.addi %o, %one : T\n %r = arith.maxsi %o, %s : T", lambda a, o: max(o, o + 1)),
    "far": ("%s = arith.addi %o, %ten : T\n %k = arith.cmpi sgt, %a, %s : T\n %r = arith.select %k, %a, %o : T",
            lambda a, o: a if a > o + 10 else o),
    "bits": ("%s = arith.addi %o, %one : T\n %r = arith.ori %o, %s : T", lambda a, o: o | (o + 1)),
}


@pytest.mark.parametrize("parallel", [None, 1, 2, 3])
@pytest.mark.parametrize("length", [0, 1, 9, 700, 2049])
@pytest.mark.parametrize("name", SELECTED)
def test_select_of_the_state(name, length, parallel):
    """Reductions whose body computes with the state before it selects."""
    body, step = SELECTED[name]
    rows = "d0, " if parallel else ""
    loops, column = ("d0, d1", "d1") if parallel else ("d0", "d0")
    kinds = '"parallel", "reduction"' if parallel else '"reduction"'
    x_type = "tensor<?x?xi64>" if parallel else "tensor<?xi64>"
    y_type = "tensor<?xi64>" if parallel else "tensor<i64>"
    text = f"""
func.func @main(%x: {x_type}, %y: {y_type}) -> {y_type} {{
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %ten = arith.constant 10 : i64
  %r = linalg.generic {{indexing_maps = [affine_map<({loops}) -> ({rows}{column})>, affine_map<({loops}) -> ({rows[:2]})>],
      iterator_types = [{kinds}]}} ins(%x : {x_type}) outs(%y : {y_type}) {{
  ^bb0(%a: i64, %o: i64):
    {body.replace("T", "i64")}
    linalg.yield %r : i64
  }} -> {y_type}
  return %r : {y_type}
}}"""
    rng = np.random.default_rng(47)
    x = rng.integers(-50, 60, [parallel or 1, length])
    y = rng.integers(-5, 5, [parallel or 1])
    expected = y.copy()
    for row in range(len(y)):
        for value in x[row]:
            expected[row] = step(value, expected[row])
    if not parallel:
        x, y, expected = x[0], y[0], expected[0]
    inputs = [(x, "i64"), (np.asarray(y), "i64")]
    for option in ("--tiers=interpreter", "--force-tier=baseline"):
        check(run(text, inputs, options=[option]), [np.asarray(expected)])
