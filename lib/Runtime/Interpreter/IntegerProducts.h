//===- IntegerProducts.h - Contractions of computed integers ----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Quantised products: `acc + g(x) * h(y)` in integers, g and h being more than a conversion (a zero
// point is taken off). Sums of integers are the same in every order, so g(x) and h(y) can be
// computed first, each once, and what remains is a plain contraction.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_INTERPRETER_INTEGERPRODUCTS_H
#define ANNEAL_LIB_RUNTIME_INTERPRETER_INTEGERPRODUCTS_H

#include "Kernels.h"

namespace anneal::runtime::interpreter {

/// The kernel as two element-wise kernels into temporaries and a contraction of these. The
/// temporaries stand in the workspace from `workspaceEnd` on, where `workspaceBytes` are taken.
/// Null where the kernel has not this form or does not gain.
absl::StatusOr<KernelPtr> bindIntegerProducts(const KernelBinding &binding, size_t workspaceEnd,
                                              size_t &workspaceBytes);

} // namespace anneal::runtime::interpreter

#endif // ANNEAL_LIB_RUNTIME_INTERPRETER_INTEGERPRODUCTS_H
