//===- PanelPacker.cpp - Operands into panels -----------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PanelPacker.h"

#include <algorithm>
#include <cstring>

namespace anneal::runtime::contraction {

/// Of a panel, what stays in the first-level cache beside its source.
static constexpr int64_t kNearBytes = 12 * 1024;
/// Positions that PackInsideFn takes.
static constexpr int64_t kInsideLanes = 16;

/// For b > 0; narrow divisions are several times faster.
static int64_t floorDiv(int64_t a, int64_t b) {
  if (b == 1)
    return a;
  if (a == static_cast<int32_t>(a) && b == static_cast<int32_t>(b)) {
    const int32_t narrow = static_cast<int32_t>(a), by = static_cast<int32_t>(b);
    return narrow / by - (narrow % by < 0);
  }
  return a / b - (a % b < 0);
}

Interval insideRange(int64_t position, int64_t move, int64_t size, int64_t count) {
  if (move == 0)
    return position >= 0 && position < size ? Interval{0, count} : Interval{0, 0};
  int64_t begin, end;
  if (move > 0) {
    begin = -floorDiv(position, move);
    end = floorDiv(size - 1 - position, move) + 1;
  } else {
    begin = -floorDiv(size - 1 - position, -move);
    end = floorDiv(position, -move) + 1;
  }
  begin = std::clamp<int64_t>(begin, 0, count);
  return {begin, std::clamp(end, begin, count)};
}

PanelPacker::PanelPacker(const Shape &shape, int which, LoopDims sideDims, LoopDims reductionDims,
                         bool sideIsReduction)
    : side(std::move(sideDims)), reduction(std::move(reductionDims)),
      reader(shape.operands[which].reader), which(which), targetBytes(shape.elementBytes()),
      pad(shape.operands[which].pad) {
  sideMoves.resize(side.size());
  reductionMoves.resize(reduction.size());
  const std::vector<Axis> &axes = shape.operands[which].axes;
  for (size_t index = 0; index < axes.size(); ++index) {
    const Axis &axis = axes[index];
    if (!axis.leaves)
      continue;
    axisIndex[numAxes] = static_cast<int>(index);
    axisSize[numAxes] = axis.size;
    for (size_t d = 0; d < side.size(); ++d)
      sideMoves[d][numAxes] =
          sideIsReduction ? axis.alongReduction(side[d]) : axis.alongParallel(side[d]);
    for (size_t d = 0; d < reduction.size(); ++d)
      reductionMoves[d][numAxes] = axis.alongReduction(reduction[d]);
    ++numAxes;
  }
  auto inOperand = [which](const LoopDim &dim) { return dim.operand[static_cast<size_t>(which)]; };
  isInsideSide =
      numAxes > 0 && canPackInside() && isLinear(side, inOperand, sideStep) && sideStep == 1;
  even = numAxes == 0 && isLinear(side, inOperand, sideStep) &&
         isLinear(reduction, inOperand, reductionStep);
}

AxisPositions axisOrigin(const OperandShape &operand) {
  AxisPositions positions = {};
  for (size_t a = 0; a < operand.axes.size(); ++a)
    positions[a] = -operand.axes[a].low;
  return positions;
}

int64_t PanelPacker::stepGranule() const {
  return reduction.size() < 2 ? 1 : extentOf(std::span(reduction).subspan(1));
}

void PanelPacker::pack(char *to, int64_t toStep, const char *base, const AxisPositions &positions,
                       int64_t begin, int64_t count, int64_t stepBegin, int64_t stepEnd) const {
  if (even) {
    reader.pack(to, toStep,
                base + (begin * sideStep + stepBegin * reductionStep) * reader.sourceBytes(),
                sideStep, reductionStep, count, stepEnd - stepBegin);
    return;
  }
  if (isInsideSide) {
    for (int64_t done = 0; done < count; done += kInsideLanes)
      packInside(to + done * targetBytes, toStep, base, positions, begin + done,
                 std::min(kInsideLanes, count - done), stepBegin, stepEnd);
    return;
  }
  packRuns(to, toStep, base, positions, begin, count, stepBegin, stepEnd);
}

bool PanelPacker::canPackInside() const {
  if (!reader.packInside() || reduction.empty())
    return false;
  for (int a = 0; a < numAxes; ++a)
    if (reductionMoves[0][a] != 0)
      return false;
  return true;
}

/// For each step of a slice, where it is in the operand and which of `count` positions from `begin`
/// on are in it there.
std::vector<PanelPacker::InsideStep> PanelPacker::stepsOfSlice(const AxisPositions &positions,
                                                               int64_t begin, int64_t count) const {
  std::array<AxisPositions, kInsideLanes> at = {};
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = begin + i;
    for (int a = 0; a < numAxes; ++a)
      at[i][a] = positions[axisIndex[a]];
    for (size_t d = side.size(); d-- > 0;) {
      const Division place(rest, side[d].size);
      rest = place.quotient;
      for (int a = 0; a < numAxes; ++a)
        at[i][a] += place.rest * sideMoves[d][a];
    }
  }
  std::vector<InsideStep> steps(static_cast<size_t>(stepGranule()));
  for (size_t step = 0; step < steps.size(); ++step) {
    AxisPositions move = {};
    auto rest = static_cast<int64_t>(step);
    for (size_t d = reduction.size(); d-- > 1;) {
      const Division place(rest, reduction[d].size);
      rest = place.quotient;
      steps[step].offset += place.rest * reduction[d].operand[which];
      for (int a = 0; a < numAxes; ++a)
        move[a] += place.rest * reductionMoves[d][a];
    }
    for (int64_t i = 0; i < count; ++i) {
      bool isInside = true;
      for (int a = 0; a < numAxes; ++a)
        isInside &= static_cast<uint64_t>(at[i][a] + move[a]) < static_cast<uint64_t>(axisSize[a]);
      steps[step].inside |= static_cast<uint32_t>(isInside) << i;
    }
  }
  return steps;
}

