"""Softmax, layer norm and attention, which are units of several operations (DESIGN.md D3), against NumPy;
compiled code and other thread counts give the same bits."""

import numpy as np
import pytest
from harness import check, random_array, run

SIZES = [(1, 1), (0, 3), (2, 1), (3, 7), (2, 17), (1, 129)]
TOLERANCE = {"f32": 2e-5, "f64": 1e-12}


def reduction(name, source, source_type, result_type, maps, loops, start, op, dtype):
    """Text of `%name`, the reduction of `%source` by `op` along the last loop."""
    dims = ", ".join(f"d{i}" for i in range(loops))
    kinds = ", ".join(['"parallel"'] * (loops - 1) + ['"reduction"'])
    return f"""
  %i{name} = linalg.fill ins({start} : {dtype}) outs(%rows : {result_type}) -> {result_type}
  %{name} = linalg.generic {{indexing_maps = [affine_map<({dims}) -> ({dims})>,
      affine_map<({dims}) -> ({maps})>], iterator_types = [{kinds}]}}
      ins(%{source} : {source_type}) outs(%i{name} : {result_type}) {{
  ^bb0(%a: {dtype}, %b: {dtype}):
    %v = {op} %a, %b : {dtype}
    linalg.yield %v : {dtype}
  }} -> {result_type}"""


def by_rows(name, source, row, source_type, row_type, maps, loops, body, dtype):
    """Text of `%name`, element-wise in `%source` (%a) and a value of its row (%b); `body` gives %v."""
    dims = ", ".join(f"d{i}" for i in range(loops))
    kinds = ", ".join(['"parallel"'] * loops)
    return f"""
  %{name} = linalg.generic {{indexing_maps = [affine_map<({dims}) -> ({dims})>,
      affine_map<({dims}) -> ({maps})>, affine_map<({dims}) -> ({dims})>], iterator_types = [{kinds}]}}
      ins(%{source}, %{row} : {source_type}, {row_type}) outs(%all : {source_type}) {{
  ^bb0(%a: {dtype}, %b: {dtype}, %c: {dtype}):
    {body}
    linalg.yield %v : {dtype}
  }} -> {source_type}"""


def softmax(source, source_type, row_type, maps, loops, dtype):
    """Text of `%softmax` of `%source` along the last dimension; reads %low, %zero, %rows, %all."""
    exp = f"%d = arith.subf %a, %b : {dtype}\n    %v = math.exp %d : {dtype}"
    shapes = (source_type, row_type, maps, loops)
    return (reduction("max", source, *shapes, "%low", "arith.maximumf", dtype) +
            by_rows("exp", source, "max", *shapes, exp, dtype) +
            reduction("sum", "exp", *shapes, "%zero", "arith.addf", dtype) +
            by_rows("softmax", "exp", "sum", *shapes, f"%v = arith.divf %a, %b : {dtype}", dtype))


def softmax_of(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True, initial=-np.inf))
    return e / e.sum(axis=-1, keepdims=True)


