"""Every case of the real test models, at several numbers of threads.

`ANNEAL_TEST_MODELS` is the folder that utils/fetch-models fills: MODEL/model.mlirbc, meta.json with the
tolerances, caseK/inJ.npy and caseK/outJ.npy, which ONNX Runtime computed.
"""

import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

from harness import JIT_RUN

MODELS = ["cls", "det", "magika", "minilm", "rec", "vadseq"]
FOLDER = pathlib.Path(os.environ.get("ANNEAL_TEST_MODELS", ""))


def cases():
    """(model, case) of every case that is there; a model that isn't is one skipped case."""
    for model in MODELS:
        found = sorted(folder.name for folder in (FOLDER / model).glob("case*"))
        for case in found or [None]:
            yield pytest.param(model, case, id=f"{model}-{case or 'missing'}")


def run(model, case, threads, folder):
    meta = json.loads((FOLDER / model / "meta.json").read_text())
    command = [JIT_RUN, FOLDER / model / "model.mlirbc", f"--threads={threads}", f"--output-dir={folder}",
               f"--inputs-dir={FOLDER / model / case}", f"--expected-dir={FOLDER / model / case}",
               f"--rtol={meta['rtol']}", f"--atol={meta['atol']}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return [np.load(path) for path in sorted(folder.glob("out*.npy"))]


@pytest.mark.parametrize("model,case", cases())
def test_case(model, case, tmp_path):
    if case is None:
        pytest.skip(f"{FOLDER / model} is not there; utils/fetch-models build/models imports it")
    results = {}
    for threads in (1, 2, 4):
        folder = tmp_path / str(threads)
        folder.mkdir()
        results[threads] = run(model, case, threads, folder)
    assert results[1]
    for threads in (2, 4):
        assert len(results[threads]) == len(results[1])
        for a, b in zip(results[threads], results[1]):
            assert a.tobytes() == b.tobytes(), f"{threads} threads give other bits than one"
