# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`jit-propagate-heat` against a dense matrix, on random modules.

The module is written together with a model of its graph (docs/analyses/Heat.md): what `Module` adds to
its edges follows from what it writes, not from what the pass finds.
"""

import os
import random
import re
import struct
import subprocess

import numpy as np
import pytest

HOTNESS = r"#jit\.hotness<([^>]*)>"


class Module:
    """Random functions, units, loops, branches and calls; the nodes and edges of their graph."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.heat = []
        self.edges = []
        self.ids = []
        self.names = 0
        count = self.random.randint(2, 4)
        self.functions = []
        for index in range(count):
            kind = self.random.choice(["plain", "plain", "blocks", "unit"])
            arity = self.random.randint(1, 3)
            function = {"name": f"f{index}", "kind": kind, "arity": arity}
            function["node"] = self.node()
            function["args"] = [self.node() for _ in range(arity)]
            self.edges += [(function["node"], arg) for arg in function["args"]]
            function["return"] = self.node()
            self.functions.append(function)
        for function in self.functions:
            self.write_function(function)

    def node(self):
        self.heat.append(0)
        return len(self.heat) - 1

    def name(self):
        self.names += 1
        return f"%v{self.names}"

    def attributes(self, node):
        """The number of a node as an attribute, and, of some, heat."""
        self.ids.append(node)
        text = f"id = {node} : i64"
        if self.random.random() < 0.4:
            self.heat[node] = self.random.randint(1, 1000)
            text += f", jit.hotness = #jit.hotness<count = {self.heat[node]}>"
        return text

    def use(self, values, node):
        """One of the values in view, and the edge to the node that uses it."""
        name, source = self.random.choice(values)
        self.edges.append((source, node))
        return name

    def write_function(self, function):
        self.current = function
        node = function["node"]
        names = [self.name() for _ in function["args"]]
        args = ", ".join(f"{name}: i32" for name in names)
        values = list(zip(names, function["args"]))
        if function["kind"] == "unit":
            attributes = self.attributes(node).replace("jit.hotness =", "hotness =")
            self.lines.append(
                f"jit.unit @{function['name']}({args}) attributes {{{attributes}}} {{"
            )
            for _ in range(self.random.randint(1, 4)):
                self.write_binary(values)
            self.lines.append(f"jit.return {{{self.attributes(function['return'])}}}\n}}")
            return
        self.lines.append(
            f"func.func @{function['name']}({args}) -> i32 attributes {{{self.attributes(node)}}} {{"
        )
        self.write_ops(values, depth=0, count=self.random.randint(2, 6))
        if function["kind"] == "blocks":
            values = self.write_branches(values)
        end = function["return"]
        result = self.use(values, end)
        self.lines.append(f"return {{{self.attributes(end)}}} {result} : i32\n}}")

    def write_ops(self, values, depth, count):
        writers = [self.write_binary, self.write_binary, self.write_call]
        if depth < 2:
            writers += [self.write_loop, self.write_if]
        for _ in range(count):
            writer = self.random.choice(writers)
            writer(values, depth)

    def write_binary(self, values, depth=0):
        node = self.node()
        left, right = self.use(values, node), self.use(values, node)
        name = self.name()
        self.lines.append(
            f"{name} = arith.addi {left}, {right} {{{self.attributes(node)}}} : i32"
        )
        values.append((name, node))

    def write_call(self, values, depth):
        target = self.random.choice(self.functions)
        node = self.node()
        operands = ", ".join(self.use(values, node) for _ in range(target["arity"]))
        types = ", ".join(["i32"] * target["arity"])
        self.edges.append((node, target["node"]))
        attributes = self.attributes(node)
        if target["kind"] == "unit":
            self.lines.append(
                f"jit.invoke @{target['name']}({operands} : {types}) {{{attributes}}}"
            )
            return
        self.edges.append((target["return"], node))
        name = self.name()
        self.lines.append(
            f"{name} = func.call @{target['name']}({operands}) {{{attributes}}} : ({types}) -> i32"
        )
        values.append((name, node))

    def write_loop(self, values, depth):
        """Carried values go in from the loop and from the yield, and out from the yield."""
        node, counter = self.node(), self.node()
        bounds = [self.use(values, node) for _ in range(3)]
        carried = [
            (self.name(), self.node()) for _ in range(self.random.randint(1, 2))
        ]
        inits = [self.use(values, node) for _ in carried]
        self.edges += [(node, arg) for _, arg in carried] + [(node, counter)]
        results, index = self.name(), self.name()
        pairs = ", ".join(
            f"{arg} = {init}" for (arg, _), init in zip(carried, inits)
        )
        types = ", ".join(["i32"] * len(carried))
        self.lines.append(
            f"{results}:{len(carried)} = scf.for {index} = {bounds[0]} to {bounds[1]} "
            f"step {bounds[2]} iter_args({pairs}) -> ({types}) : i32 {{"
        )
        inner = values + carried + [(index, counter)]
        self.write_ops(inner, depth + 1, self.random.randint(1, 3))
        end = self.node()
        yielded = ", ".join(self.use(inner, end) for _ in carried)
        for _, arg in carried:
            self.edges += [(end, arg), (end, node)]
        self.lines.append(f"scf.yield {{{self.attributes(end)}}} {yielded} : {types}")
        self.lines.append(f"}} {{{self.attributes(node)}}}")
        values += [(f"{results}#{i}", node) for i in range(len(carried))]

    def write_condition(self, values):
        node, name = self.node(), self.name()
        left, right = self.use(values, node), self.use(values, node)
        self.lines.append(
            f"{name} = arith.cmpi slt, {left}, {right} {{{self.attributes(node)}}} : i32"
        )
        return name, node

    def write_if(self, values, depth):
        condition, source = self.write_condition(values)
        node, name = self.node(), self.name()
        self.edges.append((source, node))
        self.lines.append(f"{name} = scf.if {condition} -> (i32) {{")
        for branch in range(2):
            inner = list(values)
            self.write_ops(inner, depth + 1, self.random.randint(1, 2))
            end = self.node()
            result = self.use(inner, end)
            self.edges.append((end, node))
            self.lines.append(f"scf.yield {{{self.attributes(end)}}} {result} : i32")
            self.lines.append("} else {" if branch == 0 else f"}} {{{self.attributes(node)}}}")
        values.append((name, node))

    def write_branches(self, values):
        """A loop of blocks: an entry, a body that comes back to itself, an end."""
        entry, head = self.node(), self.node()
        label, last = f"^body{entry}", f"^end{entry}"
        first = self.use(values, entry)
        self.edges.append((entry, head))
        self.lines.append(f"cf.br {label}({first} : i32) {{{self.attributes(entry)}}}")
        name = self.name()
        self.lines.append(f"{label}({name}: i32):")
        values = values + [(name, head)]
        self.write_binary(values)
        condition, source = self.write_condition(values)
        branch, tail = self.node(), self.node()
        self.edges.append((source, branch))
        again, out = self.use(values, branch), self.use(values, branch)
        self.edges += [(branch, head), (branch, tail)]
        result = self.name()
        self.lines.append(
            f"cf.cond_br {condition}, {label}({again} : i32), {last}({out} : i32) "
            f"{{{self.attributes(branch)}}}"
        )
        self.lines.append(f"{last}({result}: i32):")
        return values + [(result, tail)]

    def spread(self, alpha, steps):
        size = len(self.heat)
        adjacency = np.zeros((size, size))
        for source, target in self.edges:
            adjacency[target, source] += 1
        degree = adjacency.sum(axis=0)
        share = adjacency / np.where(degree == 0, 1, degree)
        heat = np.array(self.heat, dtype=np.float64)
        for _ in range(steps):
            heat = alpha * heat + (1 - alpha) * share @ heat
        return heat


