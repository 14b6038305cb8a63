//===- CompileBenefitTest.cpp - Tests of what compiling is worth ----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Support/CompileBenefit.h"

#include "gtest/gtest.h"

using namespace anneal;

namespace {

TEST(CompileBenefitTest, CodeThatIsNotFasterIsNeverPaidBack) {
  EXPECT_EQ(getBreakEvenCalls(100, 2, 1), 100);
  EXPECT_EQ(getBreakEvenCalls(0, 2, 1), 0);
  EXPECT_EQ(getBreakEvenCalls(100, 1, 1), std::nullopt);
  EXPECT_EQ(getBreakEvenCalls(100, 1, 2), std::nullopt);
}

TEST(CompileBenefitTest, WeighsGainByHotness) {
  EXPECT_EQ(getModeBenefit(0.25, 100, 20), 5);
  EXPECT_EQ(getModeBenefit(0, 100, 20), -20);
}

TEST(CompileBenefitTest, ThresholdsGrowByGamma) {
  EXPECT_EQ(getPromotionThreshold(10, 10, 0), 10);
  EXPECT_EQ(getPromotionThreshold(10, 10, 2), 1000);
}

TEST(CompileBenefitTest, ExpectedCallsAreAnExponentialAverage) {
  EXPECT_EQ(getExpectedCalls(1, 50, 1000), 50);
  EXPECT_EQ(getExpectedCalls(0.25, 100, 200), 175);
}

/// Two tiers: twice as fast for 100, four times as fast for 1000.
const TierEstimate kTiers[] = {{}, {2, 100}, {4, 1000}};

TierQuestion ask(double calls) {
  TierQuestion question;
  question.calls = question.expectedCalls = calls;
  question.timeOfCall = 4;
  return question;
}

TEST(CompileBenefitTest, StaysBelowTheThresholdHoweverMuchItWouldSave) {
  TierQuestion question = ask(10);
  question.expectedCalls = 1e9;
  EXPECT_EQ(chooseTier(kTiers, question).tier, 0u);
  question.calls = 11;
  EXPECT_EQ(chooseTier(kTiers, question).tier, 1u);
}

TEST(CompileBenefitTest, TakesTheTierThatSavesMostAndSkipsThoseBelow) {
  TierChoice choice = chooseTier(kTiers, ask(2000));
  EXPECT_EQ(choice.tier, 2u);
  EXPECT_EQ(choice.verdicts[1].benefit, 2000 * 2 - 100);
  EXPECT_EQ(choice.verdicts[2].benefit, 2000 * 3 - 1000);
  EXPECT_TRUE(choice.verdicts[2].isReached);
  // Open, but it saves less.
  EXPECT_EQ(chooseTier(kTiers, ask(500)).tier, 1u);
}

TEST(CompileBenefitTest, TakesNoTierThatDoesNotPay) {
  EXPECT_EQ(chooseTier(kTiers, ask(40)).tier, 0u);
  TierQuestion question = ask(60);
  EXPECT_EQ(chooseTier(kTiers, question).tier, 1u);
  question.minBenefit = 20;
  EXPECT_EQ(chooseTier(kTiers, question).tier, 0u);
}

TEST(CompileBenefitTest, OfEqualTiersTakesTheLowest) {
  const TierEstimate equal[] = {{}, {2, 100}, {2, 100}};
  EXPECT_EQ(chooseTier(equal, ask(2000)).tier, 1u);
}

TEST(CompileBenefitTest, LeavesOutTiersThatAreNotAllowed) {
  const TierEstimate tiers[] = {{}, {2, 100, false}, {4, 1000}};
  EXPECT_EQ(chooseTier(tiers, ask(2000)).tier, 2u);
  EXPECT_EQ(chooseTier(tiers, ask(60)).tier, 0u);
}

TEST(CompileBenefitTest, ATierThatIsNotReachedClosesThoseAbove) {
  TierQuestion question = ask(50);
  // Thresholds 100 and 10: calls are enough for the second tier alone.
  question.firstThreshold = 100;
  question.thresholdGrowth = 0.1;
  question.expectedCalls = 1e9;
  EXPECT_EQ(chooseTier(kTiers, question).tier, 0u);
}

} // namespace
