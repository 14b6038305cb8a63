# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that the importer rewrites: what they compute, beside ONNX Runtime."""

import numpy as np
import pytest
from onnx import TensorProto as T
from onnx import helper

NODE = helper.make_node
RNG = np.random.default_rng(0)


def floats(*sizes):
    return RNG.normal(0, 1, sizes).astype(np.float32)


def typed(array, *names):
    """Type and open sizes of a value, for a model's inputs and outputs."""
    sizes = [f"{names[0]}{i}" for i in range(array.ndim)] if names else array.shape
    return (helper.np_dtype_to_tensor_dtype(array.dtype), list(sizes))


@pytest.fixture
def check(onnx_model, agrees_with_onnxruntime):
    """One node with inputs of open sizes (or `fixed`) and constant `weights`."""

    def run(nodes, inputs, outputs, weights=None, fixed=False, opset=18):
        values = {n: typed(a, *([] if fixed else [n])) for n, a in inputs.items()}
        path = onnx_model(nodes, values, outputs, weights, opset=opset)
        agrees_with_onnxruntime(path, list(inputs.values()))

    return run


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_floats_become_uint8_above_127(check, kind):
    x = np.array([0, 1.6, 127.7, 128.4, 200, 254.9], kind)
    check([NODE("Cast", ["x"], ["y"], to=T.UINT8)], {"x": x}, {"y": (T.UINT8, ["n"])})


def test_floats_become_uint32_and_pass_through_uint16(check):
    x = np.array([0, 1.6, 2.0**31 + 1000, 4e9], np.float32)
    check([NODE("Cast", ["x"], ["y"], to=T.UINT32)], {"x": x}, {"y": (T.UINT32, ["n"])})
    nodes = [
        NODE("Cast", ["x"], ["a"], to=T.UINT16),
        NODE("Add", ["a", "b"], ["c"]),
        NODE("Cast", ["c"], ["y"], to=T.FLOAT),
    ]
    x = np.array([0, 1.6, 32768.5, 65535], np.float32)
    weights = {"b": np.array([2], np.uint16)}
    check(nodes, {"x": x}, {"y": (T.FLOAT, ["n"])}, weights)


def test_what_unsigned_types_cannot_become_is_refused(onnx_model, anneal_import, tmp_path):
    for kind, message in [
        (T.UINT64, "Cast x1 (it converts to uint64, which torch-mlir does not; use int64): 'c'"),
        (T.UINT16, "it is of uint16, which torch-mlir does not make; give int32"),
    ]:
        node = NODE("Cast", ["x"], ["y"], "c", to=kind)
        path = onnx_model([node], {"x": (T.FLOAT, ["n"])}, {"y": (kind, ["n"])})
        said = anneal_import(path, "-o", tmp_path / "m.mlirbc")
        assert said.returncode == 1
        assert message in said.stderr


@pytest.mark.parametrize("op", ["Div", "Mod", "Max", "Min", "Add", "Sub", "Mul"])
def test_arithmetic_on_uint8_is_unsigned(check, op):
    a = np.array([0, 127, 128, 200, 255, 254], np.uint8)
    b = np.array([1, 2, 255, 3, 5, 128], np.uint8)
    check([NODE(op, ["a", "b"], ["y"])], {"a": a, "b": b}, {"y": (T.UINT8, ["n"])})


def test_integers_are_negated_as_such(check):
    x = np.array([2**62 + 1, -(2**62) - 1, 5])
    check([NODE("Neg", ["x"], ["y"])], {"x": x}, {"y": (T.INT64, ["n"])})


@pytest.mark.parametrize("kind", [np.uint8, np.int8])
@pytest.mark.parametrize("per_axis", [False, True])
def test_quantised_values(check, kind, per_axis):
    x = RNG.normal(0, 40, (3, 4)).astype(np.float32)
    zero = np.array([130, 3, 255, 128]).astype(kind)
    scale = np.array([0.1, 0.5, 2, 1], np.float32)
    weights = {"s": scale, "z": zero} if per_axis else {"s": scale[1], "z": zero[0]}
    weights = {name: np.array(value) for name, value in weights.items()}
    nodes = [
        NODE("QuantizeLinear", ["x", "s", "z"], ["q"], axis=1),
        NODE("DequantizeLinear", ["q", "s", "z"], ["y"], axis=1),
    ]
    outputs = {
        "q": (helper.np_dtype_to_tensor_dtype(np.dtype(kind)), ["m", "n"]),
        "y": (T.FLOAT, ["m", "n"]),
    }
    check(nodes, {"x": x}, outputs, weights)


def test_dynamic_quantisation(check):
    outputs = {"y": (T.UINT8, ["m", "n"]), "s": (T.FLOAT, []), "z": (T.UINT8, [])}
    nodes = [NODE("DynamicQuantizeLinear", ["x"], ["y", "s", "z"])]
    check(nodes, {"x": floats(3, 5)}, outputs)


@pytest.mark.parametrize("attributes", [{}, {"strides": [2, 2], "pads": [1, 1, 1, 1]}])
def test_indices_of_max_pool_count_over_the_whole_tensor(check, attributes):
    nodes = [NODE("MaxPool", ["x"], ["v", "i"], kernel_shape=[3, 3], **attributes)]
    outputs = {"v": (T.FLOAT, list("abcd")), "i": (T.INT64, list("abcd"))}
    check(nodes, {"x": floats(2, 3, 6, 7)}, outputs)


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("largest", [0, 1])
def test_top_k(check, axis, largest):
    # Few values, so that many are equal: they come in their order.
    x = RNG.integers(0, 4, (5, 7)).astype(np.float32)
    nodes = [NODE("TopK", ["x", "k"], ["v", "i"], axis=axis, largest=largest)]
    outputs = {"v": (T.FLOAT, ["a", "b"]), "i": (T.INT64, ["a", "b"])}
    check(nodes, {"x": x}, outputs, {"k": np.array([3])})


