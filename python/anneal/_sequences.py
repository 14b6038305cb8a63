# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators on sequences in the forms that torch-mlir converts rightly.

Slices that go backwards become gathers; recurrent layers that do, forward layers
between two reversals.
"""

import numpy as np

from anneal._rewriter import Refused, attribute, input_of, output_of

_ACTIVATIONS = {"sigmoid", "tanh", "relu"}


def slice_(node, scope):
    """A slice of negative step, as a gather along each such axis."""
    starts, ends, axes, steps = (
        scope.value(name) if name else None
        for name in (input_of(node, index) for index in range(1, 5))
    )
    if steps is None or starts is None or ends is None or (steps > 0).all():
        return False
    sizes = scope.sizes(node.input[0])
    axes = list(range(len(starts))) if axes is None else axes.tolist()
    value, forward = node.input[0], []
    for start, end, axis, step in zip(
        starts.tolist(), ends.tolist(), axes, steps.tolist(), strict=True
    ):
        if step > 0:
            forward.append((start, end, axis, step))
            continue
        if axis < 0:
            if sizes is None:
                return False
            axis += len(sizes)
        value = _gather_backwards(scope, value, start, end, axis, step)
    if forward:
        columns = [scope.constant(column) for column in zip(*forward, strict=True)]
        scope.add("Slice", [value, *columns], node.output)
    else:
        scope.add("Identity", [value], node.output)
    return True


def _gather_backwards(scope, value, start, end, axis, step):
    """Elements start, start + step, ... before end, counted as ONNX's Slice does."""
    shape = scope.add("Shape", [value], start=axis, end=axis + 1)
    size = scope.add("Squeeze", [shape, scope.constant([0])])
    last = scope.add("Sub", [size, scope.constant(1)])

    def clamped(position):
        place = scope.constant(position)
        if position < 0:
            place = scope.add("Add", [place, size])
        low = scope.constant(-1)
        return scope.add("Max", [scope.add("Min", [place, last]), low])

    # Of no more than the largest size, so that sums do not overflow.
    bound = 2**62
    indices = scope.add(
        "Range",
        [clamped(max(start, -bound)), clamped(max(end, -bound)), scope.constant(step)],
    )
    return scope.add("Gather", [value, indices], axis=axis)


def reverse(scope, value, axis):
    """The value with an axis reversed."""
    return _gather_backwards(scope, value, -1, -(2**62), axis, -1)


def recurrent(node, scope):
    """An RNN, GRU or LSTM that goes backwards or both ways, as ones that go forward."""
    _check(node, scope)
    direction = attribute(node, "direction", "forward")
    # torch-mlir does LSTM both ways itself.
    both = direction == "bidirectional"
    batch_first = attribute(node, "layout", 0)
    if direction == "forward" or (both and node.op_type == "LSTM" and not batch_first):
        return False
    if batch_first:
        raise Refused(
            "it goes backwards with its batch first (layout=1); export layout=0"
        )
    halves = [_half(node, scope, d, both) for d in ((False, True) if both else (True,))]
    for index, axis in enumerate((1, 0, 0)):
        if output_of(node, index):
            parts = [half[index] for half in halves]
            op = "Concat" if both else "Identity"
            scope.add(op, parts, [node.output[index]], axis=axis if both else None)
    return True


def _half(node, scope, backwards, both):
    """The outputs of one direction."""
    inputs = list(node.input)
    # All but the sequence and the lengths have a first dimension for the direction.
    for index, name in enumerate(inputs):
        if both and name and index not in (0, 4):
            inputs[index] = _direction(scope, name, int(backwards))
    # Lengths, if any, are those of the whole sequence.
    if len(inputs) > 4:
        inputs[4] = ""
    if backwards:
        inputs[0] = reverse(scope, inputs[0], 0)
    skipped = ("direction", "activations", "activation_alpha", "activation_beta")
    attributes = {
        a.name: attribute(node, a.name) for a in node.attribute if a.name not in skipped
    }
    count = 3 if node.op_type == "LSTM" else 2
    activations = attribute(node, "activations")
    if activations:
        each = len(activations) // 2 if both else len(activations)
        which = activations[each:] if both and backwards else activations[:each]
        attributes["activations"] = [name.decode() for name in which]
    outputs = scope.add(node.op_type, inputs, count, direction="forward", **attributes)
    if backwards:
        outputs[0] = reverse(scope, outputs[0], 0)
    return outputs


def _direction(scope, name, which):
    bounds = [scope.constant([bound]) for bound in (which, which + 1, 0)]
    return scope.add("Slice", [name, *bounds])


def _check(node, scope):
    """Refuses what torch-mlir would pass over."""
    lengths = input_of(node, 4)
    if lengths:
        value, sizes = scope.value(lengths), scope.sizes(node.input[0])
        time = sizes[attribute(node, "layout", 0)] if sizes else None
        if value is None or time is None or (np.asarray(value) != time).any():
            raise Refused(
                "its sequences have lengths of their own (sequence_lens); leave that input out"
            )
    if input_of(node, 7):
        raise Refused("it has peepholes (input P); export it without them")
    for name in ("clip", "input_forget"):
        if attribute(node, name):
            raise Refused(f"it has the attribute '{name}'; export it without")
    activations = attribute(node, "activations") or []
    odd = [n.decode() for n in activations if n.decode().lower() not in _ACTIVATIONS]
    if odd:
        raise Refused(f"its activation is {odd[0]}; use Sigmoid, Tanh or Relu")


RULES = {"Slice": slice_, "RNN": recurrent, "GRU": recurrent, "LSTM": recurrent}
