# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names the type of files with the magika model, imported and run by jit-run."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "python")]

import sources  # noqa: E402
from anneal._report import ImportFailed  # noqa: E402
from anneal.importer import import_model  # noqa: E402

MOST_FILES = 24

# Long enough for a steady median, short enough to wait for.
REPEAT = 20


class DemoFailed(Exception):
    """A step that failed, with the message for the user."""


def main():
    parser = argparse.ArgumentParser(prog="demo", description=__doc__)
    parser.add_argument("--jit-run", required=True, help="the jit-run to use")
    parser.add_argument("files", nargs="*", help="default: files of the repository")
    options = parser.parse_args()
    try:
        _demo(options.jit_run, options.files or _files_of_each_kind())
    except (DemoFailed, ImportFailed, sources.FetchFailed, OSError) as error:
        print(f"demo: error: {error}", file=sys.stderr)
        return 1
    return 0


def _demo(jit_run, files):
    onnx_folder = os.path.join(ROOT, "build", "onnx")
    model = os.path.join(ROOT, "build", "demo", "magika.mlirbc")
    onnx_path = sources.fetch_onnx("magika", onnx_folder)
    with open(os.path.join(onnx_folder, "magika.json")) as file:
        config = json.load(file)
    start = time.monotonic()
    os.makedirs(os.path.dirname(model), exist_ok=True)
    import_model(onnx_path, model)
    print(f"imported magika from its PyPI package in {time.monotonic() - start:.1f} s")

    tokens, files = _tokens_of_files(files, config)
    with tempfile.TemporaryDirectory(prefix="anneal-demo-") as work:
        _, first = _run(jit_run, model, tokens[:1], work, repeat=1)
        scores, many = _run(jit_run, model, tokens, work, repeat=REPEAT)
    for path, row in zip(files, scores, strict=True):
        print(f"  {path:<44} {_verdict(row, config)}")
    print(f"first answer after {first['first_result_ms']:.0f} ms, the start included")
    per_file = many["steady_us"] / len(files)
    print(f"{len(files)} files a call: {per_file:.0f} us a file, {1e6 / per_file:.0f} files/s")


def _files_of_each_kind():
    """One file of each kind in the repository, by path."""
    chosen = {}
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(f for f in folders if f not in (".git", ".pytest_cache", "build", "__pycache__"))
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), ROOT)
            chosen.setdefault(os.path.splitext(name)[1] or name, path)
    return [os.path.join(ROOT, path) for path in sorted(chosen.values())[:MOST_FILES]]


def _tokens_of_files(paths, config):
    """The model's input for the files that are long enough for it, and their names."""
    rows, names = [], []
    for path in paths:
        tokens = tokens_of(path, config)
        if tokens is not None:
            rows.append(tokens)
            names.append(os.path.relpath(path, ROOT))
    if not rows:
        raise DemoFailed("none of the files holds enough bytes to tell its type")
    return np.stack(rows), names


def tokens_of(path, config):
    """The bytes at either end of a file as tokens; None if there are too few.

    White space at the outer ends is left out. The head is padded behind, the tail
    in front.
    """
    block, padding = config["block_size"], config["padding_token"]
    with open(path, "rb") as file:
        head = file.read(block).lstrip()
        file.seek(max(0, os.path.getsize(path) - block))
        tail = file.read(block).rstrip()
    if len(head.rstrip()) < config["min_file_size_for_dl"]:
        return None
    head, tail = head[: config["beg_size"]], tail[-config["end_size"] :]
    tokens = np.full(config["beg_size"] + config["end_size"], padding, np.int32)
    tokens[: len(head)] = np.frombuffer(head, np.uint8)
    tokens[tokens.size - len(tail) :] = np.frombuffer(tail, np.uint8)
    return tokens


def _verdict(scores, config):
    best = int(np.argmax(scores))
    label = config["target_labels_space"][best]
    least = config["thresholds"].get(label, config["medium_confidence_threshold"])
    sure = "" if scores[best] >= least else "  (unsure)"
    return f"{label:<14} {scores[best]:.3f}{sure}"


def _run(jit_run, model, tokens, work, repeat):
    """The model's scores for `tokens`, and jit-run's report."""
    paths = [os.path.join(work, name) for name in ("in.npy", "out.npy", "report.json")]
    np.save(paths[0], tokens)
    command = [jit_run, model, f"--input=@{paths[0]}", f"--output=@{paths[1]}"]
    command += [f"--report={paths[2]}", f"--repeat={repeat}"]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    if said.returncode != 0:
        raise DemoFailed(f"jit-run failed: {said.stderr.strip()}")
    with open(paths[2]) as file:
        return np.load(paths[1]), json.load(file)


if __name__ == "__main__":
    sys.exit(main())
