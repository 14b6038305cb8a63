# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs docs/Tutorial.md.

A block whose fence names a file is written there; `sh` blocks are run one after the other
in one shell, and a `text` block is what the `sh` block before it prints. A block marked
`install` was done by check_wheel.py.
"""

import os
import pathlib
import re
import subprocess

BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_command_of_the_tutorial(tmp_path):
    source = pathlib.Path(os.environ["ANNEAL_SOURCE"])
    text = (source / "docs" / "Tutorial.md").read_text()
    text = text.replace("$ANNEAL/build/release", os.environ["ANNEAL_BUILD"])
    script, expected, ran = ["set -e"], [], 0
    for kind, name, body in BLOCK.findall(text):
        if kind == "text":
            expected[-1] = body
        elif kind == "sh" and name != "install":
            script += [body, "echo ----"]
            expected.append("")
            ran += 1
        elif kind != "sh":
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(body)
    assert ran >= 14
    said = subprocess.run(
        ["bash", "-c", "\n".join(script)], capture_output=True, text=True, cwd=tmp_path
    )
    printed = said.stdout.split("----\n")[:-1]
    for got, want in zip(printed, expected, strict=False):
        assert not want or got == want
    assert said.returncode == 0, said.stderr
    assert len(printed) == ran
