//===- ProgramTesting.h - Running small plans in tests ----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TEST_UNIT_RUNTIME_PROGRAM_PROGRAMTESTING_H
#define ANNEAL_TEST_UNIT_RUNTIME_PROGRAM_PROGRAMTESTING_H

#include "SamplePlans.h"

#include "anneal/Runtime/Program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace anneal::runtime::test {

/// A program on `threads` threads; the test fails if the plan is refused.
std::unique_ptr<Program> makeProgram(plan::Module module, unsigned threads = 1,
                                     size_t maxInstances = 256);

/// The function "main".
const Function &mainOf(const Program &program);

/// A tensor with these values, or counting up from 0.
Tensor tensorOf(std::vector<int64_t> dims, std::vector<float> values);
Tensor iota(std::vector<int64_t> dims);
Tensor indexTensorOf(std::vector<int64_t> values);

std::vector<float> floatsOf(const Value &value);
std::vector<int64_t> integersOf(const Value &value);

/// Calls "main"; the test fails if the call does.
std::vector<Value> run(const Program &program, std::vector<Value> inputs);
/// Calls "main", which must fail; the error.
absl::Status fail(const Program &program, std::vector<Value> inputs,
                  const CallOptions &options = {});

/// Status with this code whose message contains the text.
MATCHER_P2(IsError, code, text, "") {
  *result_listener << arg.ToString();
  return arg.code() == code &&
         absl::string_view(arg.message()).find(text) != absl::string_view::npos;
}

} // namespace anneal::runtime::test

#endif // ANNEAL_TEST_UNIT_RUNTIME_PROGRAM_PROGRAMTESTING_H
