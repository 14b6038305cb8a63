# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples of docs/Passes.md: what stands before comes out as what stands after, or is printed.

An example that is a module is run as it stands. Others are parts of a module of Inputs/pass-examples.mlir,
which has what the page leaves out: all of it with `...`, or else the body of @f without its return. What is shown
before is held against that module, what is shown after against what comes out. Nothing may be missing, but
- `...` stands for anything;
- names of values and blocks are the example's own, the same before and after;
- where constants stand doesn't matter: each use of one counts as its value.

Between the two the text has options (`a=1 b=2`) and what else to call jit-opt with (`--cse`).
"""

import json
import os
import pathlib
import re
import subprocess

import pytest

from conftest import ROOT

JIT_OPT = pathlib.Path(os.environ["ANNEAL_BUILD"]) / "bin" / "jit-opt"
PRINT = ("--mlir-print-local-scope", "--mlir-print-unique-ssa-ids")
FUNCTIONS = {"func", "llvm.func", "jit.unit"}

TOKEN = re.compile(r"\.\.\.|->|\d+\.\d+(?:[eE][+-]?\d+)?|\"[^\"]*\"|[%^@#!]?[\w.-]*\w|\S")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CONSTANT = re.compile(r"\s*%\w+ = arith\.constant (?!.*\.\.\.)")
BODY = re.compile(r"^  func\.func @f(\(.*)\{\n((?:  [ ^].*\n|\n)*?)    return.*\n  }", re.MULTILINE)


def split(path, heading):
    """The parts of a file by their headings."""
    parts = re.split(heading, path.read_text(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


SECTIONS = split(ROOT / "docs" / "Passes.md", r"^### `-(.*)`$")
MODULES = split(pathlib.Path(__file__).parent / "Inputs" / "pass-examples.mlir", r"^// ----- (.*)\n")


def run(folder, module, *options, fails=False):
    """What jit-opt makes of a module, and what it says."""
    (folder / "m.mlir").write_text(module)
    said = subprocess.run([JIT_OPT, "m.mlir", *options], capture_output=True, text=True, cwd=folder)
    assert (said.returncode != 0) == fails, said.stderr
    return said.stdout, said.stderr


def tokens(text):
    """The words of a text; constants are put in where they are used, numbers are written one way."""
    found, constants = [], {}
    for line in text.splitlines():
        words = TOKEN.findall(line.partition("//")[0])
        words = [str(float(word)) if re.match(r"\d+\.\d", word) else word for word in words]
        if CONSTANT.match(line):
            constants[words[0]] = "".join(words[3:])
        else:
            found += [constants.get(word, word).removeprefix("func.") for word in words]
    return found


def pattern(words):
    """A regular expression for each word, with a blank behind it, and the groups of values and blocks."""
    groups, made = {}, []
    for position, word in enumerate(words):
        if word in FUNCTIONS:
            groups = {}
        if word == "...":
            made.append(r"(?:\S+ )*?")
        elif not re.match(r"[%^]\w", word):
            made.append(re.escape(word) + " ")
        elif word in groups:
            made.append(f"(?P={groups[word]}) ")
        else:
            others = [f"(?!(?P={group}) )" for group in groups.values()]
            groups[word] = f"g{position}"
            made.append("".join(others) + rf"(?P<{groups[word]}>\S+) ")
    return made, groups


def check(shown, text):
    """Fails unless a text is what is shown; returns which arguments and constants of @f its names are."""
    words, arguments = tokens(shown), []
    if FUNCTIONS & set(words):
        text = re.sub(r"\Amodule \{\n|\}\n*\Z", "", text)
    else:
        header, text = BODY.search(text).groups()
        arguments = re.findall(r"%\w+", header)
    wanted, groups = pattern(words)
    there = "".join(word + " " for word in tokens(text))
    found = re.fullmatch("".join(wanted), there)
    if not found:
        known = max(k for k in range(len(wanted)) if re.match("".join(wanted[:k]), there))
        pytest.fail(f"not so from here: {' '.join(words[known:])}\nin {text}")
    names = {name: found[group] for name, group in groups.items()}
    return {
        name: arguments.index(value) if value in arguments else value
        for name, value in names.items()
        if value in arguments or ":" in value
    }


def test_the_modules_are_of_passes():
    assert len(SECTIONS) > 40 and MODULES.keys() <= SECTIONS.keys()


@pytest.mark.parametrize("name", SECTIONS)
def test_example(name, tmp_path):
    section = SECTIONS[name].partition("#### Options")[0]
    before, *after = [found for found in FENCE.finditer(section) if not found[2].startswith("jit-opt ")]
    module = MODULES.get(name, before[2])
    names = check(before[2], run(tmp_path, module, *PRINT)[0]) if name in MODULES else {}
    between = section[before.end() : after[-1].start()]
    options = re.findall(r"`(?:jit-[\w-]+\{)?([a-z][\w-]*=[^`}]*)\}?`", between)
    flags = re.findall(r"`(--[^`]*)`", between)
    for kind, text in [fence.groups() for fence in after]:
        if kind == "json":
            (tmp_path / "report.json").write_text(json.dumps({"units": [json.loads(text)]}))
            options.append("profile=report.json")
            continue
        command = [f"--{name}={' '.join(options)}".rstrip("="), *flags]
        if kind == "mlir":
            then = check(text, run(tmp_path, module, *command, *PRINT)[0])
            assert {key: then.get(key, value) for key, value in names.items()} == names
        else:
            said = "".join(run(tmp_path, module, *command, fails=text.startswith("error: ")))
            assert [line for line in text.splitlines() if line not in said] == [], said
