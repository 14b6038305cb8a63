//===- FatalErrors.h - LLVM's fatal errors as messages ----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_COMPILER_FATALERRORS_H
#define ANNEAL_LIB_COMPILER_FATALERRORS_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>

namespace anneal::compiler {

/// Runs `work`, one at a time in this library. What LLVM says if it meets a fatal error on this
/// thread, or has no memory, which would end the process otherwise; then everything on the stack of
/// `work` is left as it is, its memory with it, so that it must write to nothing that is destroyed.
std::optional<std::string> trapFatalErrors(llvm::function_ref<void()> work);

} // namespace anneal::compiler

#endif // ANNEAL_LIB_COMPILER_FATALERRORS_H
