# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers whose meaning in ONNX differs from what torch-mlir makes of them."""

from onnx import TensorProto

from anneal._rewriter import MADE, Refused, attribute, input_of, output_of


def max_pool(node, scope):
    """uint8 in f32; indices counted over the whole tensor, as ONNX wants them.

    torch-mlir counts them within each channel.
    """
    value, indices = output_of(node, 0), output_of(node, 1)
    kind = scope.element_type(node.input[0])
    if kind == TensorProto.UINT64:
        raise Refused("torch-mlir takes its uint64 for signed; use int64")
    narrow = kind == TensorProto.UINT8
    if node.doc_string == MADE or not (narrow or indices):
        return False
    if indices and attribute(node, "storage_order", 0):
        raise Refused(
            "its indices go by columns (storage_order=1); export storage_order=0"
        )
    attributes = {a.name: attribute(node, a.name) for a in node.attribute}
    source = node.input[0]
    if narrow:
        source = scope.add("Cast", [source], to=TensorProto.FLOAT)
    made = scope.add("MaxPool", [source], 2 if indices else 1, **attributes)
    made = made if indices else [made]
    scope.add(
        "Cast" if narrow else "Identity", made[:1], [value], to=kind if narrow else None
    )
    if indices:
        offsets = _channel_offsets(node, scope)
        scope.add("Add", [made[1], offsets], [indices])
    return True


def _channel_offsets(node, scope):
    """Where each channel of each image begins, in a form that broadcasts."""
    x = node.input[0]
    sizes = scope.sizes(x)
    if sizes is None:
        raise Refused(
            "the rank of its input is not known; give the model's inputs shapes"
        )

    def size(dim):
        shape = scope.add("Shape", [x], start=dim, end=dim + 1)
        return scope.add("Squeeze", [shape, scope.constant([0])])

    area = size(2)
    for dim in range(3, len(sizes)):
        area = scope.add("Mul", [area, size(dim)])
    channels = scope.add("Mul", [size(0), size(1)])
    numbers = scope.add("Range", [scope.constant(0), channels, scope.constant(1)])
    leading = scope.add("Shape", [x], start=0, end=2)
    ones = scope.constant([1] * (len(sizes) - 2))
    shape = scope.add("Concat", [leading, ones], axis=0)
    return scope.add("Reshape", [scope.add("Mul", [numbers, area]), shape])


def lp_normalization(node, scope):
    """What has no length stays zero."""
    axes = scope.constant([attribute(node, "axis", -1)])
    norm = "ReduceL1" if attribute(node, "p", 2) == 1 else "ReduceL2"
    length = scope.add(norm, [node.input[0], axes], keepdims=1)
    zero = scope.add("Sub", [length, length])
    one = scope.add("Add", [zero, scope.add("CastLike", [scope.constant(1), length])])
    divisor = scope.add("Where", [scope.add("Equal", [length, zero]), one, length])
    scope.add("Div", [node.input[0], divisor], node.output)
    return True


def grid_sample(node, scope):
    """Refuses the modes that torch-mlir computes otherwise."""
    if attribute(node, "mode", "linear") == "nearest":
        raise Refused(
            "torch-mlir rounds otherwise in mode 'nearest'; use mode 'linear'"
        )
    return False


def resize(node, scope):
    """Refuses scales that do not give whole sizes where they count themselves."""
    if attribute(node, "coordinate_transformation_mode") != "align_corners":
        return False
    name = input_of(node, 2)
    if not name or scope.sizes(name) == [0]:
        return False
    scales, sizes = scope.value(name), scope.sizes(node.input[0]) or []
    whole = scales is not None and all(
        scale == 1 or (size is not None and float(size * scale).is_integer())
        for size, scale in zip(sizes, scales.tolist(), strict=False)
    )
    if not whole:
        raise Refused(
            "its scales do not give whole sizes (align_corners); give it sizes instead"
        )
    return False


def space_to_depth(node, scope):
    """Refuses the order that torch-mlir passes over."""
    if attribute(node, "mode", "DCR") != "DCR":
        raise Refused("torch-mlir knows no mode 'CRD' of it; use mode 'DCR'")
    return False


RULES = {
    "GridSample": grid_sample,
    "LpNormalization": lp_normalization,
    "MaxPool": max_pool,
    "Resize": resize,
    "SpaceToDepth": space_to_depth,
}
