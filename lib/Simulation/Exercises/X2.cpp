//===- X2.cpp - Whom the threshold sqrt(N) catches ------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exercises.h"

#include "anneal/Simulation/Simulator.h"
#include "anneal/Simulation/Synthetic.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace anneal::simulation {

namespace {

constexpr double kAlpha = 1.16, kHotPart = 0.2;
constexpr uint64_t kCalls = 10000;
const double kThreshold = std::sqrt(static_cast<double>(kCalls));

/// How many of the hot operations are caught, and of the others.
struct Caught {
  size_t hot = 0;
  size_t hotAtEnd = 0;
  size_t others = 0;
};

/// Counts of calls, drawn with a Pareto distribution's popularities; the policy sqrt-n decides
/// after each call.
Caught catchWith(size_t operations) {
  Trace trace = *makeSyntheticTrace(
      absl::StrCat("pareto,alpha=", kAlpha, ",units=", operations, ",calls=", kCalls));
  SimulationOptions options;
  options.policy = "sqrt-n";
  options.compileThreads = 0;
  SimulationResult run = *simulate(trace, options);
  std::vector<uint64_t> calls(operations);
  for (const TracedCalls &each : trace.calls)
    calls[each.callClass] += each.count;
  // Units are in the order of their popularity, so that the first ones are the hot ones.
  auto numHot = static_cast<size_t>(kHotPart * static_cast<double>(operations));
  Caught caught;
  for (size_t u = 0; u < operations; ++u) {
    bool isCompiled = !run.report.units[u].promotions.empty();
    caught.hot += u < numHot && isCompiled;
    bool isAbove = static_cast<double>(calls[u]) > kThreshold;
    caught.hotAtEnd += u < numHot && isAbove;
    caught.others += u >= numHot && isCompiled;
  }
  return caught;
}

/// Calls of the operation at the quantile `q` from the top, over the mean: x(q) = x_m *
/// q^(-1/alpha), mean = x_m * alpha / (alpha - 1).
double relativeCalls(double q) { return (kAlpha - 1) / kAlpha * std::pow(q, -1 / kAlpha); }

/// How many of the hot ones among so many operations are above the threshold by their quantiles.
double expectedHot(double operations) {
  double mean = static_cast<double>(kCalls) / operations;
  double quantile = std::pow(kThreshold / mean / relativeCalls(1), -kAlpha);
  return operations * std::min(kHotPart, quantile);
}

} // namespace

Exercise solveX2() {
  Exercise exercise;
  exercise.name = "x2";
  exercise.title = "threshold sqrt(N) under a Pareto distribution, alpha = 1.16, N = 10000 calls";
  // 4N/M > sqrt(N).
  exercise.findings = {
      {"the mean hot operation is above sqrt(N) for M below", 16 * kThreshold, 4 * kThreshold, ""},
      {"all hot operations are, in expectation, for M below", 16 * kThreshold,
       relativeCalls(kHotPart) * kThreshold, ""},
      {"calls of the 20 % hot, by alpha", 80, 100 * std::pow(kHotPart, 1 - 1 / kAlpha), "%"}};
  for (size_t operations : {50, 100, 400, 1500}) {
    Caught caught = catchWith(operations);
    std::string where = absl::StrCat("M = ", operations, ": ");
    auto hot = static_cast<double>(operations) * kHotPart;
    exercise.findings.push_back({where + "hot operations above sqrt(N), by quantile", hot,
                                 expectedHot(double(operations)), ""});
    exercise.findings.push_back(
        {where + "hot operations above sqrt(N) in the end", hot, double(caught.hotAtEnd), ""});
    exercise.findings.push_back(
        {where + "hot operations compiled by sqrt-n", hot, double(caught.hot), ""});
    exercise.findings.push_back(
        {where + "others compiled by sqrt-n", {}, double(caught.others), ""});
  }
  exercise.care = "4N/M > sqrt(N) gives M < 4*sqrt(N); the chapter prints 16.\n"
                  "And it speaks of the mean hot operation, while most hot operations lie below "
                  "that mean. The least of "
                  "them is called 0.16/1.16 * 0.2^(-1/1.16) = 0.55 times as often as the mean of "
                  "all operations, so that "
                  "all are caught only for M < 0.55*sqrt(N).\n"
                  "Beyond that those are caught whose quantile q, counted from the top, has "
                  "0.138*N/M * q^(-1/1.16) > sqrt(N).\n"
                  "As a rule that runs, the threshold is the root of the calls so far, and low at "
                  "first: with few "
                  "operations sqrt-n compiles cold ones, too.";
  return exercise;
}

} // namespace anneal::simulation
