//===- SpeculationTest.cpp - What to compile before it is asked for -------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Support/Speculation.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

using namespace anneal;

namespace {

using enum SpeculationValue;

/// A unit of cost is a millisecond.
constexpr double kSecondsPerCost = 1e-3;

SpeculationChoice greedily(const std::vector<Candidate> &shapes, uint64_t budget,
                           SpeculationValue value = CompileAlwaysPaid) {
  return chooseGreedily(shapes, budget, value, kSecondsPerCost);
}
SpeculationChoice exactly(const std::vector<Candidate> &shapes, uint64_t budget,
                          SpeculationValue value = CompileAlwaysPaid) {
  return chooseExactly(shapes, budget, value, kSecondsPerCost);
}

/// The most that any choice within the budget is worth, one by one.
double mostOf(const std::vector<Candidate> &shapes, uint64_t budget, SpeculationValue value) {
  double most = 0;
  for (unsigned chosen = 0; chosen < 1u << shapes.size(); ++chosen) {
    double worth = 0;
    uint64_t cost = 0;
    for (size_t i = 0; i < shapes.size(); ++i)
      if (chosen >> i & 1) {
        worth += valueOf(shapes[i], value, kSecondsPerCost);
        cost += shapes[i].cost;
      }
    if (cost <= budget)
      most = std::max(most, worth);
  }
  return most;
}

/// Ten shapes; costs from 1 to `mostCost`.
std::vector<Candidate> someShapes(std::mt19937 &random, uint64_t mostCost) {
  std::vector<Candidate> shapes(10);
  for (Candidate &shape : shapes)
    shape = {static_cast<double>(random() % 1000) / 1000,
             static_cast<double>(random() % 1000) / 1000, 1 + random() % mostCost};
  return shapes;
}

void expectWhatItSays(const std::vector<Candidate> &shapes, const SpeculationChoice &choice,
                      uint64_t budget) {
  double value = 0;
  uint64_t cost = 0;
  for (size_t i = 0; i < shapes.size(); ++i)
    if (choice.isChosen[i]) {
      value += valueOf(shapes[i], CompileAlwaysPaid, kSecondsPerCost);
      cost += shapes[i].cost;
    }
  EXPECT_DOUBLE_EQ(choice.value, value);
  EXPECT_EQ(choice.cost, cost);
  EXPECT_LE(cost, budget);
}

TEST(SpeculationTest, ACompileIsPaidWhetherTheShapeComesOrNot) {
  Candidate shape{0.2, 0.3, 100};
  EXPECT_DOUBLE_EQ(valueOf(shape, CompileAlwaysPaid, kSecondsPerCost), 0.2 * 0.3 - 0.1);
  EXPECT_DOUBLE_EQ(valueOf(shape, CompilePaidIfUsed, kSecondsPerCost), 0.2 * (0.3 - 0.1));
  // By the chapter's form it is compiled, and loses.
  EXPECT_TRUE(greedily({shape}, 100, CompilePaidIfUsed).isChosen[0]);
  EXPECT_FALSE(greedily({shape}, 100).isChosen[0]);
}

TEST(SpeculationTest, ExactIsTheBestOfAllChoices) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Candidate> shapes = someShapes(random, 400);
    uint64_t budget = random() % 1500;
    SpeculationChoice choice = exactly(shapes, budget);
    EXPECT_NEAR(choice.value, mostOf(shapes, budget, CompileAlwaysPaid), 1e-12);
    EXPECT_NEAR(exactly(shapes, budget, CompilePaidIfUsed).value,
                mostOf(shapes, budget, CompilePaidIfUsed), 1e-12);
    expectWhatItSays(shapes, choice, budget);
  }
}

TEST(SpeculationTest, GreedyIsExactWithEqualCosts) {
  std::mt19937 random(8);
  for (int round = 0; round < 200; ++round) {
    std::vector<Candidate> shapes = someShapes(random, 1);
    for (Candidate &shape : shapes)
      shape.cost = 100;
    uint64_t budget = random() % 1200;
    EXPECT_NEAR(greedily(shapes, budget).value, mostOf(shapes, budget, CompileAlwaysPaid), 1e-12);
  }
}

TEST(SpeculationTest, GreedyHasAtLeastHalfWithUnequalCosts) {
  std::mt19937 random(9);
  double least = 1;
  for (int round = 0; round < 500; ++round) {
    std::vector<Candidate> shapes = someShapes(random, 400);
    uint64_t budget = random() % 800;
    double most = mostOf(shapes, budget, CompileAlwaysPaid);
    SpeculationChoice choice = greedily(shapes, budget);
    expectWhatItSays(shapes, choice, budget);
    if (most > 0)
      least = std::min(least, choice.value / most);
  }
  EXPECT_GE(least, 0.5);
  EXPECT_LT(least, 1);
}

TEST(SpeculationTest, TheLargeOneIsNotLostToASmallDenseOne) {
  // Density alone takes the first, and has no room for the second: a hundredth of the best.
  std::vector<Candidate> shapes = {{1, 0.003, 1}, {1, 0.3, 100}};
  EXPECT_NEAR(greedily(shapes, 100).value, 0.2, 1e-12);
  // Half is as low as it goes.
  shapes = {{1, 0.1011, 50}, {1, 0.1, 50}, {1, 0.1, 50}, {1, 0.104, 51}};
  EXPECT_GE(greedily(shapes, 100).value, 0.5 * exactly(shapes, 100).value);
}

TEST(SpeculationTest, RobustHasTheBestWorstCase) {
  std::vector<Candidate> shapes = {{0.6, 0.3, 100}, {0.45, 0.3, 100}, {0.05, 9, 100}};
  std::vector<Candidate> worst = worstCase(shapes, 0.15);
  EXPECT_DOUBLE_EQ(worst[0].probability, 0.45);
  EXPECT_EQ(worst[2].probability, 0);
  EXPECT_EQ(exactly(shapes, 300).isChosen, (std::vector<bool>{true, true, true}));
  EXPECT_EQ(exactly(worst, 300).isChosen, (std::vector<bool>{true, false, false}));
}

TEST(SpeculationTest, NothingIsChosenOfNothing) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(exactly({}, 100).value, 0);
  EXPECT_EQ(greedily({}, 100).cost, 0u);
  for (const Candidate &shape : {Candidate{kNaN, 0.3, 10}, Candidate{0.5, kNaN, 10},
                                 Candidate{0.1, 0.1, 50}, Candidate{1, 1, 101}}) {
    EXPECT_FALSE(exactly({shape}, 100).isChosen[0]);
    EXPECT_FALSE(greedily({shape}, 100).isChosen[0]);
  }
  // What costs nothing fits any budget, and the largest budget costs no memory.
  EXPECT_TRUE(exactly({{1, 1, 0}}, 0).isChosen[0]);
  EXPECT_TRUE(greedily({{1, 1, 0}}, 0).isChosen[0]);
  EXPECT_EQ(exactly({{1, 1, 5}}, UINT64_MAX).cost, 5u);
}

} // namespace
