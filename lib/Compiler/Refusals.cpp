//===- Refusals.cpp - What the ordinary route refused ---------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Refusals.h"

#include "Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace anneal::compiler {

constexpr StringLiteral kError = "error: ";

Refusal refusalIn(const std::vector<std::string> &diagnostics) {
  auto found = llvm::find_if(diagnostics, [](StringRef text) { return text.contains(kError); });
  if (found == diagnostics.end())
    return {};
  StringRef reason = *found;
  bool isHopeless = reason.contains("recursion is not supported") ||
                    reason.contains("never comes to an end") || reason.contains("' has no data") ||
                    reason.contains("out of memory for a constant");
  return {reason.str(), isHopeless};
}

static bool isAt(func::FuncOp function, StringRef place) {
  return function
      ->walk([&](Operation *op) {
        return prefixOf(op->getLoc()) == place ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool Refusals::note(ModuleOp module, const std::vector<std::string> &diagnostics) {
  Refusal refusal = refusalIn(diagnostics);
  StringRef place = StringRef(refusal.reason).split(kError).first;
  bool isNew = false;
  if (!place.empty())
    for (auto function : module.getOps<func::FuncOp>())
      if (isAt(function, place))
        isNew |= functions.try_emplace(function.getName(), refusal).second;
  return isNew;
}

} // namespace anneal::compiler
