//===- JitVersion.h - Version of the dialect in bytecode --------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_IR_JITVERSION_H
#define ANNEAL_IR_JITVERSION_H

#include "mlir/Bytecode/BytecodeImplementation.h"

#include <cstdint>

namespace anneal::jit {

class JitDialect;

/// The version that bytecode carries for dialect `jit`. Bytecode is read if its major version is
/// the reader's and its minor version is not newer; bytecode from before versions were written
/// counts as 1.0. What only adds operations, attributes or optional fields raises the minor
/// version.
struct JitVersion : mlir::DialectVersion {
  JitVersion(uint64_t major, uint64_t minor) : major(major), minor(minor) {}

  /// What this build writes.
  static JitVersion current() { return {1, 1}; }

  uint64_t major;
  uint64_t minor;
};

/// Has the dialect write its version, and check the one that it reads.
void addBytecodeInterface(JitDialect &dialect);

} // namespace anneal::jit

#endif // ANNEAL_IR_JITVERSION_H
