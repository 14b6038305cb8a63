//===- SelectMode.cpp - Compile before the program runs, or while it does -===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/CallTargets.h"
#include "anneal/Analysis/CostOptions.h"
#include "anneal/Analysis/CriticalPath.h"
#include "anneal/Analysis/Passes.h"
#include "anneal/Analysis/ShapeClass.h"
#include "anneal/Analysis/UnitEstimate.h"
#include "anneal/Support/CompileBenefit.h"

#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "jit-select-mode"

namespace anneal {
#define GEN_PASS_DEF_SELECTMODE
#include "anneal/Analysis/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// What M3 says of one mode, in microseconds.
struct ModeTerms {
  double gain = 0;
  double compile = 0;
  double benefit = 0;
};

/// Units that real-time mode compiles ahead, and why.
using CriticalUnits = llvm::DenseMap<Operation *, StringRef>;

/// The decision on one unit, with all that went into it.
struct ModeDecision {
  jit::Mode mode = jit::Mode::JIT;
  std::string reason;
  ShapeClass shapeClass = ShapeClass::Static;
  double share = 0;
  std::optional<CallTime> time;
  ModeTerms aot;
  ModeTerms jit;
};

class SelectMode : public impl::SelectModeBase<SelectMode> {
public:
  using SelectModeBase::SelectModeBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<HeatQuantity> field = parseCallQuantity(module, DEBUG_TYPE, quantity);
    if (failed(field) || failed(checkOptions()))
      return signalPassFailure();
    SmallVector<jit::UnitOp> units(module.getOps<jit::UnitOp>());
    std::vector<double> shares = getShares(units, *field);
    OpCostAnalysis costs(module);
    CriticalUnits critical;
    if (realtime && failed(findCriticalUnits(units, costs, critical)))
      return signalPassFailure();

    ShapeClassAnalysis shapes(module);
    std::vector<ModeDecision> decisions;
    for (auto [unit, share] : llvm::zip_equal(units, shares)) {
      ModeDecision decision;
      decision.share = share;
      decision.shapeClass = shapes.getShapes(unit).shapeClass;
      decision.time = getUnitTime(unit, costs, getModel());
      weigh(unit, decision);
      decide(unit, critical.lookup(unit), decision);
      decisions.push_back(decision);
    }
    for (auto [unit, decision] : llvm::zip_equal(units, decisions)) {
      unit.setModeAttr(jit::ModeAttr::get(&getContext(), decision.mode));
      say(unit, decision);
    }
  }

private:
  RooflineModel getModel() {
    return {peakGflops, bandwidthGbs,
            defaultDim >= 0 ? std::optional<int64_t>(defaultDim) : std::nullopt};
  }

  LogicalResult checkOptions() {
    constexpr double kLeast = 1e-9;
    return checkNumbers(getOperation(), DEBUG_TYPE,
                        {{"calls", calls},
                         {"gain-aot", gainAot, kLeast},
                         {"gain-jit", gainJit, kLeast},
                         {"compile-us", compileUs},
                         {"compile-us-per-op", compileUsPerOp},
                         {"weight-aot", weightAot},
                         {"weight-jit", weightJit},
                         {"max-variants", double(maxVariants), 1},
                         {"threshold-us", thresholdUs, -1e15},
                         {"unknown-share", unknownShare, 0, 1},
                         {"peak-gflops", peakGflops, kLeast},
                         {"bandwidth-gbs", bandwidthGbs, kLeast}});
  }

  /// H1: each unit's part of all calls.
  std::vector<double> getShares(ArrayRef<jit::UnitOp> units, HeatQuantity field) {
    double largest = 0, sum = 0;
    for (jit::UnitOp unit : units)
      largest = std::max(largest, getUnitCalls(unit, field).value_or(0));
    // Divided by the largest, so that no sum is beyond what a number can hold.
    for (jit::UnitOp unit : units)
      sum += largest > 0 ? getUnitCalls(unit, field).value_or(0) / largest : 0;
    std::vector<double> shares;
    for (jit::UnitOp unit : units) {
      std::optional<double> count = getUnitCalls(unit, field);
      shares.push_back(count ? sum > 0 ? *count / largest / sum : 0 : double(unknownShare));
    }
    return shares;
  }

  /// M3 for both modes.
  void weigh(jit::UnitOp unit, ModeDecision &decision) {
    double us = decision.time ? decision.time->us : 0;
    double compile = compileUs + compileUsPerOp * countUnitOps(unit);
    auto profile = unit->getAttrOfType<jit::ProfileAttr>(jit::JitDialect::kProfileAttrName);
    double numShapes = profile ? static_cast<double>(profile.getNumShapes()) : 1;
    double variants = std::clamp(numShapes, 1.0, double(maxVariants));
    auto termsOf = [&](double speedup, double cost) {
      double gain = calls * us * (1 - 1 / speedup);
      return ModeTerms{gain, cost, getModeBenefit(decision.share, gain, cost)};
    };
    decision.aot = termsOf(gainAot, compile * weightAot);
    decision.jit = termsOf(gainJit, compile * weightJit * variants);
  }

