//===- MathExpansion.h - The plan's arithmetic in plain operations -*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_MATHEXPANSION_H
#define ANNEAL_LIB_CONVERSION_MATHEXPANSION_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/APFloat.h"

#include <optional>

namespace anneal {

/// Whether `jit-expand-math` leaves of an operation of arith or math only what LLVM compiles to
/// instructions with the meaning of anneal/Plan/Opcodes.def. Operand types are scalars or vectors;
/// f16 and bf16 count as f32, `index` as i64.
bool hasExpansion(mlir::Operation *op);

/// Whether the expansion of `op` is a polynomial, whose steps wait for each other.
bool isPolynomial(mlir::Operation *op);

/// The number that a value is, as a scalar or in all elements of a vector.
std::optional<llvm::APFloat> constantFloat(mlir::Value value);
/// Sign-extended.
std::optional<int64_t> constantInteger(mlir::Value value);

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_MATHEXPANSION_H
