//===- TargetTesting.cpp - Modules from text, compiled and run ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TargetTesting.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace anneal::target::test {

std::unique_ptr<CodeGenerator> makeGenerator(StringRef target) {
  Expected<CpuTarget> found = CpuTarget::get(target);
  if (!found) {
    ADD_FAILURE() << toString(found.takeError());
    return nullptr;
  }
  Expected<std::unique_ptr<CodeGenerator>> generator = CodeGenerator::create(*found);
  if (!generator) {
    ADD_FAILURE() << toString(generator.takeError());
    return nullptr;
  }
  return std::move(*generator);
}

std::vector<std::string> runnableTargets() {
  std::vector<std::string> targets = {"host"};
  for (unsigned i = 0; i < kNumCpuLevels; ++i)
    if (hostCpuFeatures().containsAll(featuresOf(CpuLevel(i))))
      targets.emplace_back(name(CpuLevel(i)));
  return targets;
}

std::vector<CodeGenOptLevel> allLevels() {
  return {CodeGenOptLevel::None, CodeGenOptLevel::Less, CodeGenOptLevel::Default,
          CodeGenOptLevel::Aggressive};
}

std::unique_ptr<Module> parse(StringRef text, LLVMContext &context) {
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseAssemblyString(text, diagnostic, context);
  if (!module) {
    ADD_FAILURE() << diagnostic.getMessage().str() << "\n" << diagnostic.getLineContents().str();
    return std::make_unique<Module>("test", context);
  }
  module->setModuleIdentifier("test");
  return module;
}

plan::CodeImage emit(CodeGenerator &generator, StringRef text, CodeGenOptLevel level) {
  LLVMContext context;
  std::unique_ptr<Module> module = parse(text, context);
  Expected<plan::CodeImage> image = generator.emit(*module, level);
  if (!image) {
    ADD_FAILURE() << toString(image.takeError());
    return {};
  }
  return *image;
}

std::string emitError(StringRef text, StringRef target) {
  LLVMContext context;
  std::unique_ptr<Module> module = parse(text, context);
  Expected<plan::CodeImage> image = makeGenerator(target)->emit(*module, CodeGenOptLevel::Default);
  return image ? "" : toString(image.takeError());
}

std::shared_ptr<const runtime::InstalledCode> install(const plan::CodeImage &image) {
  static const std::shared_ptr<runtime::CodeSlabs> slabs = *runtime::CodeSlabs::create();
  auto code = runtime::InstalledCode::install(image, slabs);
  if (!code.ok()) {
    ADD_FAILURE() << code.status();
    return nullptr;
  }
  return *code;
}

} // namespace anneal::target::test
