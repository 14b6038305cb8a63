//===- Serialize.h - Plans in files -----------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// File format, little endian: a header (magic, plan version, sizes, checksums), the plan proper
// with the IR of its units, then the bytes of the constants, each aligned to 64, which are mapped
// when the file is loaded.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_PLAN_SERIALIZE_H
#define ANNEAL_PLAN_SERIALIZE_H

#include "anneal/Plan/Plan.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace anneal::plan {

struct SaveOptions {
  /// What stands for Module::unitIr, unless it is empty.
  std::string_view unitIr;
};

/// Writes a module with its constants. The file appears whole or not at all (temporary file beside
/// it, then rename). Constants with equal bytes at one address are written once. Returns an error
/// message that names the file, or nothing.
std::optional<std::string> saveModule(const Module &module, const std::string &path,
                                      const SaveOptions &options = {});

/// Whether the file begins as those of saveModule do; false also if it cannot be read.
bool isSavedModule(const std::string &path);
/// Whether these are the bytes of such a file.
bool isSavedModuleBytes(std::string_view bytes);

struct LoadOptions {
  /// Also compares the constants' checksum, which reads all of them. The plan's is always checked.
  bool verifyConstants = false;
};

/// Reads what saveModule wrote; constants stay in the mapped file. The error message names the file
/// and says what is wrong: not a plan, another version, truncated, checksum, not well formed.
std::variant<Module, std::string> loadModule(const std::string &path,
                                             const LoadOptions &options = {});

/// The same from memory, of which it makes a copy; `name` stands for the file in messages.
std::variant<Module, std::string> loadModuleBytes(std::string_view bytes, const std::string &name,
                                                  const LoadOptions &options = {});

} // namespace anneal::plan

#endif // ANNEAL_PLAN_SERIALIZE_H
