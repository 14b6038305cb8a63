//===- ThreadPriority.h - How compile threads are scheduled -----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is promised to users stands in anneal/Engine/Tiering.h.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_ENGINE_THREADPRIORITY_H
#define ANNEAL_LIB_ENGINE_THREADPRIORITY_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <sys/types.h>
#include <time.h>

namespace anneal::engine {

/// What a thread gets beside others that want the core too, from little to much.
enum class Urgency : uint8_t {
  /// SCHED_IDLE: next to nothing.
  Idle,
  /// SCHED_OTHER, with the nice value that gives it its share beside one thread of nice 0.
  Share,
  /// SCHED_OTHER, nice 0.
  Ordinary
};

/// One step from `now`: up if the thread got clearly less of a core than `share`, down if it got
/// more than enough. On a saturated core the middle is where it settles.
Urgency nextUrgency(Urgency now, double used, double share);

/// The nice value whose weight gives a thread the fraction `share` of a core beside one of nice 0:
/// 0.1 -> 10, 0.5 -> 0; 0 for all beyond, 19 for next to nothing.
int niceOfShare(double share);

/// The priority of one thread.
///
/// Thread-safe once it is begun: of two that set it at the same time, the later has its way.
class ThreadPriority {
public:
  /// For the calling thread. Finds out whether a priority that was lowered may be raised again.
  void begin(double share);

  /// Where priorities can't be raised, the thread keeps that of Share.
  void set(Urgency urgency);
  Urgency urgency() const { return wanted.load(); }
  bool canRaise() const { return isRaiseAllowed; }

  /// Processor time of the thread so far.
  std::chrono::nanoseconds used() const;

private:
  void apply(Urgency urgency) const;

  pid_t thread = 0;
  clockid_t clock = CLOCK_MONOTONIC;
  int shareNice = 0;
  bool isRaiseAllowed = false;
  std::atomic<Urgency> wanted{Urgency::Ordinary};
};

/// Keeps one thread's use of a core near its share, by steps at the ends of short windows. Not
/// thread-safe.
class ShareGovernor {
public:
  /// A window begins.
  void begin(const ThreadPriority &priority);
  /// A window ends, the next one begins.
  void step(ThreadPriority &priority, double share);

private:
  std::chrono::steady_clock::time_point windowStart;
  std::chrono::nanoseconds usedAtStart{0};
};

} // namespace anneal::engine

#endif // ANNEAL_LIB_ENGINE_THREADPRIORITY_H
