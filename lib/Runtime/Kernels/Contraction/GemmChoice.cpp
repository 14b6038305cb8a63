//===- GemmChoice.cpp - Which side is the vector side, and the rest -------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handful of candidates (either input as the vector side, all of its dimensions as columns or
// only those along which C is contiguous) is rated by estimated cycles. The unit is a cycle of a
// core that issues two multiply-adds and two loads; what counts is the order of the candidates.
//
//===----------------------------------------------------------------------===//

#include "Gemm.h"

#include <algorithm>
#include <cmath>

namespace anneal::runtime::contraction {
namespace {

/// Cycles for one element that is copied: by vectors, by transposition, one at a time.
constexpr double kByVector = 0.2, kTransposed = 0.45, kOneByOne = 1.2;
/// Cycles that one row of a copied block or plane costs at least.
constexpr double kCopyRow = 5;
/// Cycles for a vector that is read in place, from rows far apart, for one row panel after another,
/// beyond what a packed one costs.
constexpr double kReadInPlace = 0.5;
/// Row strides that are multiples of this many bytes put all rows in one set of the first-level
/// cache.
constexpr int64_t kAliasBytes = 4096;

/// Rates candidates.
class Rater {
public:
  explicit Rater(const Shape &shape) : shape(shape), micro(shape.micro()), lanes(micro.lanes) {}

  /// Chooses modes for the given roles, and estimates.
  void rate(GemmChoice &choice) const {
    choice.numRows = extentOf(choice.rows);
    choice.numColumns = extentOf(choice.columns);
    double best = 0;
    GemmChoice rated;
    bool any = false;
    for (ColumnMode mode :
         {ColumnMode::Constant, ColumnMode::Direct, ColumnMode::Grid, ColumnMode::Packed}) {
      choice.columnMode = mode;
      std::optional<double> columns = columnCycles(choice);
      if (!columns)
        continue;
      const double rows = chooseRows(choice);
      const double cycles = *columns + rows + computeCycles(choice) + resultCycles(choice) + 20;
      if (any && cycles >= best)
        continue;
      best = cycles;
      rated = choice;
      any = true;
      // No other mode brings columns for less.
      if (mode == ColumnMode::Constant)
        break;
    }
    choice = rated;
    choice.cycles = best;
  }

private:
  const OperandShape &operand(int which) const {
    return shape.operands[static_cast<size_t>(which)];
  }
  bool inPlace(int which) const {
    return operand(which).reader.isIdentity() && !operand(which).padded;
  }
  bool evenSteps(int which, int64_t &step) const {
    return isLinear(shape.reduction, [=](const LoopDim &dim) { return dim.operand[which]; }, step);
  }
  static bool evenSide(const LoopDims &dims, int which, int64_t &step) {
    return isLinear(dims, [=](const LoopDim &dim) { return dim.operand[which]; }, step);
  }

  /// Copies `extent` positions of a side for all steps to panels of `width`.
  double packCycles(const LoopDims &side, int which, int64_t extent, int64_t width) const {
    const double elements = static_cast<double>(extent) * static_cast<double>(shape.steps);
    const int64_t along = side.empty() ? 1 : side.back().operand[which];
    const bool fast = operand(which).reader.isIdentity();
    if (along == 1 || side.empty()) {
      const int64_t run = side.empty() ? 1 : std::min(side.back().size, width);
      return std::max(elements * kByVector, elements / static_cast<double>(run) * kCopyRow) *
             (fast ? 1 : 2);
    }
    for (const LoopDim &dim : shape.reduction)
      if (dim.operand[which] == 1 && dim.size >= 4)
        return elements * kTransposed * (fast ? 1 : 2);
    return elements * kOneByOne;
  }

