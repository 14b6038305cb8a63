"""Reads what --metrics wrote, strictly by the rules of Prometheus' text exposition format 0.0.4."""

import math
import re

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*\Z")
SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)\Z")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|\Z)')
UNESCAPED = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}
SUFFIXES = {
    "counter": {""},
    "gauge": {""},
    "histogram": {"_bucket", "_sum", "_count"},
    "summary": {"", "_sum", "_count"},
}


def labels_of(text):
    labels, position = {}, 0
    while position < len(text):
        match = LABEL.match(text, position)
        assert match, text
        assert match[1] not in labels, text
        labels[match[1]] = re.sub(r'\\[\\"n]', lambda m: UNESCAPED[m[0]], match[2])
        position = match.end()
    return labels


def read(path):
    """{family: (type, help, [(suffix, labels, value)])}, once all rules hold."""
    text = open(path, encoding="utf-8", newline="").read()
    assert text.endswith("\n") and "\r" not in text
    families, seen, name = {}, set(), None
    for line in text.removesuffix("\n").split("\n"):
        if line.startswith("# HELP "):
            _, _, name, help_ = line.split(" ", 3)
            assert NAME.match(name) and name not in families and help_, line
            families[name] = [None, help_, []]
        elif line.startswith("# TYPE "):
            _, _, typed, kind = line.split(" ")
            assert typed == name and families[name][0] is None and not families[name][2], line
            assert kind in SUFFIXES, line
            families[name][0] = kind
        else:
            match = SAMPLE.match(line)
            assert match, line
            suffix = match[1].removeprefix(name)
            labels = labels_of(match[2] or "")
            assert match[1].startswith(name) and suffix in SUFFIXES[families[name][0]], line
            key = (match[1], tuple(sorted(labels.items())))
            assert key not in seen, line
            seen.add(key)
            families[name][2].append((suffix, labels, float(match[3])))
    for name, (kind, _, samples) in families.items():
        check(name, kind, samples)
    return families


def check(name, kind, samples):
    assert name.startswith("anneal_"), name
    assert (kind == "counter") == name.endswith("_total"), name
    if kind == "counter":
        assert all(value >= 0 for _, _, value in samples), name
    if kind == "histogram":
        series = {}
        for suffix, labels, value in samples:
            key = tuple(sorted((k, v) for k, v in labels.items() if k != "le"))
            series.setdefault(key, []).append((suffix, labels.get("le"), value))
        for one in series.values():
            check_histogram(name, one)


def check_histogram(name, series):
    buckets = [(float(le), value) for suffix, le, value in series if suffix == "_bucket"]
    total = {suffix: value for suffix, _, value in series if suffix != "_bucket"}
    assert buckets == sorted(buckets) and buckets[-1][0] == math.inf, name
    counts = [value for _, value in buckets]
    assert counts == sorted(counts) and counts[-1] == total["_count"], name
    assert 0 <= total["_sum"] or total["_count"] == 0, name


def value(families, name, suffix="", **labels):
    """Of the one sample with these labels."""
    found = [v for s, have, v in families[name][2] if s == suffix and labels.items() <= have.items()]
    assert len(found) == 1, (name, labels, families[name])
    return found[0]
