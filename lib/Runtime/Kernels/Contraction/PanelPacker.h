//===- PanelPacker.h - Operands into panels ---------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_PANELPACKER_H
#define ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_PANELPACKER_H

#include "Shape.h"

namespace anneal::runtime::contraction {

/// Position along each axis of an operand (OperandShape::axes).
using AxisPositions = std::array<int64_t, kMaxAxes>;

/// Positions at iteration point 0.
AxisPositions axisOrigin(const OperandShape &operand);

/// Copies parts of one operand, flattened over the dimensions of a side and over reduction steps,
/// to panels, converting elements and filling in padding.
class PanelPacker {
public:
  PanelPacker() = default;
  /// `side` are parallel dimensions or, with `sideIsReduction`, reduction dimensions too.
  PanelPacker(const Shape &shape, int which, LoopDims side, LoopDims reduction,
              bool sideIsReduction = false);

  /// to[(k - stepBegin) * toStep + i] = element at side position begin + i, step k, for i < count
  /// and steps [stepBegin, stepEnd). With several reduction dimensions the steps must be whole
  /// slices of the outermost one. `base` is the operand's element, and `positions` its place on the
  /// axes, at the outer point (side position 0, step 0).
  void pack(char *to, int64_t toStep, const char *base, const AxisPositions &positions,
            int64_t begin, int64_t count, int64_t stepBegin, int64_t stepEnd) const;

  /// Steps of one slice of the outermost reduction dimension, 1 where any range of steps will do.
  int64_t stepGranule() const;

private:
  /// A block of the operand that is evenly spaced in both directions.
  struct Block {
    char *to;
    int64_t toStep;
    const char *from;
    int64_t fromI, fromK;
    int64_t numI, numK;
    /// Change of the axis positions with i and with k.
    const int64_t *alongI;
    const int64_t *alongK;
  };
  void packRuns(char *to, int64_t toStep, const char *base, const AxisPositions &positions,
                int64_t begin, int64_t count, int64_t stepBegin, int64_t stepEnd) const;
  struct InsideStep {
    int64_t offset = 0;
    uint32_t inside = 0;
  };
  bool canPackInside() const;
  std::vector<InsideStep> stepsOfSlice(const AxisPositions &positions, int64_t begin,
                                       int64_t count) const;
  void packInside(char *to, int64_t toStep, const char *base, const AxisPositions &positions,
                  int64_t begin, int64_t count, int64_t stepBegin, int64_t stepEnd) const;
  void packRun(char *to, int64_t toStep, const char *from, const AxisPositions &positions,
               int64_t count, int64_t stepBegin, int64_t stepEnd) const;
  void packBlock(const Block &block, AxisPositions positions) const;
  void packSliding(const Block &block, AxisPositions positions) const;
  void fill(const Block &block, int64_t beginI, int64_t endI, int64_t beginK, int64_t endK) const;

  LoopDims side, reduction;
  ElementReader reader;
  int which = 0;
  int64_t targetBytes = 4;
  std::array<char, 8> pad = {};
  /// Axes that leave their bounds: which they are, and their sizes.
  int numAxes = 0;
  std::array<int, kMaxAxes> axisIndex = {};
  std::array<int64_t, kMaxAxes> axisSize = {};
  /// Positions of the side, and steps, are evenly spaced and nothing is padded: one copy does it
  /// all.
  bool even = false;
  int64_t sideStep = 0, reductionStep = 0;
  /// Positions of the side are neighbours, but for padding, and slices move no axis.
  bool isInsideSide = false;
  /// [dimension][axis]
  std::vector<std::array<int64_t, kMaxAxes>> sideMoves, reductionMoves;
};

/// The t in [0, count) for which 0 <= position + t * move < size.
struct Interval {
  int64_t begin, end;
};
Interval insideRange(int64_t position, int64_t move, int64_t size, int64_t count);

} // namespace anneal::runtime::contraction

#endif // ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_PANELPACKER_H
