//===- UnitEstimate.h - Calls and times of units ----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What passes that decide about units go by: what a profile on the IR says, else what the cost
// analysis expects.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_ANALYSIS_UNITESTIMATE_H
#define ANNEAL_ANALYSIS_UNITESTIMATE_H

#include "anneal/Analysis/HeatPropagation.h"
#include "anneal/Analysis/OpCost.h"
#include "anneal/IR/JitOps.h"
#include "anneal/Support/HotnessScore.h"

#include "mlir/IR/BuiltinOps.h"

namespace anneal {

/// What computes times of units that weren't measured.
struct RooflineModel {
  /// 10^9 FLOPs and 10^9 bytes a second.
  double peakGflops = 100;
  double bandwidthGbs = 20;
  /// The size of dimensions that aren't known; nothing: then the time isn't either.
  std::optional<int64_t> defaultDim;
};

/// A unit's time of one call.
struct CallTime {
  double us = 0;
  /// By a profile; else by its cost.
  bool isMeasured = false;
};

/// How often a unit ran: the count of its hotness, else the calls of its profile; with
/// HeatQuantity::Score the score. Nothing where neither says so. REQUIRES: not TimeUs.
std::optional<double> getUnitCalls(jit::UnitOp unit, HeatQuantity quantity);

/// Microseconds of one call: measured, else the larger of FLOPs / peak and bytes / bandwidth.
/// Nothing where neither is known.
std::optional<CallTime> getUnitTime(jit::UnitOp unit, OpCostAnalysis &costs,
                                    const RooflineModel &model);

/// What a unit did in all of its calls, 0 for what isn't known. Calls and time by its profile;
/// FLOPs and bytes by that too, else by its cost at each of the shapes that it was seen with, else
/// where all unknown sizes are `defaultDim`.
WorkDone getWorkDone(jit::UnitOp unit, OpCostAnalysis &costs, std::optional<int64_t> defaultDim);

/// Operations in the unit, those in nested regions too, without terminators.
unsigned countUnitOps(jit::UnitOp unit);

/// Reads `count` or `score`; an error at `module`, with the pass's name, for anything else.
mlir::FailureOr<HeatQuantity> parseCallQuantity(mlir::ModuleOp module, llvm::StringRef passName,
                                                llvm::StringRef quantity);

/// As "%.6g".
std::string formatNumber(double value);

/// An option, which must be a number from `least` to `most`.
struct NumberOption {
  llvm::StringRef name;
  double value;
  double least = 0;
  double most = 1e15;
};

/// An error at `module`, with the pass's name, for the first option that is out of its range.
mlir::LogicalResult checkNumbers(mlir::ModuleOp module, llvm::StringRef passName,
                                 llvm::ArrayRef<NumberOption> options);

} // namespace anneal

#endif // ANNEAL_ANALYSIS_UNITESTIMATE_H
