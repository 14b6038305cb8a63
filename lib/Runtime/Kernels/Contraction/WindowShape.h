//===- WindowShape.h - Contractions that are sliding windows ------ -*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_WINDOWSHAPE_H
#define ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_WINDOWSHAPE_H

#include "PanelPacker.h"

namespace anneal::runtime::contraction {

/// An output dimension, the axis of the input that it moves along, and the window on that axis.
struct Spatial {
  LoopDim dim;
  /// Index of the axis, or -1 where the dimension is a plain one.
  int axis = -1;
  /// Axis positions between outputs, elements between axis positions, size of the axis.
  int64_t stride = 1, step = 0, axisSize = 0;
  /// The window: positions, and axis positions between them.
  int64_t window = 1, dilation = 1;
  /// Axis positions from the first to beyond the last that `outputs` outputs see.
  int64_t span(int64_t outputs) const {
    return (outputs - 1) * stride + (window - 1) * dilation + 1;
  }
};

/// A contraction seen as a window: what WindowPlan runs.
struct WindowShape {
  /// The operand that the window slides over.
  int input = 0;
  /// Slowest first: planes, rows, columns.
  std::array<Spatial, 3> spatial;
  /// Reduction dimensions that move no output's axis; they are outside of the window's.
  LoopDims channels;
  LoopDims outer;
};

/// The problem as a window over operand `input`: the other one has no output dimensions of its own,
/// rows of outputs are contiguous in C, and the reduction is channels, then at most one window
/// dimension for each of planes, rows and columns, in this order. Nothing for others.
std::optional<WindowShape> recogniseWindow(const Shape &shape, int input);

} // namespace anneal::runtime::contraction

#endif // ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_WINDOWSHAPE_H
