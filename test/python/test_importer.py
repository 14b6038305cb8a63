# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""anneal-import: what it writes, and what it says when it cannot."""

import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT
from onnx import TensorProto, helper

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64

STABLEHLO = """
func.func @main(%x: tensor<4x16xf32>) -> tensor<4x8xf32> {
  %w = stablehlo.constant dense<"0xWEIGHT"> : tensor<16x8xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] :
    (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
"""

# Interrupts the importer when it has read the module, and would then run for ever.
INTERRUPTING_MLIR_OPT = """#!/bin/sh
if [ "$1" = --version ]; then echo LLVM version 22.1.8; exit; fi
cat >/dev/null
kill -TERM $PPID
exec tail -f /dev/null
"""


@pytest.fixture
def matmul(onnx_model):
    weight = np.arange(16 * 8, dtype=np.float32).reshape(16, 8)
    return onnx_model(
        [helper.make_node("MatMul", ["x", "w"], ["y"], "product")],
        {"x": (FLOAT, ["batch", 16])},
        {"y": (FLOAT, ["batch", 8])},
        {"w": weight},
        name="a graph",
    )


def blobs(text):
    """Alignment and bytes of each resource blob in a module's text."""
    found = re.findall(r': "0x([0-9A-F]{8})([0-9A-F]*)"', text)
    return [(int.from_bytes(bytes.fromhex(a), "little"), bytes.fromhex(b)) for a, b in found]


def test_onnx_becomes_linalg_with_open_sizes(matmul, anneal_import, text_of, tmp_path):
    out = tmp_path / "model.mlirbc"
    said = anneal_import(matmul, "-o", out)
    assert (said.returncode, said.stderr) == (0, "")
    text = text_of(out)
    assert 'func.func @"a graph"(%arg0: tensor<?x16xf32>) -> tensor<?x8xf32>' in text
    assert "linalg.matmul" in text


def test_weights_are_aligned_blobs_in_the_file(matmul, anneal_import, text_of, tmp_path):
    out = tmp_path / "model.mlirbc"
    anneal_import(matmul, "-o", out)
    weight = np.arange(16 * 8, dtype=np.float32).tobytes()
    assert (64, weight) in blobs(text_of(out))
    assert out.read_bytes().find(weight) % 64 == 0


def test_weights_in_typed_fields_and_in_other_files_are_blobs_too(
    onnx_model, anneal_import, text_of, tmp_path
):
    weight = np.linspace(-1, 1, 16 * 80, dtype=np.float32).reshape(16, 80)
    typed = helper.make_tensor("t", FLOAT, [80], weight[0].tolist())
    path = onnx_model(
        [
            helper.make_node("Constant", [], ["t"], "constant", value=typed),
            helper.make_node("MatMul", ["x", "w"], ["p"], "product"),
            helper.make_node("Add", ["p", "t"], ["y"], "sum"),
        ],
        {"x": (FLOAT, ["n", 16])},
        {"y": (FLOAT, ["n", 80])},
        {"w": weight},
        save_as_external_data=True,
        location="weights.bin",
        size_threshold=0,
    )
    out = tmp_path / "model.mlirbc"
    said = anneal_import(path, "-o", out)
    assert said.returncode == 0, said.stderr
    found = blobs(text_of(out))
    assert (64, weight.tobytes()) in found
    assert (64, weight[0].tobytes()) in found


def test_an_old_operator_set_is_raised(onnx_model, anneal_import, text_of, tmp_path):
    path = onnx_model(
        [helper.make_node("Squeeze", ["x"], ["y"], "squeeze", axes=[0])],
        {"x": (FLOAT, [1, 4])},
        {"y": (FLOAT, [4])},
        opset=11,
    )
    out = tmp_path / "model.mlirbc"
    said = anneal_import(path, "-o", out)
    assert said.returncode == 0, said.stderr
    assert "tensor.collapse_shape" in text_of(out)


def test_stablehlo_becomes_linalg_with_weights_as_blobs(anneal_import, text_of, tmp_path):
    weight = np.arange(16 * 8, dtype=np.float32).tobytes()
    source = tmp_path / "model.mlir"
    source.write_text(STABLEHLO.replace("WEIGHT", weight.hex().upper()))
    out = tmp_path / "model.mlirbc"
    said = anneal_import(source, "-o", out)
    assert said.returncode == 0, said.stderr
    text = text_of(out)
    assert "linalg.matmul" in text
    assert blobs(text) == [(64, weight)]


