# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""utils/bench/policies.py: what it records, and what it makes of a comparison."""

import json
import os
import subprocess
import sys
from pathlib import Path

import policies
import pytest
from conftest import ROOT

BIN = Path(os.environ["ANNEAL_BUILD"]) / "bin"
MODELS = ROOT / "build" / "models"


def played(judged, other=2.0, best=1.0):
    """A comparison where cost-benefit took `judged` seconds and all others `other`."""
    total = {p: judged if p == policies.JUDGED else other for p in policies.POLICIES.values()}
    listed = [{"policy": p, "total_s": s} for p, s in total.items()]
    return {"calls": 7, "optimum": {"total_s": best}, "policies": listed}


@pytest.mark.parametrize(
    ("judged", "other", "missed"),
    [
        (1.19, 1.19, []),
        (1.21, 1.21, ["regret"]),
        (1.1, 1.06, ["over the others"]),
        (1.25, 1.2, ["regret", "over the others"]),
    ],
)
def test_goals(judged, other, missed):
    line = policies.judge(played(judged, other))
    assert line["missed"] == missed
    table = policies.markdown({"a run": line})
    assert f"{len(missed)} of 2 goals missed" in table
    assert table.count("**") == 2 * len(missed)
    assert f"{judged * 1e3:.1f} ({judged:.3f})" in table


def test_plays_a_synthetic_trace():
    line = policies.judge(policies.play(str(BIN / "jit-sim"), "synthetic:zipf,units=20,calls=500"))
    assert line["calls"] == 500
    assert list(line["total_s"]) == list(policies.POLICIES)
    assert all(s >= line["clairvoyant_s"] * (1 - 1e-12) for s in line["total_s"].values())


@pytest.mark.skipif(not (MODELS / "vadseq").is_dir(), reason="no models")
@pytest.mark.parametrize(
    ("run", "classes", "counts"), [("static", 1, [12]), ("stream", 16, [1] * 16), ("change", 2, [6, 6])]
)
def test_records_the_three_runs(tmp_path, run, classes, counts):
    path = tmp_path / "run.jsonl"
    policies.record(str(BIN / "jit-run"), str(MODELS), "vadseq", run, 12, str(path))
    header, *rest = map(json.loads, path.read_text().splitlines())
    assert header["classes"] == classes
    assert [line["count"] for line in rest if "call" in line] == counts


def test_says_what_failed(tmp_path):
    script = str(ROOT / "utils" / "bench" / "policies.py")
    command = [sys.executable, script, f"--jit-run={BIN}/jit-run", f"--jit-sim={BIN}/jit-sim"]
    said = subprocess.run([*command, f"--models={tmp_path}"], capture_output=True, text=True)
    assert said.returncode == 1 and said.stdout == ""
    assert said.stderr.startswith("policies: error: jit-run: error: cannot open")
    said = subprocess.run([*command, f"--traces={tmp_path}"], capture_output=True, text=True)
    assert said.returncode == 1
    assert "minilm-static.jsonl': No such file or directory" in said.stderr
