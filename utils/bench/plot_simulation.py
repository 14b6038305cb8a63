#!/usr/bin/env python3
# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws what jit-sim --json wrote: time of calls and compiles so far, over the calls, for
each policy, and what the best decisions would have come to. Writes SVG; needs no package.

  jit-sim run.jsonl --policy=aot --policy=cost-benefit --json=r.json
  utils/bench/plot_simulation.py r.json -o r.svg
"""

import argparse
import json
import os
import sys
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 70, 220, 40, 50
COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#17becf")


class BadComparison(Exception):
    """What is read is nothing that jit-sim wrote."""


def load(path):
    """The comparison; names what is missing."""
    try:
        with open(path) as file:
            comparison = json.load(file)
        for policy in comparison["policies"]:
            policy["policy"], policy["regret"], policy["timeline"][-1]
        comparison["trace"], comparison["optimum"]["total_s"], comparison["optimum"]["exact"]
    except (ValueError, KeyError, IndexError, TypeError) as failure:
        raise BadComparison(f"{path}: not what jit-sim --json writes: {failure!r}") from failure
    return comparison


def svg(comparison):
    """The picture, as text."""
    most_calls = max(1, comparison["calls"])
    optimum = comparison["optimum"]["total_s"]
    seconds = [p["timeline"][-1][1] for p in comparison["policies"]]
    most_ms = max([optimum, *seconds, 1e-9]) * 1e3

    def at(calls, ms):
        x = LEFT + (WIDTH - LEFT - RIGHT) * calls / most_calls
        y = HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * ms / most_ms
        return f"{x:.1f},{y:.1f}"

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        _text(LEFT, 20, comparison["trace"]),
        _text(LEFT, HEIGHT - 12, f"calls, 0 to {most_calls}"),
        _text(4, TOP - 8, "ms of calls and compiles"),
        f'<polyline fill="none" stroke="black" points="{at(0, most_ms)} {at(0, 0)} '
        f'{at(most_calls, 0)}"/>',
    ]
    for tick in (0.25, 0.5, 0.75, 1):
        y = HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * tick
        parts.append(_text(4, y + 4, f"{most_ms * tick:.4g}"))
    for index, policy in enumerate(comparison["policies"]):
        colour = COLOURS[index % len(COLOURS)]
        points = " ".join(at(calls, s * 1e3) for calls, s in [[0, 0], *policy["timeline"]])
        parts.append(
            f'<polyline fill="none" stroke="{colour}" stroke-width="1.5" points="{points}"/>'
        )
        label = f"{policy['policy']} ({policy['regret']:.3f})"
        parts.append(_text(WIDTH - RIGHT + 8, TOP + 16 * index, label, colour))
    name = "clairvoyant" if comparison["optimum"]["exact"] else "lower bound"
    x, y = at(most_calls, optimum * 1e3).split(",")
    parts.append(f'<circle cx="{x}" cy="{y}" r="4" fill="none" stroke="black"/>')
    below = TOP + 16 * len(comparison["policies"])
    parts.append(_text(WIDTH - RIGHT + 8, below, f"o {name}"))
    return "\n".join([*parts, "</svg>", ""])


def _text(x, y, text, colour="black"):
    return f'<text x="{x}" y="{y:.0f}" fill="{colour}">{escape(text)}</text>'


def main():
    parser = argparse.ArgumentParser(
        prog="plot_simulation.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("comparison", help="what jit-sim --json wrote")
    parser.add_argument("-o", "--output", required=True, metavar="FILE.svg")
    options = parser.parse_args()
    try:
        text = svg(load(options.comparison))
        with open(options.output + ".part", "w") as file:
            file.write(text)
        os.replace(options.output + ".part", options.output)
    except (BadComparison, OSError) as failure:
        print(f"plot_simulation: error: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