def test_ops_without_a_form_are_listed_by_count_and_node(onnx_model, anneal_import, tmp_path):
    path = onnx_model(
        [
            helper.make_node("Relu", ["x"], ["a"], "first"),
            helper.make_node("BitCast", ["a"], ["b"], "cast one", to=TensorProto.INT32),
            helper.make_node("BitCast", ["a"], ["c"], "cast two", to=TensorProto.INT32),
            helper.make_node("CumSum", ["x", "k"], ["v"], "sum"),
        ],
        {"x": (FLOAT, ["n"]), "k": (INT64, [])},
        {"b": (TensorProto.INT32, ["n"]), "c": (TensorProto.INT32, ["n"]), "v": (FLOAT, ["n"])},
        opset=26,
    )
    out = tmp_path / "model.mlirbc"
    said = anneal_import(path, "-o", out)
    assert said.returncode == 1
    assert said.stderr.splitlines() == [
        f"anneal-import: error: cannot import '{path}'; no form for 3 of its nodes:",
        "  BitCast x2 (torch-mlir does not convert it with these attributes and types): "
        "'cast one', 'cast two'",
        "  CumSum x1 (its input 'axis' is not a constant; make it one): 'sum'",
        "Replace them before the model is exported, or compute them outside of it.",
    ]
    assert not out.exists()


def test_what_helps_is_said_by_operator(onnx_model, anneal_import, tmp_path):
    path = onnx_model(
        [helper.make_node("Unique", ["x"], ["y"], "distinct")],
        {"x": (FLOAT, ["n"])},
        {"y": (FLOAT, ["u"])},
    )
    said = anneal_import(path, "-o", tmp_path / "model.mlirbc")
    assert said.returncode == 1
    assert "find distinct values outside of the model): 'distinct'" in said.stderr


def test_a_result_of_unknown_rank_is_refused(onnx_model, anneal_import, tmp_path):
    path = onnx_model(
        [
            helper.make_node("Reshape", ["x", "s"], ["a"], "reshape"),
            helper.make_node("Relu", ["a"], ["y"], "relu"),
        ],
        {"x": (FLOAT, ["n"]), "s": (INT64, ["rank"])},
        {"y": (FLOAT, None)},
    )
    said = anneal_import(path, "-o", tmp_path / "model.mlirbc")
    assert said.returncode == 1
    assert "Reshape x1 (the rank of its result is not known" in said.stderr


def test_a_foreign_domain_is_listed_with_its_reason(onnx_model, anneal_import, tmp_path):
    path = onnx_model(
        [
            helper.make_node("Fused", ["x"], ["a"], "fused", domain="com.acme"),
            helper.make_node("Relu", ["a"], ["y"], "relu"),
        ],
        {"x": (FLOAT, [4])},
        {"y": (FLOAT, [4])},
    )
    said = anneal_import(path, "-o", tmp_path / "model.mlirbc")
    assert said.returncode == 1
    assert "com.acme.Fused x1 (no type is known for its results): 'fused'" in said.stderr


@pytest.mark.parametrize(
    ("name", "content", "message", "code"),
    [
        ("junk.onnx", b"junk\n", "is not an ONNX model", 1),
        ("empty.onnx", b"", "is not an ONNX model: it holds no graph", 1),
        ("broken.mlir", b"func.func @f( {", "broken.mlir:1:14: error: expected", 1),
        ("foreign.mlir", b"func.func @f() {\n  foo.bar\n}", "foreign.mlir:2:3: error", 1),
        ("model.txt", b"", "is neither .onnx nor .mlir (StableHLO)", 2),
    ],
)
def test_a_bad_model_is_one_message_and_no_file(
    name, content, message, code, anneal_import, tmp_path
):
    source = tmp_path / name
    source.write_bytes(content)
    out = tmp_path / "model.mlirbc"
    said = anneal_import(source, "-o", out)
    assert said.returncode == code
    assert said.stderr.startswith("anneal-import: error: ")
    assert message in said.stderr
    assert "Traceback" not in said.stderr
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_model_that_is_not_there(anneal_import, tmp_path):
    said = anneal_import(tmp_path / "none.onnx", "-o", tmp_path / "out.mlirbc")
    assert said.returncode == 1
    assert "none.onnx': no such file" in said.stderr


