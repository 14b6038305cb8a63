//===- LanesPlan.cpp - Matrix-vector products and dots --------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ReductionOrder::Lanes16. One input is the matrix (it has output dimensions of its own), the other
// the vector. A block of outputs keeps its 16 lanes in scratch while blocks of steps go by; the
// lanes are then summed and added to the initial values.
//
//===----------------------------------------------------------------------===//

#include "PanelPacker.h"
#include "PlanBase.h"
#include "Result.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace anneal::runtime::contraction {
namespace {

constexpr int64_t kLaneCount = 16;
/// Outputs that share a pass over a block of the vector: by rows of the matrix, by columns.
constexpr int64_t kBlockRows = 64, kBlockColumns = 256;
/// Steps in a block where elements are copied first; a multiple of the lanes.
constexpr int64_t kStepBlock = 1024;
/// Elements of the matrix that make a tile worth a thread.
constexpr double kTileElements = 128 * 1024;

/// How the matrix is read.
enum class MatrixMode : uint8_t {
  Rows,    ///< contiguous along the steps
  Columns, ///< contiguous along the outputs
  Copied   ///< rows are copied, step block by step block
};

class LanesPlan final : public PlanBase {
public:
  explicit LanesPlan(const Shape &theShape);

  void pack(int, const void *, void *) const override {}
  void run(int64_t begin, int64_t end, const ContractionOperands &operands, char *scratchBase,
           const TileHooks &hooks) const override;
  std::string describe() const override;

private:
  /// Elements of the operands at an outer point, and their places on the axes.
  struct Point {
    const char *matrix, *vector;
    AxisPositions matrixPositions, vectorPositions;
    int64_t index[kMaxDims];
    ResultTile tile;
  };

  void chooseModes();
  void planScratch();
  void locate(int64_t outer, const ContractionOperands &operands, Point &point) const;
  void runBlock(const Point &point, char *scratchBase) const;
  void accumulate(const Point &point, int64_t stepBegin, int64_t stepEnd, char *scratchBase) const;
  void copyRows(const Point &point, int64_t stepBegin, int64_t stepEnd, char *to) const;
  void addSums(const Point &point, char *scratchBase) const;

