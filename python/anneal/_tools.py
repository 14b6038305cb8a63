# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The outside programs that an import runs, found and started in one place.

`torch-mlir-opt` comes with the torch-mlir package and lowers to linalg;
`mlir-opt` is the one of the LLVM release the project is built with, and writes
the final bytecode, so that what it writes is what `jit-run` reads.
"""

import importlib.util
import os
import re
import shutil
import subprocess

from anneal._report import ImportFailed

MLIR_MAJOR = 22

# Where Debian's packages put the release's tools, which are not on PATH.
MLIR_OPT_PLACES = (
    f"mlir-opt-{MLIR_MAJOR}",
    f"/usr/lib/llvm-{MLIR_MAJOR}/bin/mlir-opt",
)


def torch_mlir_opt():
    """Path of torch-mlir's lowering tool; ImportFailed if it is not installed."""
    spec = importlib.util.find_spec("torch_mlir")
    for place in (spec.submodule_search_locations or []) if spec else []:
        tool = os.path.join(place, "_mlir_libs", "torch-mlir-opt")
        if os.access(tool, os.X_OK):
            return tool
    raise ImportFailed(
        "torch-mlir is not installed in this Python; run utils/install-deps and use "
        "build/venv/bin/anneal-import, or: pip install -r python/requirements.txt"
    )


def mlir_opt(asked=None):
    """Path of mlir-opt of release `MLIR_MAJOR`; `asked` overrides the search."""
    for place in (asked,) if asked else MLIR_OPT_PLACES:
        tool = shutil.which(place)
        if tool:
            return tool
    if asked:
        raise ImportFailed(f"--mlir-opt: no such program: '{asked}'", code=2)
    raise ImportFailed(
        f"mlir-opt of LLVM {MLIR_MAJOR} is not installed; run utils/install-deps "
        f"(Debian package mlir-{MLIR_MAJOR}-tools) or give --mlir-opt=PATH"
    )


def release_of(tool):
    """The LLVM release that `tool --version` names, as text; '' if it names none."""
    said = subprocess.run(
        [tool, "--version"], capture_output=True, text=True, check=False
    )
    match = re.search(r"LLVM version (\S+)", said.stdout)
    return match.group(1) if match else ""


def check_release(tool):
    """ImportFailed unless `tool` is of the release that the project reads."""
    release = release_of(tool)
    if release.split(".")[0] != str(MLIR_MAJOR):
        raise ImportFailed(
            f"'{tool}' is LLVM {release or 'of unknown release'}; "
            f"the bytecode must be written by release {MLIR_MAJOR}"
        )
