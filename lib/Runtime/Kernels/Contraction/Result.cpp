//===- Result.cpp - Tiles of C and the boxes that hooks see ---------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Result.h"

#include <algorithm>

namespace anneal::runtime::contraction {

InitMode chooseInit(const Shape &shape, std::span<const LoopDim> rows,
                    std::span<const LoopDim> columns, bool spread) {
  if (shape.init == InitKind::Value)
    return InitMode::Value;
  if (shape.init == InitKind::Hook)
    return InitMode::Hook;
  int64_t rowStep = 0, columnStep = 0;
  auto inInit = [](const LoopDim &dim) { return dim.init; };
  if (!shape.directResult() || !isLinear(rows, inInit, rowStep) ||
      !isLinear(columns, inInit, columnStep))
    return InitMode::Placed;
  if (extentOf(columns) == 1 || columnStep == 0)
    return InitMode::Rows;
  return columnStep == 1 && !spread ? InitMode::Tile : InitMode::Placed;
}

ResultLayout::ResultLayout(const Shape &shape, ResultStore store, const LoopDims &outer,
                           const LoopDims &rows, const LoopDims &columns,
                           const std::vector<int64_t> &columnStorage)
    : rowsBegin(outer.size()), columnsBegin(outer.size() + rows.size()),
      numRows(extentOf(rows)), numColumns(extentOf(columns)), numParallel(shape.numParallel), elementBytes(shape.elementBytes()),
      resultBytes(shape.resultBytes()), where(store), tileBuffer(shape.tileBuffer),
      typedHooks(!shape.directResult() && (shape.tileBuffer || shape.init == InitKind::Hook)),
      reader(*ElementReader::create(shape.c, false, shape.c, *shape.kernels)),
      unpack(shape.kernels->unpack[static_cast<int>(resultConversionOf(shape.c))]) {
  for (const LoopDim &dim : outer)
    dims.push_back({dim.size, dim.c, dim.init, 0, dim.origin});
  int64_t storage = extentOf(rows);
  for (const LoopDim &dim : rows) {
    storage /= dim.size;
    dims.push_back({dim.size, dim.c, dim.init, storage, dim.origin});
  }
  for (size_t d = 0; d < columns.size(); ++d)
    dims.push_back({columns[d].size, columns[d].c, columns[d].init, columnStorage[d],
                    columns[d].origin});
}

/// Splits the positions [begin, end), flattened over dims [first, last), into boxes.
template <typename Fn>
void ResultLayout::splitRange(size_t first, size_t last, int64_t begin, int64_t end, Box &box,
                              Fn fn) const {
  if (first == last)
    return fn();
  int64_t inner = 1;
  for (size_t d = first + 1; d < last; ++d)
    inner *= dims[d].size;
  auto emit = [&](int64_t from, int64_t to) {
    box.begin[first] = from;
    box.size[first] = to - from;
  };
  if (inner == 1 || (begin % inner == 0 && end % inner == 0)) {
    emit(begin / inner, end / inner);
    for (size_t d = first + 1; d < last; ++d) {
      box.begin[d] = 0;
      box.size[d] = dims[d].size;
    }
    return fn();
  }
  while (begin < end) {
    const int64_t at = begin / inner, rest = begin % inner;
    int64_t stop = std::min(end, (at + 1) * inner);
    if (rest == 0 && end - begin >= inner) {
      stop = end - end % inner;
      splitRange(first, last, begin, stop, box, fn);
    } else {
      emit(at, at + 1);
      splitRange(first + 1, last, rest, stop - at * inner, box, fn);
    }
    begin = stop;
  }
}

/// As splitRange; all of the dimensions, the common case, without a division.
template <typename Fn>
void ResultLayout::boxesOf(size_t first, size_t last, int64_t extent, int64_t begin, int64_t end,
                           Box &box, Fn fn) const {
  if (begin != 0 || end != extent)
    return splitRange(first, last, begin, end, box, fn);
  for (size_t d = first; d < last; ++d) {
    box.begin[d] = 0;
    box.size[d] = dims[d].size;
  }
  fn();
}

template <typename Fn> void ResultLayout::forEachBox(const ResultTile &tile, Fn fn) const {
  Box box;
  for (size_t d = 0; d < rowsBegin; ++d) {
    box.begin[d] = tile.outer[d];
    box.size[d] = 1;
  }
  boxesOf(rowsBegin, columnsBegin, numRows, tile.rowBegin, tile.rowEnd, box, [&] {
    boxesOf(columnsBegin, dims.size(), numColumns, tile.columnBegin, tile.columnEnd, box,
            [&] { fn(static_cast<const Box &>(box)); });
  });
}

void ResultLayout::place(ResultTile &tile) const {
  tile.bufferOrigin = -tile.rowBegin * tile.ld;
  if (tile.columnBegin == 0)
    return;
  int64_t rest = tile.columnBegin, extent = numColumns;
  for (size_t d = columnsBegin; d < dims.size(); ++d) {
    extent /= dims[d].size;
    tile.bufferOrigin -= rest / extent * dims[d].storage;
    rest %= extent;
  }
}

int64_t ResultLayout::storageOf(size_t dim, const ResultTile &tile) const {
  const bool isRow = dim >= rowsBegin && dim < columnsBegin;
  return isRow ? dims[dim].storage * tile.ld : dims[dim].storage;
}

/// Element of the buffer at a box's first point.
int64_t ResultLayout::bufferOffset(const ResultTile &tile, const Box &box) const {
  int64_t at = tile.bufferOrigin;
  for (size_t d = rowsBegin; d < dims.size(); ++d)
    at += box.begin[d] * storageOf(d, tile);
  return at;
}

int64_t ResultLayout::offset(const Box &box, int64_t Dim::*stride) const {
  int64_t at = 0;
  for (size_t d = rowsBegin; d < dims.size(); ++d)
    at += box.begin[d] * (dims[d].*stride);
  return at;
}

/// Shows a tile to a hook, box by box, in the buffer or in C.
void ResultLayout::hand(const ResultTile &tile, bool inBuffer, TileHooks::BoxFn fn,
                        void *context) const {
  forEachBox(tile, [&](const Box &box) {
    int64_t begin[kMaxDims] = {}, size[kMaxDims], stride[kMaxDims] = {};
    std::fill_n(size, numParallel, 1);
    for (size_t d = 0; d < dims.size(); ++d) {
      const int origin = dims[d].origin;
      begin[origin] = box.begin[d];
      size[origin] = box.size[d];
      stride[origin] = inBuffer ? storageOf(d, tile) : dims[d].c;
    }
    ContractionBox seen;
    if (inBuffer)
      seen.data = (typedHooks ? tile.typed : tile.buffer) + bufferOffset(tile, box) * resultBytes;
    else
      seen.data = tile.c + offset(box, &Dim::c) * resultBytes;
    seen.begin = begin;
    seen.size = size;
    seen.stride = stride;
    fn(context, seen);
  });
}

/// Calls fn(offset in the buffer, offsets..., i, k) for two-dimensional slices of a box: dimension i is
/// the innermost column dimension, k the one along which C is contiguous or else the largest other one.
template <typename Fn>
void ResultLayout::forEachPlane(const ResultTile &tile, const Box &box, Fn fn) const {
  const size_t count = dims.size();
  const size_t i = count > columnsBegin ? count - 1 : count;
  size_t k = count;
  for (size_t d = rowsBegin; d < count; ++d) {
    if (d == i || box.size[d] == 1 || (k < count && dims[k].c == 1))
      continue;
    if (k == count || dims[d].c == 1 || box.size[d] > box.size[k])
      k = d;
  }
  int64_t index[kMaxDims] = {};
  while (true) {
    int64_t inBuffer = 0, inC = 0, inInit = 0;
    for (size_t d = rowsBegin; d < count; ++d) {
      inBuffer += index[d] * storageOf(d, tile);
      inC += index[d] * dims[d].c;
      inInit += index[d] * dims[d].init;
    }
    fn(inBuffer, inC, inInit, i, k);
    size_t d = count;
    while (d-- > rowsBegin) {
      if (d == i || d == k)
        continue;
      if (++index[d] < box.size[d])
        break;
      index[d] = 0;
    }
    if (d + 1 == rowsBegin)
      return;
  }
}

void ResultLayout::copyOut(const ResultTile &tile) const {
  forEachBox(tile, [&](const Box &box) {
    const char *from = tile.buffer + bufferOffset(tile, box) * elementBytes;
    char *to = tile.c + offset(box, &Dim::c) * resultBytes;
    forEachPlane(tile, box, [&](int64_t inBuffer, int64_t inC, int64_t, size_t i, size_t k) {
      const bool hasI = i < dims.size(), hasK = k < dims.size();
      unpack(to + inC * resultBytes, hasI ? dims[i].c : 1, hasK ? dims[k].c : 0,
             from + inBuffer * elementBytes, hasK ? storageOf(k, tile) : 0, hasI ? box.size[i] : 1,
             hasK ? box.size[k] : 1);
    });
  });
}

void ResultLayout::initFromTensor(const ResultTile &tile) const {
  forEachBox(tile, [&](const Box &box) {
    const char *from = tile.init + offset(box, &Dim::init) * resultBytes;
    const bool inTensor = where == ResultStore::Tensor;
    char *to = inTensor ? tile.c + offset(box, &Dim::c) * elementBytes
                        : tile.buffer + bufferOffset(tile, box) * elementBytes;
    forEachPlane(tile, box, [&](int64_t inBuffer, int64_t inC, int64_t inInit, size_t i, size_t k) {
      const bool hasI = i < dims.size(), hasK = k < dims.size();
      const int64_t step = !hasK ? 0 : inTensor ? dims[k].c : storageOf(k, tile);
      reader.pack(to + (inTensor ? inC : inBuffer) * elementBytes, step,
                  from + inInit * resultBytes, hasI ? dims[i].init : 1, hasK ? dims[k].init : 0,
                  hasI ? box.size[i] : 1, hasK ? box.size[k] : 1);
    });
  });
}

/// Converts the tile between its two forms in scratch.
void ResultLayout::convertTyped(const ResultTile &tile, bool toTyped) const {
  forEachBox(tile, [&](const Box &box) {
    const int64_t at = bufferOffset(tile, box);
    forEachPlane(tile, box, [&](int64_t inBuffer, int64_t, int64_t, size_t i, size_t k) {
      const bool hasI = i < dims.size(), hasK = k < dims.size();
      const int64_t step = hasK ? storageOf(k, tile) : 0;
      const int64_t numI = hasI ? box.size[i] : 1, numK = hasK ? box.size[k] : 1;
      char *value = tile.buffer + (at + inBuffer) * elementBytes;
      char *typed = tile.typed + (at + inBuffer) * resultBytes;
      if (toTyped)
        unpack(typed, 1, step, value, step, numI, numK);
      else
        reader.pack(value, step, typed, 1, step, numI, numK);
    });
  });
}

void ResultLayout::initByHook(const ResultTile &tile, const TileHooks &hooks) const {
  hand(tile, where == ResultStore::Buffer, hooks.init, hooks.context);
  if (typedHooks)
    convertTyped(tile, false);
}

void ResultLayout::finish(const ResultTile &tile, const TileHooks &hooks) const {
  if (tileBuffer && typedHooks)
    convertTyped(tile, true);
  if (where == ResultStore::Buffer && !tileBuffer)
    copyOut(tile);
  if (hooks.finish)
    hand(tile, tileBuffer, hooks.finish, hooks.context);
}

} // namespace anneal::runtime::contraction
