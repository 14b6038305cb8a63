//===- PropagateHeat.cpp - Write the heat that spreads --------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnknownUnits.h"

#include "anneal/Analysis/HeatPropagation.h"
#include "anneal/Analysis/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

#define DEBUG_TYPE "jit-propagate-heat"

namespace anneal {
#define GEN_PASS_DEF_PROPAGATEHEAT
#include "anneal/Analysis/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// The field of a profile's entry that is asked for; times are those of all calls.
std::optional<double> getField(const ProfiledUnit &unit, HeatQuantity quantity) {
  switch (quantity) {
  case HeatQuantity::Count:
    return unit.calls;
  case HeatQuantity::TimeUs:
    return unit.getTimeUs();
  case HeatQuantity::Score:
    return unit.score;
  }
  return std::nullopt;
}

/// Puts `score` on an operation, beside what its hotness says else.
void setScore(Operation *op, double score) {
  jit::HotnessAttr old = getHotnessAttr(op);
  auto hotness = old ? jit::HotnessAttr::get(op->getContext(), old.getCount(), old.getTimeUs(),
                                             old.getBytes(), old.getFlops(), score)
                     : jit::HotnessAttr::get(op->getContext(), std::nullopt, std::nullopt,
                                             std::nullopt, std::nullopt, score);
  setHotnessAttr(op, hotness);
}

class PropagateHeat : public impl::PropagateHeatBase<PropagateHeat> {
public:
  using PropagateHeatBase::PropagateHeatBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    HeatQuantity field = HeatQuantity::Count;
    if (failed(checkOptions(field)))
      return signalPassFailure();
    auto &analysis = getAnalysis<HeatPropagation>();
    std::vector<double> initial = analysis.getHotness(field);
    if (!profile.empty() && failed(readProfile(analysis, field, initial)))
      return signalPassFailure();

    HeatResult result = spreadHeat(analysis.getGraph(), alpha, initial, steps, tolerance);
    for (Operation *op : analysis.getOperations())
      if (double heat = result.heat[*analysis.getNode(op)];
          op != module && (heat > 0 || getHotnessAttr(op)))
        setScore(op, heat);
    remark::analysis(module.getLoc(), remark::RemarkOpts::name("Spread").category(DEBUG_TYPE))
        << remark::reason("{0} nodes, {1} edges; {2} steps of at most {3}; last change {4:e2}, {5} "
                          "tolerance {6:e2}",
                          analysis.getGraph().getNumNodes(), analysis.getGraph().getNumEdges(),
                          result.steps, steps.getValue(), result.lastChange,
                          result.lastChange <= tolerance ? "within" : "above",
                          tolerance.getValue());
  }

private:
  LogicalResult checkOptions(HeatQuantity &field) {
    auto fail = [&](const Twine &message) {
      return emitError(getOperation().getLoc()) << DEBUG_TYPE << ": " << message;
    };
    if (!(alpha >= 0 && alpha <= 1))
      return fail("alpha is " + Twine(std::to_string(alpha)) + ", but must be from 0 to 1");
    if (steps < 0 || steps > 1000000)
      return fail("steps is " + Twine(steps) + ", but must be from 0 to 1000000");
    if (!(tolerance >= 0) || std::isinf(tolerance))
      return fail("tolerance is " + Twine(std::to_string(tolerance)) +
                  ", but must be a number that is not negative");
    auto parsed = llvm::StringSwitch<std::optional<HeatQuantity>>(quantity)
                      .Case("count", HeatQuantity::Count)
                      .Case("time_us", HeatQuantity::TimeUs)
                      .Case("score", HeatQuantity::Score)
                      .Default(std::nullopt);
    if (!parsed)
      return fail("quantity is '" + quantity + "', but must be count, time_us or score");
    field = *parsed;
    return success();
  }

  /// Replaces the heat of what the profile names.
  LogicalResult readProfile(const HeatPropagation &analysis, HeatQuantity field,
                            std::vector<double> &heat) {
    llvm::Expected<ProfiledUnits> units = readProfileFile(profile);
    if (!units)
      return emitError(getOperation().getLoc()) << llvm::toString(units.takeError());
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      auto entry = units->find(function.getName());
      if (entry == units->end())
        continue;
      heat[*analysis.getNode(function.getOperation())] = getField(entry->second, field).value_or(0);
    }
    warnOfUnknownUnits(getOperation(), profile, *units);
    return success();
  }
};

} // namespace
} // namespace anneal
