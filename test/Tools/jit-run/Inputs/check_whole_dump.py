"""Checks what jit-run --dump-ir=DUMP wrote of functions that are compiled whole.

For each, of which there are as many as the second argument says, the script and the line from the model on, print the module that came out.
"""

import pathlib
import subprocess
import sys

units = pathlib.Path(sys.argv[1]) / "units"
scripts = sorted(units.glob("*.stock.sh"))
assert len(scripts) == int(sys.argv[2]), scripts
for script in scripts:
    out = pathlib.Path(str(script).removesuffix(".sh") + ".out.mlir").read_text()
    lines = [line[4:] for line in script.read_text().splitlines() if line.startswith("#   ")]
    assert len(lines) == 2, lines
    for command in ([script], ["sh", "-c", "\n".join(lines)]):
        again = subprocess.run(command, capture_output=True, text=True, cwd="/")
        assert again.returncode == 0 and again.stdout == out, (command, again.stderr)
