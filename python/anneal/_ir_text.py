# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text of MLIR on tensors: operands, regions, and ops in lines without indentation."""

import re
from dataclasses import dataclass

NAME = re.compile(r"%[A-Za-z_0-9$.-]+")


@dataclass(frozen=True)
class Tensor:
    """An operand: its name, its sizes as text ('?' where dynamic), its element type."""

    name: str
    sizes: tuple
    element: str

    @property
    def type(self):
        """Its type as MLIR writes it."""
        return f"tensor<{''.join(size + 'x' for size in self.sizes)}{self.element}>"

    @property
    def rank(self):
        """How many dimensions it has."""
        return len(self.sizes)


@dataclass(frozen=True)
class Body:
    """The region of an op: names of its arguments, its lines, the name it yields."""

    arguments: list
    lines: list
    yielded: str

    def inlined(self, values, prefix):
        """The lines with arguments replaced by `values`, and the yielded name.

        What the lines define is renamed to begin with `prefix`.
        """
        names = dict(zip(self.arguments, values, strict=True))
        for line in self.lines:
            defined = re.match(r"%(\w+) =", line)
            if defined:
                names["%" + defined[1]] = prefix + defined[1]

        def rename(text):
            return NAME.sub(lambda match: names.get(match[0], match[0]), text)

        return [rename(line) for line in self.lines], rename(self.yielded)


def tensors(names, types):
    """The operands of an op from the lists of their names and types; [] for None."""
    if not names:
        return []
    found = []
    for name, type_ in zip(names.split(", "), types.split(", "), strict=True):
        sizes, element = re.fullmatch(r"tensor<((?:[?\d]+x)*)(\w+)>", type_).groups()
        found.append(Tensor(name.strip(), tuple(sizes.split("x")[:-1]), element))
    return found


def constants(prefix, count):
    """Lines that make the index constants 0 to `count` - 1, named `prefix`c0 ..."""
    return [f"{prefix}c{i} = arith.constant {i} : index" for i in range(count)]


def sizes_of(tensor, prefix):
    """Lines that make the dynamic sizes of `tensor`, and the text of each size."""
    lines, sizes = [], list(tensor.sizes)
    for dim, size in enumerate(sizes):
        if size == "?":
            sizes[dim] = f"{prefix}size{dim}"
            lines.append(
                f"{sizes[dim]} = tensor.dim {tensor.name}, {prefix}c{dim} : {tensor.type}"
            )
    return lines, sizes


def generic(result, ins, outs, types, lines, yielded):
    """A `linalg.generic` over all elements of tensors of one shape.

    `types` has name and type of each argument of its body, `lines` are the body,
    `yielded` has name and type of what it gives for each of `outs`.
    """
    rank = outs[0].rank
    dims = ", ".join(f"d{i}" for i in range(rank))
    maps = ", ".join([f"affine_map<({dims}) -> ({dims})>"] * (len(ins) + len(outs)))
    kinds = ", ".join(['"parallel"'] * rank)
    arguments = ", ".join(f"{name}: {type_}" for name, type_ in types)
    results = ", ".join(out.type for out in outs)
    return [
        f"{result} = linalg.generic {{indexing_maps = [{maps}], "
        f"iterator_types = [{kinds}]}} {_group('ins', ins)}{_group('outs', outs)}{{",
        f"^bb0({arguments}):",
        *(f"  {line}" for line in lines),
        "  linalg.yield "
        + ", ".join(name for name, _ in yielded)
        + " : "
        + ", ".join(type_ for _, type_ in yielded),
        f"}} -> ({results})" if len(outs) > 1 else f"}} -> {results}",
    ]


def _group(keyword, operands):
    if not operands:
        return ""
    names = ", ".join(operand.name for operand in operands)
    types = ", ".join(operand.type for operand in operands)
    return f"{keyword}({names} : {types}) "


def slice_of(offsets, sizes):
    """Offsets, sizes and strides of 1 as the ops on slices write them."""
    ones = ", ".join("1" for _ in sizes)
    return f"[{', '.join(offsets)}] [{', '.join(sizes)}] [{ones}]"


def without(values, dim):
    """A tuple of the values but one."""
    return tuple(values[:dim]) + tuple(values[dim + 1 :])


def indented(lines):
    """The lines, one step to the right."""
    return [f"  {line}" for line in lines]
