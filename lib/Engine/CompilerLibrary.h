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

/// Opens a library and calls its function of that name, which gives a table that begins with its
/// version. `what` stands for it in messages. Errors: NotFound with the loader's reason;
/// FailedPrecondition for another version than `version`, naming both.
absl::StatusOr<const void *> openTable(const std::string &path, const char *function,
                                       uint32_t version, const char *what);

/// Opens libAnnealCompiler.so and returns its table, which stays valid for the life of the process
/// (the library is never closed: LLVM cannot be unloaded safely). Opening it again is cheap.
/// Errors: NotFound with the loader's reason; FailedPrecondition for a library of another version.
absl::StatusOr<const compiler::CompilerApi *> openCompilerLibrary(const std::string &path);

} // namespace anneal::engine

#endif // ANNEAL_LIB_ENGINE_COMPILERLIBRARY_H
