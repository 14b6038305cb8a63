//===- ProgramTesting.cpp - Running small plans in tests ------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramTesting.h"

#include <cstdlib>
#include <numeric>

namespace anneal::runtime::test {

std::unique_ptr<Program> makeProgram(plan::Module module, unsigned threads, size_t maxInstances) {
  ProgramOptions options;
  options.pool = threads > 1 ? *ThreadPool::create(threads) : nullptr;
  options.maxInstances = maxInstances;
  absl::StatusOr<std::unique_ptr<Program>> program =
      Program::create(std::move(module), std::move(options));
  EXPECT_TRUE(program.ok()) << program.status();
  if (!program.ok())
    std::abort();
  return *std::move(program);
}

const Function &mainOf(const Program &program) { return **program.function("main"); }

Tensor tensorOf(std::vector<int64_t> dims, std::vector<float> values) {
  Tensor tensor = *Tensor::allocate(plan::DType::F32, dims);
  std::copy(values.begin(), values.end(), tensor.dataAs<float>());
  return tensor;
}

Tensor iota(std::vector<int64_t> dims) {
  Tensor tensor = *Tensor::allocate(plan::DType::F32, dims);
  std::iota(tensor.dataAs<float>(), tensor.dataAs<float>() + tensor.numElements(), 0.0f);
  return tensor;
}

Tensor indexTensorOf(std::vector<int64_t> values) {
  Tensor tensor = *Tensor::allocate(plan::DType::Index, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.dataAs<int64_t>());
  return tensor;
}

std::vector<float> floatsOf(const Value &value) {
  const Tensor &tensor = value.tensor();
  return {tensor.dataAs<float>(), tensor.dataAs<float>() + tensor.numElements()};
}

std::vector<int64_t> integersOf(const Value &value) {
  const Tensor &tensor = value.tensor();
  return {tensor.dataAs<int64_t>(), tensor.dataAs<int64_t>() + tensor.numElements()};
}

std::vector<Value> run(const Program &program, std::vector<Value> inputs) {
  absl::StatusOr<std::vector<Value>> results = mainOf(program).call(inputs);
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? *std::move(results) : std::vector<Value>();
}

absl::Status fail(const Program &program, std::vector<Value> inputs, const CallOptions &options) {
  absl::StatusOr<std::vector<Value>> results = mainOf(program).call(inputs, options);
  EXPECT_FALSE(results.ok());
  return results.status();
}

} // namespace anneal::runtime::test
