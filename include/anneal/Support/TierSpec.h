//===- TierSpec.h - A tier as data ------------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_SUPPORT_TIERSPEC_H
#define ANNEAL_SUPPORT_TIERSPEC_H

#include <map>
#include <optional>
#include <string>

namespace anneal {

/// Names and values of options of code generation; anneal/Compiler's TierSettings.h says which
/// there are.
using CodegenOptions = std::map<std::string, std::string>;

/// A tier that compiles (DESIGN.md §5): nothing but this says what its compiles do.
struct TierSpec {
  std::string name;
  /// An MLIR pass pipeline, "builtin.module(...)", down to the LLVM dialect.
  std::string pipeline;
  /// Of LLVM's code generation, 0 to 3.
  unsigned llvmLevel = 0;
  CodegenOptions codegen;
};

/// What a user puts in the place of a tier's own.
struct TierOverride {
  /// Of the tier.
  std::string name;
  std::optional<std::string> pipeline;
  std::optional<unsigned> llvmLevel;
  /// Each replaces the tier's option of that name.
  CodegenOptions codegen;
};

} // namespace anneal

#endif // ANNEAL_SUPPORT_TIERSPEC_H
