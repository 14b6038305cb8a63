# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paths and helpers that the tests of python/ and utils/ share."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [
    str(ROOT / folder) for folder in ("python", "utils/models", "utils/bench")
]

MLIR_OPT = "/usr/lib/llvm-22/bin/mlir-opt"


@pytest.fixture
def anneal_import():
    """Runs `anneal-import` with the arguments; returns the finished process."""

    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "anneal.importer", *map(str, arguments)],
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONPATH": str(ROOT / "python")},
        )

    return run


@pytest.fixture
def text_of():
    """The module in a bytecode file as text."""

    def read(path):
        said = subprocess.run(
            [MLIR_OPT, str(path)], capture_output=True, text=True, check=True
        )
        return said.stdout

    return read


@pytest.fixture
def agrees_with_onnxruntime(anneal_import, tmp_path):
    """Imports a model, runs it with `jit-run`, and compares the results.

    Integers are compared exactly. Unsigned ones come back as signed of their width.
    """
    import numpy as np
    import onnxruntime

    def check(path, inputs):
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        names = [value.name for value in session.get_inputs()]
        expected = session.run(None, dict(zip(names, inputs, strict=True)))
        said = anneal_import(path, "-o", tmp_path / "model.mlirbc")
        assert said.returncode == 0, said.stderr
        for index, array in enumerate(inputs):
            np.save(tmp_path / f"in{index}.npy", array)
        command = [f"{os.environ['ANNEAL_BUILD']}/bin/jit-run", "model.mlirbc"]
        command += ["--inputs-dir=.", "--output-dir=out"]
        said = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        assert said.returncode == 0, said.stderr
        for index, want in enumerate(expected):
            got = np.load(tmp_path / "out" / f"out{index}.npy")
            if want.dtype.kind == "u":
                got = got.view(want.dtype)
            if want.dtype.kind == "f":
                np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
            else:
                np.testing.assert_array_equal(got, want)

    return check


@pytest.fixture
def onnx_model(tmp_path):
    """Writes an ONNX model of nodes, inputs, outputs and weights; returns its path."""
    from onnx import helper, numpy_helper, save_model

    def make(nodes, inputs, outputs, weights=None, name="graph", opset=18, **options):
        values = [
            [helper.make_tensor_value_info(n, *of) for n, of in group.items()]
            for group in (inputs, outputs)
        ]
        tensors = [numpy_helper.from_array(a, n) for n, a in (weights or {}).items()]
        domains = {node.domain for node in nodes} - {""}
        imports = [helper.make_opsetid("", opset)]
        imports += [helper.make_opsetid(domain, 1) for domain in domains]
        graph = helper.make_graph(nodes, name, *values, tensors)
        model = helper.make_model(graph, opset_imports=imports, ir_version=9)
        path = tmp_path / "model.onnx"
        save_model(model, str(path), **options)
        return path

    return make