  /// M4's real-time mode, then M2's tree, then M3 where that leaves a choice.
  void decide(jit::UnitOp unit, StringRef whyCritical, ModeDecision &decision) {
    auto set = [&](jit::Mode mode, StringRef reason) {
      decision.mode = mode;
      decision.reason = reason;
    };
    if (unit.getModeAttr() && !overwrite)
      return set(unit.getModeAttr().getValue(), "it was given");
    if (!whyCritical.empty())
      return set(jit::Mode::AOT, whyCritical);
    switch (decision.shapeClass) {
    case ShapeClass::Static:
      return set(jit::Mode::AOT, "all shapes are static");
    case ShapeClass::Dynamic:
    case ShapeClass::DataDependent:
      return set(jit::Mode::JIT, "its sizes follow from more than those of its arguments");
    case ShapeClass::Bucketable:
      break;
    }
    if (decision.aot.benefit - decision.jit.benefit > thresholdUs)
      return set(jit::Mode::AOT, "its benefit is larger");
    set(jit::Mode::JIT, decision.jit.benefit > decision.aot.benefit
                            ? "its benefit is larger"
                            : "compiling ahead does not bring more than the threshold");
  }

  /// The units that are called on the critical path of a public function, or of `function`.
  LogicalResult findCriticalUnits(ArrayRef<jit::UnitOp> units, OpCostAnalysis &costs,
                                  CriticalUnits &critical) {
    ModuleOp module = getOperation();
    FunctionOpInterface entry;
    ArgumentSizes sizes;
    if (!function.empty() || !dims.empty()) {
      FailureOr<FunctionOpInterface> found = CostOptions(module, DEBUG_TYPE).findEntry(function);
      if (failed(found))
        return failure();
      entry = *found;
      FailureOr<ArgumentSizes> parsed =
          CostOptions(module, DEBUG_TYPE).parseArgumentSizes(entry, dims);
      if (failed(parsed))
        return failure();
      sizes = *parsed;
    }
    TimeModel model{peakGflops, bandwidthGbs, {}};
    for (jit::UnitOp unit : units)
      if (auto time = getUnitTime(unit, costs, getModel()); time && time->isMeasured)
        model.measured[unit.getSymName()].usPerCall = time->us;
    CriticalPathAnalysis paths(module, std::move(model));
    SymbolTableCollection symbols;
    for (auto op : module.getOps<FunctionOpInterface>()) {
      bool isWanted = entry ? op == entry : op.isPublic() && !isa<jit::UnitOp>(op.getOperation());
      if (!isWanted || op.isExternal())
        continue;
      ArgumentSizes ofThis = op == entry ? sizes : ArgumentSizes();
      ofThis.otherDims = getModel().defaultDim;
      CriticalPath path = paths.compute(op, ofThis);
      collectCalled(path.steps, symbols, critical);
      // Of what has no time it isn't known that it is off the path.
      for (const auto &[unknown, reason] : path.unknown)
        if (isCall(unknown))
          if (FunctionOpInterface target = getCallTarget(unknown, symbols))
            critical.try_emplace(target, "it has no time, and may be on the critical path");
      sayPath(op, path);
    }
    return success();
  }

  static void collectCalled(ArrayRef<CriticalStep> steps, SymbolTableCollection &symbols,
                            CriticalUnits &critical) {
    for (const CriticalStep &step : steps) {
      if (isCall(step.op))
        if (FunctionOpInterface target = getCallTarget(step.op, symbols))
          critical[target] = "it is on the critical path";
      collectCalled(step.inner, symbols, critical);
    }
  }

  static void sayPath(FunctionOpInterface op, const CriticalPath &path) {
    remark::analysis(op.getLoc(), remark::RemarkOpts::name("CriticalPath").category(DEBUG_TYPE))
        << remark::reason("@{0}: critical path {1} us, {2} operations without a time", op.getName(),
                          formatNumber(path.us), path.unknown.size());
  }

  static void say(jit::UnitOp unit, const ModeDecision &decision) {
    auto terms = [](const ModeTerms &mode) {
      return "G_opt = " + formatNumber(mode.gain) +
             " us, C_compile = " + formatNumber(mode.compile) +
             " us, B = " + formatNumber(mode.benefit) + " us";
    };
    std::string time = !decision.time
                           ? "not known"
                           : formatNumber(decision.time->us) + " us " +
                                 (decision.time->isMeasured ? "(measured)" : "(modelled)");
    remark::passed(unit.getLoc(), remark::RemarkOpts::name("Mode").category(DEBUG_TYPE))
        << remark::reason("@{0}: {1}, since {2}; shapes {3}; P_hot = {4}; time of a call {5}; aot: "
                          "{6}; jit: {7}",
                          unit.getSymName(), jit::stringifyMode(decision.mode), decision.reason,
                          toString(decision.shapeClass), formatNumber(decision.share), time,
                          terms(decision.aot), terms(decision.jit));
  }
};

} // namespace
} // namespace anneal
