//===- Runner.cpp - Running units as the runtime would --------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

#include "anneal/Runtime/Interpreter/BoundUnit.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <mutex>
#include <thread>

using namespace anneal;

namespace anneal::runtime::test {

namespace {

/// What a frame's context points to.
struct Host {
  std::mutex mutex;
  int numLoops = 0;
};

void parallelFor(const AnnealUnitFrame *frame, int64_t count, int64_t grain,
                 AnnealParallelBody body, void *state) {
  auto *host = static_cast<Host *>(frame->context);
  ++host->numLoops;
  std::atomic<int64_t> next{0};
  auto work = [&](uint32_t worker) {
    for (;;) {
      int64_t begin = next.fetch_add(grain);
      if (begin >= count)
        return;
      body(state, begin, std::min(count, begin + grain), worker);
    }
  };
  std::vector<std::thread> threads;
  for (uint32_t worker = 1; worker < frame->numWorkers; ++worker)
    threads.emplace_back(work, worker);
  work(0);
  for (std::thread &thread : threads)
    thread.join();
}

void fail(const AnnealUnitFrame *frame, int32_t status, uint32_t message, uint32_t location,
          const int64_t *values, uint32_t numValues) {
  auto *host = static_cast<Host *>(frame->context);
  std::lock_guard<std::mutex> lock(host->mutex);
  if (frame->error->status != ANNEAL_OK)
    return;
  *frame->error = {status, message, location, {}};
  std::copy_n(values, std::min<uint32_t>(numValues, 4), frame->error->values);
}

char *alignedTo64(std::vector<char> &memory) {
  auto address = reinterpret_cast<uintptr_t>(memory.data());
  return memory.data() + (-address & 63);
}

} // namespace

RunResult runUnit(UnitBuilder &unit, const RunOptions &options) {
  RunResult result;
  size_t numParameters = unit.unit.numInputs + unit.unit.numOutputs;
  std::vector<BindTensor> tensors;
  std::vector<AnnealView> views;
  for (size_t t = 0; t < numParameters; ++t) {
    TestTensor &tensor = unit.tensors[t];
    BindTensor bind{tensor.sizes, tensor.strides};
    if (std::count(options.constants.begin(), options.constants.end(), t)) {
      bind.constant = static_cast<int32_t>(t);
      bind.constantData = tensor.data();
    }
    tensors.push_back(bind);
    views.push_back({tensor.data(), tensor.sizes.data(), tensor.strides.data()});
  }
  UnitBinding binding;
  binding.tensors = tensors;
  binding.scalars = options.scalars;
  binding.numThreads = options.numThreads;
  binding.derived = options.derived;
  binding.isa = options.isa;
  auto bound = BoundUnit::bind(unit.unit, binding);
  result.bindStatus = bound.status();
  if (!bound.ok())
    return result;

  Host host;
  AnnealCallbacks callbacks{ANNEAL_UNIT_ABI_VERSION, parallelFor, fail, &BoundUnit::runKernels};
  result.workspaceBytes = (*bound)->workspaceBytes();
  size_t scratch = ((*bound)->scratchBytesPerWorker() + 63) & ~size_t(63);
  std::vector<char> workspace(result.workspaceBytes + 64, 0x55);
  std::vector<char> scratchMemory(scratch * options.numThreads + 64, 0x55);
  AnnealUnitFrame frame = {};
  frame.callbacks = &callbacks;
  frame.context = &host;
  frame.code = bound->get();
  frame.views = views.data();
  frame.scalars = options.scalars.data();
  frame.workspace = alignedTo64(workspace);
  frame.scratch = alignedTo64(scratchMemory);
  frame.scratchPerWorker = scratch;
  frame.numWorkers = options.numThreads;
  frame.error = &result.error;
  result.status = options.code ? options.code(&frame) : BoundUnit::run(&frame);
  result.numLoops = host.numLoops;
  return result;
}

namespace {

bool isNaN(DType dtype, uint64_t bits) {
  switch (dtype) {
  case DType::F16:
    return (bits & 0x7fff) > 0x7c00;
  case DType::BF16:
    return (bits & 0x7fff) > 0x7f80;
  case DType::F32:
    return (bits & 0x7fffffff) > 0x7f800000;
  case DType::F64:
    return (bits & ~(uint64_t(1) << 63)) > 0x7ff0000000000000;
  default:
    return false;
  }
}

} // namespace

std::string difference(const TestTensor &actual, const TestTensor &expected) {
  size_t size = plan::sizeOf(actual.dtype), count = 0, first = 0;
  for (size_t i = 0; i < actual.memory.size() / size; ++i) {
    uint64_t a = 0, b = 0;
    std::memcpy(&a, actual.memory.data() + i * size, size);
    std::memcpy(&b, expected.memory.data() + i * size, size);
    if (a == b || (isNaN(actual.dtype, a) && isNaN(actual.dtype, b)))
      continue;
    if (count++ == 0)
      first = i;
  }
  if (count == 0)
    return "";
  uint64_t a = 0, b = 0;
  std::memcpy(&a, actual.memory.data() + first * size, size);
  std::memcpy(&b, expected.memory.data() + first * size, size);
  char text[160];
  std::snprintf(text, sizeof(text), "%zu of %zu elements differ, first #%zu: %llx, expected %llx",
                count, actual.memory.size() / size, first, static_cast<unsigned long long>(a),
                static_cast<unsigned long long>(b));
  return text;
}

void expectMatches(const UnitBuilder &unit, const UnitBuilder &expected,
                   const RunOptions &options) {
  for (unsigned threads = 1; threads <= 4; ++threads) {
    UnitBuilder actual = unit;
    RunOptions withThreads = options;
    withThreads.numThreads = threads;
    withThreads.isa = static_cast<Isa>(threads % (static_cast<unsigned>(detectIsa()) + 1));
    RunResult result = runUnit(actual, withThreads);
    ASSERT_TRUE(result.bindStatus.ok()) << result.bindStatus;
    ASSERT_EQ(result.status, ANNEAL_OK);
    for (size_t t = 0; t < unit.unit.numInputs + unit.unit.numOutputs; ++t)
      EXPECT_EQ(difference(actual.tensors[t], expected.tensors[t]), "")
          << "tensor #" << t << " with " << threads << " threads";
  }
}

void expectMatchesReference(const UnitBuilder &unit, const std::vector<Order> &orders,
                            const RunOptions &options) {
  UnitBuilder expected = unit;
  runReference(expected, options.scalars, orders);
  expectMatches(unit, expected, options);
}

} // namespace anneal::runtime::test
