//===- UnitState.cpp - What is known of a unit ----------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Policy/UnitState.h"

#include "anneal/Support/Saturating.h"
#include "anneal/Support/ShapeBucket.h"

#include <algorithm>
#include <cmath>

namespace anneal::runtime {

namespace {

bool isMeasured(double value) { return std::isfinite(value) && value > 0; }

/// Calls whose keys are equal do equal work. Those with flops have keys from 0 on.
int64_t keyOf(const TickSample &sample) {
  if (!isMeasured(sample.flops))
    return -1 - static_cast<int64_t>(sample.shapesSeen);
  constexpr double kMost = 1e18;
  double flopsPerCall = std::min(sample.flops / static_cast<double>(sample.timedCalls), kMost);
  return bucketOf(static_cast<uint64_t>(std::max(flopsPerCall, 1.0)), BucketStep{1, 4});
}

void addWork(TimedWork &work, const TickSample &sample) {
  if (sample.timedCalls == 0 || !isMeasured(sample.seconds))
    return;
  work.calls = addSaturating(work.calls, sample.timedCalls);
  work.seconds += sample.seconds;
  work.flops += isMeasured(sample.flops) ? sample.flops : 0;
  work.bytes += isMeasured(sample.bytes) ? sample.bytes : 0;
}

} // namespace

const TierTimes::Entry *TierTimes::find(int64_t key) const {
  auto found = std::find_if(entries.begin(), entries.end(),
                            [&](const Entry &entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

void TierTimes::add(const TickSample &sample) {
  if (sample.timedCalls == 0 || !isMeasured(sample.seconds))
    return;
  int64_t key = keyOf(sample);
  double work = isMeasured(sample.flops) ? sample.flops : static_cast<double>(sample.timedCalls);
  double secondsPerWork = sample.seconds / work;
  if (const Entry *found = find(key)) {
    Entry &entry = entries[static_cast<size_t>(found - entries.data())];
    entry.work += work;
    entry.timedCalls = addSaturating(entry.timedCalls, sample.timedCalls);
    ++entry.ticks;
    entry.secondsPerWork = std::min(entry.secondsPerWork, secondsPerWork);
    return;
  }
  if (entries.size() == kMaxEntries)
    entries.erase(
        std::min_element(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
          return a.timedCalls < b.timedCalls;
        }));
  entries.push_back({key, work, sample.timedCalls, 1, secondsPerWork});
}

std::vector<TierTimes::Kept> TierTimes::kept() const {
  std::vector<Kept> result;
  for (const Entry &entry : entries)
    result.push_back(
        {entry.work, entry.key >= 0, entry.timedCalls, entry.ticks, entry.secondsPerWork});
  return result;
}

void TierTimes::restore(const Kept &kept) {
  TickSample sample;
  sample.timedCalls = kept.timedCalls;
  sample.seconds = kept.work * kept.secondsPerWork;
  sample.flops = kept.hasFlops ? kept.work : 0;
  // Where there are no flops, the first sizes that a run sees.
  sample.shapesSeen = 1;
  add(sample);
  if (const Entry *found = find(keyOf(sample)); found && kept.ticks > 1)
    entries[static_cast<size_t>(found - entries.data())].ticks += kept.ticks - 1;
}

uint64_t TierTimes::timedCalls() const {
  uint64_t sum = 0;
  for (const Entry &entry : entries)
    sum = addSaturating(sum, entry.timedCalls);
  return sum;
}

uint32_t TierTimes::ticks() const {
  uint32_t sum = 0;
  for (const Entry &entry : entries)
    sum += entry.ticks;
  return sum;
}

double TierTimes::secondsPerCall() const {
  double seconds = 0;
  for (const Entry &entry : entries)
    seconds += entry.work * entry.secondsPerWork;
  return entries.empty() ? 0 : seconds / static_cast<double>(timedCalls());
}

TimeComparison TierTimes::comparedWith(const TierTimes &other) const {
  TimeComparison result;
  double mine = 0, theirs = 0;
  for (const Entry &entry : entries) {
    const Entry *match = other.find(entry.key);
    if (!match)
      continue;
    mine += entry.work * entry.secondsPerWork;
    theirs += entry.work * match->secondsPerWork;
    result.timedCalls = addSaturating(result.timedCalls, entry.timedCalls);
    result.ticks += entry.ticks;
  }
  if (theirs > 0)
    result.ratio = mine / theirs;
  return result;
}

void addTick(UnitState &state, const TickSample &sample, double smoothing) {
  bool isFirst = state.calls == 0;
  state.calls = addSaturating(state.calls, sample.calls);
  if (sample.programCalls > 0) {
    double actual = static_cast<double>(sample.calls) / static_cast<double>(sample.programCalls);
    state.callsPerCall =
        isFirst ? actual : smoothing * actual + (1 - smoothing) * state.callsPerCall;
  }
  addWork(state.timed, sample);
  if (!state.isTickMixed)
    state.times[static_cast<size_t>(state.tier)].add(sample);
  state.isTickMixed = false;
}

void changeTier(UnitState &state, Tier tier) {
  state.tierBefore = state.tier;
  state.tier = tier;
  state.callsBefore = state.calls;
  state.isTickMixed = true;
}

} // namespace anneal::runtime
