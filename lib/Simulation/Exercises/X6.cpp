//===- X6.cpp - Compiling beside requests with a deadline -----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exercises.h"

#include "anneal/Simulation/Synthetic.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace anneal::simulation {

namespace {

constexpr double kBudgetMs = 50, kDemoteAtMs = 0.9 * kBudgetMs;
constexpr double kAotMs = 44.9, kJitMs = 29.9;
/// Up to so much less than these, evenly.
constexpr double kJitter = 0.1;
constexpr size_t kRequests = 20000;
/// A request comes every so often.
constexpr double kPeriodMs = 50;

/// What is done in a run.
struct Scene {
  /// In the background, from the first request on; none: nothing is compiled.
  std::optional<double> compileMs = {};
  /// The longest that a compile may take; none: as long as it takes.
  std::optional<double> compileLimitMs = {};
  /// Requests that pay for the switch, and what they pay.
  size_t switching = 1;
  double switchMs = 2;
  /// From this request on, so many find the new code slow.
  size_t spikesFrom = 0;
  size_t spikes = 0;
  double spikeMs = 60;
  bool demotes = true;
};

struct Outcome {
  double p999 = 0;
  double meanMs = 0;
  /// Part of the requests that are over the budget.
  double overBudget = 0;
  /// Those that ran the base version, and that switched.
  double aotPart = 0;
  double switchPart = 0;
  double demotions = 0;
};

/// The requests one by one: the base version until the new code is there, then that, but for times
/// after a demotion, each twice as long as the one before.
class Requests {
public:
  explicit Requests(const Scene &scene) : scene(scene) {}

  Outcome run() {
    Outcome outcome;
    std::vector<double> latencies;
    for (size_t r = 0; r < kRequests; ++r) {
      latencies.push_back(latencyOf(r, outcome));
      outcome.meanMs += latencies.back() / kRequests;
      outcome.overBudget += latencies.back() > kBudgetMs;
    }
    std::sort(latencies.begin(), latencies.end());
    // Of 20000 the 19980th: 99.9 % take no longer.
    outcome.p999 = latencies[static_cast<size_t>(std::ceil(0.999 * kRequests)) - 1];
    outcome.overBudget /= kRequests;
    outcome.aotPart /= kRequests;
    outcome.switchPart /= kRequests;
    return outcome;
  }

private:
  double drawn(double most) { return most * random.between(1 - kJitter, 1); }

  bool isCompiled(size_t request) const {
    bool mayEnd = !scene.compileLimitMs || scene.compileMs.value_or(0) <= *scene.compileLimitMs;
    return scene.compileMs && mayEnd &&
           static_cast<double>(request) * kPeriodMs >= *scene.compileMs;
  }

  double latencyOf(size_t request, Outcome &outcome) {
    if (!isCompiled(request) || request < demotedUntil) {
      ++outcome.aotPart;
      return drawn(kAotMs);
    }
    double latency = drawn(kJitMs);
    if (numSwitching < scene.switching) {
      ++numSwitching;
      ++outcome.switchPart;
      latency += scene.switchMs;
    }
    if (request >= scene.spikesFrom && request < scene.spikesFrom + scene.spikes)
      latency = scene.spikeMs;
    if (scene.demotes && latency > kDemoteAtMs) {
      ++outcome.demotions;
      demotedUntil = request + 1 + backOff;
      backOff *= 2;
    }
    return latency;
  }

  const Scene &scene;
  Random random{1};
  size_t numSwitching = 0;
  size_t demotedUntil = 0;
  size_t backOff = 64;
};

Outcome play(const Scene &scene) { return Requests(scene).run(); }

/// P99.9 = max(t_aot, p_switch * t_switch + t_jit).
double predicted(const Scene &scene, const Outcome &outcome) {
  return std::max(kAotMs, outcome.switchPart * scene.switchMs + kJitMs);
}

} // namespace

Exercise solveX6() {
  Scene quick{.compileMs = 200};
  Scene slow{.compileMs = 10000};
  Scene slowSwitch{.compileMs = 200, .switching = 40, .switchMs = 25};
  Scene limited{.compileMs = 200, .compileLimitMs = 5};
  Scene spikes{.compileMs = 200, .spikesFrom = 5000, .spikes = 50};
  Scene undefended = spikes;
  undefended.demotes = false;
  Outcome ofQuick = play(quick), ofSlow = play(slow), ofSwitch = play(slowSwitch);
  Outcome ofLimited = play(limited), ofSpikes = play(spikes), ofUndefended = play(undefended);
  auto percent = [](double part) { return 100 * part; };
  return {
      "x6",
      "99.9 % of 20000 requests within 50 ms: base version below 45 ms, new code below 30 ms",
      {{"compile of 200 ms: P99.9", predicted(quick, ofQuick), ofQuick.p999, "ms"},
       {"compile of 200 ms: mean latency", {}, ofQuick.meanMs, "ms"},
       {"compile of 10 s: P99.9", predicted(slow, ofSlow), ofSlow.p999, "ms"},
       {"0.2 % of requests switch, 25 ms: P99.9", predicted(slowSwitch, ofSwitch), ofSwitch.p999,
        "ms"},
       {"compile given up after 5 ms: P99.9", predicted(limited, ofLimited), ofLimited.p999, "ms"},
       {"compile given up after 5 ms: in the base version", {}, percent(ofLimited.aotPart), "%"},
       {"50 spikes of 60 ms, demotion above 45 ms: P99.9", {}, ofSpikes.p999, "ms"},
       {"50 spikes of 60 ms, demotion above 45 ms: over budget",
        {},
        percent(ofSpikes.overBudget),
        "%"},
       {"50 spikes of 60 ms, demotion above 45 ms: demotions", {}, ofSpikes.demotions, ""},
       {"50 spikes of 60 ms, no demotion: P99.9", {}, ofUndefended.p999, "ms"},
       {"50 spikes of 60 ms, no demotion: over budget", {}, percent(ofUndefended.overBudget), "%"}},
      "p_switch * t_switch is what the switch adds to the mean, not to a quantile: where more than "
      "0.1 % of "
      "requests switch, P99.9 has t_switch in full; where fewer do, none of it. And t_aot is in "
      "P99.9 only "
      "if more than 0.1 % of requests ran the base version. So the formula is neither bound nor "
      "value; "
      "the bound is max(t_aot, t_jit + t_switch). The timeout of 5 ms can only be the longest that "
      "a "
      "request waits for a compile, here none does: as a limit on the compile no code would ever "
      "land. "
      "Demotion at the first latency above 0.9 * budget, with a back-off that doubles, lets one "
      "request through for each try."};
}

} // namespace anneal::simulation
