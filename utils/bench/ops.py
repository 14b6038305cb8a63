# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single operations, as MLIR for jit-run and as ONNX for its peers: what `bench --ops` measures."""

import os
from dataclasses import dataclass, field

import numpy as np

# Bytes of weights are handed over as resources, with this alignment before them.
_ALIGNMENT = "04000000"


@dataclass
class Op:
    """One operation of one size. `flops` and `bytes` of a call: what must be computed and moved."""

    kind: str
    size: str
    mlir: str
    nodes: list
    inputs: list
    result: tuple
    flops: float
    bytes: float
    weights: dict = field(default_factory=dict)

    def write(self, folder):
        """model.mlir, model.onnx and case0/in0.npy... in the folder."""
        os.makedirs(os.path.join(folder, "case0"), exist_ok=True)
        with open(os.path.join(folder, "model.mlir"), "w") as file:
            file.write(self.mlir + _resources(self.weights))
        for place, array in enumerate(self.inputs):
            np.save(os.path.join(folder, "case0", f"in{place}.npy"), array)
        self._write_onnx(os.path.join(folder, "model.onnx"))

    def _write_onnx(self, path):
        from onnx import TensorProto, helper, numpy_helper, save

        def value(name, shape):
            return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

        graph = helper.make_graph(
            [helper.make_node(*node[:3], **node[3]) for node in self.nodes],
            "op",
            [value(f"x{i}", x.shape) for i, x in enumerate(self.inputs)],
            [value("y", self.result)],
            [numpy_helper.from_array(w, name) for name, w in self.weights.items()],
        )
        opset = helper.make_opsetid("", 20)
        save(helper.make_model(graph, opset_imports=[opset], ir_version=9), path)


def all_ops():
    """Every operation, in the order of the table."""
    makers = [_matmuls(), _weight_matmuls(), _convolutions(), _depthwise(), _rows(), _elementwise(), _moves()]
    return [op for ops in makers for op in ops]


def _type(shape):
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def _resources(weights):
    if not weights:
        return ""
    blobs = ",\n".join(f'      {n}: "0x{_ALIGNMENT}{w.tobytes().hex().upper()}"' for n, w in weights.items())
    return "\n{-#\n  dialect_resources: {\n    builtin: {\n" + blobs + "\n    }\n  }\n#-}\n"


def _weight(name, shape):
    return f"arith.constant dense_resource<{name}> : {_type(shape)}"


def _random(*shape):
    return np.random.default_rng(len(shape)).standard_normal(shape, np.float32)


def _function(arguments, result, lines):
    head = ", ".join(f"%x{i}: {_type(x)}" for i, x in enumerate(arguments))
    body = "\n  ".join(["%zero = arith.constant 0.0 : f32", *lines])
    return f"func.func @main({head}) -> {_type(result)} {{\n  {body}\n  return %y : {_type(result)}\n}}\n"


def _zeros(name, shape):
    return [
        f"%{name}e = tensor.empty() : {_type(shape)}",
        f"%{name} = linalg.fill ins(%zero : f32) outs(%{name}e : {_type(shape)}) -> {_type(shape)}",
    ]


def _generic(out, ins, shape, maps, body, init, reduction=False):
    """`ins`: (value, shape) pairs; arguments of the body are %a, %b..., and %o."""
    rank = max(len(s) for _, s in [*ins, (init, shape)])
    loops = ", ".join(f"d{d}" for d in range(rank))
    maps = ", ".join(f"affine_map<({loops}) -> ({m})>" for m in maps)
    kinds = ", ".join(['"parallel"'] * (rank - reduction) + ['"reduction"'] * reduction)
    names = ", ".join(v for v, _ in ins)
    types = ", ".join(_type(s) for _, s in ins)
    arguments = ", ".join(f"%{n}: f32" for n in [*"abcdefg"[: len(ins)], "o"])
    return (
        f"{out} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}"
        f" ins({names} : {types}) outs({init} : {_type(shape)}) {{\n  ^bb0({arguments}):\n    "
        + "\n    ".join(body)
        + f"\n  }} -> {_type(shape)}"
    )


