//===- Gemm.cpp - Layout of plans by register tiles -----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace anneal::runtime::contraction {

GemmPlan::GemmPlan(const Shape &theShape, GemmChoice theChoice)
    : shape(theShape), choice(std::move(theChoice)),
      panels(choice.numRows, shape.micro().maxRows[1]),
      rowPacker(shape, choice.rowOperand(), choice.rows, shape.reduction),
      columnPacker(shape, choice.columnOperand, choice.columns, shape.reduction),
      elementBytes(shape.elementBytes()), lanes(shape.micro().lanes), panelWidth(2 * lanes) {
  products = shape.outputs * shape.steps;
  kernels = &shape.micro();
  laneShift = std::countr_zero(static_cast<uint64_t>(lanes));
  for (int rows = 1; rows <= kMaxTileRows; ++rows)
    for (int log = 0; log < kNumTileWidths; ++log)
      if (kernels->maxRows[log] >= rows)
        widestTile[static_cast<size_t>(rows)] = log;
  unit = choice.columnUnit();
  numOuter = extentOf(choice.outer);
  rowTiles = ceilDiv(panels.count, choice.tilePanels);
  columnTiles = ceilDiv(choice.numColumns / unit, choice.tileColumns);
  outerTiles = ceilDiv(numOuter, choice.tileOuter);
  tiles = outerTiles * rowTiles * columnTiles;
  planOperands();
  planScratch();
  planPacking(0);
  planPacking(1);
}

/// Strides with which kernels step through rows, columns and results.
void GemmPlan::planOperands() {
  auto inC = [](const LoopDim &dim) { return dim.c; };
  auto inInit = [](const LoopDim &dim) { return dim.init; };
  auto inRows = [&](const LoopDim &dim) {
    return dim.operand[static_cast<size_t>(choice.rowOperand())];
  };
  auto inColumns = [&](const LoopDim &dim) {
    return dim.operand[static_cast<size_t>(choice.columnOperand)];
  };
  isLinear(choice.rows, inC, cRowStride);
  isLinear(choice.rows, inInit, initRowStride);
  isLinear(choice.rows, inRows, rowStride);
  isLinear(shape.reduction, inRows, rowStep);
  if (choice.rowMode == RowMode::Strided)
    mode = MicroMode::Strided;

  columnsAlongRows = columnPacker.stepGranule() == 1 && !choice.columns.empty() &&
                     std::abs(inColumns(choice.columns.back())) == 1;

  std::vector<int64_t> storage(choice.columns.size(), 1);
  for (size_t d = choice.columns.size(); d-- > 1;)
    storage[d - 1] = storage[d] * choice.columns[d].size;
  columnStep = panelStride = panelWidth;
  if (choice.columnMode == ColumnMode::Grid) {
    grid = Grid::create(shape, choice.columnOperand, choice.columns);
    grid->layOut(choice.tileColumns);
    storage = grid->columnStorage();
    columnOffsets = grid->offsets();
    mode = MicroMode::Offsets;
  } else if (choice.columnMode == ColumnMode::Direct &&
             !isLinear(shape.reduction, inColumns, columnStep)) {
    mode = MicroMode::Offsets;
    columnOffsets.resize(static_cast<size_t>(shape.steps));
    for (int64_t k = 0; k < shape.steps; ++k) {
      int64_t rest = k;
      for (size_t d = shape.reduction.size(); d-- > 0; rest /= shape.reduction[d].size)
        columnOffsets[static_cast<size_t>(k)] +=
            rest % shape.reduction[d].size * inColumns(shape.reduction[d]);
    }
  }
  layout = ResultLayout(shape, choice.store, choice.outer, choice.rows, choice.columns, storage);
}

