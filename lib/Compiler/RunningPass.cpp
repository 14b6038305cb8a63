//===- RunningPass.cpp - The pass that crashed ----------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunningPass.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace anneal::compiler {

class RunningPass::Instrumentation final : public PassInstrumentation {
public:
  explicit Instrumentation(RunningPass &owner) : owner(owner) {}

  void runBeforePass(Pass *pass, Operation *) override {
    // A pass of a plugin may have no argument.
    StringRef name = pass->getArgument().empty() ? pass->getName() : pass->getArgument();
    owner.running.push_back(name.str());
  }
  void runAfterPass(Pass *, Operation *) override { owner.running.pop_back(); }
  void runAfterPassFailed(Pass *, Operation *) override { owner.running.pop_back(); }

private:
  RunningPass &owner;
};

std::unique_ptr<PassInstrumentation> RunningPass::instrumentation() {
  return std::make_unique<Instrumentation>(*this);
}

std::string RunningPass::takeUnfinished() {
  std::string name = running.empty() ? "" : running.back();
  running.clear();
  return name;
}

} // namespace anneal::compiler
