//===- WorkspaceLayout.cpp - Places in a call's workspace -----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkspaceLayout.h"

#include <algorithm>
#include <numeric>

namespace anneal::runtime {

namespace {

constexpr size_t kAlignment = 64;
/// Larger sums could not be told from an overflow.
constexpr size_t kMost = SIZE_MAX / 4;

size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

/// Start of the smallest gap of at least `bytes` between the placed buffers that live when `wanted`
/// does; the end of them all if there is none. `placed` is sorted by offset.
size_t findPlace(const LiveBuffer &wanted, const std::vector<LiveBuffer> &buffers,
                 const std::vector<uint32_t> &placed) {
  size_t bytes = aligned(wanted.bytes);
  size_t end = 0, best = SIZE_MAX, bestGap = SIZE_MAX;
  for (uint32_t index : placed) {
    const LiveBuffer &other = buffers[index];
    if (other.last < wanted.first || wanted.last < other.first)
      continue;
    if (other.offset > end) {
      size_t gap = other.offset - end;
      if (gap >= bytes && gap < bestGap) {
        best = end;
        bestGap = gap;
      }
    }
    end = std::max(end, other.offset + aligned(other.bytes));
  }
  return best != SIZE_MAX ? best : end;
}

} // namespace

std::optional<size_t> layOut(std::vector<LiveBuffer> &buffers) {
  std::vector<uint32_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return buffers[a].bytes > buffers[b].bytes;
  });
  std::vector<uint32_t> placed;
  placed.reserve(buffers.size());
  size_t total = 0;
  for (uint32_t index : order) {
    LiveBuffer &buffer = buffers[index];
    if (buffer.bytes == 0)
      continue;
    if (buffer.bytes > kMost)
      return std::nullopt;
    buffer.offset = findPlace(buffer, buffers, placed);
    size_t end = buffer.offset + aligned(buffer.bytes);
    if (end > kMost)
      return std::nullopt;
    total = std::max(total, end);
    auto at = std::upper_bound(placed.begin(), placed.end(), buffer.offset,
                               [&](size_t offset, uint32_t other) {
                                 return offset < buffers[other].offset;
                               });
    placed.insert(at, index);
  }
  return total;
}

} // namespace anneal::runtime
