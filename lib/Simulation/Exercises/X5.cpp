//===- X5.cpp - Which shapes to compile on speculation --------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exercises.h"

#include "anneal/Support/Speculation.h"

#include <algorithm>
#include <vector>

namespace anneal::simulation {

namespace {

using enum SpeculationValue;

/// Costs are milliseconds.
constexpr double kSecondsPerCost = 1e-3;

/// Eight shapes, which save 0.3 s if they come; a compile takes 100 ms.
std::vector<Candidate> equalShapes() {
  std::vector<Candidate> shapes;
  for (double probability : {0.6, 0.45, 0.3, 0.2, 0.15, 0.1, 0.05, 0.02})
    shapes.push_back({probability, 0.3, 100});
  return shapes;
}

/// One that is worth most for its cost, and two that are worth more together than it is with one of
/// them.
std::vector<Candidate> unequalShapes() {
  return {{0.5, 0.72, 120}, {0.5, 0.87, 150}, {0.5, 0.87, 150}};
}

double inMs(double seconds) { return seconds * 1e3; }

/// What a choice is worth if compiles are paid in any case.
double trueValue(const std::vector<Candidate> &shapes, const SpeculationChoice &choice) {
  double sum = 0;
  for (size_t i = 0; i < shapes.size(); ++i)
    if (choice.isChosen[i])
      sum += valueOf(shapes[i], CompileAlwaysPaid, kSecondsPerCost);
  return sum;
}

double numChosen(const SpeculationChoice &choice) {
  return static_cast<double>(std::count(choice.isChosen.begin(), choice.isChosen.end(), true));
}

} // namespace

Exercise solveX5() {
  std::vector<Candidate> equal = equalShapes(), unequal = unequalShapes();
  SpeculationChoice chapter = chooseGreedily(equal, 500, CompilePaidIfUsed, kSecondsPerCost);
  SpeculationChoice ours = chooseGreedily(equal, 500, CompileAlwaysPaid, kSecondsPerCost);
  SpeculationChoice exact = chooseExactly(equal, 500, CompileAlwaysPaid, kSecondsPerCost);
  std::vector<Candidate> worst = worstCase(equal, 0.15);
  SpeculationChoice robust = chooseExactly(worst, 500, CompileAlwaysPaid, kSecondsPerCost);
  SpeculationChoice greedy = chooseGreedily(unequal, 300, CompileAlwaysPaid, kSecondsPerCost);
  SpeculationChoice best = chooseExactly(unequal, 300, CompileAlwaysPaid, kSecondsPerCost);
  return {
      "x5",
      "which of eight shapes to compile before they come: B = 300 ms, C = 100 ms, budget 500 ms",
      {{"shapes chosen", numChosen(chapter), numChosen(ours), ""},
       {"worth by its own formula", inMs(chapter.value), inMs(ours.value), "ms"},
       {"worth, compiles paid in any case", inMs(trueValue(equal, chapter)), inMs(ours.value),
        "ms"},
       {"exact solution, equal costs", {}, inMs(exact.value), "ms"},
       {"robust, probabilities off by 0.15: shapes chosen", {}, numChosen(robust), ""},
       {"robust: worth in the worst case", {}, inMs(robust.value), "ms"},
       {"not robust: worth in the worst case", {}, inMs(trueValue(worst, ours)), "ms"},
       {"unequal costs: greedy", {}, inMs(greedy.value), "ms"},
       {"unequal costs: exact", {}, inMs(best.value), "ms"}},
      "The chapter multiplies the compile cost by the probability, though the compile is paid "
      "whether the "
      "shape comes or not: p*(B - C) is positive for every shape with B > C, so that it fills the "
      "budget "
      "and loses. With p*B - C a shape is compiled only for p > C/B. Its greedy choice by density "
      "is exact "
      "where all costs are equal, as in the exercise; with unequal ones it is not, and with the "
      "best single "
      "shape as alternative it has at least half of the optimum."};
}

} // namespace anneal::simulation
