# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what compiling brings and costs: tier `baseline` beside the interpreter.

Both run in turn, round by round. The goals are those of the tier: no model slower than
with the interpreter alone, a compile of 5 ms (median) and 10 ms (most) a unit, P99 of
calls while all compiles run in the background at most 1.25 times that without, and a
first answer at most 5 ms later.
"""

import json
import os
import statistics
import subprocess
import tempfile

import numpy as np

# Of a body: operations, and how often each size is compiled.
FIT_SIZES = (4, 8, 16, 32, 64, 128, 256)
FIT_ROUNDS = 3
# Calls whose 99th percentile is taken, at least.
P99_CALLS = 100

GOALS = {
    "speedup": 1.0,
    "median_ms": 5.0,
    "most_ms": 10.0,
    "p99": 1.25,
    "first_ms": 5.0,
}


class TiersFailed(Exception):
    """A measurement that could not be made, with its reason."""


def measure(jit_run, models, names, cases, threads, rounds, progress):
    """One entry for each case, and the fit of compile time over operations."""
    entries = []
    for name in names:
        folder = os.path.join(models, name)
        with open(os.path.join(folder, "meta.json")) as file:
            shapes = json.load(file)["cases"]
        for index, shape in enumerate(shapes):
            if cases and index not in cases:
                continue
            run = _Run(jit_run, folder, index, threads)
            entry = {"model": name, "shape": shape[0]}
            entry.update(run.measure(rounds))
            entries.append(entry)
            progress(f"{name} case{index}")
    fit = _fit(jit_run)
    progress("fit of compile time")
    return {"cases": entries, "fit": fit}


class _Run:
    def __init__(self, jit_run, folder, index, threads):
        inputs = os.path.join(folder, f"case{index}")
        self.command = [jit_run, os.path.join(folder, "model.mlirbc")]
        self.command.append(f"--threads={threads}")
        count = len([n for n in os.listdir(inputs) if n.startswith("in")])
        self.request = {"inputs": [f"@{inputs}/in{k}.npy" for k in range(count)]}

    def measure(self, rounds):
        plain, forced, tiering = ["--tiers=interpreter"], ["--force-tier=baseline"], []
        probe = self._report(plain, 5)
        calls = int(min(2000, max(20, 5e5 / probe["steady_us"])))
        tail = int(min(4000, max(P99_CALLS, 1e6 / probe["steady_us"])))
        speedups, firsts, p99s, reports = [], [], [], []
        for _ in range(rounds):
            a, b = self._report(plain, calls), self._report(forced, calls)
            speedups.append(a["steady_us"] / b["steady_us"])
            reports.append((a, b))
            first = self._report(tiering, 1)["first_result_ms"]
            firsts.append(first - self._report(plain, 1)["first_result_ms"])
            background = self._report(["--policy=fixed:baseline"], tail)
            p99s.append(_p99(background) / _p99(self._report(plain, tail)))
        compiles = _compiles(reports[-1][1])
        return {
            "interpreter_us": statistics.median(a["steady_us"] for a, _ in reports),
            "baseline_us": statistics.median(b["steady_us"] for _, b in reports),
            "speedup": statistics.median(speedups),
            "units": len(compiles),
            "median_ms": statistics.median(compiles) if compiles else 0,
            "most_ms": max(compiles, default=0),
            "p99": statistics.median(p99s),
            "first_ms": statistics.median(firsts),
        }

    def _report(self, options, calls):
        with tempfile.TemporaryDirectory() as folder:
            requests = os.path.join(folder, "requests.jsonl")
            with open(requests, "w") as file:
                file.write(json.dumps(self.request) + "\n")
            report = os.path.join(folder, "report.json")
            arguments = [f"--requests={requests}", f"--repeat={calls}"]
            arguments += [f"--report={report}", *options]
            return _run([*self.command, *arguments], report)


def _run(command, report):
    said = subprocess.run(command, capture_output=True, text=True)
    if said.returncode != 0:
        raise TiersFailed(f"jit-run failed: {said.stderr.strip()[-300:]}")
    with open(report) as file:
        return json.load(file)


def _p99(report):
    """Of all calls but the first, which makes the plan instance."""
    return float(np.percentile(report["per_call_us"][1:], 99))


def _compiles(report):
    """Milliseconds of each compile but the first, which warms the compiler up."""
    made = [p for unit in report["units"] for p in unit["promotions"]]
    made.sort(key=lambda promotion: promotion["at_ms"])
    return [p["compile_ms"] for p in made][1:]


def _fit(jit_run):
    """Compile time of an element-wise body over its number of operations, a line by
    least squares: milliseconds for each operation, for each unit, and R squared."""
    sizes, times = [], []
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        for size in FIT_SIZES:
            model = os.path.join(folder, f"body{size}.mlir")
            with open(model, "w") as file:
                file.write(_module(size))
            command = [jit_run, model, *["--input=64xf32=rand(0,1)"] * 2]
            command += ["--force-tier=baseline", f"--report={report}"]
            for _ in range(FIT_ROUNDS):
                sizes.append(size)
                times.append(_compiles(_run(command, report))[-1])
    slope, intercept = np.polyfit(sizes, times, 1)
    rest = np.array(times) - (slope * np.array(sizes) + intercept)
    r2 = 1 - float(np.sum(rest**2) / np.sum((times - np.mean(times)) ** 2))
    return {"ms_per_op": slope, "ms_per_unit": intercept, "r2": r2}


def _module(size):
    """A small unit that warms the compiler up, then one of `size` operations."""
    body = ["%v0 = arith.addf %a, %a : f32"]
    for k in range(1, size):
        op = ("mulf", "addf", "subf", "maximumf")[k % 4]
        body.append(f"%v{k} = arith.{op} %v{k - 1}, %a : f32")
    lines = "\n    ".join(body)
    return f"""
