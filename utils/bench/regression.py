# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether jit-run has become slower than it was when a baseline was saved (REQUIREMENTS.md P4).

A machine's speed changes from minute to minute. Each sample therefore comes with the multiply-add
peak that the same process measured, and what is compared is the product: the time in units of what
the machine could do then. Of both sets of samples there is a median and a spread; a case is slower
or faster only if the interval of the ratio of the medians lies beyond the tolerance, and not faster
or slower where the machine had more to do beside one of them.
"""

import json
import math
import statistics

FORMAT, VERSION = "anneal-bench-baseline", 1

FIGURES = {"first_ms": "first answer", "steady_us": "steady call"}

# Two-sided, of a normal distribution: what 95 % of the samples are within.
CONFIDENCE = 1.96
# The standard deviation of a median is this much of a mean's, that of a normal distribution this
# much of its median absolute deviation.
OF_MEDIAN, OF_MAD = 1.2533, 1.4826
# Samples that agree better than this do so by chance.
LEAST_SPREAD = 0.01
# Processes that ran beside when the measurement began: from this difference on, times differ too.
LOAD = 0.5


class BadBaseline(Exception):
    """A file that is no baseline, or one of another version."""


def load(path):
    """The baseline in a file. Errors: BadBaseline, with the file's name."""
    try:
        with open(path) as file:
            found = json.load(file)
    except OSError as failure:
        raise BadBaseline(f"'{path}': {failure.strerror}") from failure
    except ValueError as failure:
        raise BadBaseline(f"'{path}' is not JSON: {failure}") from failure
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise BadBaseline(f"'{path}' is no baseline; --save-baseline makes one")
    if found.get("version") != VERSION:
        raise BadBaseline(f"'{path}' is of version {found.get('version')}, not {VERSION}; save it anew")
    try:
        for entry in found["entries"]:
            _name(entry)
            for what in FIGURES:
                _logs(entry["samples"], what)
    except (KeyError, TypeError, ValueError) as failure:
        raise BadBaseline(f"'{path}' is damaged: {failure!r}; save it anew") from failure
    return found


def compare(old, new, tolerance):
    """A verdict for each case and figure of both, and the cases that only one has."""
    before = {_name(entry): entry for entry in old["entries"]}
    after = {_name(entry): entry for entry in new["entries"]}
    load = [side.get("machine", {}).get("load", 0) for side in (old, new)]
    verdicts = []
    for name in (n for n in before if n in after):
        for what in FIGURES:
            found = verdict(
                _logs(before[name]["samples"], what), _logs(after[name]["samples"], what), tolerance
            )
            verdicts.append({"case": name, "what": what, **found})
    if abs(load[0] - load[1]) >= LOAD:
        for one in verdicts:
            one["verdict"] = "unclear"
    only = sorted(set(before) ^ set(after))
    return {"verdicts": verdicts, "only_one": only, "tolerance": tolerance, "load": load}


def verdict(old, new, tolerance):
    """Of the logarithms of two sets of times: the ratio of the medians, its interval, and whether
    that says `slower`, `faster`, `same` or, if it spans a tolerance, `unclear`."""
    log_ratio = statistics.median(new) - statistics.median(old)
    error = math.hypot(_error(old), _error(new)) * CONFIDENCE
    low, high = math.exp(log_ratio - error), math.exp(log_ratio + error)
    if low > 1 + tolerance:
        said = "slower"
    elif high < 1 / (1 + tolerance):
        said = "faster"
    elif low >= 1 / (1 + tolerance) and high <= 1 + tolerance:
        said = "same"
    else:
        said = "unclear"
    return {"ratio": math.exp(log_ratio), "low": low, "high": high, "verdict": said}


def markdown(found):
    """The comparison as a table, the verdicts counted below it."""
    lines = ["| case | figure | new / old | 95 % interval | verdict |", "|---|---|---|---|---|"]
    for one in found["verdicts"]:
        said = f"**{one['verdict']}**" if one["verdict"] == "slower" else one["verdict"]
        interval = f"{one['low']:.2f} to {one['high']:.2f}"
        cells = [one["case"], FIGURES[one["what"]], f"{one['ratio']:.2f}", interval, said]
        lines.append("| " + " | ".join(cells) + " |")
    counts = {said: 0 for said in ("slower", "faster", "same", "unclear")}
    for one in found["verdicts"]:
        counts[one["verdict"]] += 1
    told = ", ".join(f"{count} {said}" for said, count in counts.items())
    lines += ["", f"{told}, beyond {found['tolerance']:.0%}."]
    old_load, new_load = found["load"]
    if abs(old_load - new_load) >= LOAD:
        lines.append(
            f"The machine was busy with {old_load:.1f} other processes then and {new_load:.1f} now: "
            "measure both on a quiet one."
        )
    elif counts["unclear"]:
        lines.append("More --rounds, here and of the baseline, settle what is unclear.")
    if found["only_one"]:
        lines.append(f"Not compared, since one side lacks them: {', '.join(found['only_one'])}.")
    return "\n".join(lines)


def is_slower(found):
    return any(one["verdict"] == "slower" for one in found["verdicts"])


def _name(entry):
    shape = "x".join(str(size) for size in entry["shape"])
    return f"{entry['model']} case{entry['case']} {shape}, {entry['threads']} thread(s)"


def _logs(samples, what):
    """Logarithms of times in units of the machine's speed. Errors: ValueError for none, or one that
    is not positive."""
    if not samples:
        raise ValueError("a case without samples")
    return [math.log(s[what] * s["peak_gflops"]) for s in samples]


def _error(logs):
    middle = statistics.median(logs)
    spread = OF_MAD * statistics.median(abs(value - middle) for value in logs)
    return OF_MEDIAN * max(spread, LEAST_SPREAD) / math.sqrt(len(logs))
