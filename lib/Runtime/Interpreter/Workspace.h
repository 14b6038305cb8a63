//===- Workspace.h - Memory of a unit's temporaries -------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_INTERPRETER_WORKSPACE_H
#define ANNEAL_LIB_RUNTIME_INTERPRETER_WORKSPACE_H

#include "Binding.h"

namespace anneal::runtime::interpreter {

/// Gives each temporary a place in the workspace (aligned to 64), reusing that of temporaries which
/// no later kernel touches. `stepOf` numbers the kernels: kernels with one number run interleaved.
/// Temporaries of which `isElided` is set get none. Returns the bytes of the workspace.
size_t placeTemporaries(const plan::Unit &unit, absl::Span<const uint32_t> stepOf,
                        absl::Span<const bool> isElided, std::vector<BoundTensor> &tensors);

} // namespace anneal::runtime::interpreter

#endif // ANNEAL_LIB_RUNTIME_INTERPRETER_WORKSPACE_H
