//===- X4.cpp - When to go to which of four levels ------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exercises.h"

#include "anneal/Simulation/Clairvoyant.h"
#include "anneal/Support/CompileBenefit.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace anneal::simulation {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
/// The interpreter, then the four levels; milliseconds.
const std::vector<double> kCompile = {0, 1, 10, 100, 1000};
const std::vector<double> kSpeedup = {1, 1.2, 1.5, 2, 3};
constexpr uint64_t kBatch = 10;

/// Of an execution, which takes a millisecond in the interpreter.
double timeAt(size_t level) { return 1 / kSpeedup[level]; }

/// The least time of `n` executions, in which every change of level costs its compile.
double corrected(uint64_t n) {
  Stretch all{n, {}};
  for (size_t level = 0; level < kCompile.size(); ++level)
    all.seconds.push_back(timeAt(level));
  return bestPlan({all}, kCompile).seconds;
}

struct AsWritten {
  /// V(n, 0).
  double value = 0;
  /// What its choices cost in fact.
  double cost = 0;
};

/// V(n, l) = min over l' >= l of C_l' + n*T_l' + V(n - batch, l'), as the chapter has it.
AsWritten asWritten(uint64_t n) {
  size_t levels = kCompile.size();
  std::vector<double> value(levels, 0), cost(levels, 0);
  for (uint64_t left = kBatch; left <= n; left += kBatch) {
    std::vector<double> nextValue(levels, kInfinite), nextCost(levels, 0);
    for (size_t from = 0; from < levels; ++from)
      for (size_t to = from; to < levels; ++to) {
        double candidate = kCompile[to] + static_cast<double>(left) * timeAt(to) + value[to];
        if (candidate >= nextValue[from])
          continue;
        nextValue[from] = candidate;
        nextCost[from] =
            (to == from ? 0 : kCompile[to]) + static_cast<double>(kBatch) * timeAt(to) + cost[to];
      }
    value = nextValue;
    cost = nextCost;
  }
  return {value[0], cost[0]};
}

/// The level that the chapter's rule goes to after `n` executions: of those whose threshold, 10,
/// 100, 1000 and by its own factor 10000, is passed and for which n * (T_current - T_target) >
/// C_target, the one with the largest difference. It is what the policy `chapter` decides by (T4,
/// T6), with as many executions to come as there were.
size_t nextLevel(uint64_t n, size_t current) {
  std::vector<TierEstimate> levels;
  for (size_t level = 0; level < kCompile.size(); ++level)
    levels.push_back({timeAt(current) / timeAt(level), kCompile[level], level > current});
  TierQuestion question;
  question.calls = question.expectedCalls = static_cast<double>(n);
  question.timeOfCall = timeAt(current);
  size_t best = chooseTier(levels, question).tier;
  return best == 0 ? current : best;
}

/// Time of executions 1 to n under that rule, for each n up to `most`.
std::vector<double> online(uint64_t most) {
  std::vector<double> times(most + 1, 0);
  double time = 0;
  size_t level = 0;
  for (uint64_t n = 1; n <= most; ++n) {
    // Levels are looked at before an execution, by the executions there were.
    if (size_t next = nextLevel(n - 1, level); next != level) {
      level = next;
      time += kCompile[level];
    }
    time += timeAt(level);
    times[n] = time;
  }
  return times;
}

} // namespace

Exercise solveX4() {
  constexpr uint64_t kMost = 100000;
  std::vector<double> times = online(kMost);
  Exercise exercise;
  exercise.name = "x4";
  exercise.title =
      "four levels, compiles of 1, 10, 100, 1000 ms, speeds 1.2, 1.5, 2, 3; 1 ms in the "
      "interpreter";
  for (uint64_t n : {10, 100, 1000, 10000}) {
    AsWritten chapter = asWritten(n);
    double best = corrected(n);
    std::string where = absl::StrCat("n = ", n, ": ");
    exercise.findings.push_back({where + "V(n, 0)", chapter.value, best, "ms"});
    exercise.findings.push_back({where + "cost of its choices", chapter.cost, best, "ms"});
    exercise.findings.push_back({where + "the rule, online", {}, times[n], "ms"});
  }
  double worst = 0;
  uint64_t worstAt = 0;
  for (uint64_t n = 1; n <= kMost; ++n)
    if (double ratio = times[n] / corrected(n); ratio > worst) {
      worst = ratio;
      worstAt = n;
    }
  exercise.findings.push_back(
      {"the rule over the optimum, worst of n = 1 to 100000", {}, worst, ""});
  exercise.findings.push_back({"at n =", {}, static_cast<double>(worstAt), ""});
  exercise.care = "The recurrence charges C_l' in each batch, also where the level stays, and n*T "
                  "for a batch that has "
                  "n_current executions: V grows with the square of n, and stands for no time. "
                  "Corrected: V(n, l) = "
                  "min over l' >= l of [l' != l] * C_l' + n_current * T_l' + V(n - n_current, l'). "
                  "The chapter's "
                  "choices are costed by that. Its decision n*(T_current - T_target) > C_target, "
                  "with n the executions so "
                  "far, waits for each level until the past would have paid for it; of four levels "
                  "one is without a "
                  "threshold, taken as 10000.";
  return exercise;
}

} // namespace anneal::simulation
