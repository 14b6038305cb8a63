"""Checks what jit-run --dump-ir=DUMP wrote of a model's compiles, with --force-tier=baseline.

For each compile: its script prints the module that came out. Of all together: the functions that came
out, one unit after the other, are what the stages of jit-opt give, piped.
"""

import json
import pathlib
import re
import subprocess
import sys

model, dump, report = sys.argv[1], pathlib.Path(sys.argv[2]), json.load(open(sys.argv[3]))


def opt(text, *options):
    run = subprocess.run(["jit-opt", "-", *options], input=text, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


def body(module):
    """What is in a module, without attributes' aliases and the braces around."""
    return module[module.index("module {\n") + len("module {\n") : module.rindex("}")]


units = dump / "units"
scripts = sorted(units.glob("*.baseline.sh"))
compiles = report["compile"]["jobs"]
assert len(scripts) == compiles > 0, (scripts, compiles)
pieces = []
for script in scripts:
    stem = str(script).removesuffix(".sh")
    out = pathlib.Path(stem + ".out.mlir").read_text()
    again = subprocess.run([script], capture_output=True, text=True)
    assert again.returncode == 0 and again.stdout == out, (script, again.stderr)
    pieces.append(body(out))
# From the model on; of a large model that takes a while, so one will do.
for script in scripts[:1]:
    whole = re.search(r"^#   (jit-opt .*) \|\n#     (.*)$", script.read_text(), re.MULTILINE)
    again = subprocess.run(["sh", "-c", f"{whole[1]} | {whole[2]}"], capture_output=True, text=True)
    out = pathlib.Path(str(script).removesuffix(".sh") + ".out.mlir").read_text()
    assert again.returncode == 0 and again.stdout == out, (script, again.stderr)

normal = subprocess.run(["jit-opt", model, "--jit-normalize"], capture_output=True, text=True)
piped = body(opt(opt(normal.stdout, "--jit-form-units"), "--jit-tier-baseline"))
at = sorted((piped.index(piece), piece) for piece in pieces)
if len(at) == len(report["units"]):
    assert "".join(piece for _, piece in at) == piped
