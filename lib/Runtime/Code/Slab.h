//===- Slab.h - One piece of executable memory ------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_CODE_SLAB_H
#define ANNEAL_LIB_RUNTIME_CODE_SLAB_H

#include "RangeAllocator.h"

#include "anneal/Runtime/Code/CodeSlabs.h"

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"

#include <memory>
#include <optional>

namespace anneal::runtime {

/// One mapping, or two views of it, with the images in it. Not thread-safe.
class Slab {
public:
  /// `size`: whole pages. `mapping`: TwoViews or OneView. ResourceExhausted or FailedPrecondition
  /// as CodeSlabs::create says.
  static absl::StatusOr<std::unique_ptr<Slab>> create(size_t size, CodeMapping mapping);
  ~Slab();
  Slab(const Slab &) = delete;
  Slab &operator=(const Slab &) = delete;

  size_t size() const { return bytes; }
  bool contains(const char *address) const {
    return address >= executable && address < executable + bytes;
  }
  bool isEmpty() const { return images.empty(); }
  size_t numImages() const { return images.size(); }
  size_t liveBytes() const { return live; }

  /// Bytes of the free range that an image would take its place from; nothing if it does not fit or
  /// the slab is closed.
  std::optional<size_t> bestFit(size_t size, size_t alignment) const;

  struct Placed {
    const char *address;
    /// Other code was there before.
    bool isReused;
  };
  /// REQUIRES: bestFit gave something.
  absl::StatusOr<Placed> place(absl::string_view code, size_t alignment);
  void release(const char *address);

  /// Nothing more is placed here.
  void close() { isClosed = true; }
  /// Another process shares the memory from now on: it is closed and never written again.
  void shareWithChild();
  /// In that process: the writable view was not inherited.
  void becomeChild();

private:
  Slab(size_t bytes, CodeMapping mapping) : bytes(bytes), mapping(mapping), ranges(bytes) {}

  absl::Status map();
  size_t rounded(size_t size) const;
  absl::Status write(size_t offset, absl::string_view code);

  size_t bytes;
  CodeMapping mapping;
  char *executable = nullptr;
  /// The second view; null where there is one only.
  char *writable = nullptr;
  RangeAllocator ranges;
  /// Offset to size.
  absl::flat_hash_map<size_t, size_t> images;
  size_t live = 0;
  /// Nothing was ever placed at or beyond this offset.
  size_t usedEnd = 0;
  bool isClosed = false;
  bool isShared = false;
};

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_CODE_SLAB_H