def number(text):
    """A float as MLIR prints it: in decimal, or the bits in hexadecimal."""
    if text.startswith("0x"):
        return struct.unpack("<d", int(text, 16).to_bytes(8, "little"))[0]
    return float(text)


def scores(text):
    """The score of each node that has one, by the number that stands beside it."""
    found = {}
    for line in text.splitlines():
        mark = re.search(r"\bid = (\d+) : i64", line)
        hotness = re.search(r"\b(?:jit\.)?hotness = " + HOTNESS, line)
        if mark and hotness:
            score = re.search(r"score = ([^,>]+)", hotness[1])
            found[int(mark[1])] = number(score[1])
    return found


@pytest.mark.parametrize("seed", range(24))
def test_heat_agrees_with_a_dense_matrix(seed, tmp_path):
    module = Module(seed)
    path = tmp_path / "module.mlir"
    path.write_text("\n".join(module.lines))
    alpha, steps = [(0.9, 10), (0.5, 3), (0.0, 2), (1.0, 4)][seed % 4]
    said = subprocess.run(
        [
            f"{os.environ['ANNEAL_BUILD']}/bin/jit-opt",
            str(path),
            f"--jit-propagate-heat=alpha={alpha} steps={steps} tolerance=0",
        ],
        capture_output=True,
        text=True,
    )
    assert said.returncode == 0, said.stderr
    expected = module.spread(alpha, steps)
    found = scores(said.stdout)
    assert any(found)
    for node in module.ids:
        assert found.get(node, 0) == pytest.approx(expected[node], rel=1e-12, abs=1e-12)
