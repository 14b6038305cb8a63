# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs docs/Simulator.md and docs/Exercises.md."""

import os

import pytest
from conftest import ROOT
from page import run_page


@pytest.mark.parametrize(("page", "least"), [("Simulator.md", 4), ("Exercises.md", 6)])
def test_every_command_of_the_page(page, least, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{os.environ['ANNEAL_BUILD']}/bin", prepend=os.pathsep)
    text = (ROOT / "docs" / page).read_text()
    assert run_page(text, tmp_path) >= least
