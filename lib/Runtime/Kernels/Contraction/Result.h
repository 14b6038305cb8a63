//===- Result.h - Tiles of C and the boxes that hooks see -------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_RESULT_H
#define ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_RESULT_H

#include "Shape.h"

namespace anneal::runtime::contraction {

/// Where the values of a tile of results stand while it is computed.
enum class ResultStore : uint8_t {
  /// In C itself, row by row.
  Tensor,
  /// In the worker's scratch as the compute type, from where they are copied to C or handed over.
  Buffer
};

/// How the initial values of a tile reach its accumulators.
enum class InitMode : uint8_t {
  Value,  ///< one value for all
  Rows,   ///< a value for each row, read in place
  Tile,   ///< a value for each element, read in place
  Placed, ///< copied to where the results will stand
  Hook    ///< written there by the caller
};

/// The cheapest mode for results laid out in these rows and columns; with `spread`, columns that
/// are neighbours in the initial tensor are not neighbours where the results stand.
InitMode chooseInit(const Shape &shape, std::span<const LoopDim> rows,
                    std::span<const LoopDim> columns, bool spread);

/// One tile: rows [rowBegin, rowEnd) by columns [columnBegin, columnEnd), flattened over their
/// dimensions, of one point of the outer dimensions.
struct ResultTile {
  int64_t rowBegin = 0, rowEnd = 0, columnBegin = 0, columnEnd = 0;
  /// Index along each outer dimension.
  const int64_t *outer = nullptr;
  /// Elements of C and of the initial values at the tile's outer point, row 0, column 0.
  char *c = nullptr;
  const char *init = nullptr;
  /// The tile in scratch, rows `ld` elements apart; and the form of it that hooks see, where they
  /// need another one (ResultLayout::needsTyped).
  char *buffer = nullptr;
  char *typed = nullptr;
  int64_t ld = 0;
  /// Buffer column of the tile's first column, counted from column 0 of the outer point; set by
  /// ResultLayout::place.
  int64_t columnOrigin = 0;
};

/// How results are laid out beyond one tile.
class ResultLayout {
public:
  ResultLayout() = default;
  /// `columnStorage`: elements of a buffer row between neighbours along each column dimension.
  ResultLayout(const Shape &shape, ResultStore store, const LoopDims &outer, const LoopDims &rows,
               const LoopDims &columns, const std::vector<int64_t> &columnStorage);

  ResultStore store() const { return where; }
  /// Hooks see another type than the buffer's, or its transpose (their innermost dimension is along
  /// the rows), so tiles need `typed`, of as many elements as the buffer.
  bool needsTyped() const { return typedHooks; }

  /// Completes a tile whose ranges and `ld` are set; needed before anything below.
  void place(ResultTile &tile) const;

  /// Lets the init hook write a tile; then the initial values stand where the results will.
  void initByHook(const ResultTile &tile, const TileHooks &hooks) const;
  /// Copies the initial values from the tensor that holds them to where the results will stand.
  void initFromTensor(const ResultTile &tile) const;
  /// Copies a buffer to C, unless C exists only in tiles, and lets the finish hook see the tile.
  void finish(const ResultTile &tile, const TileHooks &hooks) const;

private:
  /// Dimensions in the order outer, rows, columns.
  struct Dim {
    int64_t size;
    int64_t c, init;
    /// Elements of the buffer; for rows to be multiplied by the tile's `ld`.
    int64_t storage;
    int origin;
  };
  struct Box {
    int64_t begin[kMaxDims];
    int64_t size[kMaxDims];
  };
  /// A two-dimensional slice of a box along dimensions i and k, where it has such; offsets of its
  /// first element from the box's.
  struct Plane {
    bool hasI, hasK;
    size_t i, k;
    int64_t numI, numK;
    int64_t inBuffer, inTyped, inC, inInit;
  };

  template <typename Fn>
  void splitRange(size_t first, size_t last, int64_t begin, int64_t end, Box &box, Fn fn) const;
  template <typename Fn>
  void boxesOf(size_t first, size_t last, int64_t extent, int64_t begin, int64_t end, Box &box,
               Fn fn) const;
  template <typename Fn> void forEachBox(const ResultTile &tile, Fn fn) const;
  int64_t storageOf(size_t dim, const ResultTile &tile, bool typed = false) const;
  int64_t bufferOffset(const ResultTile &tile, const Box &box, bool typed = false) const;
  int64_t offset(const Box &box, int64_t Dim::*stride) const;
  template <typename Fn> void forEachPlane(const ResultTile &tile, const Box &box, Fn fn) const;
  void hand(const ResultTile &tile, bool inBuffer, TileHooks::BoxFn fn, void *context) const;
  void copyOut(const ResultTile &tile) const;
  bool isColumn(size_t dim) const { return dim >= columnsBegin; }
  void convertTyped(const ResultTile &tile, bool toTyped) const;

  std::vector<Dim> dims;
  size_t rowsBegin = 0, columnsBegin = 0;
  int64_t numRows = 1, numColumns = 1;
  int numParallel = 0;
  int64_t elementBytes = 4, resultBytes = 4;
  ResultStore where = ResultStore::Tensor;
  bool tileBuffer = false;
  bool typedHooks = false;
  bool transposed = false;
  ElementReader reader;
  UnpackFn unpack = nullptr;
};

} // namespace anneal::runtime::contraction

#endif // ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_RESULT_H
