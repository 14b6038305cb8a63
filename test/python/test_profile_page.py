# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs docs/Profile.md."""

import os

from conftest import ROOT
from page import run_page


def test_every_command_of_the_page_on_profiles(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{os.environ['ANNEAL_BUILD']}/bin", prepend=os.pathsep)
    text = (ROOT / "docs" / "Profile.md").read_text()
    assert run_page(text, tmp_path) >= 6
