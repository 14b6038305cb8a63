//===- JitBytecode.cpp - Version of the dialect in bytecode ---------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/IR/JitDialect.h"
#include "anneal/IR/JitVersion.h"

using namespace mlir;
using namespace anneal::jit;

namespace {
/// Attributes are written as text, which is MLIR's way where a dialect has none of its own.
struct JitBytecodeInterface : BytecodeDialectInterface {
  explicit JitBytecodeInterface(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  /// The version asked for (BytecodeWriterConfig::setDialectVersion), else the current one.
  void writeVersion(DialectBytecodeWriter &writer) const override {
    FailureOr<const DialectVersion *> wanted = writer.getDialectVersion<JitDialect>();
    JitVersion version =
        succeeded(wanted) ? *static_cast<const JitVersion *>(*wanted) : JitVersion::current();
    writer.writeVarInt(version.major);
    writer.writeVarInt(version.minor);
  }

  std::unique_ptr<DialectVersion> readVersion(DialectBytecodeReader &reader) const override {
    uint64_t major, minor;
    if (failed(reader.readVarInt(major)) || failed(reader.readVarInt(minor)))
      return nullptr;
    JitVersion known = JitVersion::current();
    if (major != known.major || minor > known.minor) {
      reader.emitError() << "this bytecode has dialect 'jit' in version " << major << "." << minor
                         << ", and this program reads " << known.major << ".0 to " << known.major
                         << "." << known.minor
                         << "; write it anew with the program that reads it, from text";
      return nullptr;
    }
    return std::make_unique<JitVersion>(major, minor);
  }
};
} // namespace

void anneal::jit::addBytecodeInterface(JitDialect &dialect) {
  dialect.addInterfaces<JitBytecodeInterface>();
}