#map = affine_map<(i) -> (i)>
func.func @main(%w: tensor<?xf32>, %x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {{
  %c0 = arith.constant 0 : index
  %m = tensor.dim %w, %c0 : tensor<?xf32>
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %d = tensor.empty(%m) : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %z = linalg.generic {{indexing_maps = [#map, #map], iterator_types = ["parallel"]}}
      ins(%w : tensor<?xf32>) outs(%d : tensor<?xf32>) {{
  ^bb0(%a: f32, %out: f32):
    %v = arith.mulf %a, %a : f32
    linalg.yield %v : f32
  }} -> tensor<?xf32>
  %y = linalg.generic {{indexing_maps = [#map, #map], iterator_types = ["parallel"]}}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {{
  ^bb0(%a: f32, %out: f32):
    {lines}
    linalg.yield %v{size - 1} : f32
  }} -> tensor<?xf32>
  return %z, %y : tensor<?xf32>, tensor<?xf32>
}}
"""


def markdown(result):
    """The table; `missed` beside what is worse than its goal."""
    lines = [
        "| model | shape | interpreter, µs | baseline, µs | speed-up | units | compile, "
        "ms: median | most | P99 while compiling | first answer later by, ms |",
        "|---" * 10 + "|",
    ]
    missed = 0
    for case in result["cases"]:
        cells = [case["model"], "x".join(map(str, case["shape"]))]
        cells += [f"{case['interpreter_us']:.0f}", f"{case['baseline_us']:.0f}"]
        for what, digits in (
            ("speedup", 2),
            ("units", 0),
            ("median_ms", 1),
            ("most_ms", 1),
            ("p99", 2),
            ("first_ms", 1),
        ):
            text = f"{case[what]:.{digits}f}"
            goal = GOALS.get(what)
            if goal is not None:
                worse = case[what] < goal if what == "speedup" else case[what] > goal
                missed += worse
                text += f" ({'≥' if what == 'speedup' else '≤'} {goal:g})"
                text = f"**{text}, missed**" if worse else text
            cells.append(text)
        lines.append("| " + " | ".join(cells) + " |")
    fit = result["fit"]
    lines += [
        "",
        f"Compile time of a body: {fit['ms_per_unit']:.2f} ms and "
        f"{fit['ms_per_op']:.3f} ms for each operation, R² {fit['r2']:.3f}, "
        f"at {FIT_SIZES[0]} to {FIT_SIZES[-1]} operations.",
        f"{missed} goals missed.",
    ]
    return "\n".join(lines)
