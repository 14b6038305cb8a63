//===- UnitEstimate.cpp - Calls and times of units ------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/UnitEstimate.h"

#include "llvm/Support/Format.h"

using namespace mlir;

namespace anneal {

static jit::ProfileAttr getProfileAttr(jit::UnitOp unit) {
  return unit->getAttrOfType<jit::ProfileAttr>(jit::JitDialect::kProfileAttrName);
}

static std::optional<double> toDouble(std::optional<int64_t> number) {
  return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

std::optional<double> getUnitCalls(jit::UnitOp unit, HeatQuantity quantity) {
  jit::HotnessAttr hotness = unit.getHotnessAttr();
  if (quantity == HeatQuantity::Score)
    return hotness ? hotness.getScore() : std::nullopt;
  if (hotness && hotness.getCount())
    return toDouble(hotness.getCount());
  jit::ProfileAttr profile = getProfileAttr(unit);
  return profile ? toDouble(profile.getCalls()) : std::nullopt;
}

/// By attributes whose time and number of calls belong together.
static std::optional<double> getMeasuredUs(jit::UnitOp unit) {
  auto perCall = [](std::optional<double> us, std::optional<int64_t> calls) {
    return us && calls && *calls > 0 ? std::optional(*us / static_cast<double>(*calls))
                                     : std::nullopt;
  };
  jit::HotnessAttr hotness = unit.getHotnessAttr();
  if (hotness)
    if (std::optional<double> us = perCall(hotness.getTimeUs(), hotness.getCount()))
      return us;
  jit::ProfileAttr profile = getProfileAttr(unit);
  return profile ? perCall(profile.getTimeUs(), profile.getCalls()) : std::nullopt;
}

std::optional<CallTime> getUnitTime(jit::UnitOp unit, OpCostAnalysis &costs,
                                    const RooflineModel &model) {
  if (std::optional<double> us = getMeasuredUs(unit))
    return CallTime{*us, /*isMeasured=*/true};
  const OpCost &cost = costs.getBodyCost(unit);
  if (cost.numUnknownOps > 0)
    return std::nullopt;
  ArgumentSizes sizes;
  sizes.otherDims = model.defaultDim;
  DimEvaluator evaluator(costs.getScope(unit), sizes);
  std::optional<CostValues> values = evaluate(cost, evaluator);
  if (!values)
    return std::nullopt;
  return CallTime{std::max(anneal::toDouble(values->flops) / (model.peakGflops * 1e3),
                           anneal::toDouble(values->getBytes()) / (model.bandwidthGbs * 1e3)),
                  /*isMeasured=*/false};
}

unsigned countUnitOps(jit::UnitOp unit) {
  unsigned count = 0;
  unit.getBody().walk([&](Operation *op) { count += !op->hasTrait<OpTrait::IsTerminator>(); });
  return count;
}

FailureOr<HeatQuantity> parseCallQuantity(ModuleOp module, StringRef passName, StringRef quantity) {
  if (quantity == "count")
    return HeatQuantity::Count;
  if (quantity == "score")
    return HeatQuantity::Score;
  return module.emitError() << passName << ": quantity is '" << quantity
                            << "', but must be count or score";
}

std::string formatNumber(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.6g", value);
  return text;
}

LogicalResult checkNumbers(ModuleOp module, StringRef passName, ArrayRef<NumberOption> options) {
  for (const NumberOption &option : options)
    if (!(option.value >= option.least && option.value <= option.most))
      return module.emitError() << passName << ": " << option.name << " is "
                                << formatNumber(option.value) << ", but must be from "
                                << formatNumber(option.least) << " to "
                                << formatNumber(option.most);
  return success();
}

} // namespace anneal
