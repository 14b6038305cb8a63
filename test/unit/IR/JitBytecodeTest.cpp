//===- JitBytecodeTest.cpp - Versions of the dialect in bytecode ----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/IR/JitDialect.h"
#include "anneal/IR/JitOps.h"
#include "anneal/IR/JitVersion.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace anneal::jit;

namespace {

constexpr StringLiteral kModule = R"(
  jit.unit private @u(%n: index) attributes {tier = #jit.tier<baseline>} {
    jit.return
  }
)";

class JitBytecodeTest : public testing::Test {
protected:
  JitBytecodeTest() { context.loadDialect<JitDialect>(); }

  /// The module's bytecode, in the given version of the dialect or the current one.
  std::string write(std::optional<JitVersion> version) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(kModule, &context);
    EXPECT_TRUE(module);
    BytecodeWriterConfig config;
    if (version)
      config.setDialectVersion<JitDialect>(std::make_unique<JitVersion>(*version));
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    EXPECT_TRUE(succeeded(writeBytecodeToFile(*module, os, config)));
    return bytes;
  }

  /// The message with which reading fails; empty if it doesn't.
  std::string read(const std::string &bytes) {
    std::string message;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      message += diagnostic.str();
      return success();
    });
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(bytes, &context);
    EXPECT_EQ(bool(module), message.empty());
    if (module) {
      EXPECT_EQ((*module->getOps<UnitOp>().begin()).getTier(), Tier::Baseline);
    }
    return message;
  }

  MLIRContext context;
};

TEST_F(JitBytecodeTest, ReadsItsOwnVersionAndOlderMinorOnes) {
  EXPECT_EQ(read(write(std::nullopt)), "");
  EXPECT_EQ(read(write(JitVersion::current())), "");
  EXPECT_EQ(read(write(JitVersion(JitVersion::current().major, 0))), "");
}

TEST_F(JitBytecodeTest, RefusesNewerAndOtherMajorVersions) {
  JitVersion known = JitVersion::current();
  std::string newer = read(write(JitVersion(known.major, known.minor + 1)));
  EXPECT_NE(newer.find("this bytecode has dialect 'jit' in version 1.2, and this program reads "
                       "1.0 to 1.1"),
            std::string::npos)
      << newer;
  std::string other = read(write(JitVersion(known.major + 1, 0)));
  EXPECT_NE(other.find("in version 2.0"), std::string::npos) << other;
  std::string ancient = read(write(JitVersion(0, 0)));
  EXPECT_NE(ancient.find("in version 0.0"), std::string::npos) << ancient;
}

} // namespace
