//===- MemoryFunctions.h - memcpy and its kin, in IR ------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_TARGET_MEMORYFUNCTIONS_H
#define ANNEAL_LIB_TARGET_MEMORYFUNCTIONS_H

#include "llvm/Support/Error.h"

#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace anneal::target {

/// Whether a symbol is one of `memcpy`, `memmove` and `memset`, which LLVM's code generator calls
/// for intrinsics whatever the module says.
bool isMemoryFunction(llvm::StringRef symbol);

/// A module that defines them, each in a section of its own, for images that need them (an image
/// has no external symbols). Whole vectors, no loop over the last bytes: large copies run at the
/// speed of memory, small ones in a few instructions.
llvm::Expected<std::unique_ptr<llvm::Module>> makeMemoryFunctions(llvm::LLVMContext &context);

} // namespace anneal::target

#endif // ANNEAL_LIB_TARGET_MEMORYFUNCTIONS_H
