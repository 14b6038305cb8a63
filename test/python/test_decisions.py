# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`jit-select-mode`, `jit-assign-tiers` and `jit-score-hotness` against models of M1, M3, T4, T6 and H5, on
random profiles."""

import os
import random
import re
import subprocess

import pytest

TIERS = ["interpreter", "baseline", "optimized", "peak"]


class Unit:
    """A unit with a bucketable shape: its calls, the time of all of them, its operations, the shapes seen."""

    def __init__(self, number, pick):
        self.name = f"u{number}"
        self.calls = pick.choice([0, 1, 10, 11, 100, 101, pick.randint(1, 10**6)])
        self.time = pick.choice([0.5, 10.0, 1e4, 1e6, 1e9]) * pick.randint(1, 9)
        self.ops = pick.randint(1, 6)
        self.shapes = pick.randint(0, 6) if self.calls > 6 else 0

    def text(self):
        body, last = "", "%x"
        kind = "tensor<?xf32>"
        for op in range(self.ops):
            body += f"  %{op} = linalg.exp ins({last} : {kind}) outs(%o : {kind}) -> {kind}\n"
            last = f"%{op}"
        shapes = ", ".join(f"([{n}], [{n}]) : 1" for n in range(1, self.shapes + 1))
        profile = f"calls = {self.calls}, shapes = [{shapes}]"
        attributes = f"hotness = #jit.hotness<count = {self.calls}, time_us = {self.time}>"
        if self.shapes:
            attributes += f", jit.profile = #jit.profile<{profile}>"
        return (
            f"jit.unit @{self.name}(%x: {kind}, %o: {kind}) -> {kind} attributes {{{attributes}}} {{\n"
            f"{body}  jit.return {last} : {kind}\n}}\n"
        )

    def us(self):
        return self.time / self.calls if self.calls else 0.0


def run(tmp_path, units, flag, options):
    path = tmp_path / "units.mlir"
    path.write_text("".join(unit.text() for unit in units))
    text = " ".join(f"{name}={value!r}" for name, value in options.items())
    said = subprocess.run(
        [f"{os.environ['ANNEAL_BUILD']}/bin/jit-opt", str(path), f"--{flag}={text}"]
        + [f"--remarks-filter={flag}"],
        capture_output=True,
        text=True,
    )
    assert said.returncode == 0, said.stderr
    return said.stdout, said.stderr


def attributes_of(printed, kind):
    """What stands on each unit, by its name."""
    found = {}
    for line in printed.splitlines():
        unit = re.match(r"\s*jit\.unit @(\w+)\(", line)
        value = re.search(rf"\b{kind} = #jit\.{kind}<(\w+)>", line)
        if unit:
            found[unit[1]] = value[1] if value else None
    return found


def close(a, b):
    """A difference that another order of the same operations could make."""
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1)


@pytest.mark.parametrize("seed", range(12))
def test_mode_is_that_of_the_larger_benefit(seed, tmp_path):
    pick = random.Random(seed)
    units = [Unit(n, pick) for n in range(20)]
    options = {
        "calls": pick.choice([100.0, 1e4, 1e6]),
        "gain-aot": pick.uniform(1.0, 2.0),
        "gain-jit": pick.uniform(1.0, 4.0),
        "compile-us": pick.uniform(0, 5000),
        "compile-us-per-op": pick.uniform(0, 500),
        "weight-aot": pick.uniform(0, 1),
        "weight-jit": pick.uniform(0, 2),
        "max-variants": pick.randint(1, 6),
        "threshold-us": pick.choice([0.0, 100.0]),
    }
    printed, remarks = run(tmp_path, units, "jit-select-mode", options)
    modes = attributes_of(printed, "mode")
    total = sum(unit.calls for unit in units)
    for unit in units:
        share = unit.calls / total
        # An operation, and the one in its body.
        compile_us = options["compile-us"] + options["compile-us-per-op"] * 2 * unit.ops
        variants = min(max(unit.shapes, 1), options["max-variants"])
        benefit = {}
        for mode, factor in (("aot", 1), ("jit", variants)):
            gain = options["calls"] * unit.us() * (1 - 1 / options[f"gain-{mode}"])
            benefit[mode] = share * gain - compile_us * options[f"weight-{mode}"] * factor
        margin = benefit["aot"] - benefit["jit"]
        if not close(margin, options["threshold-us"]):
            assert modes[unit.name] == ("aot" if margin > options["threshold-us"] else "jit")
        said = re.search(rf"@{unit.name}: .*? B = (\S+) us; jit: .*? B = (\S+) us", remarks)
        assert float(said[1]) == pytest.approx(benefit["aot"], rel=1e-5, abs=1e-5)
        assert float(said[2]) == pytest.approx(benefit["jit"], rel=1e-5, abs=1e-5)
    assert len(set(modes.values())) > 1 or seed not in (0, 1)


def choose_tier(unit, options, allowed):
    """T4 and T6; the benefits and break-evens of all tiers with it."""
    expected = options["alpha"] * unit.calls + (1 - options["alpha"]) * options["expected-calls"]
    best, best_benefit, is_open, terms = 0, options["min-benefit-us"], True, {}
    for tier in range(1, 4):
        name = TIERS[tier]
        theta = options["theta-0"] * options["gamma"] ** (tier - 1)
        is_open = is_open and unit.calls > theta
        t_l = unit.us() / options[f"speedup-{name}"]
        cost = options[f"compile-ms-{name}"] * 1e3
        benefit = expected * (unit.us() - t_l) - cost
        pays_after = cost / (unit.us() - t_l) if t_l < unit.us() else None
        terms[name] = (benefit, pays_after)
        if name in allowed and is_open and benefit > best_benefit:
            best, best_benefit = tier, benefit
    return TIERS[best], terms


@pytest.mark.parametrize("seed", range(12))
def test_tier_is_that_of_the_largest_benefit(seed, tmp_path):
    pick = random.Random(100 + seed)
    units = [Unit(n, pick) for n in range(20)]
    allowed = pick.choice([TIERS, TIERS, ["baseline"], ["baseline", "peak"]])
    options = {
        "theta-0": pick.choice([0.0, 10.0, 100.0]),
        "gamma": pick.choice([1.0, 2.5, 10.0, 0.5]),
        "min-benefit-us": pick.choice([0.0, 1e4]),
        "alpha": pick.choice([1.0, 0.3]),
        "expected-calls": pick.choice([0.0, 1000.0]),
    }
    for name in TIERS[1:]:
        options[f"speedup-{name}"] = pick.uniform(0.9, 4.0)
        options[f"compile-ms-{name}"] = pick.uniform(0, 500)
    printed, remarks = run(
        tmp_path, units, "jit-assign-tiers", options | {"tiers": Names(allowed)}
    )
    tiers = attributes_of(printed, "tier")
    for unit in units:
        tier, terms = choose_tier(unit, options, allowed)
        if unit.calls == 0 and options["theta-0"] == 0:
            assert tiers[unit.name] == "interpreter"
            continue
        assert tiers[unit.name] == tier
        line = next(x for x in remarks.splitlines() if f"@{unit.name}:" in x)
        for name, (benefit, pays_after) in terms.items():
            said = re.search(rf"{name}: theta = \S+, benefit = (\S+) us, (.*?),", line)
            if said is None:
                assert name not in allowed or "not more than theta_0" in line
                continue
            assert float(said[1]) == pytest.approx(benefit, rel=1e-5, abs=1e-5)
            number = re.search(r"paid back after (\S+) calls", said[2])
            assert (number is None) == (pays_after is None)
            if number:
                assert float(number[1]) == pytest.approx(pays_after, rel=1e-5, abs=1e-5)


def score_of(unit, units, options):
    """H5: `linalg.exp` does 18 FLOPs an element; of a chain of them 4 bytes come in and 4 go out."""

    def work(other):
        sizes = list(range(1, other.shapes + 1)) or [options["default-dim"]]
        elements = sum(sizes) / len(sizes) * other.calls
        return 8 * elements, 18 * elements * other.ops

    moved, done = work(unit)
    densities = [work(other)[1] / work(other)[0] for other in units if other.calls]
    count = unit.calls / max(other.calls for other in units)
    time = unit.time / sum(other.time for other in units)
    achieved = min(1.0, moved / (options["bandwidth-gbs"] * 1e3 * unit.time))
    density = done / moved / max(densities) if moved else 0
    terms = {"count": count, "time": time, "bytes": achieved, "density": density}
    return sum(options[f"weight-{name}"] * term for name, term in terms.items())


@pytest.mark.parametrize("seed", range(8))
def test_score_is_the_weighted_sum(seed, tmp_path):
    pick = random.Random(200 + seed)
    units = [Unit(n, pick) for n in range(20)]
    options = {
        "weight-count": pick.uniform(0, 1),
        "weight-time": pick.uniform(0, 1),
        "weight-bytes": pick.uniform(0, 1),
        "weight-density": pick.uniform(0, 1),
        "bandwidth-gbs": pick.choice([0.001, 0.1, 20.0]),
        "default-dim": pick.randint(1, 10**6),
    }
    _, remarks = run(tmp_path, units, "jit-score-hotness", options)
    for unit in units:
        said = re.search(rf"@{unit.name}: score ([^;]+);", remarks)
        expected = score_of(unit, units, options)
        assert float(said[1]) == pytest.approx(expected, rel=1e-5, abs=1e-6)


class Names(list):
    """A list as an option takes it."""

    def __repr__(self):
        return ",".join(self)
