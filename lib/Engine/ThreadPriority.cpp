//===- ThreadPriority.cpp - How compile threads are scheduled -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadPriority.h"

#include <cmath>
#include <iterator>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

namespace anneal::engine {

namespace {

/// The kernel's weights of the nice values 0 to 19 (sched_prio_to_weight).
constexpr int kWeights[] = {1024, 820, 655, 526, 423, 335, 272, 215, 172, 137,
                            110,  87,  70,  56,  45,  36,  29,  23,  18,  15};

bool setNice(pid_t thread, int nice) {
  return ::setpriority(PRIO_PROCESS, static_cast<id_t>(thread), nice) == 0;
}

bool setPolicy(pid_t thread, int policy) {
  sched_param none{};
  return ::sched_setscheduler(thread, policy, &none) == 0;
}

} // namespace

Urgency nextUrgency(Urgency now, double used, double share) {
  // Between the two, all is well: a weight gives a share only roughly.
  constexpr double kTooLittle = 0.75, kPlenty = 1.5;
  auto step = static_cast<int>(now);
  if (used < kTooLittle * share && now != Urgency::Ordinary)
    return static_cast<Urgency>(step + 1);
  if (used > kPlenty * share && now != Urgency::Idle)
    return static_cast<Urgency>(step - 1);
  return now;
}

int niceOfShare(double share) {
  double wanted = share >= 0.5 ? kWeights[0] : kWeights[0] * share / (1 - share);
  int best = 0;
  for (int nice = 1; nice < static_cast<int>(std::size(kWeights)); ++nice)
    if (std::abs(kWeights[nice] - wanted) < std::abs(kWeights[best] - wanted))
      best = nice;
  return best;
}

void ThreadPriority::begin(double share) {
  thread = ::gettid();
  if (::pthread_getcpuclockid(::pthread_self(), &clock) != 0)
    clock = CLOCK_THREAD_CPUTIME_ID;
  shareNice = niceOfShare(share);
  // A thread may leave SCHED_IDLE if it may have its nice value, which is found out by a step that
  // does no harm if it can't be taken back.
  isRaiseAllowed = setNice(thread, 1) && setNice(thread, 0);
  wanted = Urgency::Ordinary;
  if (!isRaiseAllowed) {
    setNice(thread, shareNice);
    wanted = Urgency::Share;
  }
}

void ThreadPriority::set(Urgency urgency) {
  if (!isRaiseAllowed || wanted.exchange(urgency) == urgency)
    return;
  // Of two threads that are here with different wishes, both apply the later one in the end.
  Urgency applied;
  do {
    applied = wanted.load();
    apply(applied);
  } while (wanted.load() != applied);
}

void ThreadPriority::apply(Urgency urgency) const {
  if (urgency == Urgency::Idle) {
    setPolicy(thread, SCHED_IDLE);
    return;
  }
  // The nice value goes first: leaving SCHED_IDLE takes the right to it.
  setNice(thread, urgency == Urgency::Share ? shareNice : 0);
  setPolicy(thread, SCHED_OTHER);
}

std::chrono::nanoseconds ThreadPriority::used() const {
  timespec time{};
  if (::clock_gettime(clock, &time) != 0)
    return std::chrono::nanoseconds(0);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

void ShareGovernor::begin(const ThreadPriority &priority) {
  windowStart = std::chrono::steady_clock::now();
  usedAtStart = priority.used();
}

void ShareGovernor::step(ThreadPriority &priority, double share) {
  std::chrono::duration<double> window = std::chrono::steady_clock::now() - windowStart;
  std::chrono::duration<double> used = priority.used() - usedAtStart;
  if (window.count() > 0)
    priority.set(nextUrgency(priority.urgency(), used.count() / window.count(), share));
  begin(priority);
}

} // namespace anneal::engine
