# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantised and unsigned operators in forms that torch-mlir converts rightly.

torch-mlir takes uint8 for signed in some places: where a float becomes one, in
divisions and in zero points of each channel. There the computation is done in int32.
"""

import numpy as np
from onnx import TensorProto, numpy_helper

from anneal._rewriter import Refused, attribute, input_of

FLOATS = {
    TensorProto.FLOAT,
    TensorProto.DOUBLE,
    TensorProto.FLOAT16,
    TensorProto.BFLOAT16,
}

_UNSIGNED = {
    TensorProto.UINT8,
    TensorProto.UINT16,
    TensorProto.UINT32,
    TensorProto.UINT64,
}

_RANGES = {
    TensorProto.UINT8: (0, 255),
    TensorProto.INT8: (-128, 127),
    TensorProto.UINT16: (0, 65535),
}

# Ops that are computed in int32 where they work on uint8.
_WIDENED = (
    "Abs",
    "Clip",
    "CumSum",
    "Div",
    "MatMul",
    "Mod",
    "Pow",
    "Range",
    "ReduceMean",
    "ReduceProd",
    "ScatterElements",
    "ScatterND",
    "Sign",
    "TopK",
)


def cast(node, scope):
    """A float becomes an unsigned integer by way of a signed one that holds it."""
    source, target = scope.element_type(node.input[0]), attribute(node, "to")
    if source not in FLOATS or target not in (TensorProto.UINT8, TensorProto.UINT16):
        return False
    wide = scope.add("Cast", [node.input[0]], to=TensorProto.INT32)
    scope.add("Cast", [wide], node.output, to=target)
    return True


def cast_like(node, scope):
    """The type of the other operand is known here."""
    target = scope.element_type(node.input[1])
    if not target:
        return False
    scope.add("Cast", node.input[:1], node.output, to=target)
    return True


def widen(node, scope):
    """Computes an op on uint8 in int32, which holds all of its values."""
    types = {name: scope.element_type(name) for name in [*node.input, *node.output]}
    if TensorProto.UINT64 in types.values():
        return _of_uint64(node, scope)
    if TensorProto.UINT8 not in types.values():
        return False
    inputs = [_to_int32(scope, name) for name in node.input]
    attributes = {a.name: attribute(node, a.name) for a in node.attribute}
    made = scope.add(node.op_type, inputs, len(node.output), **attributes)
    for name, wide in zip(
        node.output, [made] if isinstance(made, str) else made, strict=True
    ):
        narrow = types[name] == TensorProto.UINT8
        scope.add(
            "Cast", [wide], [name], to=TensorProto.UINT8 if narrow else types[name]
        )
    return True


def _to_int32(scope, name):
    """A value of uint8 in int32; another one as it is."""
    if scope.element_type(name) != TensorProto.UINT8:
        return name
    return scope.add("Cast", [name], to=TensorProto.INT32)


def _of_uint64(node, scope):
    """There is no wider type; some ops have other forms."""
    op, inputs = node.op_type, list(node.input)
    if op == "Abs":
        scope.add("Identity", inputs, node.output)
    elif op == "Clip":
        value = inputs[0]
        for how, index in (("Max", 1), ("Min", 2)):
            if input_of(node, index):
                value = scope.add(how, [value, input_of(node, index)])
        scope.add("Identity", [value], node.output)
    elif op in ("Div", "Mod", "TopK"):
        raise Refused("torch-mlir takes its uint64 for signed; use int64")
    else:
        return False
    return True


def constant_of_shape(node, scope):
    """A constant of a type that torch-mlir has no literal form of, expanded."""
    value = next((a.t for a in node.attribute if a.name == "value"), None)
    if value is None or value.data_type not in _UNSIGNED:
        return False
    scalar = numpy_helper.from_array(numpy_helper.to_array(value).reshape(()))
    scope.add(
        "Expand", [scope.add("Constant", [], value=scalar), node.input[0]], node.output
    )
    return True


def neg(node, scope):
    """0 - x for integers, which torch-mlir would negate as f32."""
    if scope.element_type(node.input[0]) in FLOATS:
        return False
    zero = scope.add("Sub", [node.input[0], node.input[0]])
    scope.add("Sub", [zero, node.input[0]], node.output)
    return True


def quantize_linear(node, scope):
    """round(x / scale) + zero point, in its type's range."""
    x, scale, zero = node.input[0], node.input[1], input_of(node, 2)
    target = (zero and scope.element_type(zero)) or attribute(node, "output_dtype", 0)
    target = target or TensorProto.UINT8
    narrow = target in (TensorProto.UINT8, TensorProto.INT8)
    if (zero and narrow and scope.sizes(scale) == []) or scope.sizes(scale) is None:
        return False
    if target not in _RANGES:
        raise Refused("it quantises to a type that is not supported; use int8 or uint8")
    kind = scope.element_type(x)
    scale = _spread(
        node, scope, scope.add("Cast", [scale], to=kind), scope.sizes(scale)
    )
    value = scope.add("Round", [scope.add("Div", [x, scale])])
    if zero:
        offset = scope.add("Cast", [zero], to=kind)
        value = scope.add(
            "Add", [value, _spread(node, scope, offset, scope.sizes(zero))]
        )
    _saturate(scope, value, kind, target, node.output)
    return True


