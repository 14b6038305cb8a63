//===- TraceFileTest.cpp - Traces as files --------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulationTesting.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace anneal;
using namespace anneal::simulation;
using testing::HasSubstr;

namespace {

Trace sample() {
  Trace trace = test::oneUnit(40, 1e-3, 1e-3 / 3, 4e-3);
  trace.isDeterministic = true;
  trace.compilerStartSeconds = 0.05;
  TracedUnit constant;
  constant.name = "c\"0";
  constant.kind = "linalg.fill";
  constant.role = runtime::UnitRole::ConstantsOnly;
  trace.units.push_back(constant);
  TracedUnit matmul = trace.units[0];
  matmul.name = "m0";
  matmul.compiles[1] = {runtime::Attempt::NothingToCompile, 0.1 + 0.2, 0, "no bodies"};
  trace.units.push_back(matmul);
  trace.calls.push_back({0, 2, false, 1.5});
  return trace;
}

std::string messageOf(const std::string &text) {
  absl::StatusOr<Trace> trace = parseTrace(text, "t.jsonl");
  EXPECT_FALSE(trace.ok());
  return std::string(trace.status().message());
}

std::string replaced(const std::string &from, const std::string &to) {
  std::string text = toText(sample());
  EXPECT_THAT(text, HasSubstr(from));
  return absl::StrReplaceAll(text, {{from, to}});
}

TEST(TraceFileTest, ReadsWhatItWrote) {
  std::string text = toText(sample());
  absl::StatusOr<Trace> trace = parseTrace(text, "t.jsonl");
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(toText(*trace), text);
  EXPECT_EQ(trace->numCalls(), 42u);
  EXPECT_EQ(trace->units[1].name, "c\"0");
  EXPECT_EQ(trace->units[2].compiles[1].attempt, runtime::Attempt::NothingToCompile);
  // Times are the same to the last bit.
  EXPECT_EQ(trace->units[2].compiles[1].seconds, 0.1 + 0.2);
  EXPECT_EQ(trace->classes[0].work[0].seconds[1], 1e-3 / 3);
  EXPECT_EQ(trace->calls[1].atSeconds, 1.5);
}

TEST(TraceFileTest, EveryTruncationIsAnError) {
  std::string text = toText(sample());
  for (size_t length = 0; length + 1 < text.size(); ++length) {
    absl::StatusOr<Trace> trace = parseTrace(text.substr(0, length), "t.jsonl");
    EXPECT_FALSE(trace.ok()) << length;
    EXPECT_THAT(std::string(trace.status().message()), HasSubstr("t.jsonl"));
  }
  size_t lastLine = text.rfind('\n', text.size() - 2) + 1;
  EXPECT_EQ(messageOf(text.substr(0, lastLine)),
            "t.jsonl: error: the trace is cut off: 40 of 42 calls: record it anew");
  EXPECT_EQ(messageOf(text.substr(0, text.size() - 5)),
            "t.jsonl:7: error: the trace is cut off in this line: record it anew");
}

TEST(TraceFileTest, NamesWhatIsNoTrace) {
  EXPECT_EQ(messageOf(""), "t.jsonl: error: the file is empty");
  EXPECT_EQ(messageOf("module {\n}\n"), "t.jsonl:1: error: not a trace: the first line is no JSON "
                                        "object; jit-run --record writes traces");
  EXPECT_EQ(messageOf("{\"a\": 1}\n"), "t.jsonl:1: error: not a trace: 'anneal_trace' is missing");
  EXPECT_EQ(messageOf(replaced("\"anneal_trace\":1", "\"anneal_trace\":2")),
            "t.jsonl:1: error: the trace has version 2; version 1 is what can be read: record it "
            "anew");
  EXPECT_EQ(messageOf(replaced("[\"interpreter\",\"baseline\"]", "[\"interpreter\",\"tier9\"]")),
            "t.jsonl:1: error: there is no tier \"tier9\"");
}

TEST(TraceFileTest, NamesNumbersThatDoNotFit) {
  EXPECT_EQ(messageOf(replaced("\"flops\":1000.0", "\"flops\":null")),
            "t.jsonl:5: error: 'flops' is null, not a number from 0 up");
  EXPECT_EQ(messageOf(replaced("[0.001,", "[-0.001,")),
            "t.jsonl:5: error: 's' is -0.001, not a number from 0 up");
  EXPECT_EQ(messageOf(replaced("[0.001,", "[1e999,")), "t.jsonl:5: error: not a JSON object");
  EXPECT_EQ(messageOf(replaced("\"count\":40", "\"count\":9223372036854775807")),
            "t.jsonl:6: error: 'count' is 9223372036854775807; it is a whole number from 0 to "
            "100000000");
  EXPECT_EQ(messageOf(replaced("\"count\":40", "\"count\":41")),
            "t.jsonl:7: error: there are more calls than the 42 of the first line");
  EXPECT_EQ(messageOf(replaced("\"call\":0,\"count\":2", "\"call\":1,\"count\":2")),
            "t.jsonl:7: error: there is no class 1");
  EXPECT_EQ(messageOf(replaced("\"role\":\"constants-only\"", "\"role\":\"x\"")),
            "t.jsonl:3: error: there is no role 'x'");
}

TEST(TraceFileTest, AClockThatGoesBackIsAnError) {
  Trace trace = sample();
  trace.calls.push_back({0, 1, false, 1.25});
  EXPECT_EQ(messageOf(toText(trace)),
            "t.jsonl:8: error: 'at_s' is 1.25, before the call above, at 1.5");
}

TEST(TraceFileTest, WhateverIsDamagedIsAnErrorOrATrace) {
  std::string text = toText(sample());
  for (size_t i = 0; i < text.size(); ++i)
    for (char damage : {'\0', '9', '"', '{', '\n', '\xff', '-'}) {
      std::string damaged = text;
      damaged[i] = damage;
      absl::StatusOr<Trace> trace = parseTrace(damaged, "t.jsonl");
      if (!trace.ok()) {
        EXPECT_THAT(std::string(trace.status().message()), testing::StartsWith("t.jsonl:"));
        continue;
      }
      // What it is taken for is whole.
      for (const CallClass &callClass : trace->classes)
        for (const TracedWork &work : callClass.work)
          EXPECT_LT(work.unit, trace->units.size());
      for (const TracedCalls &calls : trace->calls)
        EXPECT_LT(calls.callClass, trace->classes.size());
    }
}

TEST(TraceFileTest, NamesLinesThatDoNotFit) {
  EXPECT_EQ(messageOf(replaced("\"unit\":\"m0\"", "\"unit\":\"u0\"")),
            "t.jsonl:4: error: there are two units 'u0'");
  EXPECT_EQ(messageOf(replaced("\"result\":\"nothing-to-compile\"", "\"result\":\"lost\"")),
            "t.jsonl:4: error: there is no result 'lost' of a compile");
  EXPECT_EQ(messageOf(replaced("\"deterministic\":true", "\"deterministic\":1")),
            "t.jsonl:1: error: 'deterministic' is neither true nor false");
  EXPECT_EQ(messageOf(replaced("[\"interpreter\",\"baseline\"]", "[\"baseline\"]")),
            "t.jsonl:1: error: 'tiers' do not begin with the interpreter");
  EXPECT_EQ(messageOf(replaced("[\"interpreter\",\"baseline\"]", "[\"interpreter\"]")),
            "t.jsonl:5: error: 's' has 2 times; there are 1 tiers");
  EXPECT_EQ(messageOf(replaced("\"work\":[{", "\"work\":[1,{")),
            "t.jsonl:5: error: 'work' is no list of objects");
  EXPECT_EQ(messageOf(replaced("\"work\":[{\"unit\":0", "\"work\":[{\"unit\":3")),
            "t.jsonl:5: error: there is no unit 3");
  EXPECT_EQ(messageOf(toText(sample()) + "{\"cal\":0}\n"),
            "t.jsonl:8: error: neither a unit nor a class nor a call");
  EXPECT_EQ(messageOf(replaced("\"kind\":\"linalg.fill\",", "")),
            "t.jsonl:3: error: 'kind' is missing");
  EXPECT_EQ(messageOf(replaced("\"instance_s\":0.0", "\"instance_s\":NaN")),
            "t.jsonl:5: error: not a JSON object");
}

TEST(TraceFileTest, ARunIsNotLongerThanTheClock) {
  EXPECT_EQ(messageOf(replaced("[0.001,", "[1e9,")),
            "t.jsonl: error: the run takes 4.2e+10 s; at most 1e+09 s can be simulated");
  EXPECT_EQ(messageOf(replaced("\"compiler_start_s\":0.05", "\"compiler_start_s\":1e300")),
            "t.jsonl: error: the run takes 6e+300 s; at most 1e+09 s can be simulated");
  EXPECT_EQ(messageOf(replaced("\"at_s\":1.5", "\"at_s\":1e18")),
            "t.jsonl: error: the run takes 1e+18 s; at most 1e+09 s can be simulated");
}

/// Times of 0 are times: code that costs nothing, calls that take nothing.
TEST(TraceFileTest, ZeroTimesAreRead) {
  Trace trace = test::oneUnit(40, 0, 0, 0);
  EXPECT_TRUE(parseTrace(toText(trace), "t.jsonl").ok());
}

} // namespace
