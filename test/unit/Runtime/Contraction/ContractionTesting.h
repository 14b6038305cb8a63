//===- ContractionTesting.h - Contractions against a plain loop -*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction is described by its operands' indexing maps; from that come the problem, random
// data, the result of a plain loop that follows the numeric rules word for word, and the result of
// a plan on each instruction set, which must have the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TEST_UNIT_RUNTIME_CONTRACTION_CONTRACTIONTESTING_H
#define ANNEAL_TEST_UNIT_RUNTIME_CONTRACTION_CONTRACTIONTESTING_H

#include "anneal/Runtime/Kernels/Contraction.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace anneal::runtime::testing {

using Random = std::mt19937_64;

/// A number in [low, high].
int64_t pick(Random &random, int64_t low, int64_t high);

/// One dimension of an operand: index = sum of coefficients * iteration index - low.
struct AxisSpec {
  /// One for each iteration dimension, parallel ones first.
  std::vector<int64_t> coefficients;
  int64_t size = 1;
  int64_t low = 0;
  /// Told to the plan: it leaves its bounds, or is a window.
  bool bounded = false;
};

/// An operand: its type, axes, and the order in which they lie in memory, outermost first.
struct OperandSpec {
  plan::DType type = plan::DType::F32;
  bool isUnsigned = false;
  std::vector<AxisSpec> axes;
  std::vector<int> layout;
  /// Elements left out after each innermost row.
  int64_t gap = 0;
  bool constant = false;
};

/// A whole contraction.
struct ContractionSpec {
  std::vector<int64_t> parallel, reduction;
  OperandSpec a, b;
  plan::DType c = plan::DType::F32;
  /// Order of the parallel dimensions in C, outermost first, and elements left out after a row.
  std::vector<int> layoutC;
  int64_t gapC = 0;
  ReductionOrder order = ReductionOrder::Chain;
  InitKind init = InitKind::Value;
  /// Parallel dimensions that the initial tensor depends on.
  std::vector<bool> initDims;
  bool tileBuffer = false;
  bool finishHook = false;

  int64_t dims() const { return static_cast<int64_t>(parallel.size() + reduction.size()); }
  /// An axis that is indexed by one dimension alone.
  AxisSpec axis(int64_t dim) const;
  /// An axis indexed by `stride * outputDim + dilation * windowDim`, `low` and `high` elements of
  /// padding.
  AxisSpec window(int64_t outputDim, int64_t stride, int64_t windowDim, int64_t dilation,
                  int64_t low, int64_t high) const;
  /// Lays axes out in order, densely.
  static void dense(OperandSpec &operand);
  int64_t size(int64_t dim) const;
};

/// Gives random layouts to all operands.
void shuffleLayouts(ContractionSpec &spec, Random &random);

/// Runs the contraction on every instruction set of this machine, in random splits of its tiles,
/// and compares with the plain loop. Fails the running test with `what` where bits differ.
void expectExact(const ContractionSpec &spec, Random &random, const std::string &what);

} // namespace anneal::runtime::testing

#endif // ANNEAL_TEST_UNIT_RUNTIME_CONTRACTION_CONTRACTIONTESTING_H
