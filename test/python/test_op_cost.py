# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`jit-print-op-cost` against a walk over all points, on random `linalg.generic`s.

The walk counts the operations of the body at each point, and collects which elements of each operand
are touched (docs/analyses/OpCost.md). Half of the loops have sizes that only `dims` gives.
"""

import itertools
import os
import random
import re
import subprocess

import pytest

ELEMENTS = {"f32": 4, "f16": 2, "f64": 8}


class Generic:
    """One random op: loops, an indexing map for each operand, and a body."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        pick = self.random
        self.loops = [pick.randint(1, 5) for _ in range(pick.randint(1, 4))]
        self.element = pick.choice(list(ELEMENTS))
        # Each loop is some output's or some input's index by itself, so that its size is known.
        order = list(range(len(self.loops)))
        pick.shuffle(order)
        self.parallel = sorted(order[: pick.randint(1, len(order))])
        self.maps = [self.random_map() for _ in range(pick.randint(1, 3))]
        self.maps.append([(loop,) for loop in order])
        self.output = [(loop,) for loop in pick.sample(self.parallel, len(self.parallel))]
        self.reads_output = len(self.parallel) < len(self.loops) or pick.random() < 0.3
        self.additions = pick.randint(0, 3)
        self.exponentials = pick.randint(0, 2)
        self.used = [pick.random() < 0.8 for _ in self.maps]
        self.used[-1] = True

    def random_map(self):
        """Each index is a loop, a window of two loops, or constant; no loop is in two of them."""
        loops = list(range(len(self.loops)))
        self.random.shuffle(loops)
        indices = []
        while loops and self.random.random() < 0.7:
            kind = self.random.choice(["loop", "loop", "window", "constant"])
            if kind == "constant":
                indices.append(())
            elif kind == "window" and len(loops) > 1:
                indices.append((loops.pop(), loops.pop()))
            else:
                indices.append((loops.pop(),))
        return indices

    def shape(self, indices):
        return [sum(self.loops[loop] - 1 for loop in index) + 1 for index in indices]

    def operands(self):
        return [*self.maps, self.output]

    def type_of(self, number, indices):
        """Sizes of even operands are dynamic."""
        sizes = ["?" if number % 2 == 0 else str(size) for size in self.shape(indices)]
        return f"tensor<{''.join(size + 'x' for size in sizes)}{self.element}>"

    def text(self, name):
        types = [self.type_of(n, indices) for n, indices in enumerate(self.operands())]
        args = ", ".join(f"%a{n}: {kind}" for n, kind in enumerate(types))
        dims = ", ".join(f"d{loop}" for loop in range(len(self.loops)))
        maps = ", ".join(
            f"affine_map<({dims}) -> ({', '.join(self.index_text(i) for i in indices)})>"
            for indices in self.operands()
        )
        kinds = ", ".join(
            f'"{"parallel" if loop in self.parallel else "reduction"}"'
            for loop in range(len(self.loops))
        )
        inputs = len(self.maps)
        lines = [
            f"func.func @{name}({args}) -> {types[-1]} {{",
            f"%0 = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}",
            f"ins({', '.join(f'%a{n}' for n in range(inputs))} : {', '.join(types[:-1])})",
            f"outs(%a{inputs} : {types[-1]}) {{",
            f"^bb0({', '.join(f'%e{n}: {self.element}' for n in range(inputs + 1))}):",
        ]
        values = [f"%e{n}" for n, used in enumerate([*self.used, self.reads_output]) if used]
        value = values[0]
        for number, other in enumerate(values[1:]):
            lines.append(f"%s{number} = arith.addf {value}, {other} : {self.element}")
            value = f"%s{number}"
        for number in range(self.additions):
            lines.append(f"%t{number} = arith.mulf {value}, {value} : {self.element}")
            value = f"%t{number}"
        for number in range(self.exponentials):
            lines.append(f"%u{number} = math.exp {value} : {self.element}")
            value = f"%u{number}"
        lines += [f"linalg.yield {value} : {self.element}", f"}} -> {types[-1]}"]
        lines += [f"return %0 : {types[-1]}", "}"]
        self.flops_a_point = len(values) - 1 + self.additions + 18 * self.exponentials
        return "\n".join(lines)

    @staticmethod
    def index_text(index):
        return " + ".join(f"d{loop}" for loop in index) if index else "0"

    def dims(self):
        return ",".join(
            f"arg{n}:{'x'.join(map(str, self.shape(indices)))}"
            for n, indices in enumerate(self.operands())
        )

    def walk(self):
        """FLOPs, bytes read and bytes written, point by point."""
        flops = 0
        touched = [set() for _ in self.operands()]
        for point in itertools.product(*map(range, self.loops)):
            flops += self.flops_a_point
            for elements, indices in zip(touched, self.operands()):
                elements.add(tuple(sum(point[loop] for loop in index) for index in indices))
        size = ELEMENTS[self.element]
        uses = [*self.used, self.reads_output]
        read = size * sum(len(elements) for elements, used in zip(touched, uses) if used)
        return flops, read, size * len(touched[-1])


@pytest.mark.parametrize("seed", range(40))
def test_cost_agrees_with_a_walk(seed, tmp_path):
    generic = Generic(seed)
    path = tmp_path / "generic.mlir"
    path.write_text(generic.text("f"))
    said = subprocess.run(
        [
            f"{os.environ['ANNEAL_BUILD']}/bin/jit-opt",
            str(path),
            f"--jit-print-op-cost=dims={generic.dims()} totals-only",
            "-o",
            "/dev/null",
        ],
        capture_output=True,
        text=True,
    )
    assert said.returncode == 0, said.stderr
    total = re.search(r"flops=(\d+), read=(\d+), written=(\d+), intensity=\S+$", said.stdout, re.M)
    assert total, said.stdout
    assert tuple(map(int, total.groups())) == generic.walk()
