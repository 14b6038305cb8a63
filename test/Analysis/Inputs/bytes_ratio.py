"""Bytes of one call of a model, as units over imported: `bytes_ratio.py MODEL FUNCTION DIMS`."""

import re
import subprocess
import sys


def bytes_of(model, function, dims, *passes):
    """Read and written, as `jit-opt` prints them for a function."""
    cost = f"--jit-print-op-cost=function={function} dims={dims} totals-only"
    command = ["jit-opt", model, *passes, cost, "-o", "/dev/null"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    total = re.search(r"total: flops=\d+, read=(\d+), written=(\d+), intensity=\S+$", text, re.M)
    if not total:
        sys.exit(f"bytes_ratio.py: error: no total that is known in full: {text}")
    return int(total[1]) + int(total[2])


imported = bytes_of(*sys.argv[1:])
normalised = bytes_of(*sys.argv[1:], "--jit-normalize", "--jit-form-units")
print(f"{imported} -> {normalised}")
print("at most half" if normalised * 2 <= imported else "more than half")
