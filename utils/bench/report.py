# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The benchmark's figures as Markdown, with the goals that they are held to."""

import math

# Anneal's time over ONNX Runtime's, at most: first answer, whole process, and the
# steady call at two threads.
GOALS = {
    "minilm": {"first_ms": 1.0, "cold_ms": 0.5, "steady_us": 1.3},
    "magika": {"first_ms": 2.0, "cold_ms": 0.5, "steady_us": 1.3},
    "cls": {"first_ms": 2.0, "cold_ms": 0.5, "steady_us": 1.3},
    "vadseq": {"first_ms": 4.0, "cold_ms": 0.5, "steady_us": 2.0},
}

# The thread count that the goal for steady calls is set at.
GOAL_THREADS = 2

_COLUMNS = (
    ("first_ms", "first answer, ms"),
    ("cold_ms", "whole process, ms"),
    ("steady_us", "steady call, µs"),
)


# Steady calls at tier `optimized`, over the fastest peer's, are to come to these.
BEST_GOALS = {"each model": 0.9, "all": 0.7}

TITLES = {"onnxruntime": "ONNX Runtime", "openvino": "OpenVINO"}


def ratio(entry, what, peer):
    """Anneal's figure over the peer's."""
    return entry["anneal"][what] / entry[peer][what]


def markdown(result):
    """The whole report. Each cell is `anneal / peer = ratio`, bold above its goal."""
    peers = [name for name in TITLES if name in result["versions"]]
    columns = [(p, *column) for p in peers for column in _COLUMNS]
    lines = [_about(result, peers), ""]
    heads = [f"{TITLES[p]}: {title}" for p, _, title in columns]
    heads = ["model", "shape", "threads", *heads, "agrees"]
    lines += ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    missed = total = 0
    for case in result["cases"]:
        for threads, entry in case["threads"].items():
            shape = "x".join(str(size) for size in case["shape"])
            cells = [case["model"], shape, str(threads)]
            for peer, what, _ in columns:
                goal = _goal(case["model"], what, int(threads), peer)
                over = goal is not None and ratio(entry, what, peer) > goal
                missed += over
                total += goal is not None
                cells.append(_cell(entry, what, peer, goal, over))
            cells.append("yes" if case["agrees"] else "**no**")
            lines.append("| " + " | ".join(cells) + " |")
    lines += [f"| {name} | skipped: {why} |" for name, why in result["skipped"].items()]
    lines += ["", f"{total - missed} of {total} goals met.", ""]
    return "\n".join(lines + _summary(result, peers))


def _summary(result, peers):
    """Geometric means over the cases of the ratios of steady calls: to each peer, and to the
    fastest in each case."""
    heads = ["model", "threads", *(TITLES[p] for p in peers), "fastest peer"]
    lines = ["Steady calls, geometric mean of Anneal / peer:", ""]
    lines += ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    models = list(dict.fromkeys(case["model"] for case in result["cases"]))
    counts = list(dict.fromkeys(n for case in result["cases"] for n in case["threads"]))
    for model in [*models, "all"]:
        for threads in counts:
            entries = [
                case["threads"][threads]
                for case in result["cases"]
                if model in ("all", case["model"])
            ]
            ratios = [[ratio(e, "steady_us", p) for p in peers] for e in entries]
            if not ratios or not peers:
                continue
            means = [geomean(column) for column in zip(*ratios, strict=True)]
            means.append(geomean([max(row) for row in ratios]))
            cells = [model, str(threads), *(f"{mean:.2f}" for mean in means)]
            lines.append("| " + " | ".join(cells) + " |")
    goals = ", ".join(f"{what} ≤ {goal:g}" for what, goal in BEST_GOALS.items())
    return [*lines, "", f"Goals of tier `optimized`, over the fastest peer: {goals}."]


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def _about(result, peers):
    machine, versions = result["machine"], result["versions"]
    peaks = ", ".join(
        f"{p['n']} thread{'s' if p['n'] > 1 else ''}: {p['gflops']:.0f} GFLOP/s "
        f"and {p['gbs']:.1f} GB/s"
        for p in result["peak"]["threads"]
    )
    named = ", ".join(f"{TITLES[name]} {versions[name]}" for name in peers)
    return (
        f"{machine['cpu']}, {machine['cores']} cores (load {machine['load']:.1f} at the "
        f"start). FMA peak and read bandwidth: {peaks}. jit-run: {versions['jit-run']}; "
        f"{named}, Python {versions['python']}. "
        "Each cell: Anneal / peer = ratio (goal)."
    )


def _goal(model, what, threads, peer):
    if peer != "onnxruntime" or (what == "steady_us" and threads != GOAL_THREADS):
        return None
    return GOALS.get(model, {}).get(what)


def _cell(entry, what, peer, goal, over):
    ours, others = entry["anneal"][what], entry[peer][what]
    digits = 0 if min(ours, others) >= 100 else 1
    text = f"{ours:.{digits}f} / {others:.{digits}f} = {ratio(entry, what, peer):.2f}"
    if goal is not None:
        text += f" (≤ {goal:g}{', missed' if over else ''})"
    return f"**{text}**" if over else text