@pytest.mark.parametrize("exclusive", [0, 1])
@pytest.mark.parametrize("reverse", [0, 1])
def test_cumulative_sums(check, exclusive, reverse):
    nodes = [NODE("CumSum", ["x", "a"], ["y"], exclusive=exclusive, reverse=reverse)]
    check(nodes, {"x": floats(3, 4, 5)}, {"y": (T.FLOAT, list("abc"))}, {"a": np.array(1)})


@pytest.mark.parametrize("reduction", ["none", "add", "mul", "max", "min"])
def test_scatter_of_slices(check, reduction):
    inputs = {"x": floats(4, 5), "i": np.array([[1], [3], [0]]), "u": floats(3, 5)}
    nodes = [NODE("ScatterND", ["x", "i", "u"], ["y"], reduction=reduction)]
    check(nodes, inputs, {"y": (T.FLOAT, [4, 5])}, fixed=True)


def test_scatter_of_elements(check):
    indices = np.array([[1, 0], [3, -1], [0, 2]])
    inputs = {"x": floats(3, 5), "i": indices, "u": floats(3, 2)}
    nodes = [NODE("ScatterElements", ["x", "i", "u"], ["y"], axis=1)]
    check(nodes, inputs, {"y": (T.FLOAT, ["a", "b"])})


def test_what_is_not_zero(check):
    x = np.array([[0, 1, 0], [2, 0, 3]], np.float32)
    check([NODE("NonZero", ["x"], ["y"])], {"x": x}, {"y": (T.INT64, [2, "n"])})


@pytest.mark.parametrize(
    ("start", "end", "step"),
    [(-1, -100, -1), (3, 0, -1), (-2, -(2**63), -2), (100, 1, -3), (0, -100, -1)],
)
def test_slices_that_go_backwards(check, start, end, step):
    weights = {"s": [start], "e": [end], "a": [1], "t": [step]}
    weights = {name: np.array(value) for name, value in weights.items()}
    nodes = [NODE("Slice", ["x", "s", "e", "a", "t"], ["y"])]
    check(nodes, {"x": floats(4, 6)}, {"y": (T.FLOAT, ["a", "b"])}, weights)


@pytest.mark.parametrize(("op", "gates"), [("RNN", 1), ("GRU", 3), ("LSTM", 4)])
@pytest.mark.parametrize("direction", ["reverse", "bidirectional"])
def test_recurrent_layers_that_go_backwards(check, op, gates, direction):
    count = 1 if direction == "reverse" else 2
    weights = {
        "w": floats(count, gates * 4, 3),
        "r": floats(count, gates * 4, 4),
        "b": floats(count, 2 * gates * 4),
    }
    node = NODE(op, ["x", "w", "r", "b"], ["y", "h"], direction=direction, hidden_size=4)
    outputs = {"y": (T.FLOAT, [5, count, 2, 4]), "h": (T.FLOAT, [count, 2, 4])}
    check([node], {"x": floats(5, 2, 3)}, outputs, weights, fixed=True)


def test_normalisations_defined_by_other_operators(check):
    def node(op, inputs, **attributes):
        return [NODE(op, inputs, ["y"], **attributes)]

    x, outputs = {"x": floats(2, 4, 5, 6)}, {"y": (T.FLOAT, list("abcd"))}
    weights = {"s": floats(4), "b": floats(4)}
    check(node("MeanVarianceNormalization", ["x"]), x, outputs)
    group = node("GroupNormalization", ["x", "s", "b"], num_groups=2)
    check(group, x, outputs, weights, opset=21)
    weights = {"s": floats(6)}
    check(node("RMSNormalization", ["x", "s"]), x, outputs, weights, opset=23)


def test_a_vector_of_no_length_stays_zero(check):
    x = np.array([[3, 4], [0, 0]], np.float32)
    nodes = [NODE("LpNormalization", ["x"], ["y"], axis=1)]
    check(nodes, {"x": x}, {"y": (T.FLOAT, ["a", "b"])})


@pytest.mark.parametrize(
    ("op", "attributes", "why"),
    [
        ("GridSample", {"mode": "nearest"}, "rounds otherwise in mode 'nearest'"),
        ("MaxPool", {"kernel_shape": [2, 2], "storage_order": 1}, "go by columns"),
        ("LSTM", {"hidden_size": 4, "clip": 0.5}, "it has the attribute 'clip'"),
        ("GRU", {"hidden_size": 4, "activations": ["HardSigmoid", "Tanh"]}, "HardSigmoid"),
    ],
)
def test_what_torch_mlir_would_compute_otherwise_is_refused(
    onnx_model, anneal_import, tmp_path, op, attributes, why
):
    shapes = {
        "GridSample": ([1, 1, 4, 4], [1, 2, 2, 2]),
        "MaxPool": ([1, 1, 4, 4],),
        "LSTM": ([5, 2, 3], [1, 16, 3], [1, 16, 4]),
        "GRU": ([5, 2, 3], [1, 12, 3], [1, 12, 4]),
    }[op]
    inputs = {f"x{i}": (T.FLOAT, shape) for i, shape in enumerate(shapes)}
    results = ["y", "i"] if op == "MaxPool" else ["y"]
    outputs = {"y": (T.FLOAT, list("abcd"))}
    node = NODE(op, list(inputs), results, "the node", **attributes)
    said = anneal_import(
        onnx_model([node], inputs, outputs), "-o", tmp_path / "model.mlirbc"
    )
    assert said.returncode == 1
    assert f"{op} x1 (" in said.stderr and why in said.stderr and "'the node'" in said.stderr
