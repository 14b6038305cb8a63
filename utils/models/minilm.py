# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sentence-embedding model all-MiniLM-L6-v2 as an ONNX graph, without torch.

The package ships weights only. The graph is that of PyTorch's ONNX exporter
(operator set 20, attention spelt out) over BERT, mean pooling over the mask and
normalisation: the same nodes in the same order, so that it imports to the same IR.
"""

import json

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save_model

LAYERS = 6
HEADS = 12
HIDDEN = 384
HEAD_SIZE = HIDDEN // HEADS
POSITIONS = 512
EPSILON = float(np.float32(1e-12))

_SAFETENSORS_TYPES = {"F32": np.float32, "I64": np.int64}


def read_safetensors(path):
    """The tensors of a safetensors file by name, as views of the mapped file."""
    data = np.memmap(path, np.uint8, mode="r")
    header_size = int(data[:8].view(np.uint64)[0])
    header = json.loads(bytes(data[8 : 8 + header_size]))
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + header_size + at for at in entry["data_offsets"])
        dtype = _SAFETENSORS_TYPES[entry["dtype"]]
        tensors[name] = np.frombuffer(data[begin:end], dtype).reshape(entry["shape"])
    return tensors


class _Graph:
    """Collects nodes and initializers; every value is named after its node."""

    def __init__(self, weights):
        self.weights = weights
        self.nodes = []
        self.initializers = {}
        self.shapes = []

    def add(self, op, *inputs, shape=None, dtype=TensorProto.FLOAT, **attributes):
        """Adds a node; `shape` is stated where inference would not find it."""
        name = f"{op.lower()}_{len(self.nodes)}"
        if shape:
            self.shapes.append(helper.make_tensor_value_info(name, dtype, shape))
        self.nodes.append(helper.make_node(op, inputs, [name], name, **attributes))
        return name

    def constant(self, name, array):
        array = np.array(array, order="C")
        self.initializers.setdefault(name, numpy_helper.from_array(array, name))
        return name

    def ints(self, *values):
        name = "ints_" + "_".join(str(value) for value in values)
        return self.constant(name, np.array(values, np.int64))

    def scalar(self, name, value, dtype):
        return self.constant(name, np.array(value, dtype))

    def weight(self, name):
        return self.constant(name, self.weights[name])

    def linear(self, value, name):
        transposed = self.constant(f"{name}.weight_t", self.weights[f"{name}.weight"].T)
        product = self.add("MatMul", value, transposed)
        return self.add("Add", product, self.weight(f"{name}.bias"))

    def layer_norm(self, value, name):
        scale, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.add(
            "LayerNormalization", value, scale, bias, axis=-1, epsilon=EPSILON
        )


def write_onnx(weights_path, path):
    """Writes the model with the weights of the safetensors file at `weights_path`."""
    g = _Graph(read_safetensors(weights_path))
    batch = g.add("Shape", "ids", start=0, end=1)
    batch_scalar = g.add("Squeeze", batch)
    length = g.add("Shape", "ids", start=1, end=2)
    length_scalar = g.add("Squeeze", length)
    hidden = _embed(g, batch, length)
    bias = _attention_bias(g, batch_scalar, length_scalar)
    split = None
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}"
        attended, split = _attention(g, hidden, bias, (batch, length), split, prefix)
        hidden = _feed_forward(g, hidden, attended, prefix)
    result = _pool(g, hidden, batch)
    save_model(_model(g, result), path)


def _embed(g, batch, length):
    positions = g.constant("position_ids", np.arange(POSITIONS)[None])
    types = g.constant("token_type_ids", np.zeros((1, POSITIONS), np.int64))
    one, int64 = g.ints(1), TensorProto.INT64
    row, whole = [1, "length"], ["batch", "length"]
    here = g.add("Slice", positions, g.ints(0), length, one, one, shape=row, dtype=int64)
    types = g.add("GatherElements", types, here, axis=1)
    shape = g.add("Concat", batch, length, axis=0)
    types = g.add("Expand", types, shape, shape=whole, dtype=int64)
    words = g.weight("embeddings.word_embeddings.weight")
    of_type = g.weight("embeddings.token_type_embeddings.weight")
    of_position = g.weight("embeddings.position_embeddings.weight")
    total = g.add(
        "Add",
        g.add("Gather", words, "ids", axis=0),
        g.add("Gather", of_type, types, axis=0),
    )
    total = g.add("Add", total, g.add("Gather", of_position, here, axis=0))
    return g.layer_norm(total, "embeddings.LayerNorm")


def _attention_bias(g, batch_scalar, length_scalar):
    """0 where a key may be seen, the lowest float elsewhere; [batch, 1, 1, keys]."""
    zero = g.scalar("zero", 0, np.int64)
    one = g.scalar("one", 1, np.int64)
    true = g.scalar("true", True, np.bool_)
    seen = g.add("Cast", "mask", to=TensorProto.BOOL)
    int64 = TensorProto.INT64
    rows = g.add("Range", zero, batch_scalar, one, shape=["batch"], dtype=int64)
    columns = g.add("Range", zero, length_scalar, one, shape=["length"], dtype=int64)
    rows = g.add("Unsqueeze", rows, g.ints(1, 2))
    rows = g.add("Unsqueeze", rows, g.ints(3))
    columns = g.add("Unsqueeze", columns, g.ints(0, 1))
    queries = g.add("Unsqueeze", columns, g.ints(3))
    keys = g.add("Unsqueeze", columns, g.ints(2))
    valid = g.add("And", true, g.add("GreaterOrEqual", queries, zero))
    shape = g.add("Shape", g.add("Max", rows, keys), start=0)
    pairs = {"shape": ["batch", 1, 1, "length"], "dtype": int64}
    rows = g.add("Unsqueeze", g.add("Expand", rows, shape, **pairs), g.ints(-1))
    keys = g.add("Unsqueeze", g.add("Expand", keys, shape, **pairs), g.ints(-1))
    index = g.add("Concat", rows, keys, axis=-1)
    seen = g.add("GatherND", seen, index, batch_dims=0)
    seen = g.add("And", valid, seen)
    lowest = g.scalar("lowest", np.finfo(np.float32).min, np.float32)
    return g.add("Where", seen, g.scalar("zero_f", 0, np.float32), lowest)


def _attention(g, hidden, bias, sizes, shapes, prefix):
    """The heads' results joined, and the shapes for splitting and joining heads."""
    name = f"{prefix}.attention.self"
    query = g.linear(hidden, f"{name}.query")
    split = shapes[0] if shapes else None
    split = split or g.add(
        "Concat", *sizes, g.ints(-1), g.ints(HEAD_SIZE), axis=0
    )
    heads = {"shape": ["batch", "length", HEADS, HEAD_SIZE], "allowzero": 1}
    query = g.add("Reshape", query, split, **heads)
    query = g.add("Transpose", query, perm=[0, 2, 1, 3])
    key = g.add("Reshape", g.linear(hidden, f"{name}.key"), split, **heads)
    value = g.add("Reshape", g.linear(hidden, f"{name}.value"), split, **heads)
    value = g.add("Transpose", value, perm=[0, 2, 1, 3])
    key = g.add("Transpose", key, perm=[0, 2, 3, 1])
    scale = g.scalar("scale", HEAD_SIZE**-0.5, np.float32)
    scores = g.add("Mul", g.add("MatMul", query, key), scale)
    weights = g.add("Softmax", g.add("Add", scores, bias), axis=-1)
    mixed = g.add("MatMul", weights, value)
    mixed = g.add("Transpose", mixed, perm=[0, 2, 1, 3])
    join = shapes[1] if shapes else None
    join = join or g.add("Concat", *sizes, g.ints(-1), axis=0)
    whole = ["batch", "length", HIDDEN]
    return g.add("Reshape", mixed, join, shape=whole, allowzero=1), (split, join)


