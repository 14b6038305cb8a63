//===- DecisionTest.cpp - What a policy says about a unit -----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Policy/Decision.h"

#include <gtest/gtest.h>

#include <set>

using namespace anneal;
using namespace anneal::runtime;

namespace {

TEST(DecisionTest, EachReasonHasATextAndNoTwoSayTheSameForOneAction) {
  std::set<std::pair<absl::string_view, absl::string_view>> seen;
  unsigned numReasons = 0;
#define ANNEAL_REASON(Name, ActionName, string)                                                    \
  EXPECT_NE(text(Reason::Name), "");                                                               \
  seen.insert({name(Action::ActionName), text(Reason::Name)});                                     \
  ++numReasons;
#include "anneal/Runtime/Policy/Reasons.def"
#undef ANNEAL_REASON
  EXPECT_EQ(seen.size(), numReasons);
}

TEST(DecisionTest, ReasonsBelongToOneAction) {
  EXPECT_EQ(Decision::notCalled(Tier::Interpreter).action(), Action::Stay);
  EXPECT_EQ(Decision::pays(Tier::Baseline, 1, {}).action(), Action::Promote);
  EXPECT_EQ(Decision::slowerThanBelow(Tier::Interpreter, {}).action(), Action::Demote);
  EXPECT_EQ(Decision::compileFailed(Tier::Interpreter).action(), Action::Pin);
}

TEST(DecisionTest, SaysWhatWhereWhyAndByWhichNumbers) {
  EXPECT_EQ(Decision::pays(Tier::Baseline, 0.008, {{"saved_ms", 12.5}, {"compile_ms", 4}}).toText(),
            "promote to baseline: saves more than compiling costs (saved_ms=12.5, compile_ms=4)");
  EXPECT_EQ(Decision::notCalled(Tier::Interpreter).toText(), "stay at interpreter: not called yet");
}

} // namespace
