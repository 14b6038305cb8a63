#!/usr/bin/env python3
# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs the Python package with the libraries that are built already into BUILD/wheels.

The wheel holds libanneal, the compiler half, and the Abseil and xxHash libraries that they use; what
else they need every Debian 12 has. Functions that only MLIR's own lowering compiles need libMLIR.so of
LLVM 22 beside it. Runs in the virtual environment of utils/install-deps, which has
setuptools and wheel.

Example: build/venv/bin/python utils/make_wheel.py --cmake cmake --build build/release --source .
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BUNDLED = re.compile(r"(lib(?:absl_|xxhash)\S+) => (\S+)")


def run(*command):
    said = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if said.returncode != 0:
        sys.exit(f"make_wheel.py: error: {command[0]} failed:\n{said.stdout}{said.stderr}")
    return said.stdout


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cmake", required=True, help="the cmake to install with")
    parser.add_argument("--build", type=pathlib.Path, required=True, help="a build folder")
    parser.add_argument("--source", type=pathlib.Path, required=True, help="the source tree")
    arguments = parser.parse_args()
    wheels = arguments.build / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    with tempfile.TemporaryDirectory() as name:
        stage = pathlib.Path(name) / "stage"
        shutil.copytree(
            arguments.source / "python", stage, ignore=shutil.ignore_patterns("__pycache__", "src")
        )
        package, prefix = stage / "anneal", pathlib.Path(name) / "prefix"
        install = (arguments.cmake, "--install", arguments.build, "--strip")
        run(*install, "--prefix", prefix)
        run(*install, "--component", "python", "--prefix", package)
        (package / "lib").mkdir()
        shutil.copy(prefix / "lib" / "libanneal.so.0", package / "lib")
        for half in ("libAnnealCompiler.so", "libAnnealStock.so"):
            shutil.copy(prefix / "lib" / half, package / "lib")
        for library, path in BUNDLED.findall(run("ldd", package / "lib" / "libanneal.so.0")):
            shutil.copy(path, package / "lib" / library)
        run(sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps",
            "--disable-pip-version-check", "-w", wheels, stage)  # fmt: skip


if __name__ == "__main__":
    main()
