# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The search for what torch-mlir does not convert: each node of a model alone."""

import bisect
import os
import re
import subprocess
import tempfile

from anneal import _blobs, _onnx, _reasons, _tm_tensor
from anneal._report import Unsupported

# A constant input of more elements is data, not a parameter that decides how an op
# lowers, and becomes an argument where an op is tried alone.
_PARAMETER_ELEMENTS = 64

_SPLIT = "// -----"


# Seconds for all nodes together, and for one by itself.
LIMIT_S = 120
LIMIT_EACH_S = 20


def find_unsupported(model, tool):
    """Tries each distinct node of `model` alone with torch-mlir-opt at `tool`.

    Returns a list of `Unsupported`, in the graph's order; empty where every node
    lowers by itself and only their combination fails.
    """
    chunks, nodes = [], []
    for alike in _distinct_nodes(model):
        try:
            text = _onnx.to_torch(_alone(model, alike[0])).get_asm()
        except Exception:  # Whatever fails in a trial makes the node a suspect.
            text = "module { }"
            why = "torch-mlir cannot read it"
        else:
            why = ""
        chunks.append(text)
        nodes.append((alike, why))
    failed = _try_chunks(chunks, tool)
    found = []
    for index, (alike, why) in enumerate(nodes):
        reason = why or failed.get(index)
        if reason is not None:
            reason = _reasons.explain(model, alike[0], reason)
            found += [
                Unsupported(_onnx.op_name(n), _onnx.node_name(n), reason) for n in alike
            ]
    return found


def _distinct_nodes(model):
    """Lists of nodes alike in op, attributes, parameters and input types."""
    types = _value_types(model)
    groups = {}
    for node in model.graph.node:
        if node.op_type == "Constant":
            continue
        attributes = tuple(a.SerializeToString() for a in node.attribute)
        inputs = tuple(types.get(name, b"") for name in node.input)
        groups.setdefault((node.domain, node.op_type, attributes, inputs), [])
        groups[node.domain, node.op_type, attributes, inputs].append(node)
    return groups.values()


def _value_types(model):
    graph = model.graph
    values = [*graph.value_info, *graph.input, *graph.output]
    types = {value.name: value.type.SerializeToString() for value in values}
    for tensor in graph.initializer:
        parameter = tensor.raw_data if _elements(tensor) <= _PARAMETER_ELEMENTS else b""
        types[tensor.name] = repr((tensor.data_type, *tensor.dims)).encode() + parameter
    for node in graph.node:
        if node.op_type == "Constant":
            types[node.output[0]] = node.attribute[0].SerializeToString()
    return types


def _alone(model, node):
    """A model of `node` and the small constants that feed it."""
    import onnx

    values = {v.name: v for v in [*model.graph.value_info, *model.graph.output]}
    values |= {v.name: v for v in model.graph.input}
    weights = {tensor.name: tensor for tensor in model.graph.initializer}
    constants = {n.output[0]: n for n in model.graph.node if n.op_type == "Constant"}
    inputs, kept, before = [], [], []
    for name in dict.fromkeys(filter(None, [*node.input, *_captured(node)])):
        tensor = weights.get(name)
        if name in constants:
            before.append(constants[name])
        elif tensor is None:
            inputs.append(values[name])
        elif _elements(tensor) <= _PARAMETER_ELEMENTS:
            kept.append(tensor)
        else:
            inputs.append(
                onnx.helper.make_tensor_value_info(name, tensor.data_type, tensor.dims)
            )
    outputs = [values[name] for name in node.output if name in values]
    graph = onnx.helper.make_graph([*before, node], "alone", inputs, outputs, kept)
    return onnx.helper.make_model(
        graph, opset_imports=model.opset_import, ir_version=model.ir_version
    )


def _captured(node):
    """Names from around that the node's subgraphs read."""
    from anneal._rewriter import subgraphs

    names = []
    for graph in subgraphs(node):
        own = {value.name for value in graph.input} | {
            t.name for t in graph.initializer
        }
        for inner in graph.node:
            names += [n for n in (*inner.input, *_captured(inner)) if n not in own]
            own.update(inner.output)
        names += [value.name for value in graph.output if value.name not in own]
    return names


def _elements(tensor):
    count = 1
    for dim in tensor.dims:
        count *= dim
    return count


def _try_chunks(chunks, tool):
    """Maps the index of each module that does not lower to the reason."""
    ends, line = [], 0
    for text in chunks:
        line += text.count("\n") + 2
        ends.append(line)
    parts = [
        f"{text.replace('@alone', f'@alone{index}')}\n{_SPLIT}\n"
        for index, text in enumerate(chunks)
    ]
    code, out, said = _run(tool, "".join(parts), LIMIT_S)
    failed = {}
    for match in re.finditer(r"alone\.mlir:(\d+):\d+: error: (.*)", said):
        failed.setdefault(bisect.bisect_left(ends, int(match[1])), _plain(match[2]))
    failed |= _foreign_left(out)
    # An error without a place, a crash, and what does not end, are of one of them.
    return (
        failed if failed and code is not None and code >= 0 else _try_each(parts, tool)
    )


def _try_each(parts, tool):
    failed = {}
    for index, part in enumerate(parts):
        code, out, said = _run(tool, part, LIMIT_EACH_S)
        if code is None:
            failed[index] = "torch-mlir does not end on it"
        elif code < 0:
            failed[index] = "torch-mlir crashes on it"
        elif code > 0:
            error = re.search(r"error: (.*)", said)
            failed[index] = _plain(error[1]) if error else "torch-mlir fails on it"
        else:
            failed |= _foreign_left(out)
    return failed


def _run(tool, text, limit):
    """Exit code (None after `limit` seconds), standard output and error."""
    with tempfile.TemporaryDirectory(prefix="anneal-import-") as folder:
        source = os.path.join(folder, "alone.mlir")
        with open(source, "w") as file:
            file.write(text)
        # To standard output, since a file is only kept where every part lowers.
        command = [tool, "--split-input-file", *_onnx.LOWER_TO_LINALG, source]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=limit
            )
        except subprocess.TimeoutExpired:
            return None, "", ""
    return done.returncode, done.stdout, done.stderr


def _plain(error):
    """torch-mlir's error in few words."""
    op = re.search(r"failed to legalize operation '([\w.]+)'", error)
    if op and op[1] == "torch.operator":
        return "torch-mlir does not convert it with these attributes and types"
    if op:
        return f"torch-mlir does not lower its {op[1]}"
    return f"torch-mlir: {error[:120]}"


def _foreign_left(text):
    """Which trial modules keep an op that linalg has no form for, and which op."""
    left, current = {}, None
    for line in _tm_tensor.lower(text.splitlines(keepends=True)):
        match = re.search(r"func\.func @alone(\d+)\(", line)
        if match:
            current = int(match.group(1))
        foreign = _blobs.foreign_op(line)
        if foreign and current is not None:
            left[current] = f"stays as {foreign}"
    return left
