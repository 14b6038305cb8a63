# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs docs/Tutorial.md; blocks marked `install` were done by check_wheel.py."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))

from page import run_page  # noqa: E402


def test_every_command_of_the_tutorial(tmp_path):
    source = pathlib.Path(os.environ["ANNEAL_SOURCE"])
    text = (source / "docs" / "Tutorial.md").read_text()
    text = text.replace("$ANNEAL/build/release", os.environ["ANNEAL_BUILD"])
    assert run_page(text, tmp_path) >= 14
