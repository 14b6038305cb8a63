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

static std::optional<double> toOptionalDouble(std::optional<int64_t> number) {
  return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

std::optional<double> getUnitCalls(jit::UnitOp unit, HeatQuantity quantity) {
  jit::HotnessAttr hotness = unit.getHotnessAttr();
  if (quantity == HeatQuantity::Score)
    return hotness ? hotness.getScore() : std::nullopt;
  if (hotness && hotness.getCount())
    return toOptionalDouble(hotness.getCount());
  jit::ProfileAttr profile = getProfileAttr(unit);
  return profile ? toOptionalDouble(profile.getCalls()) : std::nullopt;
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

/// FLOPs and bytes of one call with the given sizes; nothing where they aren't known.
static std::optional<CostValues> getCostAt(jit::UnitOp unit, OpCostAnalysis &costs,
                                           const ArgumentSizes &sizes) {
  const OpCost &cost = costs.getBodyCost(unit);
  DimEvaluator evaluator(costs.getScope(unit), sizes);
  return cost.numUnknownOps > 0 ? std::nullopt : evaluate(cost, evaluator);
}

std::optional<CallTime> getUnitTime(jit::UnitOp unit, OpCostAnalysis &costs,
                                    const RooflineModel &model) {
  if (std::optional<double> us = getMeasuredUs(unit))
    return CallTime{*us, /*isMeasured=*/true};
  ArgumentSizes sizes;
  sizes.otherDims = model.defaultDim;
  std::optional<CostValues> values = getCostAt(unit, costs, sizes);
  if (!values)
    return std::nullopt;
  return CallTime{std::max(toDouble(values->flops) / (model.peakGflops * 1e3),
                           toDouble(values->getBytes()) / (model.bandwidthGbs * 1e3)),
                  /*isMeasured=*/false};
}

/// The mean over the shapes of a profile; nothing where there are none, or one has no cost.
static std::optional<std::pair<double, double>> getMeanWork(jit::UnitOp unit, OpCostAnalysis &costs,
                                                            jit::ProfileAttr profile) {
  double flops = 0, bytes = 0;
  for (size_t shape = 0; shape < profile.getNumShapes(); ++shape) {
    ArgumentSizes sizes;
    for (unsigned argument = 0; argument < unit.getNumArguments(); ++argument)
      if (isa<RankedTensorType>(unit.getArgument(argument).getType()))
        sizes.byArgument[argument] = SmallVector<int64_t>(profile.getSizes(shape, argument));
    std::optional<CostValues> values = getCostAt(unit, costs, sizes);
    if (!values)
      return std::nullopt;
    auto share = static_cast<double>(profile.getShapeCounts()[shape]) /
                 static_cast<double>(profile.getShapeTotal());
    flops += share * toDouble(values->flops);
    bytes += share * toDouble(values->getBytes());
  }
  if (profile.getNumShapes() == 0)
    return std::nullopt;
  return std::pair(flops, bytes);
}

WorkDone getWorkDone(jit::UnitOp unit, OpCostAnalysis &costs, std::optional<int64_t> defaultDim) {
  jit::HotnessAttr hotness = unit.getHotnessAttr();
  jit::ProfileAttr profile = getProfileAttr(unit);
  WorkDone work;
  work.count = getUnitCalls(unit, HeatQuantity::Count).value_or(0);
  std::optional<double> us = hotness ? hotness.getTimeUs() : std::nullopt;
  work.timeUs = us ? *us : profile ? profile.getTimeUs().value_or(0) : 0;

  std::optional<std::pair<double, double>> mean =
      profile ? getMeanWork(unit, costs, profile) : std::nullopt;
  if (!mean) {
    ArgumentSizes sizes;
    sizes.otherDims = defaultDim;
    if (std::optional<CostValues> values = getCostAt(unit, costs, sizes))
      mean.emplace(toDouble(values->flops), toDouble(values->getBytes()));
  }
  auto pick = [&](std::optional<int64_t> ofHotness, std::optional<int64_t> ofProfile,
                  double modelled) {
    std::optional<int64_t> known = ofHotness ? ofHotness : ofProfile;
    // Beyond any that is, but finite.
    return known ? static_cast<double>(*known) : std::min(work.count * modelled, 1e300);
  };
  work.flops = pick(hotness ? hotness.getFlops() : std::nullopt,
                    profile ? profile.getFlops() : std::nullopt, mean ? mean->first : 0);
  work.bytes = pick(hotness ? hotness.getBytes() : std::nullopt,
                    profile ? profile.getBytes() : std::nullopt, mean ? mean->second : 0);
  return work;
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
  return emitError(module.getLoc())
         << passName << ": quantity is '" << quantity << "', but must be count or score";
}

std::string formatNumber(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.6g", value);
  return text;
}

LogicalResult checkNumbers(ModuleOp module, StringRef passName, ArrayRef<NumberOption> options) {
  for (const NumberOption &option : options)
    if (!(option.value >= option.least && option.value <= option.most))
      return emitError(module.getLoc())
             << passName << ": " << option.name << " is " << formatNumber(option.value)
             << ", but must be from " << formatNumber(option.least) << " to "
             << formatNumber(option.most);
  return success();
}

} // namespace anneal
