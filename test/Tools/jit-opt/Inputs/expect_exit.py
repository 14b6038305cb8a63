"""expect_exit.py CODE COMMAND...: runs the command and succeeds if it exits with that code."""

import subprocess
import sys

expected = int(sys.argv[1])
actual = subprocess.run(sys.argv[2:]).returncode
if actual != expected:
    sys.exit(f"{sys.argv[2]} exited with {actual}, not {expected}")