/// Some positions, which are neighbours in the operand, in one vector: which of them are padding is
/// the same for all slices. Some slices at a time, so that a panel's lines are still near when the
/// next step of the window comes to them.
void PanelPacker::packInside(char *to, int64_t toStep, const char *base,
                             const AxisPositions &positions, int64_t begin, int64_t count,
                             int64_t stepBegin, int64_t stepEnd) const {
  const std::vector<InsideStep> window = stepsOfSlice(positions, begin, count);
  const auto granule = static_cast<int64_t>(window.size());
  const int64_t fromK = reduction[0].operand[which], toK = toStep * granule;
  const int64_t slicesAtOnce = std::max<int64_t>(1, kNearBytes / (toK * targetBytes));
  const int64_t end = stepEnd / granule;
  for (int64_t slice = stepBegin / granule; slice < end; slice += slicesAtOnce) {
    const int64_t slices = std::min(slicesAtOnce, end - slice);
    const char *from = base + (begin + slice * fromK) * targetBytes;
    for (const InsideStep &step : window) {
      reader.packInside()(to, toK, from + step.offset * targetBytes, fromK, step.inside, count,
                          slices, pad.data());
      to += toStep * targetBytes;
    }
    to += (slices - 1) * toK * targetBytes;
  }
}

/// Run by run along the innermost dimension of the side.
void PanelPacker::packRuns(char *to, int64_t toStep, const char *base,
                           const AxisPositions &positions, int64_t begin, int64_t count,
                           int64_t stepBegin, int64_t stepEnd) const {
  const int64_t inner = side.empty() ? 1 : side.back().size;
  while (count > 0) {
    int64_t rest = begin, offset = 0;
    AxisPositions at = {};
    for (int a = 0; a < numAxes; ++a)
      at[a] = positions[axisIndex[a]];
    for (size_t d = side.size(); d-- > 0;) {
      const Division place(rest, side[d].size);
      const int64_t index = place.rest;
      rest = place.quotient;
      offset += index * side[d].operand[which];
      for (int a = 0; a < numAxes; ++a)
        at[a] += index * sideMoves[d][a];
    }
    const int64_t run = std::min(count, inner - Division(begin, inner).rest);
    packRun(to, toStep, base + offset * reader.sourceBytes(), at, run, stepBegin, stepEnd);
    to += run * targetBytes;
    begin += run;
    count -= run;
  }
}

