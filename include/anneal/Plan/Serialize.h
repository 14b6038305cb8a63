//===- Serialize.h - Plans in files -----------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// File format, little endian: a header (magic, plan version, sizes, checksums), the plan proper,
// then the bytes of the constants, each aligned to 64, which are mapped when the file is loaded.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_PLAN_SERIALIZE_H
#define ANNEAL_PLAN_SERIALIZE_H

#include "anneal/Plan/Plan.h"

#include <optional>
#include <string>
#include <variant>

namespace anneal::plan {

/// Writes a module with its constants. The file appears whole or not at all (temporary file beside
/// it, then rename). Constants with equal bytes at one address are written once. Returns an error
/// message that names the file, or nothing.
std::optional<std::string> saveModule(const Module &module, const std::string &path);

/// Whether the file begins as those of saveModule do; false also if it cannot be read.
bool isSavedModule(const std::string &path);

struct LoadOptions {
  /// Also compares the constants' checksum, which reads all of them. The plan's is always checked.
  bool verifyConstants = false;
};

/// Reads what saveModule wrote; constants stay in the mapped file. The error message names the file
/// and says what is wrong: not a plan, another version, truncated, checksum, not well formed.
std::variant<Module, std::string> loadModule(const std::string &path,
                                             const LoadOptions &options = {});

} // namespace anneal::plan

#endif // ANNEAL_PLAN_SERIALIZE_H
