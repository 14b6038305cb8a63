# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The scripts around the models: test cases, the demo's input, the benchmark's table."""

import json

import cases
import name_files
import numpy as np
import pytest
import report

CONFIG = {
    "block_size": 4096,
    "padding_token": 256,
    "beg_size": 1024,
    "end_size": 1024,
    "min_file_size_for_dl": 8,
}


@pytest.mark.parametrize("name", cases.CASES)
def test_inputs_of_a_case_are_the_same_on_every_run(name):
    first, second = cases.inputs_of(name, 1), cases.inputs_of(name, 1)
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    other = cases.inputs_of(name, 0)
    assert any(a.shape != b.shape for a, b in zip(first, other, strict=True))


def test_a_short_file_is_padded_behind_the_head_and_before_the_tail(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"\n  hello world \n")
    tokens = name_files.tokens_of(path, CONFIG)
    assert tokens.dtype == np.int32
    head, tail = b"hello world \n", b"\n  hello world"
    assert tokens[: len(head)].tolist() == list(head)
    assert tokens[-len(tail) :].tolist() == list(tail)
    assert set(tokens[len(head) : -len(tail)].tolist()) == {CONFIG["padding_token"]}


def test_a_long_file_gives_its_two_ends(tmp_path):
    path = tmp_path / "file"
    data = np.random.default_rng(0).integers(33, 127, 10000).astype(np.uint8)
    path.write_bytes(data.tobytes())
    tokens = name_files.tokens_of(path, CONFIG)
    assert np.array_equal(tokens[:1024], data[:1024])
    assert np.array_equal(tokens[1024:], data[-1024:])


def test_a_file_of_white_space_is_left_out(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b" \n" * 50)
    assert name_files.tokens_of(path, CONFIG) is None


def test_the_table_marks_what_misses_its_goal():
    def side(first, cold, steady):
        return {"first_ms": first, "cold_ms": cold, "steady_us": steady}

    entry = {
        "anneal": side(50, 100, 400),
        "onnxruntime": side(100, 150, 200),
        "openvino": side(200, 300, 1600),
    }
    case = {"model": "minilm", "case": 0, "shape": [1, 12], "agrees": True}
    result = {
        "machine": {"cpu": "CPU", "cores": 2, "load": 0},
        "versions": {"jit-run": "0.1", "onnxruntime": "1", "openvino": "2", "python": "3"},
        "peak": {"threads": [{"n": 1, "gflops": 100, "gbs": 10}]},
        "cases": [case | {"threads": {"1": entry, "2": entry}}],
        "skipped": {"cls": "no file"},
    }
    text = report.markdown(json.loads(json.dumps(result)))
    assert "| 50.0 / 100.0 = 0.50 (≤ 1) |" in text
    assert "**100 / 150 = 0.67 (≤ 0.5, missed)**" in text
    assert "| 400 / 200 = 2.00 | 50.0 / 200.0 = 0.25 |" in text
    assert "**400 / 200 = 2.00 (≤ 1.3, missed)**" in text
    assert "| 400 / 1600 = 0.25 | yes |" in text
    assert "| cls | skipped: no file |" in text
    assert "2 of 5 goals met." in text
    assert "| minilm | 2 | 2.00 | 0.25 | 2.00 |" in text