def test_an_output_that_cannot_be_written(matmul, anneal_import, tmp_path):
    said = anneal_import(matmul, "-o", tmp_path / "none" / "out.mlirbc")
    assert said.returncode == 1
    assert "cannot write" in said.stderr


def test_a_failed_import_leaves_the_old_file(anneal_import, tmp_path):
    source, out = tmp_path / "junk.onnx", tmp_path / "model.mlirbc"
    source.write_bytes(b"junk\n")
    out.write_bytes(b"old")
    assert anneal_import(source, "-o", out).returncode == 1
    assert out.read_bytes() == b"old"


def test_wrong_usage_is_exit_status_2(anneal_import):
    assert anneal_import("--no-such-option").returncode == 2
    assert anneal_import("model.onnx").returncode == 2
    said = anneal_import("model.onnx", "-o", "x", "--mlir-opt=/none")
    assert (said.returncode, "model.onnx': no such file" in said.stderr) == (1, True)


def test_another_release_of_mlir_opt_is_refused(matmul, anneal_import, tmp_path):
    other = tmp_path / "mlir-opt"
    other.write_text("#!/bin/sh\necho 'LLVM version 21.1.0'\n")
    other.chmod(0o755)
    said = anneal_import(matmul, "-o", tmp_path / "m.mlirbc", f"--mlir-opt={other}")
    assert said.returncode == 1
    assert "is LLVM 21.1.0; the bytecode must be written by release 22" in said.stderr


def test_help_shows_examples_and_version_names_what_it_stands_on(anneal_import):
    said = anneal_import("--help")
    assert said.returncode == 0
    assert "anneal-import model.onnx -o model.mlirbc" in said.stdout
    said = anneal_import("--version")
    assert said.returncode == 0
    assert re.search(r"torch-mlir \d+\n.*\n  LLVM 22\.1", said.stdout)


@pytest.mark.skipif(not shutil.which("python3", path="/usr/bin"), reason="no /usr/bin/python3")
def test_without_torch_mlir_the_message_says_what_to_do(matmul, tmp_path):
    said = subprocess.run(
        ["/usr/bin/python3", "-m", "anneal.importer", str(matmul), "-o", "x.mlirbc"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT / "python"), "PATH": "/usr/bin"},
    )
    assert said.returncode == 1
    assert "torch-mlir is not installed in this Python; run utils/install-deps" in said.stderr


def test_interrupted_it_leaves_nothing(matmul, tmp_path):
    out_folder = tmp_path / "out"
    out_folder.mkdir()
    interrupting = tmp_path / "mlir-opt"
    interrupting.write_text(INTERRUPTING_MLIR_OPT)
    interrupting.chmod(0o755)
    command = [sys.executable, "-m", "anneal.importer", matmul]
    command += ["-o", out_folder / "model.mlirbc", f"--mlir-opt={interrupting}"]
    environment = {"PYTHONPATH": str(ROOT / "python"), "PATH": "/usr/bin:/bin"}
    said = subprocess.run(
        list(map(str, command)),
        stderr=subprocess.PIPE,
        text=True,
        env=environment | {"TMPDIR": str(tmp_path)},
        timeout=60,
    )
    assert said.returncode == 1
    assert "interrupted; nothing was written" in said.stderr
    assert list(out_folder.iterdir()) == []
    assert list(tmp_path.glob("anneal-import-*")) == []


def test_a_lowering_without_end_is_stopped(matmul, monkeypatch, capsys, tmp_path):
    from anneal import importer

    monkeypatch.setattr(importer, "LOWERING_LIMIT_S", 0.01)
    out = tmp_path / "model.mlirbc"
    assert importer.main([str(matmul), "-o", str(out)]) == 1
    assert "torch-mlir-opt did not end within 0.01 s" in capsys.readouterr().err
    assert not out.exists()
