//===- Boxes.cpp - Moving boxes of elements -------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StripLoop.h"

#include <algorithm>

using namespace anneal;
using plan::Opcode;

namespace anneal::runtime::interpreter {

bool isDense(const int64_t *extents, const int64_t *strides, size_t rank) {
  int64_t expected = 1;
  for (size_t d = rank; d-- > 0; expected *= extents[d])
    if (strides[d] != expected && extents[d] != 1)
      return false;
  return true;
}

namespace {

/// Two innermost loops of a box that a transposing move serves better than rows: the outer one is
/// the contiguous one.
bool isTransposed(const int64_t *extents, const int64_t *strides, size_t rank) {
  return rank >= 2 && strides[rank - 2] == 1 && strides[rank - 1] != 0 && strides[rank - 1] != 1 &&
         extents[rank - 2] > 1;
}

int64_t elementsOf(const int64_t *extents, size_t rank) {
  int64_t count = 1;
  for (size_t d = 0; d < rank; ++d)
    count *= extents[d];
  return count;
}

} // namespace

void loadBox(const StripMoves &moves, size_t elementSize, char *strip, const char *box,
             const int64_t *extents, const int64_t *strides, size_t rank) {
  if (rank == 0)
    return moves.copy(strip, box, 1);
  size_t inner = static_cast<size_t>(extents[rank - 1]);
  if (rank == 2 && isTransposed(extents, strides, rank))
    return moves.transpose(strip, extents[1], box, strides[1], inner,
                           static_cast<size_t>(extents[0]));
  if (rank == 2 && strides[1] == 1)
    return moves.copyRows(strip, extents[1], box, strides[0], static_cast<size_t>(extents[0]),
                          inner);
  if (rank == 2 && strides[1] == 0 && inner > 1)
    return moves.splatRows(strip, box, strides[0], static_cast<size_t>(extents[0]), inner);
  if (rank == 1) {
    if (strides[0] == 1)
      moves.copy(strip, box, inner);
    else if (strides[0] == 0)
      moves.splat(strip, box, inner);
    else
      moves.gatherStrided(strip, box, strides[0], inner);
    return;
  }
  int64_t size = static_cast<int64_t>(elementSize);
  int64_t step = elementsOf(extents + 1, rank - 1) * size;
  for (int64_t i = 0; i < extents[0]; ++i)
    loadBox(moves, elementSize, strip + i * step, box + i * strides[0] * size, extents + 1,
            strides + 1, rank - 1);
}

void storeBox(const StripMoves &moves, size_t elementSize, char *box, const int64_t *extents,
              const int64_t *strides, size_t rank, const char *strip) {
  if (rank == 0)
    return moves.copy(box, strip, 1);
  size_t inner = static_cast<size_t>(extents[rank - 1]);
  if (isDense(extents, strides, rank))
    return moves.copy(box, strip, static_cast<size_t>(elementsOf(extents, rank)));
  if (rank == 2 && isTransposed(extents, strides, rank))
    return moves.transpose(box, strides[1], strip, extents[1], static_cast<size_t>(extents[0]),
                           inner);
  if (rank == 2 && strides[1] == 1)
    return moves.copyRows(box, strides[0], strip, extents[1], static_cast<size_t>(extents[0]),
                          inner);
  if (rank == 1)
    return moves.scatterStrided(box, strides[0], strip, inner);
  int64_t size = static_cast<int64_t>(elementSize);
  int64_t step = elementsOf(extents + 1, rank - 1) * size;
  for (int64_t i = 0; i < extents[0]; ++i)
    storeBox(moves, elementSize, box + i * strides[0] * size, extents + 1, strides + 1, rank - 1,
             strip + i * step);
}

void splatBox(const StripMoves &moves, size_t elementSize, char *box, const int64_t *extents,
              const int64_t *strides, size_t rank, const char *value) {
  if (isDense(extents, strides, rank))
    return moves.splat(box, value, static_cast<size_t>(elementsOf(extents, rank)));
  int64_t size = static_cast<int64_t>(elementSize);
  for (int64_t i = 0; i < extents[0]; ++i)
    splatBox(moves, elementSize, box + i * strides[0] * size, extents + 1, strides + 1, rank - 1,
             value);
}

namespace {

/// Nanoseconds of one element of an operation on 32-bit values.
double operationCost(const plan::Instr &instr) {
  constexpr double kCheap = 0.05, kDivision = 0.3, kMath = 0.5, kSlowMath = 1.5, kScalar = 3;
  switch (instr.op) {
  case Opcode::DivF:
  case Opcode::Sqrt:
  case Opcode::Rsqrt:
  case Opcode::Gather:
    return kDivision;
  case Opcode::Exp:
  case Opcode::Exp2:
  case Opcode::Tanh:
  case Opcode::Erf:
  case Opcode::Log:
    return kMath;
  case Opcode::DivSI:
  case Opcode::DivUI:
  case Opcode::CeilDivSI:
  case Opcode::CeilDivUI:
  case Opcode::FloorDivSI:
  case Opcode::RemSI:
  case Opcode::RemUI:
  case Opcode::RemF:
    return kScalar;
  default:
    break;
  }
  plan::OpClass opClass = plan::classOf(instr.op);
  bool isMath = instr.op >= Opcode::Acos && instr.op <= Opcode::PowF && instr.op != Opcode::Ceil &&
                instr.op != Opcode::Floor && instr.op != Opcode::Round &&
                instr.op != Opcode::RoundEven && instr.op != Opcode::Trunc &&
                instr.op != Opcode::CopySign;
  return isMath || opClass == plan::OpClass::FloatInt ? kSlowMath : kCheap;
}

} // namespace

double estimateCost(const plan::Body &body, absl::Span<const plan::Reg> results) {
  absl::InlinedVector<bool, 32> read = registersRead(body, results);
  double cost = 0;
  for (const plan::Instr &instr : body.instrs)
    if (isLive(instr, read))
      cost += operationCost(instr) * static_cast<double>(plan::sizeOf(instr.type)) / 4;
  return cost;
}

namespace {

/// Nanoseconds of the work around the operations for the whole nest, if strips begin at loop
/// `first`.
double overheadOf(const Nest &nest, size_t first, int64_t inner, int64_t maxStrip,
                  size_t numSteps) {
  constexpr double kStep = 4, kStream = 4, kStrip = 8;
  constexpr double kRow = 3, kCopied = 0.04, kStrided = 0.5;
  size_t rank = nest.sizes.size() - first;
  int64_t points = elementsOf(nest.sizes.data(), nest.sizes.size());
  int64_t rows = std::max<int64_t>(1, std::min(nest.sizes[first], maxStrip / inner));
  double strips = static_cast<double>(points) / static_cast<double>(rows * inner);
  double perStrip = kStrip + kStep * static_cast<double>(numSteps);
  double perPoint = 0;
  DimVec extents(nest.sizes.begin() + static_cast<ptrdiff_t>(first), nest.sizes.end());
  extents[0] = rows;
  for (const Stream &stream : nest.streams) {
    perStrip += kStream;
    const int64_t *strides = stream.strides.data() + first;
    bool uniform = std::all_of(strides, strides + rank, [](int64_t s) { return s == 0; });
    if (uniform || isDense(extents.data(), strides, rank))
      continue;
    // What does not depend on the loops outside is brought in once.
    bool kept = stream.kind != Stream::Kind::Write &&
                std::all_of(stream.strides.data(), strides + 1, [](int64_t s) { return s == 0; });
    if (kept)
      continue;
    bool rowwise = strides[rank - 1] == 1 || strides[rank - 1] == 0 ||
                   isTransposed(extents.data(), strides, rank);
    perPoint += (rowwise ? kCopied : kStrided) + kRow / static_cast<double>(extents[rank - 1]);
  }
  return strips * perStrip + static_cast<double>(points) * perPoint;
}

} // namespace

StripShape chooseStrip(const Nest &nest, size_t firstLoop, size_t numSteps) {
  // Strips of all live values of a body together should stay in a 32 KiB cache.
  constexpr int64_t kStripBytes = 4096;
  size_t widest = 1;
  for (const Stream &stream : nest.streams)
    widest = std::max(widest, stream.elementSize);
  StripShape shape;
  int64_t maxStrip = kStripBytes / static_cast<int64_t>(std::max<size_t>(widest, 4));
  shape.maxStrip = static_cast<size_t>(maxStrip);
  size_t numLoops = nest.sizes.size();
  if (numLoops <= firstLoop)
    return {numLoops, shape.maxStrip, 1};
  double best = 0;
  int64_t inner = 1;
  for (size_t d = numLoops; d-- > firstLoop && inner <= maxStrip; inner *= nest.sizes[d]) {
    double cost = overheadOf(nest, d, inner, maxStrip, numSteps);
    if (d + 1 < numLoops && cost >= best)
      continue;
    best = cost;
    shape.stripLoop = d;
    // Strips of equal length.
    int64_t most = std::max<int64_t>(1, maxStrip / inner);
    int64_t strips = (nest.sizes[d] + most - 1) / most;
    shape.rows = (nest.sizes[d] + strips - 1) / strips;
  }
  if (shape.stripLoop + 1 == numLoops)
    shape.rows = std::min((shape.rows + 63) / 64 * 64, maxStrip);
  return shape;
}

} // namespace anneal::runtime::interpreter
