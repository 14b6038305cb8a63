# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The single operations of utils/bench compute what they are named for."""

import math
import os
import pathlib
import subprocess

import numpy as np
import op_bench
import ops
import pytest

JIT_RUN = pathlib.Path(os.environ["ANNEAL_BUILD"]) / "bin" / "jit-run"
SMALL = [op for op in ops.all_ops() if op.bytes < 6e6]


def erf(x):
    return np.vectorize(math.erf)(x)


def expected(op):
    x, *rest = (a.astype(np.float64) for a in op.inputs)
    if op.kind.startswith("matmul"):
        return x @ (op.weights["w"] if op.weights else rest[0])
    if op.kind == "softmax":
        e = np.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)
    if op.kind == "layer norm":
        scaled = (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)
        return scaled * rest[0] + rest[1]
    if op.kind == "GELU":
        return 0.5 * x * (1 + erf(x / np.sqrt(2)))
    if op.kind == "add":
        return x + rest[0]
    if op.kind == "multiply by a row":
        return x * rest[0]
    if op.kind == "transpose":
        return x.T
    return convolve(x, op)


def convolve(x, op):
    w = op.weights["w"].astype(np.float64)
    taps, stride = w.shape[2], op.nodes[0][3]["strides"][0]
    pad = taps // 2
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    _, _, height, width = op.result
    sums = "nchw,fc->nfhw" if op.nodes[0][3]["group"] == 1 else "nchw,cf->nchw"
    total = 0
    for i in range(taps):
        for j in range(taps):
            seen = x[:, :, i : i + stride * height : stride, j : j + stride * width : stride]
            total = total + np.einsum(sums, seen, w[:, :, i, j])
    return total


@pytest.mark.parametrize("op", SMALL, ids=lambda op: f"{op.kind} {op.size}")
def test_op(op, tmp_path, monkeypatch):
    monkeypatch.setattr(ops.Op, "_write_onnx", lambda self, path: None)
    op.write(tmp_path)
    command = [JIT_RUN, tmp_path / "model.mlir", f"--inputs-dir={tmp_path}/case0", f"--output-dir={tmp_path}"]
    said = subprocess.run(command, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    np.testing.assert_allclose(np.load(tmp_path / "out0.npy"), expected(op), rtol=2e-4, atol=2e-4)


def test_every_kind_is_tested():
    assert {op.kind for op in SMALL} == {op.kind for op in ops.all_ops()}


def test_table():
    times = {"anneal": 10.0, "onnxruntime": 20.0, "openvino": 40.0}
    entry = {"kind": "add", "size": "2x2", "us": times, "gbs": 4.0, "of_peak": 0.5}
    result = {
        "machine": {"cpu": "some"},
        "threads": 1,
        "peak": {"gflops": 100, "gbs": 8.0},
        "versions": {"onnxruntime": "1", "openvino": "1"},
        "ops": [entry, entry | {"us": times | {"anneal": 40.0}}],
    }
    table = op_bench.markdown(result)
    assert "| add | 2x2 | 10.0 | 4.0 GB/s | 50% | 20.0 | 40.0 | 0.50 |" in table
    assert "| add | 1.00 |" in table
