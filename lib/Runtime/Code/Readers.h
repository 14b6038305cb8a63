//===- Readers.h - The threads that read, and since when --------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Why no barrier is missing. A reader stores its interval (A), then loads the pointer to an object
// (B). Who frees unlinks the object (C), makes a process barrier, then loads the intervals (D). The
// barrier falls somewhere in the reader's program: if before B, then B comes after C and does not
// find the object; else A comes before D and is seen. Without process barriers A is itself a
// barrier.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_CODE_READERS_H
#define ANNEAL_LIB_RUNTIME_CODE_READERS_H

#include <atomic>
#include <cstdint>
#include <vector>

namespace anneal::runtime {

/// One thread's interval of epochs. Written by its thread, read by those who free. Readers are
/// never destroyed; that of a thread that has ended serves another.
///
/// Two cache lines: processors fetch them in pairs.
class alignas(128) Reader {
public:
  /// Both ends included.
  struct Interval {
    uint64_t first;
    uint64_t last;

    bool meets(uint64_t begin, uint64_t end) const { return first <= end && begin <= last; }
  };

  /// The reader of this thread.
  static Reader &ofThisThread();

  void enter();
  void leave();
  /// Epochs::Guard::covers.
  bool covers();

  /// The intervals of all threads that read. REQUIRES: a process barrier, or that readers make
  /// theirs, after what is to be freed was unlinked.
  static std::vector<Interval> active();

  /// The counter of epochs. Rises when something is retired, after it was unlinked.
  static std::atomic<uint64_t> &epoch();

  /// In a child of fork(): the other threads are no more.
  static void forgetOtherThreads();

private:
  struct Registry;
  struct Detach;

  static Reader &attach();

  static constexpr uint64_t kIdle = ~uint64_t(0);

  /// kIdle, or the epoch in which the thread began to read.
  std::atomic<uint64_t> first{kIdle};
  /// That in which it last looked something up; below `first`: not since it began.
  std::atomic<uint64_t> last{0};
  /// Guards of the thread that are alive. Only the thread looks at it.
  uint32_t depth = 0;
  std::atomic<bool> isTaken{true};
  /// The reader made before this one.
  Reader *next = nullptr;
};

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_CODE_READERS_H
