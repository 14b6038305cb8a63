# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX to torch-mlir's `torch.operator` form."""

import warnings

from anneal._report import ImportFailed, Unsupported

# Older models are brought up to this operator set, whose shapes the importer infers
# best. Newer ones keep theirs: there is no way down for ops that came later.
OPSET = 18

# torch-mlir's pipelines from ONNX to linalg on tensors, without the check at their end:
# the engine runs more than it lets pass, and foreign ops are found by name.
_TO_TENSORS = (
    "convert-torch-to-tmtensor",
    "canonicalize",
    "convert-torch-to-linalg",
    "canonicalize",
    "convert-torch-to-scf",
    "convert-torch-to-arith",
    "convert-torch-to-tensor",
    None,
    "memref-expand",
    "canonicalize",
    "resolve-shaped-type-result-dims",
    "cse",
)
LOWER_TO_LINALG = [
    "--pass-pipeline=builtin.module(torch-onnx-to-torch-backend-pipeline,"
    + ",".join(
        f"func.func({name})" if name else "convert-torch-conversion-to-mlprogram"
        for name in _TO_TENSORS
    )
    + ",torch-func-backend-type-conversion,func.func(canonicalize),"
    "func.func(torch-finalizing-backend-type-conversion))"
]

# Weights of at most this many bytes may be shapes, axes and the like, which shape
# inference reads.
_PARAMETER_BYTES = 4096

# Types of weights that are converted (_unsigned.py): UINT16 and UINT32 in TensorProto.
_CONVERTED = (4, 12)

_NO_TYPE = "no type is known for its results"
_NO_RANK = "the rank of its result is not known; give the model's inputs shapes"


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
    """Reads the model at `path`, in a form that torch-mlir converts.

    Returns it with shapes inferred, notes, which are warnings for the user, and a list
    of `Unsupported`. Weights in external files are read too.
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
    model, refused = _prepare(model)
    for tensor in model.graph.initializer:
        if tensor.name in weights:
            tensor.raw_data = weights.pop(tensor.name)
    if not model.graph.name:
        model.graph.name = "main"
    return model, notes, refused


def _opset(model):
    return next((o.version for o in model.opset_import if not o.domain), OPSET)


def _prepare(model):
    """Puts forms that torch-mlir converts in the place of others.

    Returns the model, types inferred, and a list of `Unsupported`.
    """
    from anneal import _functions, _layers, _quantize, _rewriter, _sequences, _unsigned

    if _opset(model) < OPSET:
        return _rewriter.infer(model), []
    model = _functions.fold_integers(_functions.expand(_rewriter.infer(model)))
    rules = _quantize.RULES | _layers.RULES | _sequences.RULES
    model, refused = _rewriter.rewrite(model, rules)
    if not refused:
        model, refused = _unsigned.widen(_functions.fold_integers(model))
    return model, refused


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
        if (
            len(tensor.raw_data) > _PARAMETER_BYTES
            and tensor.data_type not in _CONVERTED
        ):
            weights[tensor.name] = tensor.raw_data
            tensor.ClearField("raw_data")
    return weights


def _raise_opset(onnx, model, notes):
    version = _opset(model)
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
    """The nodes whose results have no type, or no rank, which torch-mlir takes for 0."""
    graph = model.graph
    values = {value.name: value for value in [*graph.value_info, *graph.output]}
    read = {name for node in graph.node for name in node.input}
    read |= {value.name for value in graph.output}
    found = []
    for node in graph.node:
        default = node.domain in ("", "ai.onnx")
        for out in filter(None, node.output):
            if out not in values and (not default or out in read):
                found.append(Unsupported(op_name(node), node_name(node), _NO_TYPE))
                break
            if out in read and _lacks_rank(values[out].type):
                found.append(Unsupported(op_name(node), node_name(node), _NO_RANK))
                break
    return found


def _lacks_rank(type_):
    tensor = type_.tensor_type
    return (
        type_.HasField("tensor_type")
        and tensor.elem_type
        and not tensor.HasField("shape")
    )


def op_name(node):
    """The op with its domain, if it is not ONNX's own."""
    prefix = "" if node.domain in ("", "ai.onnx") else node.domain + "."
    return prefix + node.op_type


def node_name(node):
    """The node's name, or else that of its first output."""
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
