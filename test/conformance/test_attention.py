"""Attention: two contractions with softmax between them, which run band by band where the scores don't fit a
cache, against NumPy, and bit for bit at any number of threads and tier.
"""

import json
import subprocess

import numpy as np
import pytest

from harness import JIT_RUN, run

# Batch, heads, queries, keys, depth: scores from some KiB to some MiB, odd sizes, one batch and one head.
SHAPES = [
    (1, 12, 200, 200, 32),
    (3, 5, 129, 257, 16),
    (2, 1, 600, 600, 8),
    (1, 1, 700, 500, 8),
    (7, 2, 131, 513, 3),
    (2, 3, 5, 4, 7),
    (1, 1, 1, 1, 1),
    (0, 2, 300, 300, 8),
]
# Where the heads stand: rows of one head lie together, or those of all heads of a position do.
LAYOUTS = {"heads_first": "(b, h, {0}, d)", "heads_inside": "(b, {0}, h, d)"}


def module(layout):
    def matrix(name):
        return f"affine_map<(b, h, i, j, d) -> {LAYOUTS[layout].format(name)}>"

    tensor = "tensor<?x?x?x?xf32>"
    query, heads = (2, 1) if layout == "heads_first" else (1, 2)
    scores = "affine_map<(b, h, i, j, d) -> (b, h, i, j)>"
    point, row = "affine_map<(b, h, i, j) -> (b, h, i, j)>", "affine_map<(b, h, i, j) -> (b, h, i)>"
    mask = "affine_map<(b, h, i, j) -> (b, j)>"

    def mapped(ins, kinds, maps, body, out="tensor<?x?x?x?xf32>", init="%e", last="parallel", args="%x: f32"):
        return f"""linalg.generic {{indexing_maps = [{maps}],
      iterator_types = ["parallel", "parallel", "parallel", "{last}"]}}
      ins({ins} : {kinds}) outs({init} : {out}) {{
    ^bb0({args}, %o: f32):
      {body}
    }} -> {out}"""

    def product(a, b, maps, kinds, init):
        return f"""linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}
      ins({a}, {b} : {tensor}, {tensor}) outs({init} : {tensor}) {{
    ^bb0(%x: f32, %y: f32, %o: f32):
      %m = arith.mulf %x, %y : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
    }} -> {tensor}"""

    p, r = '"parallel"', '"reduction"'
    rows = "tensor<?x?x?xf32>"
    return f"""
func.func @main(%q: {tensor}, %k: {tensor}, %v: {tensor}, %mask: tensor<?x?xf32>) -> {tensor} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.17 : f32
  %b = tensor.dim %q, %c0 : {tensor}
  %h = tensor.dim %q, %c{heads} : {tensor}
  %i = tensor.dim %q, %c{query} : {tensor}
  %j = tensor.dim %k, %c{query} : {tensor}
  %d = tensor.dim %q, %c3 : {tensor}
  %e = tensor.empty(%b, %h, %i, %j) : {tensor}
  %er = tensor.empty(%b, %h, %i) : {rows}
  %f = linalg.fill ins(%zero : f32) outs(%e : {tensor}) -> {tensor}
  %scores = {product("%q", "%k", f"{matrix('i')}, {matrix('j')}, {scores}", f"{p}, {p}, {p}, {p}, {r}", "%f")}
  %masked = {mapped("%scores, %mask", f"{tensor}, tensor<?x?xf32>", f"{point}, {mask}, {point}",
    '''%m = arith.mulf %x, %scale : f32
      %s = arith.addf %m, %y : f32
      linalg.yield %s : f32''', args="%x: f32, %y: f32")}
  %fm = linalg.fill ins(%low : f32) outs(%er : {rows}) -> {rows}
  %max = {mapped("%masked", tensor, f"{point}, {row}",
    '''%s = arith.maximumf %x, %o : f32
      linalg.yield %s : f32''', out=rows, init="%fm", last="reduction")}
  %exp = {mapped("%masked, %max", f"{tensor}, {rows}", f"{point}, {row}, {point}",
    '''%m = arith.subf %x, %y : f32
      %s = math.exp %m : f32
      linalg.yield %s : f32''', args="%x: f32, %y: f32")}
  %fs = linalg.fill ins(%zero : f32) outs(%er : {rows}) -> {rows}
  %sum = {mapped("%exp", tensor, f"{point}, {row}",
    '''%s = arith.addf %x, %o : f32
      linalg.yield %s : f32''', out=rows, init="%fs", last="reduction")}
  %soft = {mapped("%exp, %sum", f"{tensor}, {rows}", f"{point}, {row}, {point}",
    '''%s = arith.divf %x, %y : f32
      linalg.yield %s : f32''', args="%x: f32, %y: f32")}
  %eo = tensor.empty({"%b, %h, %i, %d" if layout == "heads_first" else "%b, %i, %h, %d"}) : {tensor}
  %fo = linalg.fill ins(%zero : f32) outs(%eo : {tensor}) -> {tensor}
  %r = {product("%soft", "%v", f'''{scores}, {matrix("j")}, {matrix("i")}''',
    f"{p}, {p}, {p}, {r}, {p}", "%fo")}
  return %r : {tensor}
}}"""


def attention(q, k, v, mask):
    """Of arrays with the heads first."""
    scores = np.einsum("bhid,bhjd->bhij", q, k) * np.float64(np.float32(0.17)) + mask[:, None, None, :]
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.einsum("bhij,bhjd->bhid", weights / weights.sum(axis=-1, keepdims=True), v)


