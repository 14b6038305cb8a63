# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tm_tensor.sort` as a bitonic network (K. Batcher, 1968) over positions.

Of n elements it does n (log n)^2 / 2 comparisons, each of its steps over all of them
at once. Equal elements keep their order.
"""

import re

from anneal._ir_text import Tensor, constants, generic, indented, sizes_of


def sort(results, attributes, ins, outs, body, p):
    """The lines that stand for the op; None if it is not of the form that is known.

    `body` says whether its left element may stand before its right one; names that
    are made begin with `p`.
    """
    form = re.fullmatch(r"dimension\((\d+)\) ", attributes)
    if not form or ins or not outs:
        return None
    dim, first = int(form[1]), outs[0]
    size_lines, sizes = sizes_of(first, p)
    order_sizes = list(first.sizes)
    order_sizes[dim] = "?"
    order = Tensor(f"{p}sorted", tuple(order_sizes), "i64")
    dynamic = [
        f"{p}m" if i == dim else sizes[i] for i, s in enumerate(order_sizes) if s == "?"
    ]
    empty = f"{p}empty = tensor.empty({', '.join(dynamic)}) : {order.type}"
    start = generic(
        f"{p}start",
        [],
        [Tensor(f"{p}empty", order.sizes, "i64")],
        [(f"{p}e", "i64")],
        [
            f"{p}i0 = linalg.index {dim} : index",
            f"{p}i1 = arith.index_cast {p}i0 : index to i64",
        ],
        [(f"{p}i1", "i64")],
    )
    return [
        *constants(p, max(3, first.rank)),
        *size_lines,
        *_network_sizes(first, dim, p),
        empty,
        *start,
        *_network(order, outs, dim, body, p),
        *_gather_sorted(results, order, outs, dim, sizes, p),
    ]


def _network_sizes(first, dim, p):
    """The power of two that holds all elements, and its logarithm."""
    return [
        f"{p}n = tensor.dim {first.name}, {p}c{dim} : {first.type}",
        f"{p}n64 = arith.index_cast {p}n : index to i64",
        f"{p}zero = arith.constant 0 : i64",
        f"{p}one = arith.constant 1 : i64",
        f"{p}two = arith.constant 2 : i64",
        f"{p}sixtyfour = arith.constant 64 : i64",
        f"{p}below = arith.subi {p}n64, {p}one : i64",
        f"{p}top = arith.maxsi {p}below, {p}zero : i64",
        f"{p}leading = math.ctlz {p}top : i64",
        f"{p}log = arith.subi {p}sixtyfour, {p}leading : i64",
        f"{p}m64 = arith.shli {p}one, {p}log : i64",
        f"{p}m = arith.index_cast {p}m64 : i64 to index",
        f"{p}stages = arith.index_cast {p}log : i64 to index",
    ]


def _network(order, outs, dim, body, p):
    """Loops over the stages of the network and the distances within each."""
    loop = f"-> ({order.type}) {{"
    return [
        f"{order.name} = scf.for {p}s = {p}c0 to {p}stages step {p}c1 "
        f"iter_args({p}outer = {p}start) {loop}",
        f"  {p}s64 = arith.index_cast {p}s : index to i64",
        f"  {p}block = arith.shli {p}two, {p}s64 : i64",
        f"  {p}steps = arith.addi {p}s, {p}c1 : index",
        f"  {p}merged = scf.for {p}t = {p}c0 to {p}steps step {p}c1 "
        f"iter_args({p}inner = {p}outer) {loop}",
        f"    {p}t64 = arith.index_cast {p}t : index to i64",
        f"    {p}shift = arith.subi {p}s64, {p}t64 : i64",
        f"    {p}distance = arith.shli {p}one, {p}shift : i64",
        *indented(indented(_exchange(order, outs, dim, body, p))),
        f"    scf.yield {p}exchanged : {order.type}",
        "  }",
        f"  scf.yield {p}merged : {order.type}",
        "}",
    ]


def _exchange(order, outs, dim, body, p):
    """One step: elements `distance` apart are put in order, upwards in every other
    block. Positions of no element, and equal elements, are ordered by position."""
    rank = order.rank
    at = [f"{p}d{i}" for i in range(rank)]

    def where(name):
        return f"[{', '.join(name if i == dim else at[i] for i in range(rank))}]"

    lines = [f"{at[i]} = linalg.index {i} : index" for i in range(rank)]
    lines += [
        f"{p}i = arith.index_cast {at[dim]} : index to i64",
        f"{p}partner = arith.xori {p}i, {p}distance : i64",
        f"{p}lo = arith.minsi {p}i, {p}partner : i64",
        f"{p}hi = arith.maxsi {p}i, {p}partner : i64",
    ]
    for side, place in (("a", "lo"), ("b", "hi")):
        lines += [
            f"{p}{place}x = arith.index_cast {p}{place} : i64 to index",
            f"{p}{side} = tensor.extract {p}inner{where(f'{p}{place}x')} : {order.type}",
            f"{p}{side}min = arith.minsi {p}{side}, {p}top : i64",
            f"{p}{side}x = arith.index_cast {p}{side}min : i64 to index",
        ]
        for k, out in enumerate(outs):
            lines.append(
                f"{p}{side}{k} = tensor.extract {out.name}{where(f'{p}{side}x')} : {out.type}"
            )
    pairs = [[f"{p}{side}{k}" for side in "ab"] for k in range(len(outs))]
    forward, ab = body.inlined([name for pair in pairs for name in pair], f"{p}ab_")
    backward, ba = body.inlined([name for a, b in pairs for name in (b, a)], f"{p}ba_")
    lines += [
        *forward,
        *backward,
        f"{p}larger = arith.maxsi {p}a, {p}b : i64",
        f"{p}both = arith.cmpi slt, {p}larger, {p}n64 : i64",
        f"{p}differ = arith.xori {ab}, {ba} : i1",
        f"{p}decided = arith.andi {p}both, {p}differ : i1",
        f"{p}earlier = arith.cmpi slt, {p}a, {p}b : i64",
        f"{p}less = arith.select {p}decided, {ab}, {p}earlier : i1",
        f"{p}bit = arith.andi {p}i, {p}block : i64",
        f"{p}up = arith.cmpi eq, {p}bit, {p}zero : i64",
        f"{p}isLo = arith.cmpi eq, {p}i, {p}lo : i64",
        f"{p}other = arith.xori {p}less, {p}up : i1",
        f"{p}takesA = arith.xori {p}isLo, {p}other : i1",
        f"{p}taken = arith.select {p}takesA, {p}a, {p}b : i64",
    ]
    target = Tensor(f"{p}empty", order.sizes, "i64")
    return generic(
        f"{p}exchanged", [], [target], [(f"{p}e", "i64")], lines, [(f"{p}taken", "i64")]
    )


def _gather_sorted(results, order, outs, dim, sizes, p):
    rank = order.rank
    dynamic = [sizes[i] for i, size in enumerate(outs[0].sizes) if size == "?"]
    lines = [f"{p}g{i} = linalg.index {i} : index" for i in range(rank)]
    at = ", ".join(f"{p}g{i}" for i in range(rank))
    from_ = ", ".join(f"{p}gx" if i == dim else f"{p}g{i}" for i in range(rank))
    lines += [
        f"{p}gp = tensor.extract {order.name}[{at}] : {order.type}",
        f"{p}gx = arith.index_cast {p}gp : i64 to index",
    ]
    made, targets, arguments, yielded = [], [], [], []
    for k, out in enumerate(outs):
        target = Tensor(f"{p}r{k}", out.sizes, out.element)
        made.append(f"{target.name} = tensor.empty({', '.join(dynamic)}) : {out.type}")
        lines.append(f"{p}v{k} = tensor.extract {out.name}[{from_}] : {out.type}")
        targets.append(target)
        arguments.append((f"{p}o{k}", out.element))
        yielded.append((f"{p}v{k}", out.element))
    return [*made, *generic(results, [], targets, arguments, lines, yielded)]
