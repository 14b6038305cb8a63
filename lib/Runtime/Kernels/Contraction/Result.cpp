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
    : rowsBegin(outer.size()), columnsBegin(outer.size() + rows.size()), numRows(extentOf(rows)),
      numColumns(extentOf(columns)), numParallel(shape.numParallel),
      elementBytes(shape.elementBytes()), resultBytes(shape.resultBytes()), where(store),
      tileBuffer(shape.tileBuffer),
      transposed(!rows.empty() && rows.back().c == 1 && !columns.empty()),
      reader(*ElementReader::create(shape.c, false, shape.c, *shape.kernels)),
      unpack(shape.kernels->unpack[static_cast<int>(resultConversionOf(shape.c))]) {
  typedHooks = store == ResultStore::Buffer && (!shape.directResult() || transposed) &&
               (shape.tileBuffer || shape.init == InitKind::Hook);
  for (const LoopDim &dim : outer)
    dims.push_back({dim.size, dim.c, dim.init, 0, dim.origin});
  int64_t storage = extentOf(rows);
  for (const LoopDim &dim : rows) {
    storage /= dim.size;
    dims.push_back({dim.size, dim.c, dim.init, storage, dim.origin});
  }
  for (size_t d = 0; d < columns.size(); ++d)
    dims.push_back(
        {columns[d].size, columns[d].c, columns[d].init, columnStorage[d], columns[d].origin});
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
  tile.columnOrigin = 0;
  if (tile.columnBegin == 0)
    return;
  int64_t rest = tile.columnBegin, extent = numColumns;
  for (size_t d = columnsBegin; d < dims.size(); ++d) {
    extent /= dims[d].size;
    tile.columnOrigin += rest / extent * dims[d].storage;
    rest %= extent;
  }
}

/// Elements between neighbours along a dimension in the buffer, or in its typed form.
int64_t ResultLayout::storageOf(size_t dim, const ResultTile &tile, bool typed) const {
  const int64_t rowLength = tile.rowEnd - tile.rowBegin;
  if (typed && transposed)
    return isColumn(dim) ? dims[dim].storage * rowLength : dims[dim].storage;
  return isColumn(dim) ? dims[dim].storage : dims[dim].storage * tile.ld;
}

/// Element of the buffer, or of its typed form, at a box's first point.
int64_t ResultLayout::bufferOffset(const ResultTile &tile, const Box &box, bool typed) const {
  int64_t row = -tile.rowBegin, column = -tile.columnOrigin;
  for (size_t d = rowsBegin; d < dims.size(); ++d)
    (isColumn(d) ? column : row) += box.begin[d] * dims[d].storage;
  return typed && transposed ? row + column * (tile.rowEnd - tile.rowBegin)
                             : row * tile.ld + column;
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
      stride[origin] = d < rowsBegin ? 0 : inBuffer ? storageOf(d, tile, typedHooks) : dims[d].c;
    }
    ContractionBox seen;
    if (inBuffer)
      seen.data = (typedHooks ? tile.typed : tile.buffer) +
                  bufferOffset(tile, box, typedHooks) * resultBytes;
    else
      seen.data = tile.c + offset(box, &Dim::c) * resultBytes;
    seen.begin = begin;
    seen.size = size;
    seen.stride = stride;
    fn(context, seen);
  });
}

/// Calls fn for two-dimensional slices of a box: dimension i is the innermost column dimension, k
/// the one along which C is contiguous or else the largest other one.
template <typename Fn>
void ResultLayout::forEachPlane(const ResultTile &tile, const Box &box, Fn fn) const {
  const size_t count = dims.size();
  Plane plane = {};
  plane.hasI = count > columnsBegin;
  plane.i = plane.hasI ? count - 1 : count;
  for (size_t d = rowsBegin; d < count; ++d) {
    if (d == plane.i || box.size[d] == 1 || (plane.hasK && dims[plane.k].c == 1))
      continue;
    if (!plane.hasK || dims[d].c == 1 || box.size[d] > box.size[plane.k])
      plane.k = d;
    plane.hasK = true;
  }
  plane.numI = plane.hasI ? box.size[plane.i] : 1;
  plane.numK = plane.hasK ? box.size[plane.k] : 1;
  int64_t index[kMaxDims] = {};
  while (true) {
    plane.inBuffer = plane.inTyped = plane.inC = plane.inInit = 0;
    for (size_t d = rowsBegin; d < count; ++d) {
      if (index[d] == 0)
        continue;
      plane.inBuffer += index[d] * storageOf(d, tile);
      plane.inTyped += index[d] * storageOf(d, tile, true);
      plane.inC += index[d] * dims[d].c;
      plane.inInit += index[d] * dims[d].init;
    }
    fn(static_cast<const Plane &>(plane));
    size_t d = count;
    while (d-- > rowsBegin) {
      if ((plane.hasI && d == plane.i) || (plane.hasK && d == plane.k))
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
    forEachPlane(tile, box, [&](const Plane &at) {
      unpack(to + at.inC * resultBytes, at.hasI ? dims[at.i].c : 1, at.hasK ? dims[at.k].c : 0,
             from + at.inBuffer * elementBytes, at.hasK ? storageOf(at.k, tile) : 0, at.numI,
             at.numK);
    });
  });
}

void ResultLayout::initFromTensor(const ResultTile &tile) const {
  const bool inTensor = where == ResultStore::Tensor;
  forEachBox(tile, [&](const Box &box) {
    const char *from = tile.init + offset(box, &Dim::init) * resultBytes;
    char *to = inTensor ? tile.c + offset(box, &Dim::c) * elementBytes
                        : tile.buffer + bufferOffset(tile, box) * elementBytes;
    forEachPlane(tile, box, [&](const Plane &at) {
      const int64_t step = !at.hasK ? 0 : inTensor ? dims[at.k].c : storageOf(at.k, tile);
      reader.pack(to + (inTensor ? at.inC : at.inBuffer) * elementBytes, step,
                  from + at.inInit * resultBytes, at.hasI ? dims[at.i].init : 1,
                  at.hasK ? dims[at.k].init : 0, at.numI, at.numK);
    });
  });
}

/// Converts the tile between its two forms in scratch.
void ResultLayout::convertTyped(const ResultTile &tile, bool toTyped) const {
  forEachBox(tile, [&](const Box &box) {
    const int64_t inBuffer = bufferOffset(tile, box), inTyped = bufferOffset(tile, box, true);
    forEachPlane(tile, box, [&](const Plane &at) {
      const int64_t step = at.hasK ? storageOf(at.k, tile) : 0;
      const int64_t typedI = at.hasI ? storageOf(at.i, tile, true) : 1;
      const int64_t typedK = at.hasK ? storageOf(at.k, tile, true) : 0;
      char *value = tile.buffer + (inBuffer + at.inBuffer) * elementBytes;
      char *typed = tile.typed + (inTyped + at.inTyped) * resultBytes;
      if (toTyped)
        unpack(typed, typedI, typedK, value, step, at.numI, at.numK);
      else
        reader.pack(value, step, typed, typedI, typedK, at.numI, at.numK);
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
