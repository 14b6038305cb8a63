//===- RangeAllocator.h - Best fit in a range of numbers --------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_CODE_RANGEALLOCATOR_H
#define ANNEAL_LIB_RUNTIME_CODE_RANGEALLOCATOR_H

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace anneal::runtime {

/// Hands out parts of [0, size), the smallest free range that fits first, and joins free
/// neighbours. Arithmetic only. Not thread-safe.
class RangeAllocator {
public:
  explicit RangeAllocator(size_t size);

  /// Size of the free range that `allocate` would take from; nothing if none fits.
  std::optional<size_t> bestFit(size_t size, size_t alignment) const;

  /// Offset of `size` > 0 free units, a multiple of the alignment (a power of two).
  std::optional<size_t> allocate(size_t size, size_t alignment);

  /// REQUIRES: [offset, offset + size) is allocated.
  void release(size_t offset, size_t size);

private:
  using BySize = std::set<std::pair<size_t, size_t>>;

  BySize::const_iterator find(size_t size, size_t alignment) const;
  void addFree(size_t offset, size_t size);
  void removeFree(std::map<size_t, size_t>::iterator range);

  /// Free ranges: offset to size, and (size, offset).
  std::map<size_t, size_t> byOffset;
  BySize bySize;
};

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_CODE_RANGEALLOCATOR_H
