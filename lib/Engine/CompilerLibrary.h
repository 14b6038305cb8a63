//===- CompilerLibrary.h - Opens the compiler half ---------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_ENGINE_COMPILERLIBRARY_H
#define ANNEAL_LIB_ENGINE_COMPILERLIBRARY_H

#include "anneal/Compiler/CompilerApi.h"

#include "absl/status/statusor.h"

#include <cstdint>
#include <string>

namespace anneal::engine {

/// Path of the library of that name beside the binary that holds the engine, or beside `sibling`
/// if that is not empty; the bare name if it is not there.
std::string findLibrary(const std::string &name, const std::string &sibling);

/// Builds of the compiler half: libAnnealCompiler.so, which opens quickly, and
/// libAnnealWorkbench.so, which has all of MLIR's passes and takes plugins.
enum class CompilerVariant { Compact, Workbench };

/// Opens a library and calls its function of that name, which gives a table that begins with its
/// version. `what` stands for it in messages. Errors: NotFound with the loader's reason;
/// FailedPrecondition for another version than `version`, naming both.
/// `isGlobal`: what is opened later, a plugin, may use its symbols.
absl::StatusOr<const void *> openTable(const std::string &path, const char *function,
                                       uint32_t version, const char *what, bool isGlobal = false);

/// Opens the compiler half and returns its table, which stays valid for the life of the process
/// (the library is never closed: LLVM cannot be unloaded safely). Opening it again is cheap.
/// `path`: of libAnnealCompiler.so; empty: beside this binary. The workbench is beside it.
/// Errors: NotFound with the loader's reason; FailedPrecondition for a library of another version.
absl::StatusOr<const compiler::CompilerApi *>
openCompilerLibrary(const std::string &path, CompilerVariant variant = CompilerVariant::Compact);

} // namespace anneal::engine

#endif // ANNEAL_LIB_ENGINE_COMPILERLIBRARY_H
