//===- SyntheticTest.cpp - Traces that nobody recorded --------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Simulation/Synthetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace anneal;
using namespace anneal::simulation;

namespace {

Trace made(const std::string &specification) {
  absl::StatusOr<Trace> trace = makeSyntheticTrace(specification);
  EXPECT_TRUE(trace.ok()) << trace.status();
  return *std::move(trace);
}

/// The unit of each call.
std::vector<uint32_t> unitsCalled(const Trace &trace) {
  std::vector<uint32_t> units;
  for (const TracedCalls &calls : trace.calls)
    units.insert(units.end(), calls.count, calls.callClass);
  return units;
}

/// How often each unit is called, in calls `from` to `to`.
std::vector<double> countsOf(const Trace &trace, size_t from = 0, size_t to = SIZE_MAX) {
  std::vector<double> counts(trace.units.size());
  std::vector<uint32_t> units = unitsCalled(trace);
  for (size_t i = from; i < std::min(to, units.size()); ++i)
    ++counts[units[i]];
  return counts;
}

TEST(SyntheticTest, TheSeedDecidesEverything) {
  for (const char *kind : {"zipf", "pareto", "phases", "bursts", "drift", "cold"}) {
    std::string specification = std::string(kind) + ",calls=2000,units=30,seed=";
    std::string first = toText(made(specification + "4"));
    EXPECT_EQ(first, toText(made(specification + "4"))) << kind;
    std::string other = toText(made(specification + "5"));
    // Not only the first line, which has the specification.
    EXPECT_NE(first.substr(first.find('\n')), other.substr(other.find('\n'))) << kind;
  }
}

/// The engine is the standard's; what is made of its bits is the same everywhere, too.
TEST(SyntheticTest, DrawsTheSameNumbersOnEachMachine) {
  Random random(1);
  EXPECT_DOUBLE_EQ(random.uniform(), 0.13387664401253274);
  EXPECT_DOUBLE_EQ(random.between(2, 4), 2 + 2 * 0.13640703636619735);
  EXPECT_LT(random.below(3), 3u);
}

TEST(SyntheticTest, HasAsManyUnitsAndCallsAsAskedFor) {
  for (const char *kind : {"zipf", "pareto", "phases", "bursts", "drift", "cold"}) {
    Trace trace = made(std::string(kind) + ",units=17,calls=1234");
    EXPECT_EQ(trace.units.size(), 17u);
    EXPECT_EQ(trace.numCalls(), 1234u);
    EXPECT_TRUE(parseTrace(toText(trace), kind).ok());
  }
  EXPECT_EQ(made("cold,units=1,calls=1").numCalls(), 1u);
  EXPECT_EQ(made("cold,units=3,hot=0,calls=9").numCalls(), 9u);
  EXPECT_EQ(made("cold,units=3,hot=1,calls=9").numCalls(), 9u);
  EXPECT_EQ(made("bursts,burst-share=1,burst=1,calls=9").numCalls(), 9u);
}

TEST(SyntheticTest, ZipfCallsRankRByOneOverR) {
  constexpr double kCalls = 29290;
  std::vector<double> counts = countsOf(made("zipf,units=10,calls=29290"));
  // H_10 = 2.929: 10000 calls of the first, 10000 / r of rank r, within five deviations.
  for (size_t r = 1; r <= 10; ++r) {
    double mean = 1e4 / static_cast<double>(r);
    EXPECT_NEAR(counts[r - 1], mean, 5 * std::sqrt(mean * (1 - mean / kCalls))) << r;
  }
  // By r^-2: the first is called 4 times as often as the second.
  counts = countsOf(made("zipf,units=10,calls=30000,exponent=2"));
  EXPECT_NEAR(counts[0] / counts[1], 4, 0.3);
}

TEST(SyntheticTest, ParetoGivesAFifthOfTheUnitsFourFifthsOfTheCalls) {
  std::vector<double> counts = countsOf(made("pareto,units=1000,calls=200000"));
  double hot = std::accumulate(counts.begin(), counts.begin() + 200, 0.0);
  EXPECT_NEAR(hot / 200000, std::pow(0.2, 1 - 1 / 1.16), 0.005);
  EXPECT_NEAR(hot / 200000, 0.8, 0.01);
  // Popularities are those of the distribution's quantiles: at 0.2 and 0.4 2^(1/1.16) apart.
  auto around = [&](ptrdiff_t unit) {
    return std::accumulate(counts.begin() + unit - 20, counts.begin() + unit + 20, 0.0);
  };
  EXPECT_NEAR(around(200) / around(400), std::pow(2, 1 / 1.16), 0.1);
}

TEST(SyntheticTest, PhasesBeginWithOtherUnits) {
  Trace trace = made("phases,units=10,calls=30000,phases=3");
  for (size_t phase = 0; phase < 3; ++phase) {
    std::vector<double> counts = countsOf(trace, phase * 10000, (phase + 1) * 10000);
    auto first = std::max_element(counts.begin(), counts.end()) - counts.begin();
    EXPECT_EQ(static_cast<size_t>(first), phase * 10 / 3);
    EXPECT_NEAR(counts[static_cast<size_t>(first)], 10000 / 2.929, 300);
  }
}

TEST(SyntheticTest, BurstsAreAsLongAndAsManyAsTheirShare) {
  std::vector<uint32_t> units =
      unitsCalled(made("bursts,units=1000,calls=200000,burst=40,burst-share=0.3,exponent=0"));
  // Of a thousand units that are equally popular, runs of 20 are bursts.
  double inBursts = 0;
  for (size_t i = 0; i < units.size();) {
    size_t end = i;
    while (end < units.size() && units[end] == units[i])
      ++end;
    if (end - i >= 20) {
      EXPECT_GE(end - i, 40u);
      inBursts += static_cast<double>(end - i);
    }
    i = end;
  }
  EXPECT_NEAR(inBursts / static_cast<double>(units.size()), 0.3, 0.03);
}

TEST(SyntheticTest, DriftGoesThroughTheUnitsBitByBit) {
  Trace trace = made("drift,units=10,calls=100000");
  for (size_t part = 0; part < 10; ++part) {
    std::vector<double> counts = countsOf(trace, part * 10000, (part + 1) * 10000);
    auto first = std::max_element(counts.begin(), counts.end()) - counts.begin();
    EXPECT_EQ(static_cast<size_t>(first), part);
    // The one that comes next is second already.
    EXPECT_NEAR(counts[(part + 1) % 10], 5000 / 2.929, 300);
  }
}

TEST(SyntheticTest, ColdHasFewHotUnits) {
  std::vector<double> counts = countsOf(made("cold,units=1000,calls=100000"));
  double hot = std::accumulate(counts.begin(), counts.begin() + 10, 0.0);
  EXPECT_NEAR(hot, 90000, 500);
  for (size_t u = 0; u < 10; ++u)
    EXPECT_NEAR(counts[u], 9000, 500);
  for (size_t u = 10; u < 1000; ++u)
    EXPECT_LT(counts[u], 35);
}

TEST(SyntheticTest, UnitsCostAboutWhatIsTypical) {
  Trace trace = made("zipf,units=2000,calls=1,call-us=100,compile-ms=7,speedup=2");
  double logCall = 0, logCompile = 0, speedup = 0;
  size_t slower = 0;
  for (const CallClass &callClass : trace.classes) {
    const TracedWork &work = callClass.work[0];
    const TracedCompile &compile = trace.units[work.unit].compiles[1];
    double ratio = work.seconds[0] / work.seconds[1];
    EXPECT_GE(work.seconds[0], 100e-6 / 3);
    EXPECT_LE(work.seconds[0], 100e-6 * 3);
    EXPECT_GE(compile.seconds, 7e-3 / 3);
    EXPECT_LE(compile.seconds, 7e-3 * 3);
    EXPECT_GE(ratio, 2 * 0.6 - 1e-9);
    EXPECT_LE(ratio, 2 * 1.4 + 1e-9);
    logCall += std::log(work.seconds[0] / 100e-6) / 2000;
    logCompile += std::log(compile.seconds / 7e-3) / 2000;
    speedup += ratio / 2000;
    slower += ratio < 1;
  }
  EXPECT_NEAR(logCall, 0, 0.05);
  EXPECT_NEAR(logCompile, 0, 0.05);
  EXPECT_NEAR(speedup, 2, 0.05);
  EXPECT_EQ(slower, 0u);
}

TEST(SyntheticTest, NamesWhatIsWrong) {
  auto messageOf = [](const char *specification) {
    return std::string(makeSyntheticTrace(specification).status().message());
  };
  EXPECT_EQ(messageOf("zip"),
            "there is no synthetic trace 'zip' (did you mean 'zipf'?); there is zipf, pareto, "
            "phases, bursts, drift, cold");
  EXPECT_EQ(messageOf(""),
            "there is no synthetic trace ''; there is zipf, pareto, phases, bursts, drift, cold");
  EXPECT_EQ(messageOf("zipf,unit=5"),
            "a synthetic trace has no parameter 'unit' (did you mean 'units'?); there is units, "
            "calls, seed, exponent, alpha, phases, burst, burst-share, hot, hot-share, call-us, "
            "speedup, compile-ms");
  EXPECT_EQ(messageOf("zipf,units=0"), "'0' for units is not a whole number from 1 to 1e+06");
  EXPECT_EQ(messageOf("zipf,units=2.5"), "'2.5' for units is not a whole number from 1 to 1e+06");
  EXPECT_EQ(messageOf("zipf,units=nan"), "'nan' for units is not a whole number from 1 to 1e+06");
  EXPECT_EQ(messageOf("zipf,units"), "'' for units is not a whole number from 1 to 1e+06");
  EXPECT_EQ(messageOf("zipf,call-us=0"), "'0' for call-us is not a number from 0.001 to 1e+06");
  EXPECT_EQ(messageOf("zipf,call-us=-1"), "'-1' for call-us is not a number from 0.001 to 1e+06");
  EXPECT_EQ(messageOf("pareto,alpha=1"), "'1' for alpha is not a number from 1.01 to 10");
  EXPECT_EQ(messageOf("cold,hot=inf"), "'inf' for hot is not a number from 0 to 1");
}

} // namespace
