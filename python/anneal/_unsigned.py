# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""uint16 and uint32, which torch-mlir has no conversions to, in wider signed types.

Inside the graph a value of uint16 is one of int32, a value of uint32 one of int64, both
from 0 to the largest of their own type. The model's inputs and outputs keep their
bits: they become the signed type of their own width, and signs mean nothing in MLIR.
torch-mlir makes no values of 16 bits, so that an output of uint16 is refused.
"""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from anneal._report import Unsupported
from anneal._rewriter import Scope, infer, replace_nodes, subgraphs

# By type: the wider one, the signed one of the same width, the largest value.
_WIDE = {
    TensorProto.UINT16: (TensorProto.INT32, TensorProto.INT16, 0xFFFF),
    TensorProto.UINT32: (TensorProto.INT64, TensorProto.INT32, 0xFFFFFFFF),
}

# Ops that torch-mlir computes as if these types were signed, or not at all.
_LACKING = {
    "Abs",
    "Clip",
    "CumSum",
    "Div",
    "MaxPool",
    "Mod",
    "Pow",
    "Sign",
    "TopK",
}

# Results of the other ops are in the range of their operands.
_WRAPS = {
    "Add",
    "BitShift",
    "BitwiseNot",
    "CumProd",
    "CumSum",
    "Einsum",
    "Gemm",
    "MatMul",
    "Mul",
    "Pow",
    "ReduceL1",
    "ReduceProd",
    "ReduceSum",
    "ReduceSumSquare",
    "ScatterElements",
    "ScatterND",
    "Sub",
    "Sum",
}


def widen(model):
    """Returns the model without these types, and a list of `Unsupported`."""
    graph = model.graph
    scope = Scope(graph)
    if not any(_is_lacking(node, scope) for node in graph.node):
        return model, []
    refused = [
        Unsupported(node.op_type, node.name or node.output[0], why)
        for node in graph.node
        if (why := _why_not(node, scope))
    ]
    refused += [
        Unsupported(
            "output",
            value.name,
            "it is of uint16, which torch-mlir does not make; give int32",
        )
        for value in graph.output
        if value.type.tensor_type.elem_type == TensorProto.UINT16
    ]
    if refused:
        return model, refused
    nodes = []
    for value in graph.input:
        nodes += _enter(value, scope)
    for tensor in graph.initializer:
        if tensor.data_type in _WIDE:
            tensor.CopyFrom(_widened(tensor))
    for node in graph.node:
        nodes += _widen_node(node, scope)
    for value in graph.output:
        nodes += _leave(value, scope)
    replace_nodes(graph, nodes)
    del graph.value_info[:]
    return infer(model), []


def _is_lacking(node, scope):
    """Whether torch-mlir does not make the node's results, or makes others."""
    if node.op_type == "Cast":
        target = helper.get_node_attr_value(node, "to")
        return target in _WIDE or target == TensorProto.UINT64
    names = [*node.input, *node.output]
    return node.op_type in _LACKING and any(
        scope.element_type(n) in _WIDE for n in names
    )


def _why_not(node, scope):
    if (
        node.op_type == "Cast"
        and helper.get_node_attr_value(node, "to") == TensorProto.UINT64
    ):
        return "it converts to uint64, which torch-mlir does not; use int64"
    if any(_occurs(inner, Scope(inner, scope)) for inner in subgraphs(node)):
        return "it has values of uint16 or uint32 in a subgraph; use int32 or int64"
    return ""


def _occurs(graph, scope):
    names = [name for node in graph.node for name in (*node.input, *node.output)]
    return any(scope.element_type(name) in _WIDE for name in names)


def _enter(value, scope):
    """Nodes from an input of the width to the value in the wider type."""
    kind = value.type.tensor_type.elem_type
    if kind not in _WIDE:
        return []
    wide, narrow, largest = _WIDE[kind]
    scope.begin(helper.make_node("Cast", [], [value.name]))
    name, value.name = value.name, scope.new_name()
    value.type.tensor_type.elem_type = narrow
    _mask(scope, scope.add("Cast", [value.name], to=wide), wide, largest, name)
    return scope.made


def _leave(value, scope):
    """Nodes from the value in the wider type to an output of the width."""
    kind = value.type.tensor_type.elem_type
    if kind not in _WIDE:
        return []
    name = value.name
    scope.begin(helper.make_node("Cast", [], [name]))
    value.type.tensor_type.elem_type = _WIDE[kind][1]
    value.name = scope.add("Cast", [name], to=_WIDE[kind][1])
    return scope.made


def _mask(scope, value, wide, largest, name):
    limit = helper.tensor_dtype_to_np_dtype(wide)
    scope.add("BitwiseAnd", [value, scope.constant(largest, limit)], [name])


def _widened(tensor):
    wide = helper.tensor_dtype_to_np_dtype(_WIDE[tensor.data_type][0])
    return numpy_helper.from_array(
        numpy_helper.to_array(tensor).astype(wide), tensor.name
    )


def _widen_node(node, scope):
    kind = scope.element_type(node.output[0])
    scope.begin(node)
    for attribute in node.attribute:
        if attribute.HasField("t") and attribute.t.data_type in _WIDE:
            attribute.t.CopyFrom(_widened(attribute.t))
    if kind not in _WIDE:
        return [node]
    wide, _, largest = _WIDE[kind]
    if node.op_type == "Cast":
        whole = scope.add("Cast", node.input, to=TensorProto.INT64)
        bits = scope.add("BitwiseAnd", [whole, scope.constant(largest, np.int64)])
        scope.add("Cast", [bits], node.output, to=wide)
        return scope.made
    if node.op_type not in _WRAPS:
        return [node]
    result, node.output[0] = node.output[0], scope.new_name()
    _mask(scope, node.output[0], wide, largest, result)
    return [node, *scope.made]