def _saturate(scope, value, kind, target, output):
    low, high = (_scalar(scope, bound, kind) for bound in _RANGES[target])
    clipped = scope.add("Clip", [value, low, high])
    scope.add("Cast", [clipped], output, to=target)


def _scalar(scope, value, kind):
    return scope.add("Cast", [scope.constant(value, np.float32)], to=kind)


def dequantize_linear(node, scope):
    """(x - zero point) * scale, where they differ by channel or block."""
    x, scale, zero = node.input[0], node.input[1], input_of(node, 2)
    sizes, source = scope.sizes(scale), scope.element_type(x)
    native = source in (TensorProto.UINT8, TensorProto.INT8) and zero and sizes == []
    if native or sizes is None:
        return False
    if source not in (*_RANGES, TensorProto.INT16, TensorProto.INT32):
        raise Refused("its input has a type that is not supported; use int8 or uint8")
    kind = scope.element_type(scale)
    value = scope.add("Cast", [x], to=kind)
    if zero:
        offset = scope.add("Cast", [zero], to=kind)
        value = scope.add(
            "Sub", [value, _spread(node, scope, offset, scope.sizes(zero))]
        )
    wanted = attribute(node, "output_dtype", 0)
    outputs = 1 if wanted else node.output
    made = scope.add("Mul", [value, _spread(node, scope, scale, sizes)], outputs)
    if wanted:
        scope.add("Cast", [made], node.output, to=wanted)
    return True


def _spread(node, scope, name, sizes):
    """A scale or zero point in a form that broadcasts along the node's input."""
    if not sizes:
        return name
    of = scope.sizes(node.input[0])
    if of is None:
        raise Refused(
            "the rank of its input is not known; give the model's inputs shapes"
        )
    axis = attribute(node, "axis", 1) % len(of)
    block = attribute(node, "block_size", 0)
    if not block:
        shape = [-1 if dim == axis else 1 for dim in range(len(of))]
        return scope.add("Reshape", [name, scope.constant(shape)])
    if of[axis] is None:
        raise Refused("it is quantised in blocks along an axis of unknown size")
    which = scope.constant([i // block for i in range(of[axis])])
    return scope.add("Gather", [name, which], axis=axis)


def qlinear_matmul(node, scope):
    """The product of more than two dimensions in int32, then quantised."""
    a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = node.input
    ranks = [len(scope.sizes(name) or []) for name in (a, b)]
    if max(ranks) <= 2:
        return False
    product = scope.add("MatMulInteger", [a, b, a_zero, b_zero])
    kind = TensorProto.FLOAT
    product, a_scale, b_scale, y_scale, zero = (
        scope.add("Cast", [name], to=kind)
        for name in (product, a_scale, b_scale, y_scale, y_zero)
    )
    factor = scope.add("Div", [scope.add("Mul", [a_scale, b_scale]), y_scale])
    value = scope.add("Round", [scope.add("Mul", [product, factor])])
    value = scope.add("Add", [value, zero])
    _saturate(scope, value, kind, scope.element_type(y_zero), node.output)
    return True


RULES = {
    **dict.fromkeys(_WIDENED, widen),
    "Cast": cast,
    "CastLike": cast_like,
    "ConstantOfShape": constant_of_shape,
    "DequantizeLinear": dequantize_linear,
    "Neg": neg,
    "QLinearMatMul": qlinear_matmul,
    "QuantizeLinear": quantize_linear,
}
