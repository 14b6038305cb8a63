//===- BoundedHistory.h - The beginning and the end of a long list *- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_TIERING_BOUNDEDHISTORY_H
#define ANNEAL_RUNTIME_TIERING_BOUNDEDHISTORY_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace anneal::runtime {

/// What happened first, and what happened last: of more than `capacity` entries those in the middle
/// are dropped, so that a run of days takes no more memory than one of minutes, and both its
/// warm-up and its end can be looked at. Not thread-safe.
template <typename T> class BoundedHistory {
public:
  /// `capacity`: at least 2.
  explicit BoundedHistory(size_t capacity)
      : mostFirst(capacity / 2), mostLast(capacity - mostFirst) {}

  void add(T entry) {
    if (first.size() < mostFirst)
      return first.push_back(std::move(entry));
    if (last.size() == mostLast) {
      last.pop_front();
      ++dropped;
    }
    last.push_back(std::move(entry));
  }

  /// In order.
  std::vector<T> entries() const {
    std::vector<T> all = first;
    all.insert(all.end(), last.begin(), last.end());
    return all;
  }
  uint64_t numDropped() const { return dropped; }

private:
  size_t mostFirst;
  size_t mostLast;
  std::vector<T> first;
  std::deque<T> last;
  uint64_t dropped = 0;
};

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_TIERING_BOUNDEDHISTORY_H
