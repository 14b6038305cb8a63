//===- ForeignFunctions.h - Functions that have no plan -*- C++ -*- ===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_COMPILER_FOREIGNFUNCTIONS_H
#define ANNEAL_LIB_COMPILER_FOREIGNFUNCTIONS_H

#include "Refusals.h"

#include "anneal/Plan/Plan.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/SourceMgr.h"

#include <string>
#include <vector>

namespace anneal::compiler {

/// Takes out of the module the public functions that the ordinary route can't express (buffers,
/// vectors, complex numbers, packing with tiles that the call decides, functions without a body,
/// unknown operations, what `refusals` names; also by what they call) and describes them in `plan`,
/// with all that they need as `foreignIr`. With `keepSource` that is the source's text as it is,
/// else bytecode. One walk if there are none. Those that a call can't reach, for their arguments or
/// results or because they would not end, are left out with a remark. Fails, with a message, if
/// nothing else is there.
mlir::LogicalResult splitForeignFunctions(mlir::ModuleOp module, const llvm::SourceMgr &source,
                                          bool keepSource, plan::Module &plan,
                                          const Refusals &refusals = {});

/// Whether the messages of a parse complain of a dialect that is not known.
bool namesUnknownDialect(const std::vector<std::string> &messages);

} // namespace anneal::compiler

#endif // ANNEAL_LIB_COMPILER_FOREIGNFUNCTIONS_H
