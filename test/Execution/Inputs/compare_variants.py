# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs GENERIC, a module, and SPECIAL, the same with variants and guards, for shapes that hit each variant
and for shapes that hit none, at each tier; their results are to be equal bit for bit, and the units that
were called those that the shapes are for.

Usage: compare_variants.py GENERIC SPECIAL FOLDER
"""

import json
import pathlib
import shutil
import subprocess
import sys

# Entry, inputs, the units that SPECIAL calls.
CASES = [
    ("once", ["8x4xf32=rand(-2,2)", "f32=1.5"], {"scale.8x4_8x4"}),
    ("once", ["2x4xf32=rand(-2,2)", "f32=1.5"], {"scale.e1to2x4_e1to2x4"}),
    ("once", ["3x4xf32=rand(-2,2)", "f32=1.5"], {"scale.e1to2x4_e1to2x4"}),
    ("once", ["1x4xf32=rand(-2,2)", "f32=1.5"], {"scale.1x4_1x4"}),
    ("once", ["0x4xf32=", "f32=1.5"], {"scale.0x4_0x4"}),
    ("once", ["4x4xf32=rand(-2,2)", "f32=1.5"], {"scale"}),
    ("once", ["100x4xf32=rand(-2,2)", "f32=1.5"], {"scale"}),
    ("often", ["8x4xf32=rand(-2,0)", "f32=0.5"], {"scale.8x4_8x4"}),
    ("often", ["9x4xf32=rand(-2,0)", "f32=0.5"], {"scale"}),
    ("by_value", ["8x4xf32=1", "f32=0.5"], {"scale.8x4_8x4"}),
    ("by_value", ["8x4xf32=-1", "f32=0.5"], {"scale.0x4_0x4"}),
    ("by_value", ["9x4xf32=1", "f32=0.5"], {"scale"}),
    ("multiply", ["1x7xf32=rand(-2,2)", "7x33xf32=rand(-2,2)"], {"product.1x7_7xn_1xn"}),
    ("multiply", ["8x4xf32=rand(-2,2)", "4x5xf32=rand(-2,2)"], {"product.8x4_4x5_8x5"}),
    ("multiply", ["8x4xf32=rand(-2,2)", "4x6xf32=rand(-2,2)"], {"product"}),
]


def run(module, entry, inputs, folder, *options):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    command = ["jit-run", module, f"--entry={entry}", f"--output-dir={folder}", *options]
    command += [f"--input={spec}" for spec in inputs]
    said = subprocess.run(command, capture_output=True, text=True)
    if said.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{said.stderr}")
    return (folder / "out0.npy").read_bytes()


def main():
    generic, special, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    report = folder / "report.json"
    for entry, inputs, wanted in CASES:
        reference = run(generic, entry, inputs, folder / "generic")
        for tier in ("interpreter", "baseline"):
            result = run(
                special, entry, inputs, folder / tier, f"--force-tier={tier}", f"--report={report}"
            )
            called = {unit["name"] for unit in json.loads(report.read_text())["units"] if unit["calls"]}
            if result != reference or called != wanted:
                sys.exit(f"{entry} of {inputs} at {tier}: {result == reference = }, {called = }, {wanted = }")
    print(f"{len(CASES)} cases")


if __name__ == "__main__":
    main()
