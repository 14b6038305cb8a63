# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples of docs/Passes.md: what stands before comes out as what stands after.

A `before` that is a module is run as it stands. The others are of the body of @f in a module of
pass_examples.mlir, which has what the page leaves out; `before` is held against it. Both have to be there as
a whole, and in this order, except that
- `...` stands for anything;
- names of values and blocks are the example's own;
- where constants stand doesn't matter: each use of one counts as its value.
"""

import functools
import json
import os
import pathlib
import re
import subprocess

import pytest

from conftest import ROOT

JIT_OPT = pathlib.Path(os.environ["ANNEAL_BUILD"]) / "bin" / "jit-opt"
CONTEXTS = pathlib.Path(__file__).with_name("pass_examples.mlir")
NO_EXAMPLE = {"jit-bufferize-functions": "none yet", "jit-print-plan": "none yet"}

TOKEN = re.compile(r"\.\.\.|->|\d+\.\d+(?:[eE][+-]?\d+)?|\"[^\"]*\"|[%^@#!]?[\w.-]*\w|\S")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CONSTANT = re.compile(r"\s*(%\w+) = arith\.constant (.*)")
BODY = re.compile(r"^  (?:llvm\.)?func(?:\.func)? @f\(.*\{\n((?:   .*\n|\n)*?)    (?:llvm\.)?return.*\n  }", re.MULTILINE)
PRINT = ("--mlir-print-local-scope", "--mlir-print-unique-ssa-ids")
FUNCTIONS = {"func", "llvm.func", "jit.unit"}


@functools.cache
def sections():
    """The description of each pass."""
    parts = re.split(r"^### `-(.*)`$", (ROOT / "docs" / "Passes.md").read_text(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@functools.cache
def contexts():
    parts = re.split(r"^// PASS (.*)$", CONTEXTS.read_text(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def run(folder, module, *options):
    """What jit-opt says of a module: on standard output, and as remarks."""
    (folder / "m.mlir").write_text(module.lstrip("\n"))
    command = [JIT_OPT, "m.mlir", *options]
    said = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert said.returncode == 0, said.stderr
    return said.stdout, said.stderr


def tokens(text):
    """The words of a text; constants are put in where they are used, numbers are written one way."""
    found, constants = [], {}
    for line in text.splitlines():
        words = TOKEN.findall(line.partition("//")[0])
        words = [str(float(word)) if re.match(r"\d+\.\d", word) else word for word in words]
        if match := CONSTANT.match(line):
            if "..." not in words:
                constants[words[0]] = "".join(words[3:])
            continue
        found += [constants.get(word, word).removeprefix("func.") for word in words]
    return found


def pattern(words):
    """A regular expression for the words, each with a blank behind it."""
    names, made = {}, []
    for word in words:
        if word in FUNCTIONS:
            names = {}
        if word == "...":
            made.append(r"(?:\S+ )*?")
        elif word[0] in "%^" and len(word) > 1 and word in names:
            made.append(f"(?P={names[word]}) ")
        elif word[0] in "%^" and len(word) > 1:
            others = "|".join(f"(?P={name}) " for name in names.values())
            names[word] = f"v{len(made)}"
            made.append(f"(?!{others})" * bool(others) + rf"(?P<{names[word]}>\S+) ")
        else:
            made.append(re.escape(word) + " ")
    return made


def check(shown, text):
    """Fails unless a text is what is shown; a part of a function is the body of @f."""
    words = tokens(shown)
    if not FUNCTIONS & set(words):
        text = BODY.search(text)[1]
    else:
        text = text.removeprefix("module {\n").removesuffix("}\n\n").removesuffix("}\n")
    there, wanted = "".join(word + " " for word in tokens(text)), pattern(words)
    if not re.fullmatch("".join(wanted), there):
        known = max(k for k in range(len(wanted) + 1) if re.match("".join(wanted[:k]), there))
        pytest.fail(f"not so from here: {' '.join(words[known:])}\nin {text}")


def test_every_pass_has_an_example():
    without = {name for name, text in sections().items() if "```mlir" not in text}
    assert without == NO_EXAMPLE.keys()
    assert contexts().keys() <= sections().keys()


@pytest.mark.parametrize("name", [name for name in sections() if name not in NO_EXAMPLE])
def test_example(name, tmp_path):
    section = sections()[name].partition("#### Options")[0]
    fences = [fence for fence in FENCE.finditer(section) if not fence[2].startswith("jit-opt")]
    before, shown = fences[0][2], fences[1:]
    module = contexts().get(name, before)
    if module != before:
        check(before, run(tmp_path, module, *PRINT)[0])
    between = section[fences[0].end() : shown[-1].start()]
    options = re.findall(r"`(?:jit-[\w-]+\{)?([a-z][\w-]*=[^`}]*)\}?`", between)
    flags = re.findall(r"`(--[^`]*)`", between)
    for kind, text in [fence.groups() for fence in shown]:
        if kind == "json":
            (tmp_path / "report.json").write_text(json.dumps({"units": [json.loads(text)]}))
            options.append("profile=report.json")
        else:
            pass_option = f"--{name}={' '.join(options)}".rstrip("=")
            if kind == "mlir":
                check(text, run(tmp_path, module, pass_option, *flags, *PRINT)[0])
            else:
                said = "".join(run(tmp_path, module, pass_option, *flags))
                assert [line for line in text.splitlines() if line not in said] == [], said
