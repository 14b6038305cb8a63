//===- Grid.h - Windowed operands as dense padded planes --------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution whose lanes run along output positions reads each input element once for every
// position of its window. Instead of unfolding the input that many times, a tile's part of it is
// copied once, with its padding, to planes in which output positions that are neighbours stand side
// by side (for a stride of s, each axis is dealt to s phases). Then the vector of step k for any
// run of outputs, across ends of rows too, is a contiguous load at an offset that depends on k
// alone; a few surplus outputs between rows are computed and dropped.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_GRID_H
#define ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_GRID_H

#include "PanelPacker.h"

namespace anneal::runtime::contraction {

/// The layout of such planes for one operand.
class Grid {
public:
  /// Steps and column dimensions for which a grid is made.
  static constexpr int64_t kMaxSteps = 1 << 16;
  static constexpr size_t kMaxSpatial = 3;

  /// The grid for tiles that have all outputs. Nothing where columns do not each move along an axis
  /// of their own. Cheap; before copy() or offsets(), layOut() must have been called.
  static std::optional<Grid> create(const Shape &shape, int which, const LoopDims &columns);

  /// Lays planes out for tiles of `tileOuter` positions of the outermost column dimension.
  void layOut(int64_t tileOuter);

  /// Offset of each step from the beginning of the planes of slice 0.
  const std::vector<int64_t> &offsets() const { return stepOffsets; }
  /// About how many elements are copied for one outer point, and to how many planes.
  int64_t numCopied() const { return numPlanes() * planeElements; }
  int64_t numPlanes() const;
  /// Elements between neighbours along each column dimension.
  const std::vector<int64_t> &columnStorage() const { return storage; }
  /// Elements that `outer` positions of the outermost column dimension span, from the first to the
  /// last output.
  int64_t span(int64_t outer) const { return (outer - 1) * storage.front() + lastRow; }
  /// Planes are made for whole slices of the outermost reduction dimension (if that is a channel):
  /// slices, their steps and the elements that one takes.
  int64_t numSlices() const { return slices; }
  int64_t stepsPerSlice() const { return sliceSteps; }
  int64_t sliceElements() const { return slicePlanes * planeElements; }

  /// Copies slices [firstSlice, endSlice) for outputs [outerBegin, outerEnd) of the outermost
  /// column dimension. `base` is the operand's element, and `positions` its place on the axes, at
  /// the outer point (column 0, step 0). `slack` elements after the last plane become zero.
  void copy(char *to, const char *base, const AxisPositions &positions, int64_t outerBegin,
            int64_t outerEnd, int64_t firstSlice, int64_t endSlice, int64_t slack) const;

private:
  /// A column dimension and the axis that it moves along.
  struct Spatial {
    int64_t outputs;
    /// Index of the axis, or -1 where the dimension is a plain one.
    int axis;
    /// Axis positions between neighbouring outputs, and the size of the axis.
    int64_t stride, axisSize;
    /// Elements between neighbouring axis positions.
    int64_t step;
    /// Grid positions of a tile: its outputs and what the window reaches beyond the last one.
    int64_t extent, reach;
  };
  using Phase = std::array<int64_t, kMaxSpatial>;

  bool addSpatial(const Shape &shape, const LoopDim &column);
  bool sortReduction(const Shape &shape);
  int64_t windowPosition(const Spatial &along, const int64_t *index) const;
  void setSizes(int64_t tileOuter);
  size_t phaseIndex(const Phase &phase);
  void copyChannel(char *to, const char *from, const AxisPositions &positions, int64_t outerBegin,
                   int64_t outerEnd, bool inside) const;
  void copyPhase(char *to, const char *from, const AxisPositions &positions, const Phase &phase,
                 int64_t outerBegin, int64_t outerEnd, bool inside) const;

  int which = 0;
  ElementReader reader;
  int64_t elementBytes = 4;
  std::array<char, 8> pad = {};
  std::vector<Spatial> spatial;
  LoopDims reduction;
  /// [reduction dimension][axis] axis positions; whether the dimension moves a column's axis.
  std::vector<AxisPositions> moves;
  std::vector<bool> isWindow;
  /// Axes that leave their bounds and are no column's.
  std::vector<int> channelAxes;
  std::vector<int64_t> axisSizes;
  std::vector<Phase> phases;
  std::vector<int64_t> storage, stepOffsets;
  int64_t lastRow = 1, planeElements = 0, slicePlanes = 0, slices = 1, sliceSteps = 1;
};

} // namespace anneal::runtime::contraction

#endif // ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_GRID_H