def _feed_forward(g, hidden, attended, prefix):
    out = g.linear(attended, f"{prefix}.attention.output.dense")
    out = g.add("Add", out, hidden)
    hidden = g.layer_norm(out, f"{prefix}.attention.output.LayerNorm")
    wide = g.linear(hidden, f"{prefix}.intermediate.dense")
    wide = g.add("Gelu", wide, approximate="none")
    out = g.add("Add", g.linear(wide, f"{prefix}.output.dense"), hidden)
    return g.layer_norm(out, f"{prefix}.output.LayerNorm")


def _pool(g, hidden, batch):
    mask = g.add("Cast", "mask", to=TensorProto.FLOAT)
    mask = g.add("Unsqueeze", mask, g.ints(-1))
    axis = g.ints(1)
    total = g.add("ReduceSum", g.add("Mul", hidden, mask), axis, keepdims=0)
    count = g.add("ReduceSum", mask, axis, keepdims=0)
    count = g.add("Clip", count, g.scalar("least_count", 1e-9, np.float32))
    mean = g.add("Div", total, count)
    norm = g.add("ReduceL2", mean, axis, keepdims=1)
    norm = g.add("Clip", norm, g.scalar("least_norm", 1e-12, np.float32))
    shape = g.add("Concat", batch, g.ints(HIDDEN), axis=0)
    norm = g.add("Expand", norm, shape, shape=["batch", HIDDEN])
    return g.add("Div", mean, norm)


def _model(g, result):
    dims = ["batch", "length"]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, dims)
        for name in ("ids", "mask")
    ]
    output = helper.make_tensor_value_info(
        result, TensorProto.FLOAT, ["batch", HIDDEN]
    )
    graph = helper.make_graph(
        g.nodes,
        "main_graph",
        inputs,
        [output],
        list(g.initializers.values()),
        value_info=g.shapes,
    )
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10
    )
