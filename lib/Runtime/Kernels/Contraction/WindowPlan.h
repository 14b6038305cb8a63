//===- WindowPlan.h - Depthwise convolutions along rows ---------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_WINDOWPLAN_H
#define ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_WINDOWPLAN_H

#include "PlanBase.h"
#include "Result.h"
#include "WindowShape.h"

#include <string>
#include <vector>

namespace anneal::runtime::contraction {

/// What the rows of a group of outputs read, for one number of rows in the group.
struct RowTable {
  std::vector<int64_t> offsets, weights;
  std::vector<uint8_t> spans;
  /// Of each row read, counted from the first one along the axis.
  std::vector<int64_t> positions;
};

/// Contractions in which one input has all of the output dimensions that are not shared, and a
/// window slides over them: depthwise convolution with rows of outputs that are contiguous in C. A
/// tile's part of the input is copied to planes that hold its padding too (for a stride of s along
/// the rows, dealt to s phases), or read in place where there is nothing to pad, to deal or to
/// convert. Small planes are computed for a vector of channels at once. WindowPlan.cpp plans,
/// WindowRun.cpp runs.
class WindowPlan final : public PlanBase {
public:
  WindowPlan(const Shape &theShape, const WindowShape &theWindow);

  void pack(int, const void *, void *) const override {}
  void run(int64_t begin, int64_t end, const ContractionOperands &operands, char *scratchBase,
           const TileHooks &hooks) const override;
  std::string describe() const override;

private:
  /// An outer point with its pointers and its places on the axes.
  struct Point {
    const char *input, *weights;
    AxisPositions inputPositions, weightPositions;
    int64_t index[kMaxDims];
    /// Its results and initial values, counted from those of its group.
    int64_t cOffset, initOffset, bufferOffset;
  };
  /// The outputs of a tile: planes and rows.
  struct Range {
    int64_t planeBegin, planeEnd, rowBegin, rowEnd;
  };

  const Spatial &planes() const { return window.spatial[0]; }
  const Spatial &rows() const { return window.spatial[1]; }
  const Spatial &columns() const { return window.spatial[2]; }
  const OperandShape &input() const { return shape.operands[static_cast<size_t>(window.input)]; }
  const OperandShape &weights() const {
    return shape.operands[static_cast<size_t>(1 - window.input)];
  }

  void planInput();
  void planTiles();
  void planResults();
  RowTable makeTable(int64_t numRows) const;
  void locate(int64_t outerIndex, const ContractionOperands &operands, Point &point) const;
  void copyInput(const Point &point, const Range &range, char *to) const;
  void copyPlane(const char *from, const AxisPositions &positions, const Range &range, bool inside,
                 char *to) const;
  void runRange(const Point &point, const ResultTile &tile, const Range &range,
                char *scratchBase) const;
  void runChannels(const Point &point, const ResultTile &tile, int64_t count,
                   char *scratchBase) const;
  void planChannels();
  bool hasFiniteWeights(const void *weightValues) const;
  bool startsAtNegativeZero(const WindowArgs &args) const;
  void setRows(const Point &point, int64_t row, bool leavesPaddingOut, WindowArgs &args) const;
  void setResult(const Point &point, const ResultTile &tile, const Range &range, int64_t plane,
                 int64_t row, WindowArgs &args) const;
  void runGroup(int64_t first, int64_t last, const Range &range,
                const ContractionOperands &operands, char *scratchBase,
                const TileHooks &hooks) const;

  Shape shape;
  WindowShape window;
  LoopDims outer;
  /// The innermost outer dimension: results of neighbours along it are handed over together.
  LoopDim groupDim;
  ResultLayout layout;
  PanelPacker weightPacker;
  InitMode init = InitMode::Value;
  bool inPlace = false, weightsInPlace = false, narrow = false;
  /// Rows that are zeros of the padding can be left out.
  bool skipsRows = false;
  /// Neighbours along the innermost outer dimension are computed side by side.
  bool byChannels = false;
  int64_t bytes = 4, maxRows = kWindowRows;
  /// Elements between channels, planes, rows and phases of the input as kernels read it.
  std::vector<int64_t> channelStrides;
  int64_t planeStride = 0, rowStride = 0, phaseStride = 0;
  /// Axis positions, modulo the stride, that the window's columns begin at.
  std::vector<int64_t> phases;
  std::vector<int64_t> columnOffsets;
  /// By number of rows, from 1.
  std::vector<RowTable> tables;
  /// Tiles split planes if there are several, or else rows.
  bool splitPlanes = false;
  int64_t tileSplit = 1, tileOuter = 1, splitTiles = 1, numOuter = 1;
  /// Outer points in a group.
  int64_t groupSize = 1;
  int64_t bufferLd = 0;
  /// Parts of scratch, in bytes: the weights, then these.
  int64_t inputScratch = 0, bufferScratch = 0, typedScratch = 0;
};

/// Whether all bits of a padding value are 0.
inline bool isZero(const std::array<char, 8> &value) { return value == std::array<char, 8>{}; }

} // namespace anneal::runtime::contraction

#endif // ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_WINDOWPLAN_H
