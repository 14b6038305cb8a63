//===- PolicyRegistryTest.cpp - Policies by name --------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Policy/Policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace anneal;
using namespace anneal::runtime;
using testing::HasSubstr;

namespace {

TEST(PolicyRegistryTest, MakesWhatIsNamed) {
  for (const char *specification :
       {"cost-benefit", "cost-benefit,horizon=1000,factor=0.5", "cost-benefit,speedup-baseline=2",
        "chapter", "chapter,eta=0.01,theta-hot=0.01,gamma=2", "sqrt-n", "hotspot,calls-baseline=10",
        "aot", "fixed:interpreter", "fixed:baseline"})
    EXPECT_TRUE(makePolicy(specification).ok()) << makePolicy(specification).status();
}

TEST(PolicyRegistryTest, NamesWhatExistsWhereANameIsWrong) {
  struct Case {
    const char *specification;
    const char *message;
  };
  for (const Case &wrong : std::initializer_list<Case>{
           {"", "there is no policy ''; there is cost-benefit, chapter, sqrt-n, "
                "hotspot, aot, fixed:<tier>"},
           {"greedy", "there is no policy 'greedy'; there is cost-benefit, chapter, sqrt-n, "
                      "hotspot, aot, fixed:<tier>"},
           {"chaptre", "there is no policy 'chaptre' (did you mean 'chapter'?); there is cost-"},
           {"fixd:baseline", "there is no policy 'fixd' (did you mean 'fixed'?); there is cost-"},
           {"fixed:basline",
            "there is no tier 'basline' (did you mean 'baseline'?); there is interpreter"},
           {"chapter,gama=2",
            "policy 'chapter' has no parameter 'gama' (did you mean 'gamma'?); there is theta-hot"},
           {"chapter,gamma=0.5", "policy 'chapter': '0.5' for gamma is not a number from 1 to"},
           {"chapter,eta=-2", "policy 'chapter': '-2' for eta is not a number from -1 to 1"},
           {"chapter,theta-hot=0.5",
            "policy 'chapter': theta-hot is 0.5, not from theta-min = 0.0001 to theta-max = 0.1"},
           {"chapter,theta-min=0.2", "theta-hot is 0.001, not from theta-min = 0.2 to theta-max"},
           {"sqrt-n,theta=1", "policy 'sqrt-n' has no parameter 'theta'; it has none"},
           {"hotspot,load-feedback-baseline=0", "is not a number from 0.001 to 1e+09"},
           {"fixed", "policy 'fixed:<tier>': the tier is missing; there is interpreter, baseline"},
           {"fixed:fast", "policy 'fixed:<tier>': there is no tier 'fast'; there is interpreter, "},
           {"fixed:baseline,alpha=1", "policy 'fixed' has no parameter 'alpha'; it has none"},
           {"cost-benefit:baseline", "policy 'cost-benefit' takes no ':baseline'"},
           {"cost-benefit,aleph=1",
            "policy 'cost-benefit' has no parameter 'aleph'; there is alpha, horizon, surge, "
            "factor, "
            "min-ticks, trial-calls, margin, speedup-baseline, compile-ms-baseline"},
           {"cost-benefit,", "has no parameter ''; there is alpha"},
           {"cost-benefit,alpha", "'' for alpha is not a number from 0.001 to 1"},
           {"cost-benefit,alpha=x", "'x' for alpha is not a number from 0.001 to 1"},
           {"cost-benefit,alpha=nan", "'nan' for alpha is not a number from 0.001 to 1"},
           {"cost-benefit,alpha=2", "'2' for alpha is not a number from 0.001 to 1"}}) {
    absl::Status status = makePolicy(wrong.specification).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << wrong.specification;
    EXPECT_THAT(std::string(status.message()), HasSubstr(wrong.message));
  }
}

TEST(PolicyRegistryTest, DescribesEachPolicyAndParameter) {
  std::string text = describePolicies();
  for (const char *part : {"cost-benefit\n", "fixed:<tier>\n", "chapter\n", "sqrt-n\n", "hotspot\n",
                           "aot\n", "eta=-0.0001  ", "horizon=500  ", "margin=0.1  "})
    EXPECT_THAT(text, HasSubstr(part));
}

} // namespace
