//===- GemmChoice.cpp - Which side is the vector side, and the rest -------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handful of candidates (either input as the vector side, all of its dimensions as columns or only those
// along which C is contiguous) is rated by estimated cycles. The unit is a cycle of a core that issues two
// multiply-adds and two loads; what counts is the order of the candidates.
//
//===----------------------------------------------------------------------===//

#include "Gemm.h"

#include <algorithm>
#include <cmath>

namespace anneal::runtime::contraction {
namespace {

/// Bytes of columns that stay in the second-level cache beside everything else.
constexpr int64_t kColumnBlockBytes = 512 * 1024;
/// Bytes of a row panel that stay in the first-level cache.
constexpr int64_t kRowPanelBytes = 24 * 1024;
/// Most steps in a block: sums are stored and loaded again between blocks.
constexpr int64_t kMaxStepBlock = 512;

/// Cycles for an element that is copied: by vectors, by transposition, one at a time.
constexpr double kCopyByVector = 0.2, kCopyTransposed = 0.45, kCopyOne = 1.2;

/// Work below which a problem is one tile, and the least work of a tile, in cycles: waking another thread
/// costs several microseconds.
constexpr double kSplitCycles = 40e3, kMinTileCycles = 12e3;

class Chooser {
public:
  explicit Chooser(const Shape &shape)
      : shape(shape), micro(shape.micro()), lanes(micro.lanes),
        bytes(shape.elementBytes()) {}

  GemmChoice choose() {
    bool any = false;
    GemmChoice best;
    for (int operand : {1, 0})
      for (bool splitColumns : {true, false})
        for (bool splitRows : {true, false}) {
          GemmChoice candidate = makeCandidate(operand, splitColumns, splitRows);
          const double total = candidate.cycles * static_cast<double>(extentOf(candidate.outer));
          if (!any || total < bestTotal) {
            best = std::move(candidate);
            bestTotal = total;
            any = true;
          }
        }
    chooseBlocks(best);
    chooseTiles(best);
    return best;
  }

private:
  static int64_t unitOf(const LoopDim &dim) { return dim.c; }

  /// Moves to `outer` the dimensions before the longest suffix that C steps through evenly, and with
  /// `unit` contiguously.
  static void splitUneven(LoopDims &dims, LoopDims &outer, bool unit) {
    int64_t step = 0;
    size_t keep = dims.size();
    while (keep > 0 && isLinear(std::span(dims).subspan(keep - 1), unitOf, step) &&
           (!unit || step == 1))
      --keep;
    if (keep == dims.size())
      return;
    outer.insert(outer.end(), dims.begin(), dims.begin() + static_cast<int64_t>(keep));
    dims.erase(dims.begin(), dims.begin() + static_cast<int64_t>(keep));
  }

  GemmChoice makeCandidate(int columnOperand, bool splitColumns, bool splitRows) const {
    GemmChoice choice;
    choice.columnOperand = columnOperand;
    choice.outer = shape.batch;
    choice.columns = shape.sides[static_cast<size_t>(columnOperand)];
    choice.rows = shape.sides[static_cast<size_t>(1 - columnOperand)];
    if (splitColumns)
      splitUneven(choice.columns, choice.outer, true);
    if (splitRows)
      splitUneven(choice.rows, choice.outer, false);
    choice.numRows = extentOf(choice.rows);
    choice.numColumns = extentOf(choice.columns);
    chooseColumnMode(choice);
    chooseRowMode(choice);
    chooseResult(choice);
    choice.cycles = computeCycles(choice, choice.numRows, spanOf(choice)) +
                    columnCycles(choice, choice.columnMode) + rowCycles(choice, choice.rowMode) +
                    resultCycles(choice) + 20;
    return choice;
  }

  /// Positions that kernels run over for all columns.
  int64_t spanOf(const GemmChoice &choice) const {
    return choice.columnMode == ColumnMode::Grid ? gridSpan(choice) : choice.numColumns;
  }
  int64_t gridSpan(const GemmChoice &choice) const {
    std::optional<Grid> grid =
        Grid::create(shape, choice.columnOperand, choice.columns, choice.columns.front().size);
    return grid ? grid->span(choice.columns.front().size) : choice.numColumns;
  }

  /// Register tiles over all steps.
  double computeCycles(const GemmChoice &choice, int64_t rows, int64_t span) const {
    const double vectors = static_cast<double>(ceilDiv(span, lanes));
    const RowPanels panels(rows, micro.maxRows[1]);
    const double height = static_cast<double>(rows) / static_cast<double>(panels.count);
    double width = std::min(2.0, vectors);
    for (int log = 2; log < kNumTileWidths; ++log)
      if (micro.maxRows[log] >= panels.height)
        width = std::min<double>(1 << log, vectors);
    const double multiply = height * width / 2, loads = (height + width) / 2 + 0.5;
    const double step = std::max({multiply, loads, 4.0 / std::ceil(width > 0 ? 1.0 : 1.0)});
    return step * static_cast<double>(shape.steps) * static_cast<double>(panels.count) * vectors /
           width;
  }

  const Shape &shape;
  const MicroKernels &micro;
  const int64_t lanes, bytes;
  double bestTotal = 0;
};

} // namespace
} // namespace anneal::runtime::contraction
