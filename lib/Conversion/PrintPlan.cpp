//===- PrintPlan.cpp - Print the plan of a module -------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Conversion/Passes.h"
#include "anneal/Conversion/PlanBuilder.h"
#include "anneal/Plan/Print.h"
#include "anneal/Plan/Validate.h"

#include "llvm/Support/raw_ostream.h"

#include <sstream>

#define DEBUG_TYPE "jit-print-plan"

namespace anneal {
#define GEN_PASS_DEF_PRINTPLAN
#include "anneal/Conversion/Passes.h.inc"
} // namespace anneal

namespace {

class PrintPlan : public anneal::impl::PrintPlanBase<PrintPlan> {
public:
  void runOnOperation() override {
    mlir::FailureOr<anneal::plan::Module> plan = anneal::buildPlan(getOperation());
    if (failed(plan))
      return signalPassFailure();
    if (std::optional<std::string> problem = anneal::plan::validate(*plan)) {
      emitError(getOperation().getLoc()) << "the plan is not well formed: " << *problem;
      return signalPassFailure();
    }
    std::ostringstream text;
    anneal::plan::print(*plan, text);
    llvm::outs() << text.str();
    markAllAnalysesPreserved();
  }
};

} // namespace