def check_tiers(text, inputs, dtype, expected):
    """The interpreter agrees with NumPy, compiled code and other thread counts with it bit for bit."""
    oracle = run(text, inputs, options=["--tiers=interpreter"])
    if expected is not None:
        check(oracle, [expected], rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
    for option, threads in (("--force-tier=baseline", 2), ("--tiers=interpreter", 1)):
        for a, b in zip(run(text, inputs, options=[option], threads=threads), oracle):
            np.testing.assert_array_equal(a, b)


def softmax_text(dtype):
    all_type, row_type = f"tensor<?x?x{dtype}>", f"tensor<?x{dtype}>"
    low = {"f16": "0xFC00", "f32": "0xFF800000", "f64": "0xFFF0000000000000"}[dtype]
    return f"""
func.func @main(%x: {all_type}) -> {all_type} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant {low} : {dtype}
  %zero = arith.constant 0.0 : {dtype}
  %m = tensor.dim %x, %c0 : {all_type}
  %n = tensor.dim %x, %c1 : {all_type}
  %rows = tensor.empty(%m) : {row_type}
  %all = tensor.empty(%m, %n) : {all_type}
  {softmax("x", all_type, row_type, "d0", 2, dtype)}
  return %softmax : {all_type}
}}"""


@pytest.mark.parametrize("dtype", ["f32", "f64", "f16"])
@pytest.mark.parametrize("shape", SIZES, ids=str)
def test_softmax(shape, dtype):
    text = softmax_text(dtype)
    x = random_array(np.random.default_rng(50), shape, dtype)
    check_tiers(text, [(x, dtype)], dtype, None if dtype == "f16" else softmax_of(x))


@pytest.mark.parametrize("shape", [(131, 1031), (3, 200003), (30011, 7), (257, 1024)], ids=str)
def test_softmax_in_bands(shape):
    """More than a near cache holds is computed some rows at a time; each row is what it is alone."""
    text = softmax_text("f32")
    x = random_array(np.random.default_rng(54), shape, "f32")
    check_tiers(text, [(x, "f32")], "f32", softmax_of(x))
    whole = run(text, [(x, "f32")])[0]
    for first in (0, shape[0] - 2):
        part = run(text, [(x[first:first + 2], "f32")])[0]
        np.testing.assert_array_equal(whole[first:first + 2], part)


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("batch,length", SIZES, ids=str)
def test_attention(batch, length, dtype):
    """[batch, length, heads, depth] in and out, as transformers are exported: transposes, collapsed
    batch_matmul, a mask, softmax."""
    heads, depth = 3, 5
    t = lambda dims: f"tensor<{dims}x{dtype}>"
    token, head, keys = t("?x?x3x5"), t("?x3x?x5"), t("?x3x5x?")
    scores, row = t("?x3x?x?"), t("?x3x?")
    low = {"f32": "0xFF800000", "f64": "0xFFF0000000000000"}[dtype]
    text = f"""
func.func @main(%q: {token}, %k: {token}, %val: {token}, %mask: {t("?x?")}) -> {token} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %low = arith.constant {low} : {dtype}
  %zero = arith.constant 0.0 : {dtype}
  %batch = tensor.dim %q, %c0 : {token}
  %length = tensor.dim %q, %c1 : {token}
  %bh = arith.muli %batch, %c3 : index
  %eh = tensor.empty(%batch, %length) : {head}
  %ek = tensor.empty(%batch, %length) : {keys}
  %et = tensor.empty(%batch, %length) : {token}
  %rows = tensor.empty(%batch, %length) : {row}
  %all = tensor.empty(%batch, %length, %length) : {scores}
  %tq = linalg.transpose ins(%q : {token}) outs(%eh : {head}) permutation = [0, 2, 1, 3]
  %tk = linalg.transpose ins(%k : {token}) outs(%ek : {keys}) permutation = [0, 2, 3, 1]
  %tv = linalg.transpose ins(%val : {token}) outs(%eh : {head}) permutation = [0, 2, 1, 3]
  %cq = tensor.collapse_shape %tq [[0, 1], [2], [3]] : {head} into {t("?x?x5")}
  %ck = tensor.collapse_shape %tk [[0, 1], [2], [3]] : {keys} into {t("?x5x?")}
  %cv = tensor.collapse_shape %tv [[0, 1], [2], [3]] : {head} into {t("?x?x5")}
  %e0 = tensor.empty(%bh, %length, %length) : {t("?x?x?")}
  %f0 = linalg.fill ins(%zero : {dtype}) outs(%e0 : {t("?x?x?")}) -> {t("?x?x?")}
  %qk = linalg.batch_matmul ins(%cq, %ck : {t("?x?x5")}, {t("?x5x?")})
      outs(%f0 : {t("?x?x?")}) -> {t("?x?x?")}
  %x0 = tensor.expand_shape %qk [[0, 1], [2], [3]] output_shape [%batch, 3, %length, %length]
      : {t("?x?x?")} into {scores}
  %x = linalg.generic {{indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>,
      affine_map<(b, h, m, n) -> (b, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
      ins(%x0, %mask : {scores}, {t("?x?")}) outs(%all : {scores}) {{
  ^bb0(%a: {dtype}, %c: {dtype}, %d: {dtype}):
    %r = arith.addf %a, %c : {dtype}
    linalg.yield %r : {dtype}
  }} -> {scores}
  {softmax("x", scores, row, "d0, d1, d2", 4, dtype)}
  %cp = tensor.collapse_shape %softmax [[0, 1], [2], [3]] : {scores} into {t("?x?x?")}
  %e1 = tensor.empty(%bh, %length) : {t("?x?x5")}
  %f1 = linalg.fill ins(%zero : {dtype}) outs(%e1 : {t("?x?x5")}) -> {t("?x?x5")}
  %pv = linalg.batch_matmul ins(%cp, %cv : {t("?x?x?")}, {t("?x?x5")})
      outs(%f1 : {t("?x?x5")}) -> {t("?x?x5")}
  %y = tensor.expand_shape %pv [[0, 1], [2], [3]] output_shape [%batch, 3, %length, 5]
      : {t("?x?x5")} into {head}
  %r = linalg.transpose ins(%y : {head}) outs(%et : {token}) permutation = [0, 2, 1, 3]
  return %r : {token}
}}"""
    rng = np.random.default_rng(51)
    q, k, v = (random_array(rng, (batch, length, heads, depth), dtype) for _ in range(3))
    mask = np.where(rng.integers(0, 3, (batch, length)) == 0, -10000.0, 0.0).astype(q.dtype)
    scores = np.einsum("bmhd,bnhd->bhmn", q, k) + mask[:, None, None, :]
    expected = np.einsum("bhmn,bnhd->bmhd", softmax_of(scores), v)
    check_tiers(text, [(a, dtype) for a in (q, k, v, mask)], dtype, expected)


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("shape", SIZES, ids=str)
def test_layer_norm_after_a_matmul(shape, dtype):
    all_type, row_type = f"tensor<?x11x{dtype}>", f"tensor<?x{dtype}>"
    shapes = (all_type, row_type, "d0", 2)
    centre = f"%s = arith.divf %b, %count : {dtype}\n    %v = arith.subf %a, %s : {dtype}"
    scale = f"""%s = arith.divf %b, %count : {dtype}
    %t = arith.addf %s, %eps : {dtype}
    %u = math.sqrt %t : {dtype}
    %v = arith.divf %a, %u : {dtype}"""
    text = f"""
func.func @main(%x: tensor<?x?x{dtype}>, %w: tensor<?x11x{dtype}>) -> {all_type} {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : {dtype}
  %count = arith.constant 11.0 : {dtype}
  %eps = arith.constant 0.001 : {dtype}
  %m = tensor.dim %x, %c0 : tensor<?x?x{dtype}>
  %rows = tensor.empty(%m) : {row_type}
  %all = tensor.empty(%m) : {all_type}
  %f = linalg.fill ins(%zero : {dtype}) outs(%all : {all_type}) -> {all_type}
  %y = linalg.matmul ins(%x, %w : tensor<?x?x{dtype}>, tensor<?x11x{dtype}>)
      outs(%f : {all_type}) -> {all_type}
  {reduction("mean", "y", *shapes, "%zero", "arith.addf", dtype)}
  {by_rows("centred", "y", "mean", *shapes, centre, dtype)}
  %squares = linalg.mul ins(%centred, %centred : {all_type}, {all_type})
      outs(%all : {all_type}) -> {all_type}
  {reduction("var", "squares", *shapes, "%zero", "arith.addf", dtype)}
  {by_rows("r", "centred", "var", *shapes, scale, dtype)}
  return %r : {all_type}
}}"""
    rng = np.random.default_rng(52)
    x = random_array(rng, shape, dtype)
    w = random_array(rng, (shape[1], 11), dtype)
    y = x @ w
    centred = y - y.mean(axis=-1, keepdims=True)
    expected = centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + 0.001)
    check_tiers(text, [(x, dtype), (w, dtype)], dtype, expected.astype(x.dtype))


