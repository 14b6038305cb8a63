//===- GemmTiles.cpp - Cache blocks and parallel tiles --------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
/// Most steps in a block if blocks are packed or swept several times.
constexpr int64_t kMaxStepBlock = 512;

/// Work below which a problem is one tile, and the least work of a tile, in cycles: waking another
/// thread costs several microseconds.
constexpr double kSplitCycles = 40e3, kMinTileCycles = 15e3;
/// Larger problems are split into as many tiles as keep a few threads evenly busy, and into more
/// where tiles are then still this long.
constexpr double kManyTiles = 8, kLongTileCycles = 2e6;
/// With a single thread, for which tiles need not be even.
constexpr double kLongTileOfOne = 16e6;
/// What a tile of a single thread leaves behind at most, in bytes, so that what is done to it next
/// finds it in the second-level cache.
constexpr double kResultTileBytes = 256 * 1024;

void chooseStepBlock(const Shape &shape, GemmChoice &choice, const RowPanels &panels) {
  const bool packs = choice.rowMode == RowMode::Packed || choice.columnMode == ColumnMode::Packed;
  choice.stepGranule = 1;
  if (packs && shape.reduction.size() > 1)
    choice.stepGranule = extentOf(std::span(shape.reduction).subspan(1));
  if (choice.columnMode == ColumnMode::Grid)
    choice.stepGranule = Grid::create(shape, choice.columnOperand, choice.columns)->stepsPerSlice();
  int64_t most = std::max<int64_t>(kRowPanelBytes / (panels.height * shape.elementBytes()), 64);
  if (packs || panels.count > 1 || choice.columnMode == ColumnMode::Grid)
    most = std::min(most, kMaxStepBlock);
  choice.stepBlock = shape.steps;
  if (shape.steps > most + most / 4) {
    const int64_t blocks = ceilDiv(shape.steps, most);
    const int64_t each = ceilDiv(shape.steps, blocks);
    choice.stepBlock =
        std::min(shape.steps, ceilDiv(each, choice.stepGranule) * choice.stepGranule);
  }
}

/// Cycles in which an element that a tile needs comes from beyond the second-level cache, and in
/// which one is packed, from rows (with padding around them), and from columns.
constexpr double kFetchElement = 0.3, kPackRow = 0.45, kPackPaddedRow = 0.9, kPackColumn = 0.2;

/// Splits one outer point into about `pieces` tiles. Every tile fetches, and maybe packs, its rows
/// and columns, so tiles that are about square cost least; uneven ones leave threads idle.
void splitPoint(const Shape &shape, GemmChoice &choice, const RowPanels &panels, int64_t pieces) {
  const int64_t width = 2 * shape.micro().lanes;
  const bool grid = choice.columnMode == ColumnMode::Grid;
  const int64_t columns = choice.numColumns / choice.columnUnit();
  const int64_t columnParts = grid ? columns : ceilDiv(columns, width);
  const bool near = (choice.numRows + choice.numColumns) * shape.steps * shape.elementBytes() <=
                    kColumnBlockBytes;
  const double fetch = near ? kFetchElement / 4 : kFetchElement;
  const bool packs = choice.columnMode == ColumnMode::Packed || grid;
  const double columnCost =
      static_cast<double>(choice.numColumns) * (fetch + (packs ? kPackColumn : 0));
  const bool isPadded = shape.operands[static_cast<size_t>(choice.rowOperand())].padded;
  const double packRow = isPadded ? kPackPaddedRow : kPackRow;
  const double rowCost = static_cast<double>(choice.numRows) *
                         (fetch + (choice.rowMode == RowMode::Packed ? packRow : 0));
  // Cycles of one step of the multiply-adds.
  const double work = static_cast<double>(choice.numRows) * static_cast<double>(choice.numColumns) /
                      static_cast<double>(2 * shape.micro().lanes);
  double best = 0;
  bool any = false;
  for (int64_t byRows = 1; byRows <= std::min(panels.count, pieces); ++byRows) {
    const int64_t byColumns = std::min(ceilDiv(pieces, byRows), columnParts);
    const int64_t tilePanels = ceilDiv(panels.count, byRows);
    const int64_t tileParts = ceilDiv(columnParts, byColumns);
    const int64_t rowTiles = ceilDiv(panels.count, tilePanels);
    const int64_t columnTiles = ceilDiv(columnParts, tileParts);
    const double even = static_cast<double>(panels.count * columnParts) /
                        static_cast<double>(tilePanels * tileParts * rowTiles * columnTiles);
    const double fewer = rowTiles * columnTiles < pieces ? 0.05 : 0.0;
    const double cost = static_cast<double>(rowTiles) * columnCost +
                        static_cast<double>(columnTiles) * rowCost +
                        work * ((1 - even) * 0.25 + fewer);
    if (any && cost >= best)
      continue;
    best = cost;
    any = true;
    choice.tilePanels = tilePanels;
    choice.tileColumns = grid ? tileParts : std::min(tileParts * width, columns);
  }
}

/// How many tiles are wanted.
double wantedTiles(const Shape &shape) {
  if (shape.numThreads != 1)
    return kManyTiles;
  const double bytes = static_cast<double>(shape.outputs * shape.elementBytes());
  return std::clamp(bytes / kResultTileBytes, 1.0, kManyTiles);
}

} // namespace

void chooseTiles(const Shape &shape, GemmChoice &choice) {
  const RowPanels panels(choice.numRows, shape.micro().maxRows[1]);
  const int64_t width = 2 * shape.micro().lanes;
  chooseStepBlock(shape, choice, panels);
  const int64_t blockBytes = std::max<int64_t>(choice.stepBlock * shape.elementBytes(), 1);
  choice.columnBlock = std::max(width, kColumnBlockBytes / blockBytes / width * width);

  const int64_t unit = choice.columnUnit();
  choice.tilePanels = panels.count;
  choice.tileColumns = choice.numColumns / unit;
  choice.tileOuter = 1;
  const int64_t numOuter = extentOf(choice.outer);
  const double total = choice.cycles * static_cast<double>(numOuter);
  const double target = total < kSplitCycles
                            ? total
                            : std::clamp(total / wantedTiles(shape), kMinTileCycles,
                                         shape.numThreads == 1 ? kLongTileOfOne : kLongTileCycles);
  if (choice.cycles <= target) {
    choice.tileOuter =
        std::clamp<int64_t>(static_cast<int64_t>(std::lround(target / choice.cycles)), 1, numOuter);
  } else {
    splitPoint(shape, choice, panels, static_cast<int64_t>(std::ceil(choice.cycles / target)));
  }
  // What a tile packs has to stay in the second-level cache.
  if (choice.columnMode == ColumnMode::Packed)
    choice.tileColumns = std::min(choice.tileColumns, choice.columnBlock);
  if (choice.columnMode == ColumnMode::Grid) {
    const int64_t planes = Grid::create(shape, choice.columnOperand, choice.columns)->numPlanes();
    const int64_t planesInBlock = ceilDiv(planes * choice.stepBlock, shape.steps);
    const int64_t span = kColumnBlockBytes / (planesInBlock * shape.elementBytes());
    choice.tileColumns = std::clamp<int64_t>(span / unit, 1, choice.tileColumns);
  }
}

} // namespace anneal::runtime::contraction
