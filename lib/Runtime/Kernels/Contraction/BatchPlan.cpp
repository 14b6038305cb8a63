//===- BatchPlan.cpp - Lanes along a dimension of all operands ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions in which A, B and C are contiguous along one shared dimension, above all depthwise
// convolution with channels last. Output points that share B are taken four at a time; for every
// step and point a pointer says where the vector of A begins, or that it is padding.
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

/// Steps for which offsets are kept; longer reductions are left to the general plan.
constexpr int64_t kMaxSteps = 4096;
/// Work of a tile that is worth a thread, in multiply-adds of vectors.
constexpr double kTileVectors = 16 * 1024;

/// Where the vectors of one input begin, step by step.
struct StepOffsets {
  std::vector<int64_t> offset;
  std::vector<AxisPositions> positions;
};

class BatchPlan final : public PlanBase {
public:
  BatchPlan(const Shape &theShape, const LoopDim &theLane);

  void pack(int, const void *, void *) const override {}
  void run(int64_t begin, int64_t end, const ContractionOperands &operands, char *scratchBase,
           const TileHooks &hooks) const override;
  std::string describe() const override;

private:
  /// An outer point: the first elements of the inputs (point dimensions at 0, lane 0), their
  /// places.
  struct Place {
    std::array<const char *, 2> base;
    std::array<AxisPositions, 2> positions;
    int64_t index[kMaxDims];
    ResultTile tile;
  };

  void planSteps(int which);
  void planTiles();
  void locate(int64_t outerIndex, const ContractionOperands &operands, Place &place) const;
  void runPoints(const Place &place, int64_t first, int64_t count, char *scratchBase) const;
  const void *vectorAt(const Place &place, int which, int64_t offset, const AxisPositions &moved,
                       const StepOffsets &steps, int64_t step, const char *padding) const;
  char *resultAt(const Place &place, int64_t point) const;
  const void *initAt(const Place &place, int64_t point, const char *result) const;

  Shape shape;
  LoopDim lane;
  /// The input that the points move; the other one is shared by all points.
  int pointOperand = 0;
  LoopDims outer, points;
  ResultStore store = ResultStore::Tensor;
  ResultLayout layout;
  std::array<StepOffsets, 2> steps;
  bool placed = false;
  int64_t bytes = 4, numOuter = 1, numPoints = 1, tilePoints = 1, tileOuter = 1, pointTiles = 1;
  int64_t bufferLd = 0;
  /// Parts of scratch, in bytes: pointers, then these.
  int64_t paddingScratch = 0, bufferScratch = 0;
};

BatchPlan::BatchPlan(const Shape &theShape, const LoopDim &theLane)
    : shape(theShape), lane(theLane), bytes(shape.elementBytes()) {
  pointOperand = extentOf(shape.sides[1]) > extentOf(shape.sides[0]) ? 1 : 0;
  points = shape.sides[static_cast<size_t>(pointOperand)];
  for (const LoopDim &dim : shape.batch)
    if (dim.origin != lane.origin)
      outer.push_back(dim);
  const LoopDims &others = shape.sides[static_cast<size_t>(1 - pointOperand)];
  outer.insert(outer.end(), others.begin(), others.end());
  numOuter = extentOf(outer);
  numPoints = extentOf(points);
  products = shape.outputs * shape.steps;
  store = shape.tileBuffer ? ResultStore::Buffer : ResultStore::Tensor;
  placed = shape.init == InitKind::Tensor && lane.init != 0 && lane.init != 1;
  layout = ResultLayout(shape, store, outer, points, {lane}, {1});
  planSteps(0);
  planSteps(1);
  planTiles();
}

void BatchPlan::planSteps(int which) {
  const OperandShape &operand = shape.operands[static_cast<size_t>(which)];
  StepOffsets &result = steps[static_cast<size_t>(which)];
  for (int64_t step = 0; step < shape.steps; ++step) {
    int64_t rest = step, offset = 0;
    AxisPositions positions = {};
    for (size_t d = shape.reduction.size(); d-- > 0;) {
      const LoopDim &dim = shape.reduction[d];
      const int64_t at = rest % dim.size;
      rest /= dim.size;
      offset += at * dim.operand[static_cast<size_t>(which)];
      for (size_t a = 0; a < operand.axes.size(); ++a)
        positions[a] += at * operand.axes[a].alongReduction(dim);
    }
    result.offset.push_back(offset * bytes);
    result.positions.push_back(positions);
  }
}

