# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Anneal runs MLIR tensor programs at once, and compiles what is hot meanwhile.

    import anneal, numpy

    program = anneal.load("model.mlirbc")   # or .mlir, .onnx, a saved plan, MLIR text
    y = program(x)                          # NumPy arrays, or any DLPack object
    y = program.decode(x)                   # another function of the model

Arrays go in and out without a copy where their layout allows. Their types are those of
the model, nothing is converted silently:

    program.decode.signature                # '(x: float32[?, 4]) -> (float32[?])'
    program(x, out=y)                       # results in an array that is there already
    program(x, timeout=0.5)                 # anneal.DeadlineExceeded after half a second

Other Python threads run during a call, and many may call one function; Ctrl-C ends a
call. What was compiled, and why:

    program.report()["units"][0]            # {'name': ..., 'tier': 'baseline', ...}
    program.save("model.plan")              # loads without the compiler next time

`anneal.load` has more on models, `anneal.Engine` on threads, tiers and policies.
`anneal.importer` (command `anneal-import`) turns ONNX and StableHLO into bytecode.
"""

from anneal._errors import (
    DeadlineExceeded,
    Error,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    OutOfRange,
    ResourceExhausted,
    Unimplemented,
)

__version__ = "0.1.0"
_LAZY = ("Engine", "Function", "Program", "load")
__all__ = [
    "DeadlineExceeded",
    "Engine",
    "Error",
    "FailedPrecondition",
    "Function",
    "InvalidArgument",
    "NotFound",
    "OutOfRange",
    "Program",
    "ResourceExhausted",
    "Unimplemented",
    "load",
]


def __getattr__(name):
    # The importer does without the native library; it is opened when it is needed.
    if name not in _LAZY:
        raise AttributeError(f"module 'anneal' has no attribute '{name}'")
    from anneal import _runtime

    return getattr(_runtime, name)


def __dir__():
    return sorted({*globals(), *_LAZY})
