# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs docs/Observability.md, and compares what it lists with what a run writes."""

import json
import os
import re

import pytest
from conftest import ROOT
from page import run_page

TEXT = (ROOT / "docs" / "Observability.md").read_text()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("page")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{os.environ['ANNEAL_BUILD']}/bin", prepend=os.pathsep)
        assert run_page(TEXT, path) >= 5
    return path


def listed(heading):
    """What the first column of the tables under a heading names."""
    section = TEXT.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    cells = re.findall(r"^\| (`[^|]*`) \|", section, re.MULTILINE)
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def test_the_page_lists_all_metrics(folder):
    written = re.findall(r"^# TYPE (\S+)", (folder / "m.prom").read_text(), re.MULTILINE)
    assert set(written) == listed("Metrics")


def test_the_page_lists_all_fields_of_the_log(folder):
    events = [json.loads(line) for line in (folder / "d.jsonl").read_text().splitlines()]
    names = listed("The log of decisions")
    assert {field for event in events for field in event} <= names
    assert {event["event"] for event in events} <= names


def test_the_page_lists_all_tracks(folder):
    events = json.loads((folder / "t.json").read_text())["traceEvents"]
    tracks = {event["args"]["name"] for event in events if event["name"] == "thread_name"}
    names = listed("The trace")
    assert {re.sub(r"\d+", lambda m: "N", t.split(" (")[0]) for t in tracks} <= {
        name.split(" (")[0] for name in names
    }
