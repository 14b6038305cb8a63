//===- Loader.h - From a file to a module -----------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_COMPILER_LOADER_H
#define ANNEAL_LIB_COMPILER_LOADER_H

#include "anneal/Compiler/CompilerApi.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>

namespace anneal::compiler {

class AlignedCopies;

/// The dialects in which programs may be written, and those that planning goes through, with the
/// interfaces that passes need. None is loaded before it is met.
void registerDialects(mlir::DialectRegistry &registry);

/// The text or bytecode of a source, mapped if it is a file. Null if it can't be opened or is
/// neither; `result` says why.
std::shared_ptr<llvm::SourceMgr> openSource(const Source &source, PlanResult &result);

/// Parses and verifies. Null after errors, which the context's handler got. Resource blobs of
/// bytecode refer to the source's memory; of those that lie unaligned there, copies are begun.
/// Operations of unknown dialects are errors unless they are accepted.
mlir::OwningOpRef<mlir::ModuleOp> parseSource(const std::shared_ptr<llvm::SourceMgr> &source,
                                              mlir::MLIRContext *context, AlignedCopies &copies,
                                              bool acceptUnknownDialects);

} // namespace anneal::compiler

#endif // ANNEAL_LIB_COMPILER_LOADER_H