  /// What it costs to bring columns before the kernels; nothing where the mode does not apply.
  std::optional<double> columnCycles(const GemmChoice &choice) const {
    const int which = choice.columnOperand;
    const RowPanels panels(choice.numRows, micro.maxRows[1]);
    const double vectors = static_cast<double>(ceilDiv(choice.numColumns, lanes));
    const double steps = static_cast<double>(shape.steps);
    int64_t step = 0;
    switch (choice.columnMode) {
    case ColumnMode::Constant:
      return operand(which).constant && !operand(which).padded ? std::optional<double>(0)
                                                               : std::nullopt;
    case ColumnMode::Direct:
      if (!inPlace(which) || !evenSide(choice.columns, which, step) ||
          (choice.numColumns > 1 && step != 1) ||
          (!evenSteps(which, step) && shape.steps > Grid::kMaxSteps))
        return std::nullopt;
      return static_cast<double>(panels.count - 1) * vectors * steps * kReadInPlace;
    case ColumnMode::Grid: {
      std::optional<Grid> grid = Grid::create(shape, which, choice.columns);
      if (!grid)
        return std::nullopt;
      const double rows =
          static_cast<double>(grid->numCopied()) / static_cast<double>(choice.columns.back().size);
      return static_cast<double>(grid->numCopied()) * kByVector + rows * kCopyRow +
             static_cast<double>(grid->numPlanes()) * 40;
    }
    case ColumnMode::Packed:
      return packCycles(choice.columns, which, choice.numColumns, 2 * lanes);
    }
    return std::nullopt;
  }

  /// Chooses the row mode; returns what it costs to bring rows before the kernels.
  double chooseRows(GemmChoice &choice) const {
    const int which = choice.rowOperand();
    int64_t rowStep = 0, step = 0, columnStep = 0;
    const bool even =
        inPlace(which) && evenSide(choice.rows, which, rowStep) && evenSteps(which, step);
    const bool offsets =
        choice.columnMode == ColumnMode::Grid ||
        (choice.columnMode == ColumnMode::Direct && !evenSteps(choice.columnOperand, columnStep));
    if (even && choice.numRows == 1) {
      choice.rowMode = RowMode::Contiguous;
      return 0;
    }
    if (operand(which).constant && !operand(which).padded) {
      choice.rowMode = RowMode::Constant;
      return 0;
    }
    const double pack = packCycles(choice.rows, which, choice.numRows, micro.maxRows[1]);
    const double reads = static_cast<double>(choice.numRows * ceilDiv(choice.numColumns, lanes)) *
                         static_cast<double>(shape.steps);
    choice.rowMode = RowMode::Packed;
    if (even && rowStep == 1) {
      // Steps that are far apart take a new line, and often a new page, for a few rows each.
      const double inPlaceCost = reads / static_cast<double>(micro.maxRows[1]) * kReadInPlace;
      if (inPlaceCost < pack)
        choice.rowMode = RowMode::Contiguous;
      return std::min(inPlaceCost, pack);
    }
    if (even && step == 1 && !offsets) {
      const bool aliased = rowStep * shape.elementBytes() % kAliasBytes == 0 && choice.numRows > 8;
      const double inPlaceCost = reads * (aliased ? 0.5 : 0.01);
      if (inPlaceCost < pack)
        choice.rowMode = RowMode::Strided;
      return std::min(inPlaceCost, pack);
    }
    return pack;
  }

  /// Register tiles over all steps.
  double computeCycles(const GemmChoice &choice) const {
    int64_t span = choice.numColumns;
    if (choice.columnMode == ColumnMode::Grid)
      span = Grid::create(shape, choice.columnOperand, choice.columns)
                 ->span(choice.columns.front().size);
    const RowPanels panels(choice.numRows, micro.maxRows[1]);
    const double vectors = static_cast<double>(ceilDiv(span, lanes));
    const double height = static_cast<double>(choice.numRows) / static_cast<double>(panels.count);
    double width = std::min(2.0, vectors);
    for (int log = 2; log < kNumTileWidths; ++log)
      if (micro.maxRows[log] >= panels.height)
        width = std::min<double>(1 << log, vectors);
    // Two multiply-adds or two loads a cycle; a chain waits four cycles for each link.
    const double tile = std::max({height * width / 2, (height + width) / 2 + 0.5, 4.0});
    return tile * static_cast<double>(shape.steps) * static_cast<double>(panels.count) *
           std::max(1.0, vectors / width);
  }