@pytest.mark.parametrize("layout", list(LAYOUTS))
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_attention(shape, layout, tmp_path):
    batch, heads, queries, keys, depth = shape
    rng = np.random.default_rng(list(shape))
    sizes = [(batch, heads, n, depth) for n in (queries, keys, keys)]
    arrays = [rng.uniform(-2, 2, size).astype(np.float32) for size in sizes]
    mask = np.where(rng.random((batch, keys)) < 0.2, -1e4, 0).astype(np.float32)
    want = attention(*(array.astype(np.float64) for array in (*arrays, mask)))
    if layout == "heads_inside":
        arrays = [np.ascontiguousarray(array.transpose(0, 2, 1, 3)) for array in arrays]
        want = want.transpose(0, 2, 1, 3)
    (tmp_path / "m.mlir").write_text(module(layout))
    for index, array in enumerate([*arrays, mask]):
        np.save(tmp_path / f"in{index}.npy", array)
    results = {}
    for tier in ["interpreter", "baseline"]:
        for threads in [1, 2, 4]:
            command = [JIT_RUN, tmp_path / "m.mlir", f"--inputs-dir={tmp_path}", f"--threads={threads}",
                       f"--force-tier={tier}", f"--output-dir={tmp_path}", f"--report={tmp_path / 'report'}"]
            said = subprocess.run(command, capture_output=True, text=True, timeout=300)
            assert said.returncode == 0, said.stderr
            results[tier, threads] = np.load(tmp_path / "out0.npy")
            report = json.loads((tmp_path / "report").read_text())
            assert len([unit for unit in report["units"] if unit["calls"]]) == 1, "attention is one unit"
            scores_bytes = 4 * batch * heads * queries * keys
            if threads == 1 and batch * heads > 4 and scores_bytes > 2**20:
                assert report["memory"]["workspace_bytes"] < scores_bytes / 2, "the scores are whole in memory"
    got = results["interpreter", 1]
    np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-6)
    for key, other in results.items():
        assert other.tobytes() == got.tobytes(), key


PRODUCT = """    ^bb0(%x: i8, %y: i8, %o: i32):
      %0 = arith.extsi %x : i8 to i32
      %1 = arith.extsi %y : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %o, %2 : i32
      linalg.yield %3 : i32
"""
INTEGERS = """
#a = affine_map<(b, h, i, j, d) -> (b, h, i, d)>
#b = affine_map<(b, h, i, j, d) -> (b, h, j, d)>
#s = affine_map<(b, h, i, j, d) -> (b, h, i, j)>
#p = affine_map<(b, h, i, j) -> (b, h, i, j)>
func.func @main(%q: tensor<?x6x?x?xi8>, %k: tensor<?x6x?x?xi8>, %v: tensor<?x6x?x?xi8>) -> tensor<?x6x?x?xi32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i32
  %shift = arith.constant 9 : i32
  %b = tensor.dim %q, %c0 : tensor<?x6x?x?xi8>
  %i = tensor.dim %q, %c2 : tensor<?x6x?x?xi8>
  %j = tensor.dim %k, %c2 : tensor<?x6x?x?xi8>
  %d = tensor.dim %q, %c3 : tensor<?x6x?x?xi8>
  %e = tensor.empty(%b, %i, %j) : tensor<?x6x?x?xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<?x6x?x?xi32>) -> tensor<?x6x?x?xi32>
  %scores = linalg.generic {indexing_maps = [#a, #b, #s],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x6x?x?xi8>, tensor<?x6x?x?xi8>) outs(%f : tensor<?x6x?x?xi32>) {
PRODUCT  } -> tensor<?x6x?x?xi32>
  %e8 = tensor.empty(%b, %i, %j) : tensor<?x6x?x?xi8>
  %small = linalg.generic {indexing_maps = [#p, #p], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%scores : tensor<?x6x?x?xi32>) outs(%e8 : tensor<?x6x?x?xi8>) {
    ^bb0(%x: i32, %o: i8):
      %0 = arith.shrsi %x, %shift : i32
      %1 = arith.trunci %0 : i32 to i8
      linalg.yield %1 : i8
  } -> tensor<?x6x?x?xi8>
  %eo = tensor.empty(%b, %i, %d) : tensor<?x6x?x?xi32>
  %fo = linalg.fill ins(%zero : i32) outs(%eo : tensor<?x6x?x?xi32>) -> tensor<?x6x?x?xi32>
  %r = linalg.generic {indexing_maps = [#s, #b, #a],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%small, %v : tensor<?x6x?x?xi8>, tensor<?x6x?x?xi8>) outs(%fo : tensor<?x6x?x?xi32>) {
PRODUCT  } -> tensor<?x6x?x?xi32>
  return %r : tensor<?x6x?x?xi32>
}""".replace("PRODUCT", PRODUCT)


@pytest.mark.parametrize("tier", ["interpreter", "baseline"])
@pytest.mark.parametrize("batch,queries,keys,depth", [(1, 257, 190, 24), (3, 5, 7, 3), (2, 131, 300, 1)])
def test_integers(batch, queries, keys, depth, tier):
    """With a known number of heads, and contractions that are made of several kernels."""
    rng = np.random.default_rng([batch, queries, keys])
    q, k, v = (rng.integers(-128, 128, (batch, 6, n, depth)).astype(np.int8) for n in (queries, keys, keys))
    scores = np.einsum("bhid,bhjd->bhij", q.astype(np.int32), k.astype(np.int32))
    want = np.einsum("bhij,bhjd->bhid", (scores >> 9).astype(np.int8).astype(np.int32), v.astype(np.int32))
    for threads in [1, 3]:
        (got,) = run(INTEGERS, [(a, "i8") for a in (q, k, v)], options=[f"--force-tier={tier}"], threads=threads)
        np.testing.assert_array_equal(got, want)
