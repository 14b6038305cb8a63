# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Buckets of sizes (S1) against Python's integers, and the commands of docs/Shapes.md.

`Bucket(s) = floor(log2(s) / delta) * delta`; for `delta = num/den`, bucket k holds s if
`2^(k * num) <= s^den < 2^((k + 1) * num)`, which integers decide exactly.
"""

import os
import pathlib
import random
import re
import subprocess
from fractions import Fraction

import pytest

from conftest import ROOT
from page import run_page

LARGEST = 2**63 - 1
DELTAS = ["1", "2", "3", "64", "1/2", "1/3", "2/3", "1/4", "3/4", "5/7", "7/5", "1/16", "63/64", "1/64"]


def jit_opt(text, *options):
    """What jit-opt makes of a module."""
    tool = pathlib.Path(os.environ["ANNEAL_BUILD"]) / "bin" / "jit-opt"
    said = subprocess.run([tool, "-", *options], input=text, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr[-2000:]
    return said.stdout


def sizes(seed):
    """0, 1, the sizes around every power of two, the largest, and random ones of all widths."""
    found = {0, 1, LARGEST}
    for power in range(63):
        found |= {2**power - 1, 2**power, 2**power + 1}
    pick = random.Random(seed)
    for _ in range(150):
        found.add(pick.getrandbits(pick.randint(1, 63)))
    return sorted(found)


def bucket_of(size, delta):
    """The number of the bucket, by comparing powers."""
    power, low, high = size**delta.denominator, 0, 64 * delta.denominator // delta.numerator + 1
    while low < high:
        middle = (low + high + 1) // 2
        if 2 ** (middle * delta.numerator) <= power:
            low = middle
        else:
            high = middle - 1
    return low


def first_size(exponent):
    """The smallest s with s >= 2^exponent."""
    low, high, bound = 0, 2**65, 2**exponent.numerator
    while low < high:
        middle = (low + high) // 2
        if middle**exponent.denominator >= bound:
            high = middle
        else:
            low = middle + 1
    return low


def bounds(size, delta):
    """First and last size of a size's bucket, of those that a dimension can have."""
    if size == 0:
        return 0, 0
    number = bucket_of(size, delta)
    return first_size(number * delta), min(first_size((number + 1) * delta) - 1, LARGEST)


def expected_text(size, delta):
    """The bucket of a size as the attribute writes it."""
    first, last = bounds(size, delta)
    if first == last:
        return str(first)
    number = bucket_of(size, delta)
    return f"exp2({number * delta} ... {(number + 1) * delta})"


@pytest.mark.parametrize("delta", DELTAS)
def test_buckets_are_exact(delta):
    step = Fraction(delta)
    tested = sizes(delta)
    module = "\n".join(
        f"jit.unit private @u{size}(%x: tensor<?xf32>) attributes "
        f"{{jit.profile = #jit.profile<shapes = [([{size}]) : 1]>}} {{ jit.return }}"
        for size in tested
    )
    out = jit_opt(module, f"--jit-specialize-shapes=mode=bucket delta={delta}")
    found = dict(re.findall(r"jit\.variant @\S+ of @u(\d+) when \(<\[(.*)\]>\)", out))
    # One bucket for all sizes but 0 is still a demand.
    assert found == {str(size): expected_text(size, step) for size in tested}


@pytest.mark.parametrize("delta", DELTAS)
def test_guards_ask_for_exact_ranges(delta):
    """What a guard lets through are the sizes of the bucket, and no other."""
    step = Fraction(delta)
    tested = sizes(delta + "guard")
    module = "\n".join(
        f"func.func @f{size}(%x: tensor<?xf32>) -> i1 {{\n"
        f"  %0 = jit.guard %x in <[{expected_text(size, step)}]> : tensor<?xf32>\n"
        f"  return %0 : i1 }}"
        for size in tested
    )
    out = jit_opt(module, "--jit-lower-guards")
    functions = re.findall(r"func\.func @f(\d+)\((.*?)\n  }", out, re.DOTALL)
    assert len(functions) == len(tested)
    for size, body in functions:
        constants = dict(re.findall(r"(%\S+) = arith\.constant (\d+) : index", body))
        low, high = 0, LARGEST
        for predicate, name in re.findall(r"arith\.cmpi (\w+), %\w+, (%\w+) : index", body):
            bound = int(constants[name])
            low = max(low, bound) if predicate in ("sge", "eq") else low
            high = min(high, bound) if predicate in ("sle", "eq") else high
            assert predicate in ("sge", "sle", "eq")
        assert (low, high) == bounds(int(size), step), size


def test_every_command_of_the_page(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{os.environ['ANNEAL_BUILD']}/bin", prepend=os.pathsep)
    text = (ROOT / "docs" / "Shapes.md").read_text()
    assert run_page(text, tmp_path) >= 6
