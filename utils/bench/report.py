# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The benchmark's figures as Markdown, with the goals that they are held to."""

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


def ratio(entry, what):
    """Anneal's figure over the peer's."""
    return entry["anneal"][what] / entry["ort"][what]


def markdown(result):
    """The whole report. Each cell is `anneal / peer = ratio`, `!` above its goal."""
    lines = [_about(result), ""]
    heads = ["model", "shape", "threads", *(title for _, title in _COLUMNS), "agrees"]
    lines += ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    missed = total = 0
    for case in result["cases"]:
        for threads, entry in case["threads"].items():
            shape = "x".join(str(size) for size in case["shape"])
            cells = [case["model"], shape, str(threads)]
            for what, _ in _COLUMNS:
                goal = _goal(case["model"], what, int(threads))
                over = goal is not None and ratio(entry, what) > goal
                missed += over
                total += goal is not None
                cells.append(_cell(entry, what, goal, over))
            cells.append("yes" if case["agrees"] else "**no**")
            lines.append("| " + " | ".join(cells) + " |")
    lines += [f"| {name} | skipped: {why} |" for name, why in result["skipped"].items()]
    lines += ["", f"{total - missed} of {total} goals met."]
    return "\n".join(lines)


def _about(result):
    machine, versions = result["machine"], result["versions"]
    peaks = ", ".join(
        f"{p['n']} thread{'s' if p['n'] > 1 else ''}: {p['gflops']:.0f} GFLOP/s "
        f"and {p['gbs']:.1f} GB/s"
        for p in result["peak"]["threads"]
    )
    return (
        f"{machine['cpu']}, {machine['cores']} cores (load {machine['load']:.1f} at the "
        f"start). FMA peak and read bandwidth: {peaks}. jit-run: {versions['jit-run']}; "
        f"ONNX Runtime {versions['onnxruntime']}, Python {versions['python']}. "
        "Each cell: Anneal / ONNX Runtime = ratio (goal)."
    )


def _goal(model, what, threads):
    if what == "steady_us" and threads != GOAL_THREADS:
        return None
    return GOALS.get(model, {}).get(what)


def _cell(entry, what, goal, over):
    ours, peers = entry["anneal"][what], entry["ort"][what]
    digits = 0 if min(ours, peers) >= 100 else 1
    text = f"{ours:.{digits}f} / {peers:.{digits}f} = {ratio(entry, what):.2f}"
    if goal is not None:
        text += f" (≤ {goal:g}{', missed' if over else ''})"
    return f"**{text}**" if over else text
