# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Replaces nodes of an ONNX graph by others that compute the same.

A rule is a function of a node and a `Scope`. It adds the nodes that stand for the
node, the last of which make the node's own outputs, and returns true; or it adds
nothing and returns false; or it raises `Refused`. Rules hold wherever a node is,
also in the branches and bodies of control flow.
"""

import numpy as np
import onnx
from onnx import helper, numpy_helper

from anneal._report import Unsupported

# Marks the nodes that rules made, for rules that would replace their own.
MADE = "made by anneal-import"

# A rule may make nodes that another one replaces; more rounds than this mean that two
# rules undo each other.
_MOST_ROUNDS = 8


class Refused(Exception):
    """The node cannot be imported; the text says why, and what can be done."""


class Scope:
    """What is known where a node is, and the nodes that a rule makes for it."""

    def __init__(self, graph, outer=None):
        self._types = dict(outer._types) if outer else {}
        self._constants = dict(outer._constants) if outer else {}
        self._names = outer._names if outer else _Names(graph)
        self.made = []
        self._label = ""
        for value in [*graph.input, *graph.value_info, *graph.output]:
            if value.type.HasField("tensor_type"):
                self._types[value.name] = value.type.tensor_type
        for tensor in graph.initializer:
            self._constants[tensor.name] = tensor
        for node in graph.node:
            tensor = constant_tensor(node)
            if tensor is not None:
                self._constants[node.output[0]] = tensor

    def element_type(self, name):
        """The element type as in `TensorProto`; 0 if it is not known."""
        if name in self._types:
            return self._types[name].elem_type
        return self._constants[name].data_type if name in self._constants else 0

    def sizes(self, name):
        """A list with None for each size that is not known; None if the rank isn't."""
        if name in self._constants:
            return list(self._constants[name].dims)
        if name not in self._types or not self._types[name].HasField("shape"):
            return None
        dims = self._types[name].shape.dim
        return [dim.dim_value if dim.HasField("dim_value") else None for dim in dims]

    def value(self, name):
        """The array of a constant; None if the value is not known here."""
        tensor = self._constants.get(name)
        if tensor is None or (not _has_data(tensor) and np.prod(tensor.dims)):
            return None
        return numpy_helper.to_array(tensor)

    def new_name(self):
        """A name that no value of the model has."""
        return self._names.new()

    def add(self, op, inputs, outputs=1, **attributes):
        """Adds a node; returns its output's name, or a list of several.

        `outputs` is how many, with new names, or the names themselves.
        """
        names = outputs
        if isinstance(outputs, int):
            names = [self.new_name() for _ in range(outputs)]
        attributes = {k: v for k, v in attributes.items() if v is not None}
        made = helper.make_node(op, inputs, names, self._label, MADE, **attributes)
        self.made.append(made)
        return names[0] if len(names) == 1 else names

    def constant(self, value, dtype=np.int64):
        """Adds a constant; returns its name."""
        tensor = numpy_helper.from_array(np.array(value, dtype))
        return self.add("Constant", [], value=tensor)

    def begin(self, node):
        """Forgets what was made before; what is made next is named after `node`."""
        self.made = []
        self._label = node.name or next((out for out in node.output if out), "")


def constant_tensor(node):
    """The tensor that a Constant node holds; None of another node."""
    if node.op_type != "Constant" or not node.attribute:
        return None
    held = node.attribute[0]
    if held.name == "value":
        return held.t
    dtype = {"value_int": np.int64, "value_float": np.float32}.get(
        held.name.rstrip("s")
    )
    if dtype is None:
        return None
    return numpy_helper.from_array(np.array(helper.get_attribute_value(held), dtype))


class _Names:
    """Names that no value of the model has."""

    def __init__(self, graph):
        self._taken = set()
        self._count = 0
        self._collect(graph)

    def _collect(self, graph):
        for node in graph.node:
            self._taken.update(node.output)
            for inner in subgraphs(node):
                self._collect(inner)
        self._taken.update(value.name for value in graph.input)
        self._taken.update(tensor.name for tensor in graph.initializer)

    def new(self):
        while True:
            name = f"anneal_{self._count}"
            self._count += 1
            if name not in self._taken:
                return name


def _has_data(tensor):
    fields = (
        "raw_data",
        "float_data",
        "int32_data",
        "int64_data",
        "double_data",
        "uint64_data",
    )
    return any(len(getattr(tensor, field)) for field in fields)


def subgraphs(node):
    """The graphs that a node holds."""
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            yield attribute.g
        elif attribute.type == onnx.AttributeProto.GRAPHS:
            yield from attribute.graphs


def infer(model):
    """The model with the types of its values inferred anew."""
    model = onnx.shape_inference.infer_shapes(model, data_prop=True)
    # Of an output torch-mlir reads one type or the other; the output's own is the finer.
    outputs = {value.name for value in model.graph.output}
    kept = [value for value in model.graph.value_info if value.name not in outputs]
    if len(kept) < len(model.graph.value_info):
        kept = [copy(value) for value in kept]
        del model.graph.value_info[:]
        model.graph.value_info.extend(kept)
    return model


def rewrite(model, rules):
    """Applies `rules`, a dict by op, until none has anything to do.

    Returns the model, with types inferred, and a list of `Unsupported`: the nodes
    that rules refused. They are left as they are.
    """
    for _ in range(_MOST_ROUNDS):
        refused = []
        changed = _rewrite_graph(model.graph, Scope(model.graph), rules, refused)
        if not changed:
            return model, refused
        model = infer(model)
    raise AssertionError("rules that undo each other")


def _rewrite_graph(graph, scope, rules, refused):
    nodes, changed = [], False
    for node in graph.node:
        for inner in subgraphs(node):
            changed |= _rewrite_graph(inner, Scope(inner, scope), rules, refused)
        scope.begin(node)
        rule = rules.get(node.op_type) if node.domain in ("", "ai.onnx") else None
        try:
            replaced = bool(rule) and rule(node, scope)
        except Refused as why:
            replaced = False
            refused.append(
                Unsupported(node.op_type, node.name or node.output[0], str(why))
            )
        nodes += scope.made if replaced else [node]
        changed |= replaced
    if changed:
        replace_nodes(graph, nodes)
    return changed


def replace_nodes(graph, nodes):
    """Makes `nodes` those of the graph; some of them may be in it already."""
    copies = [copy(node) for node in nodes]
    del graph.node[:]
    graph.node.extend(copies)


def copy(message):
    """A message that belongs to no other."""
    copied = type(message)()
    copied.CopyFrom(message)
    return copied


def attribute(node, name, default=None):
    """The value of an attribute, or the default."""
    for found in node.attribute:
        if found.name == name:
            value = helper.get_attribute_value(found)
            return value.decode() if isinstance(value, bytes) else value
    return default


def input_of(node, index):
    """The name of an input; '' if it is left out."""
    return node.input[index] if index < len(node.input) else ""


def output_of(node, index):
    """The name of an output; '' if it is left out."""
    return node.output[index] if index < len(node.output) else ""
