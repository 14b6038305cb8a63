//===- CompileQueueTest.cpp - What waits to be compiled -------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Tiering/CompileQueue.h"

#include <gtest/gtest.h>

using namespace anneal;
using namespace anneal::runtime;

namespace {

CompileJob jobOf(uint32_t unit, double gain) { return {unit, Tier::Baseline, gain}; }

TEST(CompileQueueTest, GivesTheJobWithTheLargestGain) {
  CompileQueue queue(8);
  for (auto [unit, gain] : {std::pair(1u, 0.5), {2u, 2.0}, {3u, 2.0}, {4u, -1.0}})
    queue.put(jobOf(unit, gain));
  for (uint32_t unit : {2, 3, 1, 4})
    EXPECT_EQ(queue.take()->unit, unit);
  EXPECT_FALSE(queue.take());
}

TEST(CompileQueueTest, HasOneJobForAUnit) {
  CompileQueue queue(8);
  queue.put(jobOf(1, 1));
  queue.put(jobOf(2, 2));
  queue.put(jobOf(1, 3));
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.take()->unit, 1u);
  EXPECT_EQ(queue.take()->unit, 2u);
}

TEST(CompileQueueTest, ForgetsTheLeastWhenItIsFull) {
  CompileQueue queue(2);
  EXPECT_FALSE(queue.put(jobOf(1, 1)));
  EXPECT_FALSE(queue.put(jobOf(2, 2)));
  EXPECT_EQ(queue.put(jobOf(3, 3)), 1u);
  EXPECT_EQ(queue.put(jobOf(4, 1)), 4u);
  EXPECT_FALSE(queue.contains(4));
  EXPECT_TRUE(queue.contains(2) && queue.contains(3));
  // A job in the place of another takes no room.
  EXPECT_FALSE(queue.put(jobOf(2, 0)));
}

TEST(CompileQueueTest, JobsAreTakenBack) {
  CompileQueue queue(8);
  queue.put(jobOf(1, 1));
  queue.put(jobOf(2, 2));
  EXPECT_TRUE(queue.remove(2));
  EXPECT_FALSE(queue.remove(2));
  EXPECT_EQ(queue.clear(), 1u);
  EXPECT_EQ(queue.size(), 0u);
}

} // namespace
