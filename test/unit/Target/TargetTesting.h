//===- TargetTesting.h - Modules from text, compiled and run ----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TEST_TARGET_TARGETTESTING_H
#define ANNEAL_TEST_TARGET_TARGETTESTING_H

#include "anneal/Runtime/Code/InstalledCode.h"
#include "anneal/Target/CodeGenerator.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <string>
#include <vector>

namespace anneal::target::test {

/// A generator for a target that exists.
std::unique_ptr<CodeGenerator> makeGenerator(llvm::StringRef target = "host");

/// Targets whose code this processor can run.
std::vector<std::string> runnableTargets();

/// All levels of code generation.
std::vector<llvm::CodeGenOptLevel> allLevels();

/// The module that a text describes, named "test"; fails the test if it is wrong.
std::unique_ptr<llvm::Module> parse(llvm::StringRef text, llvm::LLVMContext &context);

/// The image of a module; fails the test on errors.
plan::CodeImage emit(CodeGenerator &generator, llvm::StringRef text,
                     llvm::CodeGenOptLevel level = llvm::CodeGenOptLevel::Default);

/// The message with which a module is refused; "" if it is not.
std::string emitError(llvm::StringRef text, llvm::StringRef target = "x86-64-v3");

/// Puts an image into executable memory.
std::shared_ptr<const runtime::InstalledCode> install(const plan::CodeImage &image);

/// An entry as a function; fails the test if there is none.
template <typename Function>
Function *entry(const runtime::InstalledCode &code, absl::string_view name) {
  return reinterpret_cast<Function *>(reinterpret_cast<uintptr_t>(code.entry(name)));
}

} // namespace anneal::target::test

#endif // ANNEAL_TEST_TARGET_TARGETTESTING_H
