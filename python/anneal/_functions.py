# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX operators that are functions of others, and integers that follow from sizes.

ONNX's own schemas define many operators by a graph of simpler ones. Where torch-mlir
does not convert an operator, or converts it wrongly, that graph takes its place.
"""

import onnx
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from anneal._rewriter import Scope, attribute, copy, infer, input_of, subgraphs

# Not those that torch-mlir converts well: it sees more of what they mean.
EXPANDED = (
    "Attention",
    "CausalConvWithState",
    "DynamicQuantizeLinear",
    "GroupNormalization",
    "MeanVarianceNormalization",
    "NegativeLogLikelihoodLoss",
    "RMSNormalization",
    "RotaryEmbedding",
    "SoftmaxCrossEntropyLoss",
    "SwiGLU",
    "Swish",
)

# Shapes, axes and the like have few elements; what has more is data.
_MOST_ELEMENTS = 1024
_MOST_ROUNDS = 8
_INTEGERS = {
    onnx.TensorProto.BOOL,
    onnx.TensorProto.INT32,
    onnx.TensorProto.INT64,
}


def expand(model):
    """The model with the operators in `EXPANDED` replaced by their definitions.

    Its types must be inferred: some definitions depend on them.
    """
    ops = [op for op in EXPANDED if _uses(model.graph, op)]
    if not ops:
        return model
    # The inliner looks for the types of weights among those of other values.
    weights = [
        helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
        for tensor in model.graph.initializer
    ]
    model.graph.value_info.extend(weights)
    for op in ops:
        model = _expand_op(model, op)
    names = {value.name for value in weights}
    kept = [copy(v) for v in model.graph.value_info if v.name not in names]
    del model.graph.value_info[:]
    model.graph.value_info.extend(kept)
    return model


def _expand_op(model, op):
    from onnx.inliner import inline_selected_functions

    if not _uses(model.graph, op):
        return model
    _name_defaults(model.graph, op, model)
    try:
        model = inline_selected_functions(
            model, [("", op)], exclude=False, inline_schema_functions=True
        )
    except RuntimeError:
        # It does not expand a node that leaves out an input before its last. The node
        # stays, and is named where torch-mlir does not convert it.
        return model
    return infer(model)


def _name_defaults(graph, op, model):
    """Gives nodes the attributes they leave at their default, which the inliner drops."""
    version = next(o.version for o in model.opset_import if not o.domain)
    defaults = onnx.defs.get_schema(op, version, "").attributes
    for node in graph.node:
        for inner in subgraphs(node):
            _name_defaults(inner, op, model)
        if node.op_type != op:
            continue
        given = {found.name for found in node.attribute}
        node.attribute.extend(
            known.default_value
            for name, known in defaults.items()
            if name not in given and known.default_value.name
        )


def _uses(graph, op):
    return any(
        node.op_type == op or any(_uses(inner, op) for inner in subgraphs(node))
        for node in graph.node
    )


def fold_integers(model):
    """The model, types inferred, with integers that follow from sizes as constants.

    Axes, shapes and slices that a definition computes from the sizes of its inputs
    must be constants where torch-mlir converts their users.
    """
    for _ in range(_MOST_ROUNDS):
        if not _fold_once(model):
            break
        model = infer(model)
    return model


def _fold_once(model):
    scope = Scope(model.graph)
    known, changed = {}, False
    for index, node in enumerate(model.graph.node):
        if node.op_type == "Constant" or node.domain not in ("", "ai.onnx"):
            continue
        values = _values(model, node, scope, known)
        if values is None:
            continue
        (name,), (value,) = node.output, values
        known[name] = value
        tensor = numpy_helper.from_array(value, name)
        constant = helper.make_node("Constant", [], [name], node.name, value=tensor)
        model.graph.node[index].CopyFrom(constant)
        changed = True
    return changed


def _values(model, node, scope, known):
    """The value of a node of one integer result, in a list; None if it is not known."""
    if len(node.output) != 1 or scope.element_type(node.output[0]) not in _INTEGERS:
        return None
    if node.op_type in ("Shape", "Size"):
        return _size_values(node, scope)
    if any(subgraphs(node)) or not node.input or node.op_type.startswith("Random"):
        return None
    inputs = {}
    for name in filter(None, node.input):
        value = known.get(name)
        inputs[name] = scope.value(name) if value is None else value
        if inputs[name] is None or inputs[name].size > _MOST_ELEMENTS:
            return None
    sizes = scope.sizes(node.output[0])
    if node.op_type == "Range":
        start, end, step = (int(inputs[name]) for name in node.input)
        sizes = [max(0, -((start - end) // step))] if step else None
    if sizes is None or None in sizes or _product(sizes) > _MOST_ELEMENTS:
        return None
    return _evaluate(model, node, inputs)


def _size_values(node, scope):
    import numpy as np

    sizes = scope.sizes(input_of(node, 0))
    if sizes is None:
        return None
    if node.op_type == "Shape":
        sizes = sizes[attribute(node, "start", 0) : attribute(node, "end", len(sizes))]
    if None in sizes:
        return None
    return [np.array(sizes if node.op_type == "Shape" else _product(sizes), np.int64)]


def _product(sizes):
    product = 1
    for size in sizes:
        product *= size
    return product


def _evaluate(model, node, inputs):
    """The node's value by ONNX's reference implementation; None if it has none."""
    empty = onnx.TypeProto()
    graph = helper.make_graph(
        [node],
        "folded",
        [helper.make_value_info(name, empty) for name in inputs],
        [helper.make_value_info(name, empty) for name in node.output],
    )
    alone = helper.make_model(
        graph, opset_imports=model.opset_import, ir_version=model.ir_version
    )
    try:
        return [
            helper.np.asarray(v) for v in ReferenceEvaluator(alone).run(None, inputs)
        ]
    except Exception:  # It raises whatever its NumPy code raises; the node stays.
        return None
