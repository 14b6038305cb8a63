//===- HotSpotPolicy.cpp - Thresholds that grow with the load -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HotSpot's tiered policy, to compare with. A unit is compiled at the next tier when
//
//   i > threshold * s,   s = queue length / (load feedback * compile threads) + 1
//
// with i its calls at the tier where it is: HotSpot's Tier3InvocationThreshold = 200 and
// Tier3LoadFeedback = 5 for the first tier above the interpreter, Tier4InvocationThreshold = 5000
// and Tier4LoadFeedback = 3 for the second. HotSpot's other condition, i > MinInvocationThreshold *
// s and i + b > CompileThreshold * s, has b, the backward branches taken: of units none are
// counted, and with b = 0 it follows from the first.
//
//===----------------------------------------------------------------------===//

#include "Policies.h"

#include <algorithm>
#include <array>

namespace anneal::runtime {

namespace {

/// What moves a unit to a tier.
struct Trigger {
  double calls = 0;
  double loadFeedback = 1;
};

/// HotSpot has two tiers with thresholds. Tiers above continue the growth from the first to the
/// second.
Trigger defaultTrigger(unsigned tier) {
  constexpr Trigger kFirst = {200, 5}, kSecond = {5000, 3};
  if (tier <= 1)
    return kFirst;
  Trigger trigger = kSecond;
  for (unsigned t = 2; t < tier; ++t)
    trigger.calls *= kSecond.calls / kFirst.calls;
  return trigger;
}

class HotSpotPolicy final : public Policy {
public:
  explicit HotSpotPolicy(const PolicyParameters &parameters) {
    for (unsigned t = 1; t < kNumTiers; ++t)
      triggers[t] = {parameters[tierParameter("calls-", static_cast<Tier>(t))],
                     parameters[tierParameter("load-feedback-", static_cast<Tier>(t))]};
  }

private:
  Decision choose(const UnitState &unit, const PolicyContext &context) const override {
    if (unit.calls == 0)
      return Decision::notCalled(unit.tier);
    std::optional<Tier> next = context.tiers.lowestAbove(unit.tier);
    if (!next)
      return Decision::noHigherTier(unit.tier);
    const Trigger &trigger = triggers[static_cast<size_t>(*next)];
    double threads = std::max(1u, context.compileThreads);
    double scale = static_cast<double>(context.queueLength) / (trigger.loadFeedback * threads) + 1;
    double threshold = trigger.calls * scale;
    auto calls = static_cast<double>(unit.callsAtTier());
    Terms terms = {{"calls", calls},
                   {"threshold", threshold},
                   {"scale", scale},
                   {"queue_length", static_cast<double>(context.queueLength)}};
    // As HotSpot does, the one that is called most often goes first.
    return calls > threshold ? Decision::calledOften(*next, unit.callsPerCall, std::move(terms))
                             : Decision::tooFewCalls(unit.tier, std::move(terms));
  }

  std::array<Trigger, kNumTiers> triggers;
};

} // namespace

PolicyParameters hotSpotParameters() {
  std::vector<PolicyParameter> list;
  for (unsigned t = 1; t < kNumTiers; ++t) {
    Trigger trigger = defaultTrigger(t);
    auto tier = static_cast<Tier>(t);
    list.push_back({tierParameter("calls-", tier), trigger.calls, 0, 1e18,
                    "calls at the tier below, of which there have to be more, at an empty queue"});
    list.push_back({tierParameter("load-feedback-", tier), trigger.loadFeedback, 0.001, 1e9,
                    "units that wait for a compile thread and add as much as one threshold"});
  }
  return PolicyParameters(std::move(list));
}

std::unique_ptr<Policy> makeHotSpotPolicy(const PolicyParameters &parameters) {
  return std::make_unique<HotSpotPolicy>(parameters);
}

} // namespace anneal::runtime
