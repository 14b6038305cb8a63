//===- CriticalPath.h - What decides how long a call takes ------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REQUIREMENTS.md M4; docs/analyses/CriticalPath.md.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_ANALYSIS_CRITICALPATH_H
#define ANNEAL_ANALYSIS_CRITICALPATH_H

#include "anneal/Analysis/OpCost.h"
#include "anneal/Analysis/ProfileFile.h"

#include <string>
#include <vector>

namespace anneal {

/// What times are computed from.
struct TimeModel {
  /// 10^9 FLOPs and 10^9 bytes a second.
  double peakGflops = 100;
  double bandwidthGbs = 20;
  /// Units and functions whose calls were measured: these times come before computed ones.
  ProfiledUnits measured;
};

/// An operation on the path.
struct CriticalStep {
  enum class Bound { Compute, Memory, Measured, Inner };
  mlir::Operation *op = nullptr;
  /// Microseconds, of all iterations and of what is called.
  double us = 0;
  /// What the time follows from; Inner: from `inner`, once for each iteration.
  Bound bound = Bound::Inner;
  std::vector<CriticalStep> inner;
};

/// The dearest chain of operations each of which needs the one before.
struct CriticalPath {
  double us = 0;
  /// What all operations take together, one after the other.
  double totalUs = 0;
  std::vector<CriticalStep> steps;
  /// Operations whose time isn't known, which count as nothing, and why, in the order of the IR.
  std::vector<std::pair<mlir::Operation *, std::string>> unknown;
};

/// The longest path through the operations of a function by time: the larger of FLOPs / peak and
/// bytes / bandwidth, or what was measured. An operation needs those that define what it uses;
/// those with effects need the ones with effects before them (a call has those of what it calls).
/// Of branches the dearest counts, loops count for each of their iterations, calls for the path in
/// what they call, units as a whole.
///
/// Reads the IR and never changes it; invalid once that changes. Not thread-safe.
class CriticalPathAnalysis {
public:
  explicit CriticalPathAnalysis(mlir::Operation *root, TimeModel model = {})
      : costs(root), model(std::move(model)) {}

  /// The path of one call of `function` with arguments of the given sizes.
  CriticalPath compute(mlir::FunctionOpInterface function, const ArgumentSizes &sizes);

private:
  CriticalPath computeRegion(mlir::Region &region, DimEvaluator &evaluator);
  CriticalPath computeBlock(mlir::Block &block, DimEvaluator &evaluator);
  /// The time of one operation; what is inside goes to `step.inner`, and what is not known to
  /// `path.unknown`. Adds to `path.totalUs`.
  CriticalStep computeStep(mlir::Operation *op, DimEvaluator &evaluator, CriticalPath &path);
  void computeRoofline(CriticalStep &step, DimEvaluator &evaluator, CriticalPath &path);
  void computeCall(CriticalStep &step, DimEvaluator &evaluator, CriticalPath &path);
  void computeRegions(CriticalStep &step, DimEvaluator &evaluator, CriticalPath &path);
  std::string whyIterationsUnknown(mlir::Operation *loop);
  bool hasEffects(mlir::Operation *op);
  bool callHasEffects(mlir::FunctionOpInterface callee);

  OpCostAnalysis costs;
  TimeModel model;
  /// Paths of called functions, by name and sizes of the operands.
  llvm::StringMap<CriticalPath> calleePaths;
  /// Whether calls of a function have effects; true while that is being found out, for functions
  /// that call themselves.
  llvm::DenseMap<mlir::Operation *, bool> functionEffects;
};

} // namespace anneal

#endif // ANNEAL_ANALYSIS_CRITICALPATH_H
