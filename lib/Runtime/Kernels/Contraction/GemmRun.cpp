//===- GemmRun.cpp - Tiles by register tiles ------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm.h"

#include <algorithm>
#include <bit>

namespace anneal::runtime::contraction {

/// `base` moved by `elements`; kept apart from pointer arithmetic because the planes of a grid are
/// addressed from slice 0, which a later block of steps does not hold.
static const char *moved(const char *base, int64_t bytes) {
  return reinterpret_cast<const char *>(reinterpret_cast<uintptr_t>(base) +
                                        static_cast<uintptr_t>(bytes));
}

/// Finds the pointers and places of an outer point.
void GemmPlan::locate(int64_t outer, const ContractionOperands &operands, Point &point) const {
  const int rowOperand = choice.rowOperand(), columnOperand = choice.columnOperand;
  const OperandShape &rowShape = shape.operands[static_cast<size_t>(rowOperand)];
  const OperandShape &columnShape = shape.operands[static_cast<size_t>(columnOperand)];
  const bool packedRows = choice.rowMode == RowMode::Constant;
  const bool packedColumns = choice.columnMode == ColumnMode::Constant;
  int64_t row = packedRows ? 0 : rowShape.origin;
  int64_t column = packedColumns ? 0 : columnShape.origin;
  int64_t c = 0, init = 0;
  if (rowShape.padded)
    point.rowPositions = axisOrigin(rowShape);
  if (!columnShape.axes.empty())
    point.columnPositions = axisOrigin(columnShape);
  for (size_t d = choice.outer.size(); d-- > 0;) {
    const LoopDim &dim = choice.outer[d];
    const Division place(outer, dim.size);
    const int64_t index = place.rest;
    outer = place.quotient;
    point.index[d] = index;
    row += index * (packedRows ? packedStrides[static_cast<size_t>(rowOperand)][d]
                               : dim.operand[static_cast<size_t>(rowOperand)]);
    column += index * (packedColumns ? packedStrides[static_cast<size_t>(columnOperand)][d]
                                     : dim.operand[static_cast<size_t>(columnOperand)]);
    c += index * dim.c;
    init += index * dim.init;
    if (rowShape.padded)
      for (size_t a = 0; a < rowShape.axes.size(); ++a)
        point.rowPositions[a] += index * rowShape.axes[a].alongParallel(dim);
    for (size_t a = 0; a < columnShape.axes.size(); ++a)
      point.columnPositions[a] += index * columnShape.axes[a].alongParallel(dim);
  }
  auto source = [&](int which, bool packed) {
    if (packed)
      return static_cast<const char *>(which == 0 ? operands.packedA : operands.packedB);
    return static_cast<const char *>(which == 0 ? operands.a : operands.b);
  };
  point.rows = source(rowOperand, packedRows) +
               row * (packedRows ? elementBytes : rowShape.reader.sourceBytes());
  point.columns = source(columnOperand, packedColumns) +
                  column * (packedColumns ? elementBytes : columnShape.reader.sourceBytes());
  point.tile.outer = point.index;
  point.tile.c =
      shape.tileBuffer ? nullptr : static_cast<char *>(operands.c) + c * shape.resultBytes();
  point.tile.init = operands.init == nullptr
                        ? nullptr
                        : static_cast<const char *>(operands.init) + init * shape.resultBytes();
}

void GemmPlan::run(int64_t begin, int64_t end, const ContractionOperands &operands,
                   char *scratchBase, const TileHooks &hooks) const {
  Point point;
  point.tile.buffer = scratchBase + bufferScratch;
  point.tile.typed = scratchBase + typedScratch;
  point.tile.ld = bufferLd;
  for (int64_t index = begin; index < end; ++index) {
    const Division rowPlace(index, rowTiles), columnPlace(rowPlace.quotient, columnTiles);
    const int64_t rowTile = rowPlace.rest, columnTile = columnPlace.rest;
    const int64_t outerTile = columnPlace.quotient;
    const int64_t panelBegin = rowTile * choice.tilePanels;
    const int64_t panelEnd = std::min(panels.count, panelBegin + choice.tilePanels);
    const int64_t columnBegin = columnTile * choice.tileColumns * unit;
    const int64_t columnEnd = std::min(choice.numColumns, columnBegin + choice.tileColumns * unit);
    const int64_t outerBegin = outerTile * choice.tileOuter;
    const int64_t outerEnd = std::min(numOuter, outerBegin + choice.tileOuter);
    point.tile.rowBegin = panels.begin(panelBegin);
    point.tile.rowEnd = panels.begin(panelEnd);
    point.tile.columnBegin = columnBegin;
    point.tile.columnEnd = columnEnd;
    layout.place(point.tile);
    for (int64_t outer = outerBegin; outer < outerEnd; ++outer) {
      locate(outer, operands, point);
      runTile(point, panelBegin, panelEnd, scratchBase, hooks);
    }
  }
}

void GemmPlan::runTile(const Point &point, int64_t panelBegin, int64_t panelEnd, char *scratchBase,
                       const TileHooks &hooks) const {
  const ResultTile &tile = point.tile;
  if (choice.init == InitMode::Hook)
    layout.initByHook(tile, hooks);
  else if (choice.init == InitMode::Placed)
    layout.initFromTensor(tile);
  Block block = {&point, 0, 0, panelBegin, panelEnd, 0, scratchBase};
  block.span = grid ? grid->span((tile.columnEnd - tile.columnBegin) / unit)
                    : tile.columnEnd - tile.columnBegin;
  do {
    block.stepEnd = std::min(shape.steps, block.stepBegin + choice.stepBlock);
    runSteps(block);
    block.stepBegin = block.stepEnd;
  } while (block.stepBegin < shape.steps);
  if (choice.store == ResultStore::Buffer || hooks.finish)
    layout.finish(tile, hooks);
}

/// One block of steps for all of a tile.
void GemmPlan::runSteps(const Block &block) const {
  const Point &point = *block.point;
  if (grid) {
    const int64_t perSlice = grid->stepsPerSlice();
    grid->copy(block.scratch, point.columns, point.columnPositions, point.tile.columnBegin / unit,
               point.tile.columnEnd / unit, block.stepBegin / perSlice, block.stepEnd / perSlice,
               kMaxTileVectors * lanes);
  } else if (choice.columnMode == ColumnMode::Packed) {
    packColumnPanels(block.scratch, point.columns, point.columnPositions, point.tile.columnBegin,
                     point.tile.columnEnd, block.stepBegin, block.stepEnd);
  }
  for (int64_t span = 0; span < block.span; span += choice.columnBlock)
    runColumns(block, span, std::min(block.span, span + choice.columnBlock));
}

/// Columns [begin, end) of a tile, row panel after row panel.
void GemmPlan::runColumns(const Block &block, int64_t begin, int64_t end) const {
  const bool packs = choice.rowMode == RowMode::Packed && (begin == 0 || !packRowsWhole);
  const int64_t vectors = (end - begin + lanes - 1) >> laneShift;
  const int64_t tail = end - begin - ((vectors - 1) << laneShift);
  MicroArgs args = {};
  args.steps = block.stepEnd - block.stepBegin;
  setColumns(block, begin, args);
  for (int64_t panel = block.panelBegin; panel < block.panelEnd; ++panel) {
    const int64_t row = panels.begin(panel), rows = panels.rows(panel);
    setRows(block, row, rows, packs, args);
    setResult(block, row, begin, args);
    runPanel(args, rows, vectors, tail);
  }
}

void GemmPlan::setColumns(const Block &block, int64_t span, MicroArgs &args) const {
  const Point &point = *block.point;
  const int64_t blockSteps = block.stepEnd - block.stepBegin;
  const int64_t column = point.tile.columnBegin + span;
  int64_t at = 0;
  const char *base = block.scratch;
  args.columnStep = columnStep;
  args.panelStride = panelWidth;
  switch (choice.columnMode) {
  case ColumnMode::Constant:
    base = point.columns;
    at = column * shape.steps + block.stepBegin * panelWidth;
    args.panelStride = panelWidth * shape.steps;
    break;
  case ColumnMode::Packed:
    at = span * blockSteps;
    args.panelStride = panelWidth * blockSteps;
    break;
  case ColumnMode::Direct:
    base = point.columns;
    at = column + (columnOffsets.empty() ? block.stepBegin * columnStep : 0);
    break;
  case ColumnMode::Grid:
    at = span - block.stepBegin / grid->stepsPerSlice() * grid->sliceElements();
    break;
  }
  args.columns = moved(base, at * elementBytes);
  args.offsets = columnOffsets.empty() ? nullptr : columnOffsets.data() + block.stepBegin;
}

/// Rows of one panel; with `packs` they are brought to scratch first.
void GemmPlan::setRows(const Block &block, int64_t row, int64_t rows, bool packs,
                       MicroArgs &args) const {
  const Point &point = *block.point;
  const int64_t blockSteps = block.stepEnd - block.stepBegin;
  const char *base = point.rows;
  int64_t at = 0;
  args.rowStride = rowStride;
  args.rowStep = rows;
  switch (choice.rowMode) {
  case RowMode::Constant:
    at = row * shape.steps + block.stepBegin * rows;
    break;
  case RowMode::Packed: {
    char *to = block.scratch + rowScratch;
    if (packRowsWhole)
      to += (row - point.tile.rowBegin) * blockSteps * elementBytes;
    if (packs)
      rowPacker.pack(to, rows, point.rows, point.rowPositions, row, rows, block.stepBegin,
                     block.stepEnd);
    base = to;
    break;
  }
  case RowMode::Contiguous:
    at = row * rowStride + block.stepBegin * rowStep;
    args.rowStep = rowStep;
    break;
  case RowMode::Strided:
    at = row * rowStride + block.stepBegin;
    break;
  }
  args.rows = base + at * elementBytes;
}

void GemmPlan::setResult(const Block &block, int64_t row, int64_t span, MicroArgs &args) const {
  const ResultTile &tile = block.point->tile;
  const int64_t column = tile.columnBegin + span;
  if (choice.store == ResultStore::Tensor) {
    args.c = tile.c + (row * cRowStride + column) * elementBytes;
    args.ldc = cRowStride;
  } else {
    args.c = tile.buffer + ((row - tile.rowBegin) * bufferLd + span) * elementBytes;
    args.ldc = bufferLd;
  }
  args.init = args.c;
  args.ldInit = args.ldc;
  args.initBroadcast = false;
  if (block.stepBegin > 0)
    return;
  if (choice.init == InitMode::Value) {
    args.init = shape.initValue.data();
    args.ldInit = 0;
    args.initBroadcast = true;
  } else if (choice.init == InitMode::Rows || choice.init == InitMode::Tile) {
    args.initBroadcast = choice.init == InitMode::Rows;
    args.ldInit = initRowStride;
    args.init =
        tile.init + (row * initRowStride + (args.initBroadcast ? 0 : column)) * elementBytes;
  }
}

/// All register tiles of a row panel, the widest first; `tail` lanes of the last vector exist.
void GemmPlan::runPanel(MicroArgs &args, int64_t rows, int64_t vectors, int64_t tail) const {
  const auto &fns = kernels->fns[static_cast<int>(mode)];
  const int widest = widestTile[static_cast<size_t>(rows)];
  const char *firstColumns = static_cast<const char *>(args.columns);
  const int64_t panelBytes = args.panelStride * elementBytes;
  // Grids and panels are full behind their last column; operands that are read in place are not.
  const bool masks = choice.columnMode == ColumnMode::Direct && tail < lanes;
  int64_t done = 0;
  while (true) {
    const int64_t left = vectors - done;
    const int log =
        std::min(widest, static_cast<int>(std::bit_width(static_cast<uint64_t>(left))) - 1);
    const int64_t width = int64_t(1) << log;
    const bool last = left == width;
    args.lastLanes = last ? tail : lanes;
    args.columns = firstColumns + done / kPanelVectors * panelBytes;
    fns[last && masks][log][rows - 1](args);
    if (last)
      break;
    const int64_t bytes = (width << laneShift) * elementBytes;
    args.c = static_cast<char *>(args.c) + bytes;
    if (!args.initBroadcast)
      args.init = static_cast<const char *>(args.init) + bytes;
    done += width;
  }
  args.columns = firstColumns;
}

} // namespace anneal::runtime::contraction
