//===- PackingLayout.h - Register tiles and packed panels -------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The micro-kernel contract of DESIGN.md D5, shared by the ahead-of-time kernels and by generated
// code, so that a constant packed for one serves the other.
//
// A contraction has a vector side (columns, along which lanes run) and a row side (whose elements
// are broadcast). A register tile is `rows x vectors * lanes` accumulators; reduction steps k are
// innermost.
//
//  * Column panels: `panelWidth` columns each, laid out [panel][k][column]. The last panel is
//  padded to
//    full width with zeros, so loads from a panel are always full vectors.
//  * Row panels: laid out [panel][k][row], without padding: rows are dealt out evenly, so heights
//  differ by
//    at most one (RowPanels). A panel that begins at row r begins at element r * k of the packed
//    form.
//  * Edge rule: tails are full-width arithmetic on padded panels whose surplus lanes are not
//  stored, or a
//    kernel of fewer rows or vectors; a main loop never carries masks for a tail.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_SUPPORT_PACKINGLAYOUT_H
#define ANNEAL_SUPPORT_PACKINGLAYOUT_H

#include <cstdint>

namespace anneal {

/// Vectors that stand side by side in a column panel.
inline constexpr int64_t kPanelVectors = 2;

/// The widest register tile, in vectors; tiles of few rows span several panels.
inline constexpr int64_t kMaxTileVectors = 8;

/// Shape of the register tiles of one instruction set and element size.
struct RegisterTile {
  /// Elements in a vector.
  int64_t lanes = 0;
  /// Columns of a column panel.
  int64_t panelWidth = 0;
  /// Rows of the tallest tile that is one panel wide.
  int64_t maxRows = 0;

  /// Rows of the tallest tile that is `vectors` (1, 2, 4 or 8) wide: accumulators, one vector of
  /// each column and a broadcast have to fit the register file.
  constexpr int64_t maxRowsFor(int64_t vectors) const {
    if (vectors <= kPanelVectors)
      return maxRows;
    return maxRows >= 14 ? (vectors == 4 ? 6 : 3) : (vectors == 4 ? 2 : 1);
  }
};

/// Register tile for vectors of `vectorBytes` (64: AVX-512 with 32 registers; 32: AVX2; 16: SSE2)
/// and elements of `elementBytes`. For f32, 28 of the 32 AVX-512 registers accumulate, or 12 of 16.
/// Others have shorter tiles: f64 is served well enough by 16 accumulators, integers are bound by
/// the multiplier.
constexpr RegisterTile registerTile(int64_t vectorBytes, int64_t elementBytes, bool isFloat) {
  RegisterTile tile;
  tile.lanes = vectorBytes / elementBytes;
  tile.panelWidth = tile.lanes * kPanelVectors;
  const bool tall = isFloat && elementBytes == 4;
  tile.maxRows = vectorBytes == 64 ? (tall ? 14 : 8) : vectorBytes == 32 ? (tall ? 6 : 4) : 4;
  return tile;
}

/// How `extent` rows are dealt to panels of at most `maxRows`: the first `tall` panels have
/// `height` rows, the others `height - 1`.
struct RowPanels {
  int64_t count = 0;
  int64_t height = 0;
  int64_t tall = 0;

  constexpr RowPanels(int64_t extent, int64_t maxRows) {
    count = (extent + maxRows - 1) / maxRows;
    height = count ? (extent + count - 1) / count : 0;
    tall = count ? extent - (height - 1) * count : 0;
  }

  constexpr int64_t rows(int64_t panel) const { return panel < tall ? height : height - 1; }
  constexpr int64_t begin(int64_t panel) const {
    return panel * height - (panel > tall ? panel - tall : 0);
  }
};

/// Panels that `extent` columns take.
constexpr int64_t numColumnPanels(int64_t extent, int64_t panelWidth) {
  return (extent + panelWidth - 1) / panelWidth;
}

/// Elements of the packed form of `extent` columns with `steps` reduction steps.
constexpr int64_t packedColumnElements(int64_t extent, int64_t steps, int64_t panelWidth) {
  return numColumnPanels(extent, panelWidth) * panelWidth * steps;
}

} // namespace anneal

#endif // ANNEAL_SUPPORT_PACKINGLAYOUT_H
