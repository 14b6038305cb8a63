# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX to torch-mlir's `torch.operator` form, and the search for what it lacks."""

import bisect
import os
import re
import subprocess
import tempfile
import warnings

from anneal import _blobs
from anneal._report import ImportFailed, Unsupported

# Older models are brought up to this operator set, whose shapes the importer infers
# best. Newer ones keep theirs: there is no way down for ops that came later.
OPSET = 18

LOWER_TO_LINALG = [
    "--torch-onnx-to-torch-backend-pipeline",
    "--torch-backend-to-linalg-on-tensors-backend-pipeline",
]

# A constant input of more elements is data, not a parameter that decides how an op
# lowers, and becomes an argument where an op is tried alone.
_PARAMETER_ELEMENTS = 64

# Weights of at most this many bytes may be shapes, axes and the like, which shape
# inference reads.
_PARAMETER_BYTES = 4096

_SPLIT = "// -----"
_NO_TYPE = "no type is known for its results"


def _require_onnx():
    try:
        import onnx
        import onnx.inliner
        import onnx.version_converter
        from torch_mlir.extras import onnx_importer  # noqa: F401
    except ImportError as error:
        raise ImportFailed(
            f"the Python package '{error.name}' is not installed; run "
            "utils/install-deps, or: pip install -r python/requirements.txt"
        ) from error
    return onnx


def load(path):
    """Reads the model at `path`; returns it with shapes inferred, and notes.

    The notes are warnings for the user. Weights in external files are read too.
    """
    onnx = _require_onnx()
    from google.protobuf.message import DecodeError

    notes = []
    try:
        model = onnx.load(path)
    except DecodeError as error:
        raise ImportFailed(f"'{path}' is not an ONNX model: {error}") from error
    except (OSError, onnx.checker.ValidationError) as error:
        raise ImportFailed(f"cannot read '{path}': {error}") from error
    if not model.graph.node and not model.graph.output:
        raise ImportFailed(f"'{path}' is not an ONNX model: it holds no graph")
    if model.functions:
        model = onnx.inliner.inline_local_functions(model)
    _make_raw(onnx, model.graph)
    weights = _set_aside(model.graph)
    model = _raise_opset(onnx, model, notes)
    model = onnx.shape_inference.infer_shapes(model, data_prop=True)
    for tensor in model.graph.initializer:
        if tensor.name in weights:
            tensor.raw_data = weights.pop(tensor.name)
    if not model.graph.name:
        model.graph.name = "main"
    return model, notes


def _make_raw(onnx, graph):
    """Rewrites initializers in typed fields to raw bytes, which become blobs."""
    for tensor in graph.initializer:
        typed = not tensor.HasField("raw_data")
        if typed and tensor.data_type != onnx.TensorProto.STRING and tensor.dims:
            array = onnx.numpy_helper.to_array(tensor)
            tensor.CopyFrom(onnx.numpy_helper.from_array(array, tensor.name))


def _set_aside(graph):
    """Takes the bytes of large weights out of `graph`; returns them by name.

    What ONNX's own passes do to a graph depends on the shapes of its weights, not on
    their values. Each pass copies the whole message, which must stay below 2 GiB.
    """
    weights = {}
    for tensor in graph.initializer:
        if len(tensor.raw_data) > _PARAMETER_BYTES:
            weights[tensor.name] = tensor.raw_data
            tensor.ClearField("raw_data")
    return weights


def _raise_opset(onnx, model, notes):
    version = next((o.version for o in model.opset_import if not o.domain), OPSET)
    if version >= OPSET:
        return model
    try:
        return onnx.version_converter.convert_version(model, OPSET)
    except Exception as error:  # The converter throws bare RuntimeErrors.
        reason = str(error).strip().splitlines()[-1:] or [""]
        notes.append(
            f"operator set {version} could not be raised to {OPSET} and is kept "
            f"({reason[0]})"
        )
        return model