/// Parts of a worker's scratch: columns, rows, the results.
void GemmPlan::planScratch() {
  const int64_t tileRows = std::min(choice.numRows, choice.tilePanels * panels.height);
  int64_t span = choice.tileColumns;
  int64_t columnBytes = 0;
  if (grid) {
    span = grid->span(choice.tileColumns);
    const int64_t slices =
        std::min(grid->numSlices(), ceilDiv(choice.stepBlock, grid->stepsPerSlice()));
    // Kernels run in full vectors, so they may read beyond the last output.
    columnBytes = (slices * grid->sliceElements() + kMaxTileVectors * lanes) * elementBytes;
  } else if (choice.columnMode == ColumnMode::Packed) {
    columnBytes = ceilDiv(span, panelWidth) * panelWidth * choice.stepBlock * elementBytes;
  }
  rowScratch = alignUp(columnBytes);
  packRowsWhole = choice.rowMode == RowMode::Packed && span > choice.columnBlock;
  int64_t rowBytes = 0;
  if (choice.rowMode == RowMode::Packed)
    rowBytes = (packRowsWhole ? tileRows : panels.height) * choice.stepBlock * elementBytes;
  bufferScratch = rowScratch + alignUp(rowBytes);
  typedScratch = bufferScratch;
  bufferLd = ceilDiv(span, lanes) * lanes;
  if (choice.store == ResultStore::Buffer)
    typedScratch += alignUp(tileRows * bufferLd * elementBytes);
  scratch = static_cast<size_t>(typedScratch);
  if (layout.needsTyped())
    scratch += static_cast<size_t>(alignUp(tileRows * bufferLd * shape.resultBytes()));
}

/// Names a dimension list under an operand's strides, neighbours that are stepped through evenly as
/// one.
static std::string describeDims(const LoopDims &dims, int which, bool merge) {
  std::vector<std::pair<int64_t, int64_t>> merged;
  for (const LoopDim &dim : dims) {
    const int64_t stride = dim.operand[static_cast<size_t>(which)];
    if (merge && !merged.empty() && merged.back().second == stride * dim.size)
      merged.back() = {merged.back().first * dim.size, stride};
    else
      merged.push_back({dim.size, stride});
  }
  std::string text;
  for (auto [size, stride] : merged)
    absl::StrAppend(&text, " ", size, ":", stride);
  return text;
}

/// Layout, size and name of the packed form of a constant.
void GemmPlan::planPacking(int operand) {
  const bool isColumns = operand == choice.columnOperand;
  const bool wanted =
      isColumns ? choice.columnMode == ColumnMode::Constant : choice.rowMode == RowMode::Constant;
  std::vector<int64_t> &strides = packedStrides[static_cast<size_t>(operand)];
  strides.assign(choice.outer.size(), 0);
  if (!wanted)
    return;
  const int64_t width = isColumns ? panelWidth : 1;
  const int64_t extent = isColumns ? choice.numColumns : choice.numRows;
  int64_t elements = packedColumnElements(extent, shape.steps, width);
  LoopDims outer;
  for (size_t d = choice.outer.size(); d-- > 0;) {
    if (choice.outer[d].operand[static_cast<size_t>(operand)] == 0)
      continue;
    strides[d] = elements;
    elements *= choice.outer[d].size;
    outer.insert(outer.begin(), choice.outer[d]);
  }
  ConstantPacking &packing = packings[static_cast<size_t>(operand)];
  packing.wanted = true;
  packing.bytes = static_cast<size_t>(elements * elementBytes);
  const OperandShape &source = shape.operands[static_cast<size_t>(operand)];
  packing.layout = absl::StrCat(
      isColumns ? "columns" : "rows", isColumns ? panelWidth : shape.micro().maxRows[1], " ",
      source.reader.name(), " outer", describeDims(outer, operand, true), " side",
      describeDims(isColumns ? choice.columns : choice.rows, operand, true), " steps",
      describeDims(shape.reduction, operand, true));
}