void BatchPlan::planTiles() {
  const double vectors = static_cast<double>(ceilDiv(lane.size, shape.micro().lanes)) *
                         static_cast<double>(std::max<int64_t>(shape.steps, 1));
  const double total = vectors * static_cast<double>(numPoints) * static_cast<double>(numOuter);
  const double target = std::max(kTileVectors, total / 16);
  const double each = vectors * static_cast<double>(numPoints);
  tilePoints = numPoints;
  if (each <= target)
    tileOuter = std::clamp<int64_t>(std::llround(target / each), 1, numOuter);
  else
    tilePoints = std::clamp<int64_t>(
        ceilDiv(std::llround(target / vectors), kMaxBatchPoints) * kMaxBatchPoints, 1, numPoints);
  if (store == ResultStore::Buffer) {
    // The buffer of a tile stays in the second-level cache.
    const int64_t most = std::max<int64_t>(1, 256 * 1024 / (lane.size * bytes));
    tilePoints = std::min(tilePoints, most);
  }
  pointTiles = ceilDiv(numPoints, tilePoints);
  tiles = pointTiles * ceilDiv(numOuter, tileOuter);

  paddingScratch =
      alignUp(shape.steps * (kMaxBatchPoints + 1) * static_cast<int64_t>(sizeof(void *)));
  bufferScratch = paddingScratch + 2 * alignUp(lane.size * bytes);
  bufferLd = alignUp(lane.size * bytes) / bytes;
  scratch = static_cast<size_t>(bufferScratch);
  if (store == ResultStore::Buffer)
    scratch += static_cast<size_t>(tilePoints * bufferLd * bytes);
}

void BatchPlan::locate(int64_t outerIndex, const ContractionOperands &operands,
                       Place &place) const {
  std::array<int64_t, 2> at = {shape.operands[0].origin, shape.operands[1].origin};
  place.positions = {axisOrigin(shape.operands[0]), axisOrigin(shape.operands[1])};
  int64_t c = 0, init = 0;
  for (size_t d = outer.size(); d-- > 0;) {
    const int64_t index = outerIndex % outer[d].size;
    outerIndex /= outer[d].size;
    place.index[d] = index;
    c += index * outer[d].c;
    init += index * outer[d].init;
    for (size_t which = 0; which < 2; ++which) {
      at[which] += index * outer[d].operand[which];
      const std::vector<Axis> &axes = shape.operands[which].axes;
      for (size_t a = 0; a < axes.size(); ++a)
        place.positions[which][a] += index * axes[a].alongParallel(outer[d]);
    }
  }
  place.base = {static_cast<const char *>(operands.a) + at[0] * bytes,
                static_cast<const char *>(operands.b) + at[1] * bytes};
  place.tile.outer = place.index;
  place.tile.c = shape.tileBuffer ? nullptr : static_cast<char *>(operands.c) + c * bytes;
  place.tile.init =
      operands.init == nullptr ? nullptr : static_cast<const char *>(operands.init) + init * bytes;
}

void BatchPlan::run(int64_t begin, int64_t end, const ContractionOperands &operands,
                    char *scratchBase, const TileHooks &hooks) const {
  for (size_t which = 0; which < 2; ++which)
    if (shape.operands[which].padded)
      for (int64_t j = 0; j < lane.size; ++j)
        std::memcpy(scratchBase + paddingScratch +
                        static_cast<int64_t>(which) * alignUp(lane.size * bytes) + j * bytes,
                    shape.operands[which].pad.data(), static_cast<size_t>(bytes));
  Place place;
  place.tile.buffer = scratchBase + bufferScratch;
  place.tile.ld = bufferLd;
  place.tile.columnEnd = lane.size;
  for (int64_t tileIndex = begin; tileIndex < end; ++tileIndex) {
    const int64_t first = tileIndex / pointTiles * tileOuter;
    const int64_t last = std::min(numOuter, first + tileOuter);
    place.tile.rowBegin = tileIndex % pointTiles * tilePoints;
    place.tile.rowEnd = std::min(numPoints, place.tile.rowBegin + tilePoints);
    layout.place(place.tile);
    for (int64_t index = first; index < last; ++index) {
      locate(index, operands, place);
      if (shape.init == InitKind::Hook)
        layout.initByHook(place.tile, hooks);
      else if (placed)
        layout.initFromTensor(place.tile);
      for (int64_t point = place.tile.rowBegin; point < place.tile.rowEnd; point += kMaxBatchPoints)
        runPoints(place, point, std::min<int64_t>(kMaxBatchPoints, place.tile.rowEnd - point),
                  scratchBase);
      if (store == ResultStore::Buffer || hooks.finish)
        layout.finish(place.tile, hooks);
    }
  }
}

