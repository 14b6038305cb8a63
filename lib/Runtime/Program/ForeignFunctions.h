//===- ForeignFunctions.h - Functions without a plan -*- C++ -*- ===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_PROGRAM_FOREIGNFUNCTIONS_H
#define ANNEAL_LIB_RUNTIME_PROGRAM_FOREIGNFUNCTIONS_H

#include "anneal/Plan/Plan.h"
#include "anneal/Runtime/Foreign.h"

#include <memory>

namespace anneal::runtime {

/// A plan function with the name and the types of a foreign one, and no steps.
std::unique_ptr<plan::Function> foreignSignature(const plan::ForeignFunction &function);

/// What `maker` gives; without one, code that fails and says why.
std::shared_ptr<ForeignCode> foreignCode(const ForeignCodeMaker &maker, const plan::Module &module,
                                         uint32_t index);

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_PROGRAM_FOREIGNFUNCTIONS_H