def _matmul(kind, m, n, k, constant):
    a, b, c = (m, k), (k, n), (m, n)
    weight = ["%x1 = " + _weight("w", b)] if constant else []
    lines = [
        *weight,
        *_zeros("z", c),
        f"%y = linalg.matmul ins(%x0, %x1 : {_type(a)}, {_type(b)}) outs(%z : {_type(c)}) -> {_type(c)}",
    ]
    return Op(
        kind,
        f"{m}x{n}x{k}",
        _function([a] if constant else [a, b], c, lines),
        [("MatMul", ["x0", "w" if constant else "x1"], ["y"], {})],
        [_random(*a)] if constant else [_random(*a), _random(*b)],
        c,
        2.0 * m * n * k,
        4.0 * (m * k + k * n + m * n),
        {"w": _random(*b)} if constant else {},
    )


def _matmuls():
    return [_matmul("matmul", n, n, n, False) for n in (64, 256, 512, 1024, 2048)]


def _weight_matmuls():
    return [_matmul("matmul, constant weights", m, 1024, 1024, True) for m in (1, 4, 16, 64, 512)]


def _convolution(kind, channels, filters, extent, taps, stride, groups=1):
    pad = taps // 2
    out = (extent + 2 * pad - taps) // stride + 1
    x, y = (1, channels, extent, extent), (1, filters, out, out)
    wide = (1, channels, extent + 2 * pad, extent + 2 * pad)
    depthwise = groups > 1
    w = (channels, taps, taps) if depthwise else (filters, channels, taps, taps)
    name = "depthwise_conv_2d_nchw_chw" if depthwise else "conv_2d_nchw_fchw"
    padding = [
        f"%p = tensor.pad %x0 low[0, 0, {pad}, {pad}] high[0, 0, {pad}, {pad}] {{\n"
        "  ^bb0(%a: index, %b: index, %c: index, %d: index):\n    tensor.yield %zero : f32\n"
        f"  }} : {_type(x)} to {_type(wide)}"
    ]
    lines = [
        "%w = " + _weight("w", w),
        *(padding if pad else [f"%p = tensor.cast %x0 : {_type(x)} to {_type(wide)}"]),
        *_zeros("z", y),
        f"%y = linalg.{name} {{dilations = dense<1> : vector<2xi64>, strides = dense<{stride}> : vector<2xi64>}}"
        f" ins(%p, %w : {_type(wide)}, {_type(w)}) outs(%z : {_type(y)}) -> {_type(y)}",
    ]
    weights = _random(*w)
    attributes = {"pads": [pad] * 4, "strides": [stride] * 2, "group": groups}
    return Op(
        kind,
        f"{channels}->{filters}, {extent}x{extent}, {taps}x{taps}/{stride}",
        _function([x], y, lines),
        [("Conv", ["x0", "w"], ["y"], attributes)],
        [_random(*x)],
        y,
        2.0 * np.prod(y) * taps * taps * (1 if depthwise else channels),
        4.0 * (np.prod(x) + np.prod(y) + np.prod(w)),
        {"w": weights.reshape(channels, 1, taps, taps) if depthwise else weights},
    )


def _convolutions():
    # Of MobileNet v2 and ResNet-50.
    pointwise = [(32, 16, 112), (96, 24, 56), (192, 64, 28), (576, 96, 14), (960, 320, 7), (256, 64, 56), (512, 2048, 7)]
    ops = [_convolution("convolution 1x1", c, f, e, 1, 1) for c, f, e in pointwise]
    for c, f, e, s in [(3, 32, 224, 2), (64, 64, 56, 1), (128, 128, 28, 1), (256, 256, 14, 1), (512, 512, 7, 1), (256, 256, 28, 2)]:
        ops.append(_convolution("convolution 3x3", c, f, e, 3, s))
    return ops


def _depthwise():
    sizes = [(32, 112, 3, 1), (96, 112, 3, 2), (144, 56, 3, 1), (384, 14, 3, 1), (576, 14, 3, 2), (960, 7, 3, 1), (240, 14, 5, 1)]
    return [_convolution("depthwise", c, c, e, k, s, groups=c) for c, e, k, s in sizes]


def _softmax(rows, columns):
    shape = (rows, columns)
    lines = [f"%e = tensor.empty() : {_type(shape)}",
             f"%y = linalg.softmax dimension(1) ins(%x0 : {_type(shape)}) outs(%e : {_type(shape)}) -> {_type(shape)}"]
    node = ("Softmax", ["x0"], ["y"], {"axis": 1})
    moved = 8.0 * rows * columns
    return Op("softmax", f"{rows}x{columns}", _function([shape], shape, lines), [node], [_random(*shape)], shape, 0, moved)