@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_a_square_that_goes_into_a_sum_is_rounded(dtype):
    """Fused or not, a sum of squares has the same bits: no multiply-add of a value with itself."""
    tensor, rows = f"tensor<?x?x{dtype}>", f"tensor<?x{dtype}>"
    head = f"""
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : {dtype}
  %m = tensor.dim %x, %c0 : {tensor}
  %n = tensor.dim %x, %c1 : {tensor}
  %e = tensor.empty(%m, %n) : {tensor}
  %q = linalg.square ins(%x : {tensor}) outs(%e : {tensor}) -> {tensor}
  %er = tensor.empty(%m) : {rows}
  %f = linalg.fill ins(%zero : {dtype}) outs(%er : {rows}) -> {rows}
  %s = linalg.reduce ins(%q : {tensor}) outs(%f : {rows}) dimensions = [1] (%a: {dtype}, %o: {dtype}) {{
    %t = arith.addf %a, %o : {dtype}
    linalg.yield %t : {dtype}
  }}"""
    fused = f"func.func @main(%x: {tensor}) -> {rows} {{{head}\n  return %s : {rows}\n}}"
    both = f"func.func @main(%x: {tensor}) -> ({rows}, {tensor}) {{{head}\n  return %s, %q : {rows}, {tensor}\n}}"
    pick = np.random.default_rng(3)
    for shape in [(2, 33), (5, 16), (3, 257), (1, 1)]:
        x = random_array(pick, shape, dtype)
        results = [
            run(text, [(x, dtype)], options=[f"--force-tier={tier}"])[0]
            for text in (fused, both)
            for tier in ("interpreter", "baseline")
        ]
        assert len({result.tobytes() for result in results}) == 1
        np.testing.assert_allclose(results[0], (x.astype(np.float64) ** 2).sum(axis=1), rtol=1e-5)
