#!/usr/bin/env python3
# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs the wheel in a fresh virtual environment and runs its tests and the tutorial there.

What the wheel depends on comes from the environment that runs this, not from the network.

Example: check_wheel.py --cmake cmake --build build/release --source .
"""

import argparse
import os
import pathlib
import site
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    tests = pathlib.Path(__file__).parent
    (wheel,) = (arguments.build / "wheels").glob("anneal-*.whl")
    with tempfile.TemporaryDirectory() as folder:
        run = lambda *command, **options: subprocess.run(command, check=True, **options)  # noqa: E731
        run(sys.executable, "-m", "venv", "--without-pip", folder)
        python = f"{folder}/bin/python"
        packages = subprocess.check_output(
            [python, "-c", "import site; print(site.getsitepackages()[0])"], text=True
        ).strip()
        run(sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps",
            "--no-index", "--disable-pip-version-check", str(wheel))  # fmt: skip
        pathlib.Path(packages, "dependencies.pth").write_text(site.getsitepackages()[0])
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")} | {
            "PATH": os.pathsep.join([f"{folder}/bin", os.environ["PATH"]]),
            "ANNEAL_BUILD": str(arguments.build.resolve()),
            "ANNEAL_SOURCE": str(arguments.source.resolve()),
            "CMAKE": arguments.cmake,
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        run(python, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "--rootdir", str(tests),
            str(tests.resolve()), env=environment, cwd=folder)  # fmt: skip


if __name__ == "__main__":
    main()
