# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why an ONNX operator is not imported, and what can be done, in words for the user."""

# Inputs that torch-mlir needs as constants, by position.
_PARAMETERS = {
    "CumProd": {1: "axis"},
    "CumSum": {1: "axis"},
    "OneHot": {1: "depth"},
    "Pad": {1: "pads"},
    "ReduceL1": {1: "axes"},
    "ReduceL2": {1: "axes"},
    "ReduceLogSum": {1: "axes"},
    "ReduceLogSumExp": {1: "axes"},
    "ReduceMax": {1: "axes"},
    "ReduceMean": {1: "axes"},
    "ReduceMin": {1: "axes"},
    "ReduceProd": {1: "axes"},
    "ReduceSum": {1: "axes"},
    "ReduceSumSquare": {1: "axes"},
    "Slice": {3: "axes", 4: "steps"},
    "Split": {1: "split"},
    "Squeeze": {1: "axes"},
    "TopK": {1: "K"},
    "Unsqueeze": {1: "axes"},
}

# What helps, by operator.
_MENDS = {
    "AffineGrid": "compute the grid outside of the model",
    "Bernoulli": "make random numbers outside of the model",
    "Compress": "use Gather with indices",
    "Dropout": "export the model for inference",
    "GRU": "give its input fixed sizes when it is exported",
    "Loop": "unroll the loop when the model is exported",
    "MaxUnpool": "use Resize or ConvTranspose",
    "NonMaxSuppression": "select boxes outside of the model",
    "RNN": "give its input fixed sizes when it is exported",
    "RandomNormal": "make random numbers outside of the model",
    "RandomNormalLike": "make random numbers outside of the model",
    "RandomUniform": "make random numbers outside of the model",
    "RandomUniformLike": "make random numbers outside of the model",
    "RoiAlign": "crop outside of the model",
    "Scan": "unroll the loop when the model is exported",
    "ScatterND": "give its indices a fixed last dimension",
    "SequenceMap": "unroll the loop when the model is exported",
    "StringNormalizer": "prepare text outside of the model",
    "TfIdfVectorizer": "prepare text outside of the model",
    "Unique": "find distinct values outside of the model",
}


def explain(model, node, reason):
    """The reason for a node of the model, with what is known about its operator.

    `reason` is what torch-mlir made of it.
    """
    constants = {tensor.name for tensor in model.graph.initializer}
    constants |= {n.output[0] for n in model.graph.node if n.op_type == "Constant"}
    for index, name in _PARAMETERS.get(node.op_type, {}).items():
        if (
            index < len(node.input)
            and node.input[index]
            and node.input[index] not in constants
        ):
            return f"its input '{name}' is not a constant; make it one"
    mend = _MENDS.get(node.op_type)
    return f"{reason}; {mend}" if mend else reason
