# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""utils/bench --save-baseline and --compare: slower is told from noise (REQUIREMENTS.md P4)."""

import json

import numpy as np
import pytest
import regression

TOLERANCE = 0.05


def samples(rng, us, spread, count=9, speed=1.0):
    """Times with log-normal noise, on a machine of `speed`."""
    times = us * np.exp(rng.normal(0, spread, count)) / speed
    return [{"steady_us": t, "first_ms": 40 / speed, "peak_gflops": 100 * speed} for t in times]


def baseline(made):
    entry = {"model": "m", "case": 0, "shape": [1, 2], "threads": 2, "samples": made}
    return {"format": regression.FORMAT, "version": regression.VERSION, "entries": [entry]}


def verdict_of(old, new):
    found = regression.compare(baseline(old), baseline(new), TOLERANCE)
    [steady] = [one for one in found["verdicts"] if one["what"] == "steady_us"]
    return steady["verdict"]


def verdicts(ratio, spread, speed=1.0, times=200):
    rng = np.random.default_rng(60)
    pairs = [(samples(rng, 100, spread), samples(rng, 100 * ratio, spread, speed=speed)) for _ in range(times)]
    said = [verdict_of(*pair) for pair in pairs]
    return {word: said.count(word) / times for word in set(said)}


def test_the_same_is_not_slower():
    for spread in (0.0, 0.01, 0.05, 0.2):
        assert verdicts(1.0, spread).get("slower", 0) <= 0.03


def test_what_is_slower_is_seen_through_noise():
    assert verdicts(1.2, 0.02)["slower"] > 0.99
    assert verdicts(1.3, 0.1)["slower"] > 0.6
    assert verdicts(1 / 1.2, 0.02)["faster"] > 0.99


def test_too_much_noise_is_unclear():
    assert verdicts(1.1, 0.3)["unclear"] > 0.8


def test_a_slower_machine_is_no_slower_program():
    assert verdicts(1.0, 0.01, speed=0.5)["same"] > 0.99


def test_a_busy_machine_is_no_slower_program():
    old, new = (baseline(samples(np.random.default_rng(62), us, 0.01)) for us in (100, 150))
    old["machine"], new["machine"] = {"load": 0.1}, {"load": 1.4}
    found = regression.compare(old, new, TOLERANCE)
    assert {one["verdict"] for one in found["verdicts"]} == {"unclear"}
    assert "busy with 0.1 other processes then and 1.4 now" in regression.markdown(found)


def test_cases_of_one_side_are_named():
    new = baseline(samples(np.random.default_rng(61), 100, 0.01))
    new["entries"][0]["threads"] = 1
    old = baseline(samples(np.random.default_rng(61), 100, 0.01))
    found = regression.compare(old, new, TOLERANCE)
    assert not found["verdicts"]
    text = regression.markdown(found)
    assert "m case0 1x2, 1 thread(s), m case0 1x2, 2 thread(s)" in text


@pytest.mark.parametrize(
    "text,message",
    [
        ("{", "is not JSON"),
        ("[]", "is no baseline"),
        ('{"format": "x"}', "is no baseline"),
        (json.dumps({"format": regression.FORMAT, "version": 99}), "is of version 99, not 1"),
        (json.dumps(baseline([])), "is damaged"),
        (json.dumps(baseline([{"steady_us": 0, "first_ms": 1, "peak_gflops": 1}])), "is damaged"),
        (json.dumps(baseline([{"steady_us": 1}])), "is damaged"),
    ],
)
def test_bad_files(tmp_path, text, message):
    path = tmp_path / "old.json"
    path.write_text(text)
    with pytest.raises(regression.BadBaseline, match=message):
        regression.load(str(path))


def test_no_file():
    with pytest.raises(regression.BadBaseline, match="No such file"):
        regression.load("/no/such/baseline.json")
