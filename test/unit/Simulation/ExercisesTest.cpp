//===- ExercisesTest.cpp - The exercises of the literature, solved --------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REQUIREMENTS.md X1 to X6: the chapter's values and ours.
//
//===----------------------------------------------------------------------===//

#include "anneal/Simulation/Exercises.h"

#include "absl/strings/str_cat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace anneal::simulation;
using testing::HasSubstr;

namespace {

Exercise solved(const char *name) { return (*findExercise(name))[0]->solve(); }

/// The chapter's value of a finding.
double chapterOf(const Exercise &exercise, const std::string &what) {
  for (const Finding &finding : exercise.findings)
    if (finding.what == what)
      return finding.chapter.value();
  ADD_FAILURE() << "no finding " << what;
  return 0;
}

TEST(ExercisesTest, X1GainsOfBothGroups) {
  Exercise x1 = solved("x1");
  EXPECT_NEAR(x1.ours("hot: gain is positive above T ="), 2.5, 1e-6);
  EXPECT_NEAR(x1.ours("cold: gain is positive above T ="), 40, 1e-6);
  EXPECT_NEAR(x1.ours("all: gain is positive above T ="), 10, 1e-6);
  // 0.4*T - 1 s and 0.1*T - 4 s.
  EXPECT_NEAR(x1.ours("hot compiled, T = 20 s: gain"), 7, 1e-6);
  EXPECT_NEAR(x1.ours("cold compiled, T = 20 s: gain"), -2, 1e-6);
  EXPECT_NEAR(x1.ours("hot compiled, T = 100 s: gain"), 39, 1e-6);
  EXPECT_NEAR(x1.ours("all compiled, T = 100 s: gain"), 45, 1e-6);
  // The best decisions leave the cold group alone below 40 s, and compile it above.
  EXPECT_NEAR(x1.ours("best decisions, T = 20 s: gain"), 7, 1e-6);
  EXPECT_NEAR(x1.ours("best decisions, T = 100 s: gain"), 45, 1e-6);
  // Ours loses what the calls before the compiles took.
  EXPECT_GE(x1.ours("cost-benefit, T = 20 s: gain"), 0.99 * 7);
  EXPECT_GE(x1.ours("cost-benefit, T = 100 s: gain"), 0.99 * 45);
  EXPECT_EQ(chapterOf(x1, "hot: gain is positive above T ="), 2.5);
}

TEST(ExercisesTest, X2WhichHotOperationsTheRootCatches) {
  Exercise x2 = solved("x2");
  EXPECT_DOUBLE_EQ(x2.ours("the mean hot operation is above sqrt(N) for M below"), 400);
  EXPECT_DOUBLE_EQ(chapterOf(x2, "the mean hot operation is above sqrt(N) for M below"), 1600);
  EXPECT_NEAR(x2.ours("all hot operations are, in expectation, for M below"), 55.24, 0.01);
  EXPECT_NEAR(x2.ours("calls of the 20 % hot, by alpha"), 80.1, 0.1);
  auto ours = [&](size_t operations, const char *what) {
    return x2.ours(absl::StrCat("M = ", operations, ": ", what));
  };
  constexpr const char *kAbove = "hot operations above sqrt(N) in the end";
  constexpr const char *kCompiled = "hot operations compiled by sqrt-n";
  // All below 55, then ever fewer, as the quantile q has it: 0.138*N/M * q^(-1/1.16) > sqrt(N).
  EXPECT_GE(ours(50, kAbove), 9);
  EXPECT_LT(ours(100, kAbove), 20);
  EXPECT_LT(ours(400, kAbove), 0.2 * 80);
  EXPECT_LT(ours(1500, kAbove), 0.05 * 300);
  for (size_t operations : {50, 100, 400, 1500}) {
    // M*q of them, q = (0.138*100/M)^1.16 for N = 10000; the sample varies by a few.
    double quantile = std::pow(0.16 / 1.16 * 100 / double(operations), 1.16);
    EXPECT_NEAR(ours(operations, kAbove), std::min(0.2, quantile) * static_cast<double>(operations),
                4)
        << operations;
    // The policy asks as it goes and misses none of them.
    EXPECT_GE(ours(operations, kCompiled), ours(operations, kAbove));
  }
  EXPECT_GT(ours(50, "others compiled by sqrt-n"), 0);
}

TEST(ExercisesTest, X3HitRatesUnderZipf) {
  Exercise x3 = solved("x3");
  double best = x3.ours("best possible hit rate H_20 / H_1000");
  EXPECT_NEAR(best, 48.06, 0.01);
  EXPECT_NEAR(x3.ours("H_20"), 3.5977, 1e-4);
  EXPECT_NEAR(x3.ours("H_1000"), 7.4855, 1e-4);
  double lru = x3.ours("LRU"), lruK = x3.ours("LRU-K, K = 2");
  double sinceEntry = x3.ours("cost-aware, hits since entry");
  double ever = x3.ours("cost-aware, all uses ever");
  // Che's approximation of LRU: sum of p_i*(1 - exp(-p_i*t)) with t such that 20 items are in.
  EXPECT_NEAR(lru, 31.5, 0.3);
  EXPECT_LT(lru + 5, lruK);
  EXPECT_LT(lruK, sinceEntry);
  EXPECT_LT(sinceEntry, ever);
  EXPECT_LT(ever, best);
}

TEST(ExercisesTest, X4TheCorrectedRecurrenceAndTheRuleOnline) {
  Exercise x4 = solved("x4");
  // One compile at the right level at once: n / speed-up + C.
  EXPECT_NEAR(x4.ours("n = 10: V(n, 0)"), 10 / 1.2 + 1, 1e-9);
  EXPECT_NEAR(x4.ours("n = 100: V(n, 0)"), 100 / 1.5 + 10, 1e-9);
  EXPECT_NEAR(x4.ours("n = 1000: V(n, 0)"), 1000 / 2.0 + 100, 1e-9);
  EXPECT_NEAR(x4.ours("n = 10000: V(n, 0)"), 10000 / 3.0 + 1000, 1e-9);
  // As written it adds n*T in each batch, and is no time: more than without any compile.
  EXPECT_GT(chapterOf(x4, "n = 1000: V(n, 0)"), 30 * 1000);
  for (const char *n : {"10", "100", "1000", "10000"}) {
    double best = x4.ours(absl::StrCat("n = ", n, ": V(n, 0)"));
    EXPECT_GE(chapterOf(x4, absl::StrCat("n = ", n, ": cost of its choices")), best * (1 - 1e-12));
    EXPECT_LE(x4.ours(absl::StrCat("n = ", n, ": the rule, online")), 1.46 * best);
  }
  double worst = x4.ours("the rule over the optimum, worst of n = 1 to 100000");
  EXPECT_GT(worst, 1.4);
  EXPECT_LT(worst, 1.46);
}

TEST(ExercisesTest, X5SpeculationAsAKnapsack) {
  Exercise x5 = solved("x5");
  // Five by the chapter's form, of which p*B - C is 80, 35, -10, -40, -55 ms.
  EXPECT_EQ(chapterOf(x5, "shapes chosen"), 5);
  EXPECT_EQ(x5.ours("shapes chosen"), 2);
  EXPECT_NEAR(chapterOf(x5, "worth, compiles paid in any case"), 10, 1e-9);
  EXPECT_NEAR(x5.ours("worth, compiles paid in any case"), 115, 1e-9);
  EXPECT_NEAR(x5.ours("exact solution, equal costs"), 115, 1e-9);
  // At 0.45 and 0.3 the first is still worth 35 ms, the second -10.
  EXPECT_EQ(x5.ours("robust, probabilities off by 0.15: shapes chosen"), 1);
  EXPECT_NEAR(x5.ours("robust: worth in the worst case"), 35, 1e-9);
  EXPECT_NEAR(x5.ours("not robust: worth in the worst case"), 25, 1e-9);
  EXPECT_NEAR(x5.ours("unequal costs: greedy"), 525, 1e-9);
  EXPECT_NEAR(x5.ours("unequal costs: exact"), 570, 1e-9);
}

TEST(ExercisesTest, X6RealTime) {
  Exercise x6 = solved("x6");
  constexpr double kBudget = 50;
  // Fewer than 0.1 % of the requests come before the code is there: none of t_aot is in P99.9.
  double quick = x6.ours("compile of 200 ms: P99.9");
  EXPECT_LT(quick, 30);
  EXPECT_NEAR(chapterOf(x6, "compile of 200 ms: P99.9"), 44.9, 0.1);
  double slow = x6.ours("compile of 10 s: P99.9");
  EXPECT_GT(slow, 40);
  EXPECT_LT(slow, 45);
  // Where more than 0.1 % switch, all of t_switch is in it: far above p*t_switch + t_jit.
  double switching = x6.ours("0.2 % of requests switch, 25 ms: P99.9");
  EXPECT_GT(switching, 44.5);
  EXPECT_LT(switching, kBudget);
  // As a limit on the compile, 5 ms let no code land.
  EXPECT_EQ(x6.ours("compile given up after 5 ms: in the base version"), 100);
  EXPECT_LT(x6.ours("50 spikes of 60 ms, demotion above 45 ms: P99.9"), kBudget);
  EXPECT_GT(x6.ours("50 spikes of 60 ms, no demotion: P99.9"), kBudget);
  EXPECT_LE(x6.ours("50 spikes of 60 ms, demotion above 45 ms: over budget"), 0.1);
  EXPECT_GT(x6.ours("50 spikes of 60 ms, no demotion: over budget"), 0.1);
}

TEST(ExercisesTest, SaysTheSameOnEachCall) {
  EXPECT_EQ(exerciseNames(), "x1, x2, x3, x4, x5, x6");
  EXPECT_EQ(findExercise("all")->size(), 6u);
  for (const char *name : {"x1", "x2", "x4", "x5", "x6"})
    EXPECT_EQ(toText(solved(name)), toText(solved(name)));
}

TEST(ExercisesTest, TextHasBothValuesAndFitsATerminal) {
  std::string text = toText(solved("x4"));
  EXPECT_THAT(text, HasSubstr("n = 100: V(n, 0)                                        466.667 ms  "
                              "   76.6667 ms\n"));
  EXPECT_THAT(text, HasSubstr("The recurrence charges C_l' in each batch"));
  for (size_t i = 0, end; i < text.size(); i = end + 1) {
    end = text.find('\n', i);
    EXPECT_LE(end - i, 100u) << text.substr(i, end - i);
  }
}

TEST(ExercisesTest, NamesWhatThereIs) {
  EXPECT_EQ(findExercise("x7").status().message(),
            "there is no scenario 'x7'; there is x1, x2, x3, x4, x5, x6, all");
}

} // namespace
