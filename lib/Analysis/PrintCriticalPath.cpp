//===- PrintCriticalPath.cpp - Show what decides how long a call takes ----===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/CallTargets.h"
#include "anneal/Analysis/CostOptions.h"
#include "anneal/Analysis/CriticalPath.h"
#include "anneal/Analysis/Passes.h"
#include "anneal/IR/JitOps.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/Format.h"

#include <cmath>

#define DEBUG_TYPE "jit-print-critical-path"

namespace anneal {
#define GEN_PASS_DEF_PRINTCRITICALPATH
#include "anneal/Analysis/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

StringRef toString(CriticalStep::Bound bound) {
  switch (bound) {
  case CriticalStep::Bound::Compute:
    return " (compute)";
  case CriticalStep::Bound::Memory:
    return " (memory)";
  case CriticalStep::Bound::Measured:
    return " (measured)";
  case CriticalStep::Bound::Inner:
    return "";
  }
  return "";
}

/// As `%0 = linalg.matmul`, a call as `%0 = jit.invoke @main.matmul_0`.
void printOp(raw_ostream &os, Operation *op, AsmState &state) {
  if (op->getNumResults() > 0) {
    op->getResult(0).printAsOperand(os, state);
    os << " = ";
  }
  os << op->getName();
  SymbolTableCollection symbols;
  if (isCall(op))
    if (FunctionOpInterface target = getCallTarget(op, symbols))
      os << " @" << target.getName();
}

void printSteps(raw_ostream &os, ArrayRef<CriticalStep> steps, unsigned depth, AsmState &state) {
  for (const CriticalStep &step : steps) {
    os.indent(2 + 2 * depth);
    printOp(os, step.op, state);
    os << ": " << llvm::format("%.6g", step.us) << " us" << toString(step.bound) << "\n";
    printSteps(os, step.inner, depth + 1, state);
  }
}

class PrintCriticalPath : public impl::PrintCriticalPathBase<PrintCriticalPath> {
public:
  using PrintCriticalPathBase::PrintCriticalPathBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    TimeModel model;
    if (failed(checkOptions()) || failed(readModel(model)))
      return signalPassFailure();
    FunctionOpInterface entry;
    ArgumentSizes sizes;
    if (!function.empty() || !dims.empty()) {
      FailureOr<FunctionOpInterface> found = CostOptions(module, DEBUG_TYPE).findEntry(function);
      if (failed(found))
        return signalPassFailure();
      entry = *found;
      FailureOr<ArgumentSizes> parsed =
          CostOptions(module, DEBUG_TYPE).parseArgumentSizes(entry, dims);
      if (failed(parsed))
        return signalPassFailure();
      sizes = *parsed;
    }
    CriticalPathAnalysis analysis(module, std::move(model));
    AsmState state(module);
    std::string text;
    llvm::raw_string_ostream os(text);
    for (auto op : llvm::to_vector(module.getOps<FunctionOpInterface>())) {
      // Units are looked at through their calls, unless one is asked for.
      if (op.isExternal() || (entry ? op != entry : isa<jit::UnitOp>(op.getOperation())))
        continue;
      ArgumentSizes ofThis = op == entry ? sizes : ArgumentSizes();
      ofThis.tripCount = tripCount >= 0 ? std::optional<int64_t>(tripCount) : std::nullopt;
      ofThis.otherDims = defaultDim >= 0 ? std::optional<int64_t>(defaultDim) : std::nullopt;
      CriticalPath path = analysis.compute(op, ofThis);
      if (annotate)
        write(op, path);
      else
        print(os, op, path, state);
    }
    llvm::outs() << text;
    if (!annotate)
      markAllAnalysesPreserved();
  }

private:
  LogicalResult checkOptions() {
    for (auto [name, value] : std::initializer_list<std::pair<StringRef, double>>{
             {"peak-gflops", peakGflops}, {"bandwidth-gbs", bandwidthGbs}})
      if (!(value > 0) || std::isinf(value))
        return emitError(getOperation().getLoc())
               << DEBUG_TYPE << ": " << name << " is " << std::to_string(value)
               << ", but must be above 0";
    if (!(budgetUs >= 0))
      return emitError(getOperation().getLoc())
             << DEBUG_TYPE << ": budget-us is " << std::to_string(budgetUs)
             << ", but must not be negative";
    return success();
  }

  LogicalResult readModel(TimeModel &model) {
    model.peakGflops = peakGflops;
    model.bandwidthGbs = bandwidthGbs;
    if (profile.empty())
      return success();
    llvm::Expected<ProfiledUnits> units = readProfileFile(profile);
    if (!units)
      return emitError(getOperation().getLoc()) << llvm::toString(units.takeError());
    model.measured = std::move(*units);
    return success();
  }

  void print(raw_ostream &os, FunctionOpInterface op, const CriticalPath &path, AsmState &state) {
    os << op->getName() << " @" << op.getName() << ": critical path "
       << llvm::format("%.6g", path.us) << " us, all operations "
       << llvm::format("%.6g", path.totalUs) << " us\n";
    printSteps(os, path.steps, 0, state);
    for (const auto &[unknown, reason] : path.unknown) {
      os << "  not counted: ";
      printOp(os, unknown, state);
      os << ": " << reason << "\n";
    }
    if (budgetUs > 0)
      os << "  budget " << llvm::format("%.6g", double(budgetUs))
         << " us: " << (path.us <= budgetUs ? "met, left " : "exceeded by ")
         << llvm::format("%.6g", std::fabs(budgetUs - path.us)) << " us"
         << (path.unknown.empty() ? "" : ", without what is not counted") << "\n";
  }

  void write(FunctionOpInterface op, const CriticalPath &path) {
    Builder builder(op->getContext());
    op->setAttr(jit::JitDialect::kCriticalPathAttrName, builder.getF64FloatAttr(path.us));
    // What is called is on the path of its own function too, if on any.
    SmallVector<const CriticalStep *> pending;
    for (const CriticalStep &step : path.steps)
      pending.push_back(&step);
    while (!pending.empty()) {
      const CriticalStep *step = pending.pop_back_val();
      if (!op->isProperAncestor(step->op))
        continue;
      step->op->setAttr(jit::JitDialect::kCriticalPathAttrName, builder.getF64FloatAttr(step->us));
      for (const CriticalStep &inner : step->inner)
        pending.push_back(&inner);
    }
  }
};

} // namespace
} // namespace anneal