  /// Chooses where results stand and how they begin; returns what moving them costs.
  double resultCycles(GemmChoice &choice) const {
    int64_t columnStep = 0, rowStep = 0;
    auto inC = [](const LoopDim &dim) { return dim.c; };
    const bool evenColumns =
        isLinear(choice.columns, inC, columnStep) && (choice.numColumns == 1 || columnStep == 1);
    const bool spread = choice.columnMode == ColumnMode::Grid && choice.columns.size() > 1;
    const bool tensor = !shape.tileBuffer && shape.directResult() && evenColumns && !spread &&
                        isLinear(choice.rows, inC, rowStep);
    choice.store = tensor ? ResultStore::Tensor : ResultStore::Buffer;
    choice.init = chooseInit(shape, choice.rows, choice.columns, spread);
    const double elements = static_cast<double>(choice.numRows * choice.numColumns);
    const double vectors = static_cast<double>(choice.numRows * ceilDiv(choice.numColumns, lanes));
    double cycles = vectors * 2;
    if (!tensor) {
      const bool contiguous = choice.numColumns > 1 && choice.columns.back().c == 1;
      const bool transposed = !choice.rows.empty() && choice.rows.back().c == 1;
      cycles += elements * (contiguous ? kByVector : transposed ? kTransposed : kOneByOne) + 40;
    }
    if (choice.init == InitMode::Placed)
      cycles += elements * kByVector + 40;
    return cycles;
  }

  const Shape &shape;
  const MicroKernels &micro;
  const int64_t lanes;
};

/// Moves to `outer` the dimensions before the longest suffix that C steps through evenly, and with
/// `unit` contiguously.
void splitUneven(LoopDims &dims, LoopDims &outer, bool unit) {
  int64_t step = 0;
  size_t keep = dims.size();
  while (keep > 0 &&
         isLinear(
             std::span(dims).subspan(keep - 1), [](const LoopDim &dim) { return dim.c; }, step) &&
         (!unit || step == 1))
    --keep;
  if (keep == dims.size())
    return;
  const auto split = dims.begin() + static_cast<int64_t>(keep);
  outer.insert(outer.end(), dims.begin(), split);
  dims.erase(dims.begin(), split);
}

} // namespace

GemmChoice chooseGemm(const Shape &shape) {
  const Rater rater(shape);
  GemmChoice best;
  double bestCycles = 0;
  bool any = false;
  // The roles, with all columns or those along which C is contiguous, all rows or evenly spaced
  // ones.
  for (int choiceBits = 0; choiceBits < 8; ++choiceBits) {
    GemmChoice candidate;
    candidate.columnOperand = choiceBits & 1 ? 0 : 1;
    candidate.outer = shape.batch;
    candidate.columns = shape.sides[static_cast<size_t>(candidate.columnOperand)];
    candidate.rows = shape.sides[static_cast<size_t>(candidate.rowOperand())];
    const size_t before = candidate.outer.size();
    if (choiceBits & 2)
      splitUneven(candidate.columns, candidate.outer, true);
    if (choiceBits & 4)
      splitUneven(candidate.rows, candidate.outer, false);
    if ((choiceBits & 6) && candidate.outer.size() == before)
      continue;
    rater.rate(candidate);
    const double cycles = candidate.cycles * static_cast<double>(extentOf(candidate.outer));
    if (any && cycles >= bestCycles)
      continue;
    best = std::move(candidate);
    bestCycles = cycles;
    any = true;
  }
  chooseTiles(shape, best);
  return best;
}

} // namespace anneal::runtime::contraction
