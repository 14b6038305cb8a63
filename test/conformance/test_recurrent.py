"""Recurrent cells: products of sequences and of gates are hoisted and merged, and their loop is one
unit. The results are those of the steps, one by one."""

import json
import pathlib
import tempfile

import numpy as np
import pytest
from harness import JIT_RUN, check, random_array, run


def dense(array):
    """An f32 array as an MLIR attribute, exactly."""
    array = np.ascontiguousarray(array, np.float32)
    shape = "x".join(map(str, array.shape))
    return f'dense<"0x{array.tobytes().hex().upper()}"> : tensor<{shape}xf32>'


def gru_like(batch, width, gates, order, count):
    """A loop over `x` (steps x batch x inputs) with `gates` products of each step and of the state;
    the state becomes the tanh of their sum. `order`: the step of iteration %t; `count`: the number
    of iterations."""
    rng = np.random.default_rng(7)
    inputs = 3
    # Small, so that the state forgets its rounding errors.
    wx = [random_array(rng, [inputs, width], "f32") / 4 for _ in range(gates)]
    wh = [random_array(rng, [width, width], "f32") / 4 for _ in range(gates)]
    rows = f"tensor<{batch}x{width}xf32>"
    lines = [
        f"func.func @main(%x: tensor<?x{batch}x{inputs}xf32>, %h: {rows}) -> ({rows}, tensor<?x{batch}x{width}xf32>) {{",
        "  %c0 = arith.constant 0 : index",
        "  %c1 = arith.constant 1 : index",
        "  %zero = arith.constant 0.0 : f32",
        f"  %n = tensor.dim %x, %c0 : tensor<?x{batch}x{inputs}xf32>",
        "  %last = arith.subi %n, %c1 : index",
        "  %half = arith.shrui %n, %c1 : index",
        f"  %e = tensor.empty() : {rows}",
        f"  %z = linalg.fill ins(%zero : f32) outs(%e : {rows}) -> {rows}",
        f"  %ye = tensor.empty(%n) : tensor<?x{batch}x{width}xf32>",
        f"  %y = linalg.fill ins(%zero : f32) outs(%ye : tensor<?x{batch}x{width}xf32>) -> tensor<?x{batch}x{width}xf32>",
    ]
    for g in range(gates):
        lines.append(f"  %wx{g} = arith.constant {dense(wx[g])}")
        lines.append(f"  %wh{g} = arith.constant {dense(wh[g])}")
    lines += [
        f"  %r:2 = scf.for %t = %c0 to {count} step %c1 iter_args(%s = %h, %o = %y) -> ({rows}, tensor<?x{batch}x{width}xf32>) {{",
        "    %back = arith.subi %last, %t : index",
        f"    %step = tensor.extract_slice %x[{order}, 0, 0] [1, {batch}, {inputs}] [1, 1, 1] : "
        f"tensor<?x{batch}x{inputs}xf32> to tensor<{batch}x{inputs}xf32>",
    ]
    total = None
    for g in range(gates):
        lines.append(
            f"    %a{g} = linalg.matmul ins(%step, %wx{g} : tensor<{batch}x{inputs}xf32>, "
            f"tensor<{inputs}x{width}xf32>) outs(%z : {rows}) -> {rows}"
        )
        lines.append(
            f"    %b{g} = linalg.matmul ins(%s, %wh{g} : {rows}, tensor<{width}x{width}xf32>) "
            f"outs(%z : {rows}) -> {rows}"
        )
        for name in (f"a{g}", f"b{g}"):
            if total is None:
                total = f"%{name}"
                continue
            lines.append(
                f"    %sum_{name} = linalg.add ins({total}, %{name} : {rows}, {rows}) outs(%e : {rows}) -> {rows}"
            )
            total = f"%sum_{name}"
    lines += [
        f"    %next = linalg.tanh ins({total} : {rows}) outs(%e : {rows}) -> {rows}",
        f"    %put = tensor.insert_slice %next into %o[%t, 0, 0] [1, {batch}, {width}] [1, 1, 1] : "
        f"{rows} into tensor<?x{batch}x{width}xf32>",
        f"    scf.yield %next, %put : {rows}, tensor<?x{batch}x{width}xf32>",
        "  }",
        f"  return %r#0, %r#1 : {rows}, tensor<?x{batch}x{width}xf32>",
        "}",
    ]
    return "\n".join(lines), wx, wh


def reference(x, h, wx, wh, steps):
    """The same by NumPy, in double precision."""
    y = np.zeros((x.shape[0], *h.shape))
    for t, step in enumerate(steps):
        total = sum(x[step].astype(np.float64) @ w for w in wx)
        total = total + sum(h.astype(np.float64) @ w for w in wh)
        h = np.tanh(total)
        y[t] = h
    return h, y


@pytest.mark.parametrize("steps", [0, 1, 2, 13])
@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("order", ["%t", "%back"])
def test_cell(steps, batch, order):
    text, wx, wh = gru_like(batch, 5, 4, order, "%n")
    rng = np.random.default_rng(steps)
    x = random_array(rng, [steps, batch, 3], "f32")
    h = random_array(rng, [batch, 5], "f32")
    taken = range(steps) if order == "%t" else range(steps - 1, -1, -1)
    last, y = reference(x, h, wx, wh, taken)
    check(run(text, [(x, "f32"), (h, "f32")]), [last.astype(np.float32), y.astype(np.float32)],
          rtol=1e-5, atol=1e-5)


def test_a_loop_over_half_of_the_sequence_is_not_hoisted():
    text, wx, wh = gru_like(2, 4, 2, "%t", "%half")
    rng = np.random.default_rng(3)
    x = random_array(rng, [9, 2, 3], "f32")
    h = random_array(rng, [2, 4], "f32")
    last, y = reference(x, h, wx, wh, range(4))
    check(run(text, [(x, "f32"), (h, "f32")]), [last.astype(np.float32), y.astype(np.float32)],
          rtol=1e-5, atol=1e-5)


def test_the_loop_is_one_unit():
    text, _, _ = gru_like(1, 5, 4, "%t", "%n")
    with tempfile.TemporaryDirectory() as name:
        report = pathlib.Path(name) / "report.json"
        x = random_array(np.random.default_rng(0), [20, 1, 3], "f32")
        h = np.zeros([1, 5], np.float32)
        run(text, [(x, "f32"), (h, "f32")], options=[f"--report={report}"])
        seen = json.loads(report.read_text())
    kinds = {unit["name"]: unit for unit in seen["units"]}
    assert kinds["main.loop_0"]["kind"] == "scf.for"
    assert kinds["main.loop_0"]["calls"] == 1
    # The product of the sequence, the loop, and what fills the result.
    assert seen["steps"] <= 3
    # Of the products with the state one is left.
    products = [u for u in seen["units"] if u["kind"] == "linalg.matmul" and u["calls"] == 20]
    assert len(products) == 1
