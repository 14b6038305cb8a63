//===- SymbolFile.h - An object file with nothing but symbols ---*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_CODE_SYMBOLFILE_H
#define ANNEAL_LIB_RUNTIME_CODE_SYMBOLFILE_H

#include "anneal/Runtime/Code/CodeObserver.h"

#include <string>

namespace anneal::runtime {

/// An ELF file of the functions of an image, at the addresses where they are. The instructions
/// themselves are not in it: debuggers read them from memory.
std::string makeSymbolFile(const CodePlace &code);

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_CODE_SYMBOLFILE_H