void GemmPlan::pack(int operand, const void *source, void *packed) const {
  const bool isColumns = operand == choice.columnOperand;
  const PanelPacker &packer = isColumns ? columnPacker : rowPacker;
  const OperandShape &from = shape.operands[static_cast<size_t>(operand)];
  const std::vector<int64_t> &strides = packedStrides[static_cast<size_t>(operand)];
  const AxisPositions positions = axisOrigin(from);
  int64_t index[kMaxDims] = {};
  while (true) {
    int64_t offset = from.origin, target = 0;
    for (size_t d = 0; d < choice.outer.size(); ++d) {
      offset += index[d] * choice.outer[d].operand[static_cast<size_t>(operand)];
      target += index[d] * strides[d];
    }
    const char *base = static_cast<const char *>(source) + offset * from.reader.sourceBytes();
    char *to = static_cast<char *>(packed) + target * elementBytes;
    if (isColumns)
      packColumnPanels(to, base, positions, 0, choice.numColumns, 0, shape.steps);
    else
      for (int64_t panel = 0; panel < panels.count; ++panel)
        packer.pack(to + panels.begin(panel) * shape.steps * elementBytes, panels.rows(panel), base,
                    positions, panels.begin(panel), panels.rows(panel), 0, shape.steps);
    size_t d = choice.outer.size();
    while (d-- > 0) {
      if (strides[d] == 0)
        continue;
      if (++index[d] < choice.outer[d].size)
        break;
      index[d] = 0;
    }
    if (d + 1 == 0)
      return;
  }
}

/// Packs columns [begin, end) into panels, the last one filled up with zeros. Takes a few steps of
/// all panels at a time, so that an operand whose rows are columns here is read along its rows.
void GemmPlan::packColumnPanels(char *to, const char *base, const AxisPositions &positions,
                                int64_t begin, int64_t end, int64_t stepBegin,
                                int64_t stepEnd) const {
  constexpr int64_t chunkSteps = 16;
  const int64_t steps = stepEnd - stepBegin;
  const int64_t chunk = columnsAlongRows ? chunkSteps : steps;
  for (int64_t step = 0; step < steps; step += chunk) {
    const int64_t stop = std::min(steps, step + chunk);
    for (int64_t column = begin; column < end; column += panelWidth) {
      const int64_t count = std::min(panelWidth, end - column);
      char *panel = to + ((column - begin) * steps + step * panelWidth) * elementBytes;
      columnPacker.pack(panel, panelWidth, base, positions, column, count, stepBegin + step,
                        stepBegin + stop);
      for (int64_t k = 0; count < panelWidth && k < stop - step; ++k)
        std::memset(panel + (k * panelWidth + count) * elementBytes, 0,
                    static_cast<size_t>((panelWidth - count) * elementBytes));
    }
  }
}

std::string GemmPlan::describe() const {
  static constexpr const char *columnModes[] = {"constant", "packed", "direct", "grid"};
  static constexpr const char *rowModes[] = {"constant", "packed", "contiguous", "strided"};
  static constexpr const char *inits[] = {"value", "rows", "tile", "placed", "hook"};
  const auto isa = std::string(name(shape.isa));
  return absl::StrCat(
      "gemm ", isa, " columns ", choice.columnOperand == 0 ? "A " : "B ", choice.numColumns, " ",
      columnModes[static_cast<int>(choice.columnMode)], ", rows ", choice.numRows, " ",
      rowModes[static_cast<int>(choice.rowMode)], ", steps ", shape.steps, " in ", choice.stepBlock,
      ", outer ", numOuter, ", tile ", choice.tilePanels, "x", panels.height, " rows ",
      choice.tileColumns, "x", choice.columnUnit(), " columns ", choice.tileOuter,
      " outer, result in ", choice.store == ResultStore::Tensor ? "tensor" : "buffer", ", init ",
      inits[static_cast<int>(choice.init)], ", tiles ", tiles);
}

std::unique_ptr<PlanBase> makeGemmPlan(const Shape &shape) {
  return std::make_unique<GemmPlan>(shape, chooseGemm(shape));
}

} // namespace anneal::runtime::contraction
