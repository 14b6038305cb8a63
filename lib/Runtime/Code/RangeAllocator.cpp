//===- RangeAllocator.cpp - Best fit in a range of numbers ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RangeAllocator.h"

#include <iterator>

namespace anneal::runtime {

static size_t alignUp(size_t value, size_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

RangeAllocator::RangeAllocator(size_t size) {
  if (size > 0)
    addFree(0, size);
}

void RangeAllocator::addFree(size_t offset, size_t size) {
  byOffset.emplace(offset, size);
  bySize.emplace(size, offset);
}

void RangeAllocator::removeFree(std::map<size_t, size_t>::iterator range) {
  bySize.erase({range->second, range->first});
  byOffset.erase(range);
}

RangeAllocator::BySize::const_iterator RangeAllocator::find(size_t size, size_t alignment) const {
  auto range = bySize.lower_bound({size, 0});
  while (range != bySize.end()) {
    auto [length, offset] = *range;
    if (alignUp(offset, alignment) - offset <= length - size)
      break;
    ++range;
  }
  return range;
}

std::optional<size_t> RangeAllocator::bestFit(size_t size, size_t alignment) const {
  auto range = find(size, alignment);
  if (range == bySize.end())
    return std::nullopt;
  return range->first;
}

std::optional<size_t> RangeAllocator::allocate(size_t size, size_t alignment) {
  auto range = find(size, alignment);
  if (range == bySize.end())
    return std::nullopt;
  auto [length, offset] = *range;
  removeFree(byOffset.find(offset));
  size_t begin = alignUp(offset, alignment);
  if (begin > offset)
    addFree(offset, begin - offset);
  if (size_t end = begin + size; end < offset + length)
    addFree(end, offset + length - end);
  return begin;
}

void RangeAllocator::release(size_t offset, size_t size) {
  auto next = byOffset.lower_bound(offset);
  if (next != byOffset.end() && next->first == offset + size) {
    size += next->second;
    auto joined = next++;
    removeFree(joined);
  }
  if (next != byOffset.begin()) {
    auto before = std::prev(next);
    if (before->first + before->second == offset) {
      offset = before->first;
      size += before->second;
      removeFree(before);
    }
  }
  addFree(offset, size);
}

} // namespace anneal::runtime
