//===- Gemm.h - Contractions by register tiles ------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The general plan. Parallel dimensions of one input become columns (lanes run along them), those
// of the other rows (broadcast), all others outer dimensions that are walked one point at a time. A
// tile is some rows by some columns of one or a few outer points; in a tile, blocks of reduction
// steps are outermost, then blocks of columns that stay in the second-level cache, then row panels,
// then register tiles.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_GEMM_H
#define ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_GEMM_H

#include "Grid.h"
#include "PlanBase.h"
#include "Result.h"

#include "anneal/Support/PackingLayout.h"

namespace anneal::runtime::contraction {

/// Where a register tile reads its columns.
enum class ColumnMode : uint8_t {
  Constant, ///< the packed form of a constant: column panels over all steps
  Packed,   ///< column panels that the tile packs
  Direct,   ///< the operand itself, in which columns are contiguous
  Grid      ///< planes that the tile copies
};

/// Where a register tile reads its rows.
enum class RowMode : uint8_t {
  Constant,   ///< the packed form of a constant: row panels over all steps
  Packed,     ///< row panels that the tile packs
  Contiguous, ///< the operand itself: rows are contiguous, steps evenly spaced
  Strided     ///< the operand itself: rows are evenly spaced, steps contiguous
};

/// Everything that is chosen for a problem.
struct GemmChoice {
  int columnOperand = 1;
  LoopDims outer, rows, columns;
  int64_t numRows = 1, numColumns = 1;
  ColumnMode columnMode = ColumnMode::Packed;
  RowMode rowMode = RowMode::Packed;
  ResultStore store = ResultStore::Tensor;
  InitMode init = InitMode::Value;

  /// Steps whose sums stay in registers, and what they are a multiple of.
  int64_t stepBlock = 0, stepGranule = 1;
  /// Columns whose panels are swept for one row panel after another.
  int64_t columnBlock = 0;
  /// A tile: row panels, columns (Grid: positions of the outermost column dimension), outer points.
  int64_t tilePanels = 1, tileColumns = 1, tileOuter = 1;

  /// Estimated cycles of one outer point.
  double cycles = 0;

  int rowOperand() const { return 1 - columnOperand; }
  /// Column positions that one unit of `tileColumns` stands for.
  int64_t columnUnit() const {
    return columnMode == ColumnMode::Grid ? numColumns / columns.front().size : 1;
  }
};

/// Chooses cache blocks and tiles for given roles and modes.
void chooseTiles(const Shape &shape, GemmChoice &choice);

/// Chooses for a problem of ReductionOrder::Chain.
GemmChoice chooseGemm(const Shape &shape);

class GemmPlan final : public PlanBase {
public:
  GemmPlan(const Shape &shape, GemmChoice choice);

  void pack(int operand, const void *source, void *packed) const override;
  void run(int64_t begin, int64_t end, const ContractionOperands &operands, char *scratch,
           const TileHooks &hooks) const override;
  std::string describe() const override;

private:
  /// Pointers and places of one outer point.
  struct Point {
    const char *rows, *columns;
    AxisPositions rowPositions, columnPositions;
    int64_t index[kMaxDims];
    ResultTile tile;
  };
  /// One block of steps of a tile.
  struct Block {
    const Point *point;
    int64_t stepBegin, stepEnd;
    int64_t panelBegin, panelEnd;
    /// Positions that kernels run over: columns, or places on the grid.
    int64_t span;
    char *scratch;
  };

  void planOperands();
  void planScratch();
  void planPacking(int operand);
  void packColumnPanels(char *to, const char *base, const AxisPositions &positions, int64_t begin,
                        int64_t end, int64_t stepBegin, int64_t stepEnd) const;

  void locate(int64_t outer, const ContractionOperands &operands, Point &point) const;
  void runTile(const Point &point, int64_t panelBegin, int64_t panelEnd, char *scratchBase,
               const TileHooks &hooks) const;
  void runSteps(const Block &block) const;
  void runColumns(const Block &block, int64_t begin, int64_t end) const;
  void setColumns(const Block &block, int64_t span, MicroArgs &args) const;
  void setRows(const Block &block, int64_t row, int64_t rows, bool packs, MicroArgs &args) const;
  void setResult(const Block &block, int64_t row, int64_t span, MicroArgs &args) const;
  void runPanel(MicroArgs &args, int64_t rows, int64_t vectors, int64_t tail) const;

  Shape shape;
  GemmChoice choice;
  RowPanels panels;
  PanelPacker rowPacker, columnPacker;
  std::optional<Grid> grid;
  /// Column offset of each step, where columns are read in place and steps are not evenly spaced.
  std::vector<int64_t> columnOffsets;
  ResultLayout layout;
  MicroMode mode = MicroMode::Packed;
  const MicroKernels *kernels = nullptr;
  int laneShift = 4;
  /// By number of rows: log2 of the vectors of the widest register tile.
  std::array<int, kMaxTileRows + 1> widestTile = {};
  int64_t elementBytes = 4, lanes = 16, panelWidth = 32;
  int64_t rowStride = 0, rowStep = 0, columnStep = 0, panelStride = 0;
  int64_t cRowStride = 0, initRowStride = 0;
  /// Strides of the outer dimensions in the packed forms, in elements.
  std::array<std::vector<int64_t>, 2> packedStrides;
  /// Columns that a unit of `tileColumns` stands for.
  int64_t unit = 1;
  int64_t numOuter = 1, columnTiles = 1, rowTiles = 1, outerTiles = 1;
  /// Elements between rows of the result buffer; offsets of the parts of scratch, in bytes.
  int64_t bufferLd = 0;
  int64_t rowScratch = 0, bufferScratch = 0, typedScratch = 0;
  bool packRowsWhole = false;
  /// Columns are contiguous in their operand and any range of steps can be packed.
  bool columnsAlongRows = false;
};

} // namespace anneal::runtime::contraction

#endif // ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_GEMM_H
