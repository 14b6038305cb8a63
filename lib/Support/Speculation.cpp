//===- Speculation.cpp - What to compile before it is asked for -----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Support/Speculation.h"

#include "anneal/Support/Saturating.h"

#include <algorithm>

namespace anneal {

namespace {

SpeculationChoice choiceOf(std::span<const Candidate> candidates, std::vector<bool> isChosen,
                           SpeculationValue value, double secondsPerCost) {
  SpeculationChoice choice;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (!isChosen[i])
      continue;
    choice.value += valueOf(candidates[i], value, secondsPerCost);
    choice.cost += candidates[i].cost;
  }
  choice.isChosen = std::move(isChosen);
  return choice;
}

} // namespace

double valueOf(const Candidate &candidate, SpeculationValue value, double secondsPerCost) {
  double compile = static_cast<double>(candidate.cost) * secondsPerCost;
  return value == SpeculationValue::CompileAlwaysPaid
             ? candidate.probability * candidate.benefit - compile
             : candidate.probability * (candidate.benefit - compile);
}

SpeculationChoice chooseGreedily(std::span<const Candidate> candidates, uint64_t budget,
                                 SpeculationValue value, double secondsPerCost) {
  auto worth = [&](size_t i) { return valueOf(candidates[i], value, secondsPerCost); };
  std::vector<size_t> order;
  for (size_t i = 0; i < candidates.size(); ++i)
    if (worth(i) > 0 && candidates[i].cost <= budget)
      order.push_back(i);
  // Crosswise, so that a cost of 0 divides nothing.
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return worth(a) * static_cast<double>(candidates[b].cost) >
           worth(b) * static_cast<double>(candidates[a].cost);
  });
  std::vector<bool> isChosen(candidates.size()), isAlone(candidates.size());
  uint64_t left = budget;
  for (size_t i : order)
    if (candidates[i].cost <= left) {
      left -= candidates[i].cost;
      isChosen[i] = true;
    }
  auto most = std::max_element(order.begin(), order.end(),
                               [&](size_t a, size_t b) { return worth(a) < worth(b); });
  if (most != order.end())
    isAlone[*most] = true;
  SpeculationChoice filled = choiceOf(candidates, std::move(isChosen), value, secondsPerCost);
  SpeculationChoice alone = choiceOf(candidates, std::move(isAlone), value, secondsPerCost);
  return alone.value > filled.value ? alone : filled;
}

SpeculationChoice chooseExactly(std::span<const Candidate> candidates, uint64_t budget,
                                SpeculationValue value, double secondsPerCost) {
  // No more is ever spent than all cost together.
  uint64_t all = 0;
  for (const Candidate &candidate : candidates)
    if (candidate.cost <= budget)
      all = addSaturating(all, candidate.cost);
  budget = std::min(budget, all);
  std::vector<double> best(budget + 1, 0);
  std::vector<std::vector<bool>> takes(candidates.size(), std::vector<bool>(budget + 1));
  for (size_t i = 0; i < candidates.size(); ++i) {
    double worth = valueOf(candidates[i], value, secondsPerCost);
    if (!(worth > 0))
      continue;
    for (uint64_t room = budget + 1; room-- > candidates[i].cost;) {
      double with = best[room - candidates[i].cost] + worth;
      if (with <= best[room])
        continue;
      best[room] = with;
      takes[i][room] = true;
    }
  }
  std::vector<bool> isChosen(candidates.size());
  uint64_t room = budget;
  for (size_t i = candidates.size(); i-- > 0;)
    if (takes[i][room]) {
      isChosen[i] = true;
      room -= candidates[i].cost;
    }
  return choiceOf(candidates, std::move(isChosen), value, secondsPerCost);
}

std::vector<Candidate> worstCase(std::span<const Candidate> candidates, double epsilon) {
  std::vector<Candidate> lowered(candidates.begin(), candidates.end());
  for (Candidate &candidate : lowered)
    candidate.probability = std::max(0.0, candidate.probability - epsilon);
  return lowered;
}

} // namespace anneal
