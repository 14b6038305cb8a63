# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch-mlir's `tm_tensor` ops as scf, linalg and tensor, while a module streams by.

torch-mlir lowers sorts, scans and scatters to a dialect of its own, for which it
has loops on buffers only. Here each such op, in the text of a module, becomes ops
on tensors that compute the same:

- `scan`: a loop over the dimension, whose step is a `linalg.generic` over the rest;
- `scatter`: a loop over the updates, in order;
- `sort`: a bitonic network (K. Batcher, 1968) over positions, each of its steps a
  `linalg.generic`; equal elements keep their order.

An op of a form that torch-mlir does not emit is left as it is.
"""

import itertools
import re

from anneal._ir_text import (
    NAME,
    Body,
    Tensor,
    constants,
    generic,
    indented,
    sizes_of,
    slice_of,
    tensors,
    without,
)
from anneal._tm_sort import sort

_HEAD = re.compile(
    r"^(?P<indent>\s*)(?P<results>%[\w:]+) = tm_tensor\.(?P<kind>sort|scan|scatter) "
    r"(?P<attributes>.*?)(?:ins\((?P<ins>[^:)]*) : (?P<in_types>[^)]*)\) )?"
    r"outs\((?P<outs>[^:)]*) : (?P<out_types>[^)]*)\) \{$"
)


def lower(lines):
    """Yields the lines of a module, those of `tm_tensor` ops replaced."""
    numbers = itertools.count()
    lines = iter(lines)
    for line in lines:
        head = "tm_tensor." in line[:4096] and _HEAD.match(line.rstrip("\n"))
        if not head:
            yield line
            continue
        block = [line]
        for inner in lines:
            block.append(inner)
            if inner.startswith(head["indent"] + "} -> "):
                break
        replaced = _replace(head, block, f"%tm{next(numbers)}_")
        yield from block if replaced is None else _laid_out(replaced, head["indent"])


def _laid_out(text, indent):
    return [f"{indent}{line}\n" for line in text if line.strip()]


def _replace(head, block, prefix):
    """The lines that stand for the op, without indentation; None to leave it."""
    ins = tensors(head["ins"], head["in_types"])
    outs = tensors(head["outs"], head["out_types"])
    arguments = re.findall(r"(%\w+):", block[1]) if "^bb0(" in block[1] else None
    yielded = re.match(r"\s*tm_tensor\.yield (%\w+) :", block[-2])
    # A region in the body would need more than renaming.
    if arguments is None or not yielded or any("{" in line for line in block[2:-2]):
        return None
    body = Body(arguments, [line.strip() for line in block[2:-2]], yielded[1])
    make = {"sort": sort, "scan": _scan, "scatter": _scatter}[head["kind"]]
    return make(head["results"], head["attributes"], ins, outs, body, prefix)


def _scan(results, attributes, ins, outs, body, p):
    """out[i] = f(out[i-1], in[i]), out[0] = in[0]; exclusive: out[0] is the initial
    value and out[i] = f(out[i-1], in[i-1])."""
    form = re.fullmatch(r"dimension\((\d+)\) inclusive\((true|false)\) ", attributes)
    if not form or len(ins) != 1 or len(outs) != 2:
        return None
    dim, inclusive = int(form[1]), form[2] == "true"
    (source,), (out, initial) = ins, outs
    element = source.element
    size_lines, sizes = sizes_of(source, p)
    offsets = ["0"] * source.rank
    offsets[dim] = f"{p}i"
    part = Tensor(f"{p}in", without(source.sizes, dim), element)
    state = Tensor(f"{p}state", initial.sizes, element)
    step, value = body.inlined([f"{p}last", f"{p}x"], f"{p}f_")
    if inclusive:
        step.append(f"{p}v = arith.select {p}first, {p}x, {value} : {element}")
        value = f"{p}v"
    sizes_in, sizes_out = list(sizes), list(sizes)
    sizes_in[dim] = sizes_out[dim] = "1"
    for position, size in enumerate(state.sizes):
        if size != "?":
            sizes_out[position + (position >= dim)] = size
    written = f"{p}next" if inclusive else state.name
    end = f"{p}n"
    return [
        *constants(p, max(2, source.rank)),
        *size_lines,
        f"{end} = tensor.dim {source.name}, {p}c{dim} : {source.type}",
        f"{results} = scf.for {p}i = {p}c0 to {end} step {p}c1 iter_args({p}out = "
        f"{out.name}, {state.name} = {initial.name}) -> ({out.type}, {state.type}) {{",
        *indented(
            [
                f"{p}first = arith.cmpi eq, {p}i, {p}c0 : index",
                f"{part.name} = tensor.extract_slice {source.name}"
                f"{slice_of(offsets, sizes_in)} : {source.type} to {part.type}",
                *generic(
                    f"{p}next",
                    [part],
                    [state],
                    [(f"{p}x", element), (f"{p}last", element)],
                    step,
                    [(value, element)],
                ),
                f"{p}filled = tensor.insert_slice {written} into {p}out"
                f"{slice_of(offsets, sizes_out)} : {state.type} into {out.type}",
                f"scf.yield {p}filled, {p}next : {out.type}, {state.type}",
            ]
        ),
        "}",
    ]


def _scatter(results, attributes, ins, outs, body, p):
    """For each row of the indices, in order: the element or slice of the output that
    they name becomes f(update, what is there)."""
    form = re.fullmatch(
        r"\{dimension_map = array<i64: ([\d, ]+)>\} unique_indices\(\w+\) ", attributes
    )
    if not form or len(ins) != 2 or len(outs) != 1:
        return None
    dims = [int(dim) for dim in form[1].split(",")]
    (updates, indices), (out,) = ins, outs
    rest = [dim for dim in range(out.rank) if dim not in dims]
    if updates.rank != 1 + len(rest):
        return None
    position = list(range(out.rank))
    lines = []
    for k, dim in enumerate(dims):
        lines += [
            f"{p}at{k} = tensor.extract {indices.name}[{p}i, {p}c{k}] : {indices.type}",
            f"{p}p{k} = arith.index_cast {p}at{k} : {indices.element} to index",
        ]
        position[dim] = f"{p}p{k}"
    into = Tensor(f"{p}out", out.sizes, out.element)
    element = (updates, into, body, p)
    lines += (
        _set_slice(*element, position, rest)
        if rest
        else _set_element(*element, position)
    )
    size_lines, _ = sizes_of(updates, p)
    return [
        *constants(p, max(2, updates.rank, len(dims))),
        *(size_lines if rest else []),
        f"{p}n = tensor.dim {indices.name}, {p}c0 : {indices.type}",
        f"{results} = scf.for {p}i = {p}c0 to {p}n step {p}c1 "
        f"iter_args({into.name} = {out.name}) -> ({out.type}) {{",
        *indented(lines),
        f"  scf.yield {p}filled : {out.type}",
        "}",
    ]


def _reads_old(body):
    return any(
        body.arguments[1] in NAME.findall(line) for line in [*body.lines, body.yielded]
    )


def _set_element(updates, into, body, p, position):
    at = f"[{', '.join(position)}]"
    step, value = body.inlined([f"{p}x", f"{p}old"], f"{p}f_")
    old = [f"{p}old = tensor.extract {into.name}{at} : {into.type}"]
    return [
        f"{p}x = tensor.extract {updates.name}[{p}i] : {updates.type}",
        *(old if _reads_old(body) else []),
        *step,
        f"{p}filled = tensor.insert {value} into {into.name}{at} : {into.type}",
    ]


def _set_slice(updates, into, body, p, position, rest):
    sizes = [
        f"{p}size{i}" if size == "?" else size for i, size in enumerate(updates.sizes)
    ]
    offsets = ["0" if dim in rest else position[dim] for dim in range(into.rank)]
    part = iter(sizes[1:])
    sizes_into = [next(part) if dim in rest else "1" for dim in range(into.rank)]
    source = Tensor(f"{p}part", updates.sizes[1:], updates.element)
    old = Tensor(f"{p}old", source.sizes, into.element)
    where = slice_of([f"{p}i"] + ["0"] * len(rest), ["1", *sizes[1:]])
    into_slice = slice_of(offsets, sizes_into)
    step, value = body.inlined([f"{p}x", f"{p}y"], f"{p}f_")
    return [
        f"{source.name} = tensor.extract_slice {updates.name}{where} : "
        f"{updates.type} to {source.type}",
        f"{old.name} = tensor.extract_slice {into.name}{into_slice} : "
        f"{into.type} to {old.type}",
        *generic(
            f"{p}new",
            [source],
            [old],
            [(f"{p}x", source.element), (f"{p}y", old.element)],
            step,
            [(value, old.element)],
        ),
        f"{p}filled = tensor.insert_slice {p}new into {into.name}{into_slice} : "
        f"{old.type} into {into.type}",
    ]