/// The vector of an input at a step, `offset` bytes and `moved` axis positions from the outer
/// point.
const void *BatchPlan::vectorAt(const Place &place, int which, int64_t offset,
                                const AxisPositions &moved, const StepOffsets &stepsOf,
                                int64_t step, const char *padding) const {
  const size_t k = static_cast<size_t>(step);
  const OperandShape &operand = shape.operands[static_cast<size_t>(which)];
  for (size_t a = 0; operand.padded && a < operand.axes.size(); ++a) {
    const int64_t position = moved[a] + stepsOf.positions[k][a];
    if (position < 0 || position >= operand.axes[a].size)
      return padding;
  }
  return place.base[static_cast<size_t>(which)] + offset + stepsOf.offset[k];
}

char *BatchPlan::resultAt(const Place &place, int64_t point) const {
  if (store == ResultStore::Buffer)
    return place.tile.buffer + (point - place.tile.rowBegin) * bufferLd * bytes;
  int64_t offset = 0;
  for (size_t d = points.size(); d-- > 0; point /= points[d].size)
    offset += point % points[d].size * points[d].c;
  return place.tile.c + offset * bytes;
}

const void *BatchPlan::initAt(const Place &place, int64_t point, const char *result) const {
  if (shape.init == InitKind::Value)
    return shape.initValue.data();
  if (shape.init == InitKind::Hook || placed)
    return result;
  int64_t offset = 0;
  for (size_t d = points.size(); d-- > 0; point /= points[d].size)
    offset += point % points[d].size * points[d].init;
  return place.tile.init + offset * bytes;
}

/// A few points that share the vectors of the other input.
void BatchPlan::runPoints(const Place &place, int64_t first, int64_t count,
                          char *scratchBase) const {
  const void **a = reinterpret_cast<const void **>(scratchBase);
  const void **b = a + shape.steps * kMaxBatchPoints;
  const int other = 1 - pointOperand;
  const int64_t paddingStride = alignUp(lane.size * bytes);
  const char *padding = scratchBase + paddingScratch;
  const size_t moving = static_cast<size_t>(pointOperand);
  void *results[kMaxBatchPoints];
  const void *inits[kMaxBatchPoints];
  for (int64_t p = 0; p < count; ++p) {
    int64_t rest = first + p, offset = 0;
    AxisPositions moved = place.positions[moving];
    for (size_t d = points.size(); d-- > 0; rest /= points[d].size) {
      const int64_t at = rest % points[d].size;
      offset += at * points[d].operand[moving];
      for (size_t axis = 0; axis < shape.operands[moving].axes.size(); ++axis)
        moved[axis] += at * shape.operands[moving].axes[axis].alongParallel(points[d]);
    }
    for (int64_t k = 0; k < shape.steps; ++k)
      a[k * count + p] = vectorAt(place, pointOperand, offset * bytes, moved, steps[moving], k,
                                  padding + pointOperand * paddingStride);
    char *result = resultAt(place, first + p);
    results[p] = result;
    inits[p] = initAt(place, first + p, result);
  }
  for (int64_t k = 0; k < shape.steps; ++k)
    b[k] = vectorAt(place, other, 0, place.positions[static_cast<size_t>(other)],
                    steps[static_cast<size_t>(other)], k, padding + other * paddingStride);
  BatchArgs args = {};
  args.a = a;
  args.b = b;
  args.points = count;
  args.steps = shape.steps;
  args.columns = lane.size;
  args.c = results;
  args.init = inits;
  args.initBroadcast = shape.init == InitKind::Value ||
                       (shape.init == InitKind::Tensor && !placed && lane.init == 0);
  shape.kernels->batch[static_cast<int>(shape.compute)](args);
}

std::string BatchPlan::describe() const {
  return absl::StrCat("batch ", std::string(name(shape.isa)), " lanes ", lane.size, ", points of ",
                      pointOperand == 0 ? "A " : "B ", numPoints, ", steps ", shape.steps,
                      ", outer ", numOuter, ", tiles ", tiles);
}

} // namespace

std::unique_ptr<PlanBase> makeBatchPlan(const Shape &shape) {
  if (!shape.directResult() || shape.steps == 0 || shape.steps > kMaxSteps ||
      shape.order != ReductionOrder::Chain)
    return nullptr;
  for (const OperandShape &operand : shape.operands)
    if (!operand.reader.isIdentity())
      return nullptr;
  for (const LoopDims &side : shape.sides)
    for (const LoopDim &dim : side)
      if (std::abs(dim.c) == 1)
        return nullptr;
  for (const LoopDim &dim : shape.batch) {
    const bool contiguous = dim.c == 1 && dim.operand[0] == 1 && dim.operand[1] == 1;
    bool moves = false;
    for (const OperandShape &operand : shape.operands)
      for (const Axis &axis : operand.axes)
        moves |= axis.leaves && axis.alongParallel(dim) != 0;
    if (contiguous && !moves && dim.size * 2 >= shape.micro().lanes)
      return std::make_unique<BatchPlan>(shape, dim);
  }
  return nullptr;
}

} // namespace anneal::runtime::contraction