def untyped_nodes(model):
    """The nodes whose results have no type: ops that no loaded schema describes."""
    graph = model.graph
    typed = {value.name for value in graph.value_info}
    typed |= {value.name for value in graph.output}
    found = []
    for node in graph.node:
        default = node.domain in ("", "ai.onnx")
        if not default and any(out and out not in typed for out in node.output):
            found.append(Unsupported(_op_name(node), _node_name(node), _NO_TYPE))
    return found


def _op_name(node):
    prefix = "" if node.domain in ("", "ai.onnx") else node.domain + "."
    return prefix + node.op_type


def _node_name(node):
    return node.name or next((out for out in node.output if out), "")


def to_torch(model):
    """The model as an MLIR operation in torch-mlir's own dialect."""
    from torch_mlir import ir
    from torch_mlir.dialects import torch as torch_dialect
    from torch_mlir.extras import onnx_importer

    context = ir.Context()
    torch_dialect.register_dialect(context)
    info = onnx_importer.ModelInfo(model)
    module = info.create_module(context).operation
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            onnx_importer.NodeImporter.define_function(
                info.main_graph, module
            ).import_all()
        module.verify()
    except (onnx_importer.OnnxImportError, ir.MLIRError, KeyError) as error:
        raise ImportFailed(f"torch-mlir cannot read the graph: {error}") from error
    return module


def find_unsupported(model, tool):
    """Tries each distinct node of `model` alone with torch-mlir-opt at `tool`.

    Returns a list of `Unsupported`, in the graph's order; empty where every node
    lowers by itself and only their combination fails.
    """
    chunks, nodes = [], []
    for alike in _distinct_nodes(model):
        try:
            text = to_torch(_alone(model, alike[0])).get_asm()
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
            found += [Unsupported(_op_name(n), _node_name(n), reason) for n in alike]
    return found


def _distinct_nodes(model):
    """Lists of nodes alike in op, attributes and input types (what lowering sees)."""
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
        types[tensor.name] = repr((tensor.data_type, *tensor.dims)).encode()
    return types


def _alone(model, node):
    """A model of `node` and the small constants that feed it."""
    import onnx

    values = {v.name: v for v in [*model.graph.value_info, *model.graph.output]}
    values |= {v.name: v for v in model.graph.input}
    weights = {tensor.name: tensor for tensor in model.graph.initializer}
    constants = {n.output[0]: n for n in model.graph.node if n.op_type == "Constant"}
    inputs, kept, before = [], [], []
    for name in dict.fromkeys(filter(None, node.input)):
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


def _elements(tensor):
    count = 1
    for dim in tensor.dims:
        count *= dim
    return count


def _try_chunks(chunks, tool):
    """Maps the index of each module that does not lower to its reason ('' if plain)."""
    with tempfile.TemporaryDirectory(prefix="anneal-import-") as folder:
        source = os.path.join(folder, "alone.mlir")
        ends, line = [], 0
        with open(source, "w") as file:
            for index, text in enumerate(chunks):
                text = text.replace("@alone", f"@alone{index}")
                file.write(f"{text}\n{_SPLIT}\n")
                line += text.count("\n") + 2
                ends.append(line)
        # To standard output, since a file is only kept where every part lowers.
        command = [tool, "--split-input-file", *LOWER_TO_LINALG, source]
        said = subprocess.run(command, capture_output=True, text=True, check=False)
    failed = {}
    for match in re.finditer(r"alone\.mlir:(\d+):\d+: error", said.stderr):
        failed[bisect.bisect_left(ends, int(match.group(1)))] = ""
    return failed | _foreign_left(said.stdout)


def _foreign_left(text):
    """Which trial modules keep an op that linalg has no form for, and which op."""
    left, current = {}, None
    for line in text.splitlines():
        match = re.search(r"func\.func @alone(\d+)\(", line)
        if match:
            current = int(match.group(1))
        foreign = _blobs.foreign_op(line)
        if foreign and current is not None:
            left[current] = f"stays as {foreign}"
    return left