def _layer_norm(rows, columns):
    x, row, scale = (rows, columns), (rows,), (columns,)
    lines = [
        f"%n = arith.constant {float(columns)} : f32",
        "%eps = arith.constant 1.0e-5 : f32",
        *_zeros("z", row),
        f"%e = tensor.empty() : {_type(x)}",
        _generic("%sum", [("%x0", x)], row, ["d0, d1", "d0"], ["%t = arith.addf %a, %o : f32", "linalg.yield %t : f32"], "%z", True),
        _generic("%mid", [("%x0", x), ("%sum", row)], x, ["d0, d1", "d0", "d0, d1"],
                 ["%m = arith.divf %b, %n : f32", "%t = arith.subf %a, %m : f32", "linalg.yield %t : f32"], "%e"),
        _generic("%var", [("%mid", x)], row, ["d0, d1", "d0"],
                 ["%q = arith.mulf %a, %a : f32", "%t = arith.addf %q, %o : f32", "linalg.yield %t : f32"], "%z", True),
        _generic("%y", [("%mid", x), ("%var", row), ("%x1", scale), ("%x2", scale)], x, ["d0, d1", "d0", "d1", "d1", "d0, d1"],
                 ["%m = arith.divf %b, %n : f32", "%p = arith.addf %m, %eps : f32", "%r = math.rsqrt %p : f32",
                  "%t = arith.mulf %a, %r : f32", "%u = arith.mulf %t, %c : f32", "%w = arith.addf %u, %d : f32",
                  "linalg.yield %w : f32"], "%e"),
    ]
    node = ("LayerNormalization", ["x0", "x1", "x2"], ["y"], {"axis": 1, "epsilon": 1e-5})
    inputs = [_random(*x), _random(*scale), _random(*scale)]
    return Op("layer norm", f"{rows}x{columns}", _function([x, scale, scale], x, lines), [node], inputs, x, 0, 8.0 * rows * columns)


def _rows():
    sizes = [(128, 128), (1536, 128), (512, 512), (1024, 4096)]
    return [_softmax(*s) for s in sizes] + [_layer_norm(*s) for s in [(128, 384), (512, 768), (4096, 1024)]]


def _map(kind, shape, others, maps, body, nodes):
    shapes = [shape, *others]
    ins = [(f"%x{i}", s) for i, s in enumerate(shapes)]
    lines = [f"%e = tensor.empty() : {_type(shape)}", _generic("%y", ins, shape, [*maps, "d0, d1"], body, "%e")]
    moved = 4.0 * (sum(np.prod(s) for s in shapes) + np.prod(shape))
    size = "x".join(map(str, shape))
    return Op(kind, size, _function(shapes, shape, lines), nodes, [_random(*s) for s in shapes], shape, 0, moved)


def _elementwise():
    ops = []
    for shape in [(128, 384), (1024, 1024), (4096, 4096)]:
        both = ["d0, d1", "d0, d1"]
        ops += [
            _map("add", shape, [shape], both, ["%t = arith.addf %a, %b : f32", "linalg.yield %t : f32"], [("Add", ["x0", "x1"], ["y"], {})]),
            _map("multiply by a row", shape, [(shape[1],)], ["d0, d1", "d1"],
                 ["%t = arith.mulf %a, %b : f32", "linalg.yield %t : f32"], [("Mul", ["x0", "x1"], ["y"], {})]),
            _map("GELU", shape, [], ["d0, d1"],
                 ["%half = arith.constant 0.5 : f32", "%one = arith.constant 1.0 : f32", "%r = arith.constant 0.707106769 : f32",
                  "%t = arith.mulf %a, %r : f32", "%u = math.erf %t : f32", "%v = arith.addf %u, %one : f32",
                  "%w = arith.mulf %a, %v : f32", "%q = arith.mulf %w, %half : f32", "linalg.yield %q : f32"],
                 [("Gelu", ["x0"], ["y"], {})]),
        ]
    return sorted(ops, key=lambda op: op.kind)


def _moves():
    ops = []
    for rows, columns in [(128, 384), (1024, 1024), (4096, 4096)]:
        x, y = (rows, columns), (columns, rows)
        lines = [f"%e = tensor.empty() : {_type(y)}",
                 f"%y = linalg.transpose ins(%x0 : {_type(x)}) outs(%e : {_type(y)}) permutation = [1, 0]"]
        node = ("Transpose", ["x0"], ["y"], {"perm": [1, 0]})
        ops.append(Op("transpose", f"{rows}x{columns}", _function([x], y, lines), [node], [_random(*x)], y, 0, 8.0 * rows * columns))
    return ops
