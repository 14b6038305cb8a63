//===- ScoreHotness.cpp - One number for how hot a unit is ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/Passes.h"
#include "anneal/Analysis/UnitEstimate.h"
#include "anneal/Support/HotnessScore.h"

#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "jit-score-hotness"

namespace anneal {
#define GEN_PASS_DEF_SCOREHOTNESS
#include "anneal/Analysis/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

class ScoreHotness : public impl::ScoreHotnessBase<ScoreHotness> {
public:
  using ScoreHotnessBase::ScoreHotnessBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkNumbers(module, DEBUG_TYPE,
                            {{"weight-count", weightCount},
                             {"weight-time", weightTime},
                             {"weight-bytes", weightBytes},
                             {"weight-density", weightDensity},
                             {"bandwidth-gbs", bandwidthGbs, 1e-9}})))
      return signalPassFailure();
    OpCostAnalysis costs(module);
    SmallVector<jit::UnitOp> units(module.getOps<jit::UnitOp>());
    std::vector<WorkDone> work;
    for (jit::UnitOp unit : units)
      work.push_back(getWorkDone(
          unit, costs, defaultDim >= 0 ? std::optional<int64_t>(defaultDim) : std::nullopt));
    std::vector<ScoreTerms> terms = getScoreTerms(
        work, bandwidthGbs * 1e3, rooflineFloor ? ByteRatio::RooflineFloor : ByteRatio::Achieved);
    ScoreTerms weights{weightCount, weightTime, weightBytes, weightDensity};
    for (auto [unit, done, own] : llvm::zip_equal(units, work, terms))
      // Of a unit that wasn't seen nothing is known.
      if (done.count > 0 || done.timeUs > 0)
        setScore(unit, getScore(own, weights), own);
  }

private:
  void setScore(jit::UnitOp unit, double score, const ScoreTerms &terms) {
    jit::HotnessAttr old = unit.getHotnessAttr();
    auto count = old ? old.getCount() : std::nullopt;
    auto us = old ? old.getTimeUs() : std::nullopt;
    auto bytes = old ? old.getBytes() : std::nullopt;
    auto flops = old ? old.getFlops() : std::nullopt;
    unit.setHotnessAttr(jit::HotnessAttr::get(&getContext(), count, us, bytes, flops, score));
    remark::analysis(unit.getLoc(), remark::RemarkOpts::name("Score").category(DEBUG_TYPE))
        << remark::reason("@{0}: score {1}; count {2}, T_ratio {3}, B_ratio {4}, C_density {5}",
                          unit.getSymName(), formatNumber(score), formatNumber(terms.count),
                          formatNumber(terms.time), formatNumber(terms.bytes),
                          formatNumber(terms.density));
  }
};

} // namespace
} // namespace anneal