/// One run of the side. Blocks step along the longest reduction dimension; the others are walked.
void PanelPacker::packRun(char *to, int64_t toStep, const char *from,
                          const AxisPositions &positions, int64_t count, int64_t stepBegin,
                          int64_t stepEnd) const {
  static constexpr std::array<int64_t, kMaxAxes> still = {};
  const bool single = side.empty();
  Block block = {to,          toStep, from, single ? 1 : side.back().operand[which],
                 0,           count,  1,    single ? still.data() : sideMoves.back().data(),
                 still.data()};
  if (reduction.empty()) {
    if (stepBegin < stepEnd)
      packBlock(block, positions);
    return;
  }
  const size_t numDims = reduction.size();
  const int64_t granule = stepGranule();
  const int64_t firstSlice = stepBegin / granule, numSlices = (stepEnd - stepBegin) / granule;
  auto sizeOf = [&](size_t d) { return d == 0 ? numSlices : reduction[d].size; };
  size_t longest = 0;
  for (size_t d = 1; d < numDims; ++d)
    if (sizeOf(d) >= sizeOf(longest))
      longest = d;
  int64_t stepsOf[kMaxDims], steps = 1;
  for (size_t d = numDims; d-- > 0; steps *= reduction[d].size)
    stepsOf[d] = steps;
  block.toStep = toStep * stepsOf[longest];
  block.fromK = reduction[longest].operand[which];
  block.numK = sizeOf(longest);
  block.alongK = reductionMoves[longest].data();
  int64_t index[kMaxDims] = {};
  while (true) {
    AxisPositions at = positions;
    int64_t offset = 0, step = 0;
    for (size_t d = 0; d < numDims; ++d) {
      const int64_t position = index[d] + (d == 0 ? firstSlice : 0);
      offset += position * reduction[d].operand[which];
      step += index[d] * stepsOf[d];
      for (int a = 0; a < numAxes; ++a)
        at[a] += position * reductionMoves[d][a];
    }
    block.to = to + step * toStep * targetBytes;
    block.from = from + offset * reader.sourceBytes();
    packBlock(block, at);
    size_t d = numDims;
    while (d-- > 0) {
      if (d == longest)
        continue;
      if (++index[d] < sizeOf(d))
        break;
      index[d] = 0;
    }
    if (d + 1 == 0)
      return;
  }
}

void PanelPacker::packBlock(const Block &block, AxisPositions positions) const {
  if (numAxes == 0) {
    reader.pack(block.to, block.toStep, block.from, block.fromI, block.fromK, block.numI,
                block.numK);
    return;
  }
  Interval i = {0, block.numI}, k = {0, block.numK};
  for (int a = 0; a < numAxes; ++a) {
    const int64_t alongI = block.alongI[a], alongK = block.alongK[a];
    if (alongI != 0 && alongK != 0 && block.numI > 1 && block.numK > 1)
      return packSliding(block, positions);
    const bool isK = alongI == 0 || block.numI == 1;
    const Interval inside = isK ? insideRange(positions[a], alongK, axisSize[a], block.numK)
                                : insideRange(positions[a], alongI, axisSize[a], block.numI);
    Interval &clipped = isK ? k : i;
    clipped.begin = std::max(clipped.begin, inside.begin);
    clipped.end = std::max(clipped.begin, std::min(clipped.end, inside.end));
  }
  if (i.begin == i.end || k.begin == k.end)
    return fill(block, 0, block.numI, 0, block.numK);
  fill(block, 0, block.numI, 0, k.begin);
  fill(block, 0, i.begin, k.begin, k.end);
  fill(block, i.end, block.numI, k.begin, k.end);
  fill(block, 0, block.numI, k.end, block.numK);
  reader.pack(block.to + (k.begin * block.toStep + i.begin) * targetBytes, block.toStep,
              block.from + (i.begin * block.fromI + k.begin * block.fromK) * reader.sourceBytes(),
              block.fromI, block.fromK, i.end - i.begin, k.end - k.begin);
}

/// A block whose window slides with both directions, step by step.
void PanelPacker::packSliding(const Block &block, AxisPositions positions) const {
  Block row = block;
  row.numK = 1;
  for (int64_t k = 0; k < block.numK; ++k) {
    packBlock(row, positions);
    row.to += block.toStep * targetBytes;
    row.from += block.fromK * reader.sourceBytes();
    for (int a = 0; a < numAxes; ++a)
      positions[a] += block.alongK[a];
  }
}

template <typename T>
static void fillBlock(char *to, int64_t toStep, const char *value, int64_t numI, int64_t numK) {
  T *target = reinterpret_cast<T *>(to);
  T pad;
  std::memcpy(&pad, value, sizeof pad);
  for (int64_t k = 0; k < numK; ++k, target += toStep)
    for (int64_t i = 0; i < numI; ++i)
      target[i] = pad;
}

void PanelPacker::fill(const Block &block, int64_t beginI, int64_t endI, int64_t beginK,
                       int64_t endK) const {
  if (beginI >= endI || beginK >= endK)
    return;
  char *to = block.to + (beginK * block.toStep + beginI) * targetBytes;
  (targetBytes == 4 ? fillBlock<uint32_t> : fillBlock<uint64_t>)(to, block.toStep, pad.data(),
                                                                 endI - beginI, endK - beginK);
}

} // namespace anneal::runtime::contraction
