//===- WorkspaceLayout.cpp - Places in a call's workspace -----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkspaceLayout.h"

#include <algorithm>

namespace anneal::runtime {

namespace {

constexpr size_t kAlignment = 64;
/// Larger sums could not be told from an overflow.
constexpr size_t kMost = SIZE_MAX / 4;

size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

/// A buffer that has its place, and the bytes that it takes there.
struct Placed {
  size_t offset, end;
  uint32_t first, last;
};

/// Start of the smallest gap of at least `bytes` between the placed buffers that live when `wanted`
/// does; the end of them all if there is none. `placed` is sorted by offset.
size_t findPlace(const LiveBuffer &wanted, size_t bytes, const std::vector<Placed> &placed) {
  size_t end = 0, best = SIZE_MAX, bestGap = SIZE_MAX;
  for (const Placed &other : placed) {
    if (other.last < wanted.first || wanted.last < other.first)
      continue;
    if (other.offset > end) {
      size_t gap = other.offset - end;
      if (gap >= bytes && gap < bestGap) {
        best = end;
        bestGap = gap;
      }
    }
    end = std::max(end, other.end);
  }
  return best != SIZE_MAX ? best : end;
}

} // namespace

std::optional<size_t> layOut(std::vector<LiveBuffer> &buffers) {
  std::vector<LiveBuffer *> order;
  order.reserve(buffers.size());
  for (LiveBuffer &buffer : buffers)
    if (buffer.bytes != 0)
      order.push_back(&buffer);
  std::stable_sort(order.begin(), order.end(),
                   [](const LiveBuffer *a, const LiveBuffer *b) { return a->bytes > b->bytes; });
  std::vector<Placed> placed;
  placed.reserve(order.size());
  size_t total = 0;
  for (LiveBuffer *buffer : order) {
    if (buffer->bytes > kMost)
      return std::nullopt;
    size_t bytes = aligned(buffer->bytes);
    buffer->offset = findPlace(*buffer, bytes, placed);
    size_t end = buffer->offset + bytes;
    if (end > kMost)
      return std::nullopt;
    total = std::max(total, end);
    auto at =
        std::upper_bound(placed.begin(), placed.end(), buffer->offset,
                         [](size_t offset, const Placed &other) { return offset < other.offset; });
    placed.insert(at, {buffer->offset, end, buffer->first, buffer->last});
  }
  return total;
}

} // namespace anneal::runtime