  Shape shape;
  int matrixOperand = 0;
  LoopDims outer, outputs;
  MatrixMode mode = MatrixMode::Copied;
  bool copyVector = false;
  PanelPacker matrixPacker, vectorPacker;
  ResultLayout layout;
  int64_t numOuter = 1, numOutputs = 1, bytes = 4;
  /// Elements between rows (Rows) or steps (Columns) of the matrix.
  int64_t matrixStride = 0;
  int64_t blockOutputs = kBlockRows, tileOutputs = 1, tileOuter = 1, outputTiles = 1;
  int64_t stepBlock = 0;
  /// Parts of scratch, in bytes: lanes, then these.
  int64_t sumScratch = 0, vectorScratch = 0, rowScratch = 0, bufferScratch = 0, typedScratch = 0;
};

LanesPlan::LanesPlan(const Shape &theShape) : shape(theShape), bytes(shape.elementBytes()) {
  const bool larger = extentOf(shape.sides[1]) > extentOf(shape.sides[0]);
  matrixOperand = larger ? 1 : 0;
  outputs = shape.sides[static_cast<size_t>(matrixOperand)];
  outer = shape.batch;
  const LoopDims &others = shape.sides[static_cast<size_t>(1 - matrixOperand)];
  outer.insert(outer.end(), others.begin(), others.end());
  numOuter = extentOf(outer);
  numOutputs = extentOf(outputs);
  products = shape.outputs * shape.steps;
  chooseModes();
  planScratch();

  const double elements = static_cast<double>(products);
  const double target = std::max(kTileElements, elements / 16);
  const double each = std::max(1.0, static_cast<double>(numOutputs * shape.steps));
  tileOutputs = numOutputs;
  if (each <= target)
    tileOuter = std::clamp<int64_t>(std::llround(target / each), 1, numOuter);
  else
    tileOutputs =
        std::min(numOutputs, ceilDiv(ceilDiv(numOutputs, std::llround(std::ceil(each / target))),
                                     blockOutputs) *
                                 blockOutputs);
  outputTiles = ceilDiv(numOutputs, tileOutputs);
  tiles = outputTiles * ceilDiv(numOuter, tileOuter);
}

void LanesPlan::chooseModes() {
  const size_t matrix = static_cast<size_t>(matrixOperand), vector = 1 - matrix;
  auto along = [&](const LoopDims &dims, size_t which, int64_t &step) {
    return isLinear(dims, [=](const LoopDim &dim) { return dim.operand[which]; }, step);
  };
  auto inPlace = [&](size_t which) {
    return shape.operands[which].reader.isIdentity() && !shape.operands[which].padded;
  };
  int64_t outputStep = 0, step = 0, vectorStep = 0;
  const bool even =
      inPlace(matrix) && along(outputs, matrix, outputStep) && along(shape.reduction, matrix, step);
  mode = MatrixMode::Copied;
  if (even && (step == 1 || shape.steps == 1)) {
    mode = MatrixMode::Rows;
    matrixStride = outputStep;
  } else if (even && outputStep == 1) {
    mode = MatrixMode::Columns;
    matrixStride = step;
    blockOutputs = kBlockColumns;
  }
  copyVector = !inPlace(vector) || !along(shape.reduction, vector, vectorStep) ||
               (vectorStep != 1 && shape.steps != 1);
  matrixPacker = PanelPacker(shape, matrixOperand, shape.reduction, {}, true);
  vectorPacker = PanelPacker(shape, 1 - matrixOperand, shape.reduction, {}, true);
  stepBlock =
      copyVector || mode == MatrixMode::Copied ? std::min(shape.steps, kStepBlock) : shape.steps;
}

void LanesPlan::planScratch() {
  std::vector<int64_t> storage(outputs.size(), 1);
  for (size_t d = outputs.size(); d-- > 1;)
    storage[d - 1] = storage[d] * outputs[d].size;
  layout = ResultLayout(shape, ResultStore::Buffer, outer, {}, outputs, storage);
  blockOutputs = std::min(blockOutputs, numOutputs);
  sumScratch = alignUp(kLaneCount * blockOutputs * bytes);
  vectorScratch = sumScratch + alignUp(blockOutputs * bytes);
  rowScratch = vectorScratch + (copyVector ? alignUp(stepBlock * bytes) : 0);
  bufferScratch =
      rowScratch + (mode == MatrixMode::Copied ? alignUp(blockOutputs * stepBlock * bytes) : 0);
  typedScratch = bufferScratch + alignUp(blockOutputs * bytes);
  scratch = static_cast<size_t>(typedScratch);
  if (layout.needsTyped())
    scratch += static_cast<size_t>(alignUp(blockOutputs * shape.resultBytes()));
}

void LanesPlan::locate(int64_t index, const ContractionOperands &operands, Point &point) const {
  const OperandShape &matrix = shape.operands[static_cast<size_t>(matrixOperand)];
  const OperandShape &vector = shape.operands[static_cast<size_t>(1 - matrixOperand)];
  point.matrixPositions = axisOrigin(matrix);
  point.vectorPositions = axisOrigin(vector);
  int64_t inMatrix = matrix.origin, inVector = vector.origin, c = 0, init = 0;
  for (size_t d = outer.size(); d-- > 0;) {
    const int64_t at = index % outer[d].size;
    index /= outer[d].size;
    point.index[d] = at;
    inMatrix += at * outer[d].operand[static_cast<size_t>(matrixOperand)];
    inVector += at * outer[d].operand[static_cast<size_t>(1 - matrixOperand)];
    c += at * outer[d].c;
    init += at * outer[d].init;
    for (size_t a = 0; a < matrix.axes.size(); ++a)
      point.matrixPositions[a] += at * matrix.axes[a].alongParallel(outer[d]);
    for (size_t a = 0; a < vector.axes.size(); ++a)
      point.vectorPositions[a] += at * vector.axes[a].alongParallel(outer[d]);
  }
  const void *m = matrixOperand == 0 ? operands.a : operands.b;
  const void *v = matrixOperand == 0 ? operands.b : operands.a;
  point.matrix = static_cast<const char *>(m) + inMatrix * matrix.reader.sourceBytes();
  point.vector = static_cast<const char *>(v) + inVector * vector.reader.sourceBytes();
  point.tile.outer = point.index;
  point.tile.rowEnd = 1;
  point.tile.c =
      shape.tileBuffer ? nullptr : static_cast<char *>(operands.c) + c * shape.resultBytes();
  point.tile.init = operands.init == nullptr
                        ? nullptr
                        : static_cast<const char *>(operands.init) + init * shape.resultBytes();
}

void LanesPlan::run(int64_t begin, int64_t end, const ContractionOperands &operands,
                    char *scratchBase, const TileHooks &hooks) const {
  Point point;
  point.tile.buffer = scratchBase + bufferScratch;
  point.tile.typed = scratchBase + typedScratch;
  point.tile.ld = blockOutputs;
  for (int64_t tileIndex = begin; tileIndex < end; ++tileIndex) {
    const int64_t first = tileIndex / outputTiles * tileOuter;
    const int64_t last = std::min(numOuter, first + tileOuter);
    const int64_t outputBegin = tileIndex % outputTiles * tileOutputs;
    const int64_t outputEnd = std::min(numOutputs, outputBegin + tileOutputs);
    for (int64_t index = first; index < last; ++index) {
      locate(index, operands, point);
      for (int64_t at = outputBegin; at < outputEnd; at += blockOutputs) {
        point.tile.columnBegin = at;
        point.tile.columnEnd = std::min(outputEnd, at + blockOutputs);
        layout.place(point.tile);
        if (shape.init == InitKind::Hook)
          layout.initByHook(point.tile, hooks);
        else if (shape.init == InitKind::Tensor)
          layout.initFromTensor(point.tile);
        else
          for (int64_t j = 0; j < point.tile.columnEnd - at; ++j)
            std::memcpy(point.tile.buffer + j * bytes, shape.initValue.data(),
                        static_cast<size_t>(bytes));
        runBlock(point, scratchBase);
        layout.finish(point.tile, hooks);
      }
    }
  }
}

/// One block of outputs.
void LanesPlan::runBlock(const Point &point, char *scratchBase) const {
  const int64_t count = point.tile.columnEnd - point.tile.columnBegin;
  if (shape.compute == ComputeType::F32)
    std::fill_n(reinterpret_cast<float *>(scratchBase), kLaneCount * count, -0.0f);
  else
    std::fill_n(reinterpret_cast<double *>(scratchBase), kLaneCount * count, -0.0);
  for (int64_t step = 0; step < shape.steps; step += stepBlock)
    accumulate(point, step, std::min(shape.steps, step + stepBlock), scratchBase);
  addSums(point, scratchBase);
}

/// One block of steps. It begins at a multiple of the lanes.
void LanesPlan::accumulate(const Point &point, int64_t stepBegin, int64_t stepEnd,
                           char *scratchBase) const {
  const LaneKernels &kernels = shape.kernels->lanes[static_cast<int>(shape.compute)];
  const int64_t steps = stepEnd - stepBegin, first = point.tile.columnBegin;
  const int64_t count = point.tile.columnEnd - first;
  const char *vector = point.vector + stepBegin * bytes;
  if (copyVector) {
    char *to = scratchBase + vectorScratch;
    vectorPacker.pack(to, steps, point.vector, point.vectorPositions, stepBegin, steps, 0, 1);
    vector = to;
  }
  if (mode == MatrixMode::Columns) {
    kernels.alongColumns(point.matrix + (first + stepBegin * matrixStride) * bytes, matrixStride,
                         count, vector, steps, scratchBase, count);
    return;
  }
  const char *matrix = point.matrix + (first * matrixStride + stepBegin) * bytes;
  int64_t stride = matrixStride;
  if (mode == MatrixMode::Copied) {
    char *to = scratchBase + rowScratch;
    copyRows(point, stepBegin, stepEnd, to);
    matrix = to;
    stride = steps;
  }
  kernels.alongSteps(matrix, stride, count, vector, steps, scratchBase);
}

/// Copies a block of steps of each output's row of the matrix.
void LanesPlan::copyRows(const Point &point, int64_t stepBegin, int64_t stepEnd, char *to) const {
  const size_t which = static_cast<size_t>(matrixOperand);
  const OperandShape &matrix = shape.operands[which];
  for (int64_t output = point.tile.columnBegin; output < point.tile.columnEnd; ++output) {
    int64_t rest = output, offset = 0;
    AxisPositions positions = point.matrixPositions;
    for (size_t d = outputs.size(); d-- > 0;) {
      const int64_t at = rest % outputs[d].size;
      rest /= outputs[d].size;
      offset += at * outputs[d].operand[which];
      for (size_t a = 0; a < matrix.axes.size(); ++a)
        positions[a] += at * matrix.axes[a].alongParallel(outputs[d]);
    }
    const int64_t steps = stepEnd - stepBegin;
    matrixPacker.pack(to, steps, point.matrix + offset * matrix.reader.sourceBytes(), positions,
                      stepBegin, steps, 0, 1);
    to += steps * bytes;
  }
}

/// The initial values stand in the buffer.
void LanesPlan::addSums(const Point &point, char *scratchBase) const {
  const LaneKernels &kernels = shape.kernels->lanes[static_cast<int>(shape.compute)];
  const int64_t count = point.tile.columnEnd - point.tile.columnBegin;
  void *sums = scratchBase + sumScratch;
  if (mode == MatrixMode::Columns)
    kernels.sumColumns(scratchBase, count, count, sums);
  else
    kernels.sumRows(scratchBase, count, sums);
  auto add = [count](auto *to, const auto *from) {
    for (int64_t j = 0; j < count; ++j)
      to[j] += from[j];
  };
  if (shape.compute == ComputeType::F32)
    add(reinterpret_cast<float *>(point.tile.buffer), static_cast<const float *>(sums));
  else
    add(reinterpret_cast<double *>(point.tile.buffer), static_cast<const double *>(sums));
}

std::string LanesPlan::describe() const {
  static constexpr const char *modes[] = {"rows", "columns", "copied"};
  return absl::StrCat("lanes ", std::string(name(shape.isa)), " matrix ",
                      matrixOperand == 0 ? "A " : "B ", modes[static_cast<int>(mode)], ", vector ",
                      copyVector ? "copied" : "in place", ", outputs ", numOutputs, ", steps ",
                      shape.steps, ", outer ", numOuter, ", tiles ", tiles);
}

} // namespace

std::unique_ptr<PlanBase> makeLanesPlan(const Shape &shape) {
  return std::make_unique<LanesPlan>(shape);
}

} // namespace anneal::runtime::contraction
