# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands of a page of documentation.

A block whose fence names a file is written there; `sh` blocks are run one after the other
in one shell, and a `text` block is what the `sh` block before it prints. An `sh` block
marked `install` isn't run: it was done before.
"""

import re
import subprocess

BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_page(text, folder):
    """Runs the page in a folder; returns how many blocks were run."""
    script, expected, ran = ["set -e"], [], 0
    for kind, name, body in BLOCK.findall(text):
        if kind == "text":
            expected[-1] = body
        elif kind == "sh" and name != "install":
            script += [body, "echo ----"]
            expected.append("")
            ran += 1
        elif kind != "sh" and name:
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(body)
    said = subprocess.run(
        ["bash", "-c", "\n".join(script)], capture_output=True, text=True, cwd=folder
    )
    printed = said.stdout.split("----\n")[:-1]
    for got, want in zip(printed, expected, strict=False):
        assert not want or got == want
    assert said.returncode == 0, said.stderr
    assert len(printed) == ran
    return ran
