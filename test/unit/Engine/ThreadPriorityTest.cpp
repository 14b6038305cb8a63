//===- ThreadPriorityTest.cpp - How compile threads are scheduled ---------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadPriority.h"

#include <gtest/gtest.h>

#include <sched.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

using namespace anneal::engine;

namespace {

TEST(ThreadPriorityTest, TheNiceValueOfAShareBesideOneThread) {
  struct Case {
    double share;
    int nice;
  };
  // 110 / (110 + 1024) is 9.7 %; 335 / (335 + 1024) is 24.7 %.
  for (const Case &one :
       std::initializer_list<Case>{{0, 19}, {0.01, 19}, {0.1, 10}, {0.25, 5}, {0.5, 0}, {1, 0}})
    EXPECT_EQ(niceOfShare(one.share), one.nice) << one.share;
}

TEST(ThreadPriorityTest, OneStepUpWithTooLittleOneDownWithPlenty) {
  struct Case {
    Urgency now;
    double used;
    Urgency next;
  };
  for (const Case &one : std::initializer_list<Case>{{Urgency::Idle, 0, Urgency::Share},
                                                     {Urgency::Share, 0, Urgency::Ordinary},
                                                     {Urgency::Ordinary, 0, Urgency::Ordinary},
                                                     {Urgency::Idle, 0.1, Urgency::Idle},
                                                     {Urgency::Share, 0.097, Urgency::Share},
                                                     {Urgency::Ordinary, 0.1, Urgency::Ordinary},
                                                     {Urgency::Idle, 1, Urgency::Idle},
                                                     {Urgency::Share, 1, Urgency::Idle},
                                                     {Urgency::Ordinary, 0.5, Urgency::Share}})
    EXPECT_EQ(int(nextUrgency(one.now, one.used, 0.1)), int(one.next))
        << int(one.now) << " " << one.used;
}

TEST(ThreadPriorityTest, WithoutAShareOnlyWhatIsLeftOver) {
  for (Urgency now : {Urgency::Idle, Urgency::Share, Urgency::Ordinary})
    EXPECT_LE(int(nextUrgency(now, 0.01, 0)), int(now));
  EXPECT_EQ(nextUrgency(Urgency::Idle, 0, 0), Urgency::Idle);
}

TEST(ThreadPriorityTest, SetsPolicyAndNiceValue) {
  std::thread([] {
    auto thread = static_cast<id_t>(::gettid());
    ThreadPriority priority;
    priority.begin(0.1);
    if (!priority.canRaise()) {
      // An ordinary thread of low weight, whatever is asked for.
      for (Urgency urgency : {Urgency::Idle, Urgency::Ordinary}) {
        priority.set(urgency);
        EXPECT_EQ(::sched_getscheduler(0), SCHED_OTHER);
        EXPECT_EQ(::getpriority(PRIO_PROCESS, thread), 10);
      }
      return;
    }
    priority.set(Urgency::Idle);
    EXPECT_EQ(::sched_getscheduler(0), SCHED_IDLE);
    priority.set(Urgency::Share);
    EXPECT_EQ(::sched_getscheduler(0), SCHED_OTHER);
    EXPECT_EQ(::getpriority(PRIO_PROCESS, thread), 10);
    priority.set(Urgency::Ordinary);
    EXPECT_EQ(::sched_getscheduler(0), SCHED_OTHER);
    EXPECT_EQ(::getpriority(PRIO_PROCESS, thread), 0);
  }).join();
}

TEST(ThreadPriorityTest, OfTwoThatSetItOneHasItsWay) {
  std::thread([] {
    ThreadPriority priority;
    priority.begin(0.1);
    if (!priority.canRaise())
      GTEST_SKIP() << "not permitted here";
    std::thread other([&] {
      for (int i = 0; i < 2000; ++i)
        priority.set(i % 2 ? Urgency::Share : Urgency::Idle);
    });
    for (int i = 0; i < 2000; ++i)
      priority.set(i % 2 ? Urgency::Ordinary : Urgency::Idle);
    other.join();
    Urgency last = priority.urgency();
    EXPECT_EQ(::sched_getscheduler(0), last == Urgency::Idle ? SCHED_IDLE : SCHED_OTHER);
    if (last != Urgency::Idle) {
      int nice = ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()));
      EXPECT_EQ(nice, last == Urgency::Share ? 10 : 0);
    }
  }).join();
}

TEST(ThreadPriorityTest, TellsHowMuchProcessorTimeWasUsed) {
  std::thread([] {
    ThreadPriority priority;
    priority.begin(0.1);
    auto before = priority.used();
    volatile int sink = 0;
    while (priority.used() - before < std::chrono::milliseconds(1))
      sink = sink + 1;
    EXPECT_GT(priority.used(), before);
  }).join();
}

} // namespace
