//===- Version.h - What this build is ----------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_ENGINE_VERSION_H
#define ANNEAL_ENGINE_VERSION_H

#include "absl/strings/string_view.h"

#include <string>

namespace anneal::engine {

/// "0.1.0".
absl::string_view version();

/// What --version prints: the tool, its version, LLVM's (of the compiler library that would be
/// used), the machine.
std::string versionText(absl::string_view tool);

} // namespace anneal::engine

#endif // ANNEAL_ENGINE_VERSION_H
