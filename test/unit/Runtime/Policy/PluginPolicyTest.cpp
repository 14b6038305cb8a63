//===- PluginPolicyTest.cpp - Policies from shared libraries --------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PolicyTesting.h"

#include "absl/strings/str_cat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace anneal;
using namespace anneal::runtime;
using namespace anneal::runtime::test;
using testing::HasSubstr;

namespace {

absl::Status load(absl::string_view name) {
  return loadPolicyPlugin(absl::StrCat(ANNEAL_PLUGINS, "/", name, ".so"));
}

TEST(PluginPolicyTest, DecidesByWhatItIsTold) {
  ASSERT_TRUE(load("EveryPolicy").ok());
  ASSERT_TRUE(load("EveryPolicy").ok()) << "once more is harmless";
  Decider decider("every,calls=50");
  UnitState unit = called(49);
  Decision decision = decider.decide(unit);
  EXPECT_EQ(decision.reason(), Reason::PluginStays);
  EXPECT_EQ(decision.toText(),
            "stay at interpreter: the policy plugin says so (calls=49, threshold=50)");
  unit = called(50);
  decision = decider.decide(unit);
  EXPECT_EQ(decision.reason(), Reason::PluginPromotes);
  EXPECT_EQ(decision.tier(), Tier::Baseline);
  EXPECT_GT(decision.gain(), 0);
  promote(unit, 20, 5);
  EXPECT_EQ(decider.decide(unit).reason(), Reason::PluginStays);
}

TEST(PluginPolicyTest, TakesBackWhatItSays) {
  ASSERT_TRUE(load("EveryPolicy").ok());
  Decider decider("every");
  UnitState unit = called(50);
  promote(unit, 20, 500);
  Decision decision = decider.decide(unit);
  EXPECT_EQ(decision.reason(), Reason::PluginDemotes);
  EXPECT_EQ(decision.action(), Action::Demote);
  EXPECT_EQ(decision.tier(), Tier::Interpreter);
}

TEST(PluginPolicyTest, KeepsToTheTiersThatMayBeUsed) {
  ASSERT_TRUE(load("EveryPolicy").ok());
  Decider decider("every");
  decider.context.tiers = TierSet();
  EXPECT_EQ(decider.decide(called(1000)).reason(), Reason::PluginStays);
}

TEST(PluginPolicyTest, NonsenseIsRefused) {
  ASSERT_TRUE(load("NonsensePolicy").ok());
  for (int kind = 0; kind <= 6; ++kind) {
    Decider decider(absl::StrCat("nonsense,kind=", kind));
    Decision decision = decider.decide(called(10));
    EXPECT_EQ(decision.reason(), Reason::PluginRefused) << kind;
    EXPECT_EQ(decision.action(), Action::Stay);
    EXPECT_EQ(decision.tier(), Tier::Interpreter);
    EXPECT_THAT(decision.toText(), HasSubstr("the policy plugin's answer makes no sense (action="));
  }
  EXPECT_THAT(std::string(makePolicy("nonsense,kind=7").status().message()),
              HasSubstr("policy 'nonsense': its plugin makes none with these parameters"));
}

TEST(PluginPolicyTest, WhatIsNoPluginIsNamed) {
  EXPECT_THAT(std::string(load("OtherVersionPolicy").message()),
              HasSubstr("OtherVersionPolicy.so': it is of version 99, this is 1; build it anew"));
  EXPECT_THAT(std::string(load("Missing").message()), HasSubstr("Missing.so"));
  EXPECT_THAT(std::string(load("OtherVersionPlugin").message()),
              HasSubstr("it exports no annealPolicyPlugin"));
}

TEST(PluginPolicyTest, ParametersAreChecked) {
  ASSERT_TRUE(load("EveryPolicy").ok());
  EXPECT_THAT(std::string(makePolicy("every,cals=3").status().message()),
              HasSubstr("policy 'every' has no parameter 'cals' (did you mean 'calls'?)"));
  EXPECT_THAT(std::string(makePolicy("every,calls=0").status().message()),
              HasSubstr("'0' for calls is not a number from 1 to 1e+09"));
  EXPECT_THAT(std::string(makePolicy("evry").status().message()),
              HasSubstr("there is no policy 'evry' (did you mean 'every'?)"));
  EXPECT_THAT(describePolicies(), HasSubstr("every\n  compiles every unit"));
}

} // namespace
