# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python side of Anneal, a tiered JIT for MLIR tensor programs.

`anneal.importer` (command `anneal-import`) turns ONNX and StableHLO models into
the bytecode that `jit-run` loads.
"""

__version__ = "0.1.0"
