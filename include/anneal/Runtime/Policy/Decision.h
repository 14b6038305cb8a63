//===- Decision.h - What a policy says about a unit -------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_POLICY_DECISION_H
#define ANNEAL_RUNTIME_POLICY_DECISION_H

#include "anneal/Support/Tier.h"

#include "absl/strings/string_view.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace anneal::runtime {

/// What is to be done with a unit.
enum class Action : uint8_t {
  /// Nothing for now.
  Stay,
  /// Compile it at a higher tier, install what comes out.
  Promote,
  /// Take its code away: back to a lower tier.
  Demote,
  /// Leave it for good where it is.
  Pin
};

/// "stay", "promote", "demote", "pin".
absl::string_view name(Action action);

/// As name(Tier), for what is made of Abseil's strings.
absl::string_view tierName(Tier tier);

enum class Reason : uint8_t {
#define ANNEAL_REASON(Name, Action, text) Name,
#include "anneal/Runtime/Policy/Reasons.def"
#undef ANNEAL_REASON
};

/// How a report says it: "would save less than compiling costs".
absl::string_view text(Reason reason);

/// A number that went into a decision: {"saved_ms", 1.5}. Names end with their unit and are string
/// literals.
struct Term {
  absl::string_view name;
  double value = 0;
};
using Terms = std::vector<Term>;

/// A decision on one unit: made only by the functions below, each of which stands for one reason.
/// "No" is a decision too. A value; not thread-safe when assigned to.
class Decision {
public:
  /// That of a unit that nobody has looked at.
  Decision() = default;

  static Decision notCalled(Tier at) { return {Reason::NotCalled, at}; }
  static Decision tooFewTimes(Tier at, Terms terms) {
    return {Reason::TooFewTimes, at, std::move(terms)};
  }
  static Decision notHot(Tier at, Terms terms) { return {Reason::NotHot, at, std::move(terms)}; }
  static Decision tooFewCalls(Tier at, Terms terms) {
    return {Reason::TooFewCalls, at, std::move(terms)};
  }
  static Decision doesNotPay(Tier at, Terms terms) {
    return {Reason::DoesNotPay, at, std::move(terms)};
  }
  static Decision noHigherTier(Tier at, Terms terms = {}) {
    return {Reason::NoHigherTier, at, std::move(terms)};
  }
  static Decision onTrial(Tier at, Terms terms) { return {Reason::OnTrial, at, std::move(terms)}; }
  static Decision notComparable(Tier at, Terms terms) {
    return {Reason::NotComparable, at, std::move(terms)};
  }
  static Decision atFixedTier(Tier at) { return {Reason::AtFixedTier, at}; }
  static Decision pluginStays(Tier at, Terms terms) {
    return {Reason::PluginStays, at, std::move(terms)};
  }
  static Decision pluginRefused(Tier at, Terms terms) {
    return {Reason::PluginRefused, at, std::move(terms)};
  }
  static Decision queueFull(Tier at) { return {Reason::QueueFull, at}; }

  /// `gain`: what gains most is compiled first: seconds that it saves beyond what it costs, or
  /// another number by which one policy compares units.
  static Decision pays(Tier to, double gain, Terms terms) {
    return {Reason::Pays, to, std::move(terms), gain};
  }
  static Decision calledOften(Tier to, double gain, Terms terms) {
    return {Reason::CalledOften, to, std::move(terms), gain};
  }
  static Decision aheadOfTime(Tier to, double gain) { return {Reason::AheadOfTime, to, {}, gain}; }
  static Decision toFixedTier(Tier to, double gain) { return {Reason::ToFixedTier, to, {}, gain}; }
  static Decision pluginPromotes(Tier to, double gain, Terms terms) {
    return {Reason::PluginPromotes, to, std::move(terms), gain};
  }
  static Decision forced(Tier to) { return {Reason::Forced, to}; }

  static Decision slowerThanBelow(Tier to, Terms terms) {
    return {Reason::SlowerThanBelow, to, std::move(terms)};
  }
  static Decision pluginDemotes(Tier to, Terms terms) {
    return {Reason::PluginDemotes, to, std::move(terms)};
  }

  static Decision rolledBack(Tier at) { return {Reason::RolledBack, at}; }
  static Decision nothingToCompile(Tier at) { return {Reason::NothingToCompile, at}; }
  static Decision compileFailed(Tier at) { return {Reason::CompileFailed, at}; }
  static Decision compileTimedOut(Tier at) { return {Reason::CompileTimedOut, at}; }
  static Decision noCodeMemory(Tier at) { return {Reason::NoCodeMemory, at}; }
  static Decision noCompiler(Tier at) { return {Reason::NoCompiler, at}; }
  static Decision noUnitIr(Tier at) { return {Reason::NoUnitIr, at}; }
  static Decision onlyConstants(Tier at) { return {Reason::OnlyConstants, at}; }
  static Decision loopOfUnits(Tier at) { return {Reason::LoopOfUnits, at}; }
  static Decision atForcedTier(Tier at) { return {Reason::AtForcedTier, at}; }

  Action action() const;
  /// Where the unit is to be: for Stay and Pin where it is.
  Tier tier() const { return tierValue; }
  Reason reason() const { return reasonValue; }
  const Terms &terms() const { return termsValue; }
  /// Of a promotion; else 0.
  double gain() const { return gainValue; }

  /// "promote to baseline: saves more than compiling costs (saved_ms=12.5, compile_ms=4)".
  std::string toText() const;

private:
  Decision(Reason reason, Tier tier, Terms terms = {}, double gain = 0)
      : reasonValue(reason), tierValue(tier), gainValue(gain), termsValue(std::move(terms)) {}

  Reason reasonValue = Reason::NotLookedAt;
  Tier tierValue = Tier::Interpreter;
  double gainValue = 0;
  Terms termsValue;
};

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_POLICY_DECISION_H
