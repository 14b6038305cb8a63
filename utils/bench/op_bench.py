# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single operations: jit-run beside its peers and beside what the machine can do."""

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

import ops
from report import TITLES, geomean

HERE = os.path.dirname(os.path.abspath(__file__))

# How long one loop should run, and the calls it may take.
LOOP_S = 0.2
LEAST_CALLS, MOST_CALLS = 10, 5000


class OpsFailed(Exception):
    """An operation that one of the sides does not run, with its reason."""


def measure(jit_run, kinds, peers, threads, rounds, peak, progress):
    """A list of entries; times are medians over the rounds of medians over calls, µs."""
    found = []
    for op in ops.all_ops():
        if kinds and op.kind not in kinds:
            continue
        with tempfile.TemporaryDirectory() as folder:
            op.write(folder)
            sides = {"anneal": lambda n, f=folder: _anneal(jit_run, f, threads, n)}
            for peer in peers:
                sides[peer] = lambda n, p=peer, f=folder: _peer(p, f, threads, n)
            times = _interleaved(sides, rounds)
        entry = {"kind": op.kind, "size": op.size, "us": times}
        entry |= _of_machine(op, times["anneal"], peak)
        found.append(entry)
        progress(f"{op.kind} {op.size}")
    return found


def _interleaved(sides, rounds):
    calls = {}
    for name, side in sides.items():
        first = max(side(LEAST_CALLS), 1e-3)
        calls[name] = int(min(max(LOOP_S * 1e6 / first, LEAST_CALLS), MOST_CALLS))
    times = {name: [] for name in sides}
    for _ in range(rounds):
        for name, side in sides.items():
            times[name].append(side(calls[name]))
    return {name: statistics.median(values) for name, values in times.items()}


def _anneal(jit_run, folder, threads, calls):
    report = os.path.join(folder, "report.json")
    command = [
        jit_run,
        os.path.join(folder, "model.mlir"),
        f"--inputs-dir={folder}/case0",
        f"--threads={threads}",
        f"--repeat={max(calls, 4)}",
        "--wait-for-compiles",
        f"--report={report}",
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise OpsFailed(done.stderr.strip())
    with open(report) as file:
        return json.load(file)["calls"]["p50_us"]


def _peer(name, folder, threads, calls):
    command = [sys.executable, os.path.join(HERE, "peer.py"), name]
    command += [f"{folder}/model.onnx", f"{folder}/case0", str(threads), str(calls)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise OpsFailed(f"{name}: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout)["steady_us"]


def _of_machine(op, us, peak):
    """What part of the machine's peak the time is: of its FLOPs, else of its bandwidth."""
    if op.flops:
        rate = op.flops / us * 1e-3
        return {"gflops": rate, "of_peak": rate / peak["gflops"]}
    rate = op.bytes / us * 1e-3
    return {"gbs": rate, "of_peak": rate / peak["gbs"]}


def markdown(result):
    peers = [name for name in TITLES if name in result["versions"]]
    heads = ["operation", "size", "µs", "rate", "of peak"]
    heads += [f"{TITLES[name]}, µs" for name in peers] + ["over the fastest"]
    lines = [
        f"{result['machine']['cpu']}, {result['threads']} thread(s), "
        f"{result['peak']['gflops']:.0f} GFLOP/s and {result['peak']['gbs']:.1f} GB/s measured. "
        "The rate of what computes little is that of the bytes that it must move; in a cache it "
        "exceeds the memory's.",
        "",
        "| " + " | ".join(heads) + " |",
        "|---" * len(heads) + "|",
    ]
    ratios = {}
    for entry in result["ops"]:
        us = entry["us"]
        ratio = us["anneal"] / min(us[name] for name in peers) if peers else math.nan
        ratios.setdefault(entry["kind"], []).append(ratio)
        rate = f"{entry['gflops']:.1f} GFLOP/s" if "gflops" in entry else f"{entry['gbs']:.1f} GB/s"
        cells = [entry["kind"], entry["size"], f"{us['anneal']:.1f}", rate, f"{entry['of_peak']:.0%}"]
        cells += [f"{us[name]:.1f}" for name in peers] + [f"{ratio:.2f}"]
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", "Over the fastest peer, geometric mean:", "", "| operation | |", "|---|---|"]
    for kind, values in ratios.items():
        lines.append(f"| {kind} | {geomean(values):.2f} |")
    return "\n".join(lines)
