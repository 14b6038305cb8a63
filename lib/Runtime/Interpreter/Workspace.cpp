//===- Workspace.cpp - Memory of a unit's temporaries ---------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Workspace.h"

#include "Kernel.h"

#include "absl/container/inlined_vector.h"

#include <algorithm>

namespace anneal::runtime::interpreter {

namespace {

/// A temporary's bytes and the steps in which it is live.
struct Life {
  uint32_t tensor = 0;
  uint32_t first = UINT32_MAX, last = 0;
  size_t bytes = 0;
  size_t offset = 0;

  bool overlaps(const Life &other) const { return first <= other.last && other.first <= last; }
  void touch(uint32_t step) {
    first = std::min(first, step);
    last = std::max(last, step);
  }
};

/// Lowest offset at which `life` fits between those placed before it, which are sorted by offset.
size_t lowestFit(const Life &life, absl::Span<const Life> placed) {
  size_t offset = 0;
  for (const Life &other : placed) {
    if (!life.overlaps(other))
      continue;
    if (offset + life.bytes <= other.offset)
      break;
    offset = std::max(offset, other.offset + other.bytes);
  }
  return offset;
}

} // namespace

size_t placeTemporaries(const plan::Unit &unit, absl::Span<const uint32_t> stepOf,
                        absl::Span<const bool> isElided, std::vector<BoundTensor> &tensors) {
  absl::InlinedVector<Life, 16> lives(tensors.size());
  for (size_t k = 0; k < unit.kernels.size(); ++k) {
    for (const plan::Operand &operand : unit.kernels[k].operands)
      lives[operand.tensor].touch(stepOf[k]);
    for (uint32_t tensor : unit.kernels[k].gathers)
      lives[tensor].touch(stepOf[k]);
  }
  absl::InlinedVector<Life, 16> placed;
  size_t end = 0;
  for (uint32_t t = 0; t < tensors.size(); ++t) {
    Life &life = lives[t];
    if (!tensors[t].isTemporary || isElided[t] || life.first == UINT32_MAX)
      continue;
    life.tensor = t;
    life.bytes = alignUp(static_cast<size_t>(tensors[t].numElements()) * tensors[t].elementSize());
    life.offset = lowestFit(life, placed);
    tensors[t].workspaceOffset = life.offset;
    end = std::max(end, life.offset + life.bytes);
    auto position =
        std::upper_bound(placed.begin(), placed.end(), life,
                         [](const Life &a, const Life &b) { return a.offset < b.offset; });
    placed.insert(position, life);
  }
  return end;
}

} // namespace anneal::runtime::interpreter
