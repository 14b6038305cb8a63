#!/usr/bin/env python3
# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Total time of each policy, and its regret, on recorded runs of the test models.

Each model is recorded three times by jit-run: with one shape, with a stream of shapes, and
with a shape that changes at half time. jit-sim plays these, and a synthetic program of 1000
units of which 1 % are hot, under each policy. The goals for `cost-benefit`: at most 1.2
times the best decisions there are, and at most 1.03 times any other policy.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

# As they are called in the table, and by jit-sim.
POLICIES = {
    "interpreter only": "fixed:interpreter",
    "baseline up front": "aot",
    "baseline at once": "fixed:baseline",
    "sqrt-n": "sqrt-n",
    "hotspot": "hotspot",
    "chapter": "chapter",
    "cost-benefit": "cost-benefit",
}
JUDGED = "cost-benefit"
GOALS = {"regret": 1.2, "over the others": 1.03}

# Which inputs a model takes for a size, the sizes of its stream, and those before and after
# the change.
MODELS = {
    "minilm": {
        "inputs": lambda n: [f"1x{n}xi64=rand(1000,30000)", f"1x{n}xi64=1"],
        "stream": range(4, 68, 4),
        "change": (12, 128),
    },
    "magika": {
        "inputs": lambda n: [f"{n}x2048xi32=rand(0,255)"],
        "stream": range(1, 9),
        "change": (1, 4),
    },
    "cls": {
        "inputs": lambda n: [f"1x3x48x{n}xf32=rand(-1,1)"],
        "stream": range(96, 352, 16),
        "change": (192, 320),
    },
    "vadseq": {
        "inputs": lambda n: [f"{n}x576xf32=rand(-1,1)", *["1x1x128xf32=0"] * 2],
        "stream": range(1, 65, 4),
        "change": (1, 31),
    },
}
RUNS = ("static", "stream", "change")
SYNTHETIC = "cold,units=1000,hot=0.01"

_EXAMPLES = """\
examples:
  utils/bench/policies.py                     all models, about three minutes
  utils/bench/policies.py --only vadseq       one model, and the synthetic program
  utils/bench/policies.py --keep=traces       keep the traces, for jit-sim
  utils/bench/policies.py --traces=traces     play them again, with another jit-sim"""


class PoliciesFailed(Exception):
    """A run that could not be recorded or played, with its reason."""


def record(jit_run, folder, name, run, calls, path):
    """Writes the trace of about `calls` calls."""
    model = MODELS[name]
    first, second = model["change"]
    sizes = {
        "static": [first],
        "stream": list(model["stream"]),
        "change": [first] * (calls // 2) + [second] * (calls - calls // 2),
    }[run]
    with tempfile.TemporaryDirectory() as scratch:
        requests = os.path.join(scratch, "requests.jsonl")
        with open(requests, "w") as file:
            for size in sizes:
                file.write(json.dumps({"inputs": model["inputs"](size)}) + "\n")
        # With no compiles of its own: those that are measured find the compiler as a run does
        # that has just begun.
        _run(
            [jit_run, os.path.join(folder, name, "model.mlirbc"), f"--requests={requests}"]
            + [f"--repeat={max(1, calls // len(sizes))}", "--policy=fixed:interpreter"]
            + [f"--record={path}"]
        )


def play(jit_sim, trace):
    """What jit-sim says of a trace, or of a synthetic one, as its --json."""
    policies = [f"--policy={policy}" for policy in POLICIES.values()]
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "played.json")
        _run([jit_sim, trace, *policies, f"--json={path}"])
        with open(path) as file:
            return json.load(file)


def judge(played):
    """One line of the table: seconds and regret of each policy, and what misses its goal."""
    total = {p["policy"]: p["total_s"] for p in played["policies"]}
    best = played["optimum"]["total_s"]
    others = min(total[p] for name, p in POLICIES.items() if name != JUDGED)
    judged = total[POLICIES[JUDGED]]
    ratios = {"regret": judged / best, "over the others": judged / others}
    return {
        "calls": played["calls"],
        "total_s": {name: total[policy] for name, policy in POLICIES.items()},
        "clairvoyant_s": best,
        "ratios": ratios,
        "missed": [what for what, goal in GOALS.items() if ratios[what] > goal],
    }


def markdown(lines):
    """The table: total milliseconds and, in brackets, regret; what misses a goal is bold."""
    heads = ["run", "calls", *POLICIES, "clairvoyant", f"{JUDGED} over the best other"]
    rows = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for name, line in lines.items():
        cells = [name, str(line["calls"])]
        for policy, seconds in line["total_s"].items():
            text = f"{seconds * 1e3:.1f} ({seconds / line['clairvoyant_s']:.3f})"
            cells.append(_bold(text, policy == JUDGED and "regret" in line["missed"]))
        cells.append(f"{line['clairvoyant_s'] * 1e3:.1f}")
        over = f"{line['ratios']['over the others']:.3f}"
        cells.append(_bold(over, "over the others" in line["missed"]))
        rows.append("| " + " | ".join(cells) + " |")
    missed = sum(len(line["missed"]) for line in lines.values())
    return "\n".join([*rows, "", f"{missed} of {len(lines) * len(GOALS)} goals missed"])


def _bold(text, is_missed):
    return f"**{text}**" if is_missed else text


def _run(command):
    said = subprocess.run(command, capture_output=True, text=True)
    if said.returncode != 0:
        raise PoliciesFailed(said.stderr.strip() or f"{command[0]} failed")


def _lines(options):
    lines = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.traces or options.keep or scratch
        os.makedirs(folder, exist_ok=True)
        for name in options.only or MODELS:
            for run in RUNS:
                path = os.path.join(folder, f"{name}-{run}.jsonl")
                if not options.traces:
                    record(options.jit_run, options.models, name, run, options.calls, path)
                lines[f"{name}, {run}"] = judge(play(options.jit_sim, path))
                print(f"policies: {name}, {run} done", file=sys.stderr, flush=True)
    for calls in (10_000, 100_000, 1_000_000):
        line = judge(play(options.jit_sim, f"synthetic:{SYNTHETIC},calls={calls}"))
        lines[f"1000 units, 1 % hot, {calls} calls"] = line
    return lines


def _parser():
    parser = argparse.ArgumentParser(
        prog="policies.py",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    tools = os.path.join(ROOT, "build", "release", "bin")
    parser.add_argument("--models", default=os.path.join(ROOT, "build", "models"))
    parser.add_argument("--jit-run", default=os.path.join(tools, "jit-run"))
    parser.add_argument("--jit-sim", default=os.path.join(tools, "jit-sim"))
    parser.add_argument("--only", nargs="+", choices=list(MODELS), help="these models")
    parser.add_argument("--calls", type=int, default=1000, help="of each run (1000)")
    parser.add_argument("--keep", metavar="FOLDER", help="write the traces there")
    parser.add_argument("--traces", metavar="FOLDER", help="play these; record nothing")
    parser.add_argument("--json", metavar="FILE", help="also write the figures")
    return parser


def main():
    options = _parser().parse_args()
    try:
        lines = _lines(options)
        print(markdown(lines))
        if options.json:
            with open(options.json, "w") as file:
                json.dump(lines, file, indent=1)
    except (PoliciesFailed, OSError) as failure:
        print(f"policies: error: {failure}", file=sys.stderr)
        return 1
    return 1 if any(line["missed"] for line in lines.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
