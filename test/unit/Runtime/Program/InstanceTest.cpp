//===- InstanceTest.cpp - Instances for many shapes and many callers ------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramTesting.h"

#include <fstream>
#include <thread>

using namespace anneal;
using namespace anneal::runtime;
using namespace anneal::runtime::test;
using plan::DType;
using plan::Opcode;

namespace {

/// Resident memory of this process, bytes.
size_t residentBytes() {
  std::ifstream file("/proc/self/statm");
  size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * 4096;
}

/// x added to itself `depth` times more.
void expectChain(const Function &function, const Tensor &x, unsigned depth) {
  absl::StatusOr<std::vector<Value>> results = function.call({x});
  ASSERT_TRUE(results.ok()) << results.status();
  const Tensor &result = (*results)[0].tensor();
  ASSERT_EQ(result.dims(), x.dims());
  for (int64_t i = 0; i < x.numElements(); i += 13)
    ASSERT_EQ(result.dataAs<float>()[i], static_cast<float>(depth + 1) * x.dataAs<float>()[i]);
}

TEST(InstanceTest, MemoryStaysFlatOverManyShapes) {
  constexpr unsigned kDepth = 20;
  auto program = makeProgram(plan::test::makeChainModule(kDepth));
  size_t afterFirst = 0;
  for (int call = 0; call < 10000; ++call) {
    int64_t rows = 1 + call % 40, columns = 1 + call / 40 % 25;
    expectChain(mainOf(*program), iota({rows, columns}), kDepth);
    if (call == 999)
      afterFirst = residentBytes();
  }
  size_t after = residentBytes();
  std::printf("RSS after 1000 calls with 1000 shapes: %zu KiB, after 10000: %zu KiB\n",
              afterFirst >> 10, after >> 10);
  EXPECT_LT(after, afterFirst + (size_t(2) << 20));
  ProgramStats stats = program->stats();
  EXPECT_LE(stats.instances, 256u);
  EXPECT_EQ(stats.instancesMade, stats.instances + stats.instancesDropped);
  EXPECT_LE(stats.boundUnits, stats.instances);
  EXPECT_EQ(stats.poolBytesInUse, 0u);
  EXPECT_LE(stats.poolBytesIdle, 2 * stats.poolPeakBytes);
}

TEST(InstanceTest, ShapesThatFitTheTableAreMadeOnce) {
  auto program = makeProgram(plan::test::makeChainModule(2));
  for (int round = 0; round < 5; ++round)
    for (int64_t rows = 1; rows <= 100; ++rows)
      expectChain(mainOf(*program), iota({rows, 2}), 2);
  EXPECT_EQ(program->stats().instancesMade, 100u);
}

TEST(InstanceTest, TheLongestUnusedInstanceGoes) {
  auto program = makeProgram(plan::test::makeChainModule(2), 1, 16);
  for (int64_t rows = 1; rows <= 200; ++rows) {
    expectChain(mainOf(*program), iota({rows, 2}), 2);
    expectChain(mainOf(*program), iota({7, 7}), 2);
  }
  EXPECT_EQ(program->stats().instances, 16u);
  EXPECT_EQ(program->stats().instancesMade, 201u);
}

TEST(InstanceTest, EqualUnitsAreBoundOnce) {
  auto program = makeProgram(plan::test::makeChainModule(30));
  expectChain(mainOf(*program), iota({3, 4}), 30);
  EXPECT_EQ(program->stats().boundUnits, 1u);
  expectChain(mainOf(*program), iota({4, 3}), 30);
  EXPECT_EQ(program->stats().boundUnits, 2u);
}

TEST(InstanceTest, LargeRanksAndUnitSizesAreLegal) {
  plan::Module module;
  uint32_t add = plan::test::addBinaryUnit(module, "add", Opcode::AddF, 8);
  plan::test::FunctionBuilder f(module, "main");
  std::vector<int64_t> any(8, plan::test::kAny);
  uint32_t x = f.argument("x", any);
  std::vector<plan::Reg> sizes = f.function.memrefs[x].sizes;
  f.invoke(add, {x, x, f.result(any, sizes)});
  f.finish();
  auto program = makeProgram(module);
  for (int64_t size : {0, 1, 2}) {
    Tensor tensor = iota({1, 2, 1, 1, size, 3, 1, 2});
    std::vector<float> expected = floatsOf(tensor);
    for (float &value : expected)
      value *= 2;
    EXPECT_EQ(floatsOf(run(*program, {tensor})[0]), expected);
  }
}

TEST(InstanceTest, ManyCallersShareOneFunction) {
  constexpr unsigned kDepth = 6;
  auto program = makeProgram(plan::test::makeChainModule(kDepth), 3, 16);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 8; ++caller)
    callers.emplace_back([&program, caller] {
      for (int call = 0; call < 400; ++call) {
        // Some shapes that all use, some that come and go.
        int64_t rows = call % 3 ? 1 + call % 5 : 10 + (call * 7 + caller * 31) % 60;
        expectChain(mainOf(*program), iota({rows, 300}), kDepth);
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  ProgramStats stats = program->stats();
  EXPECT_EQ(stats.units[0].calls, 8u * 400 * kDepth);
  EXPECT_EQ(stats.poolBytesInUse, 0u);
}

TEST(InstanceTest, ProgramsMayShareAPool) {
  ProgramOptions options;
  options.pool = *ThreadPool::create(3);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&options] {
      for (int round = 0; round < 20; ++round) {
        auto program = *Program::create(plan::test::makeChainModule(3), options);
        expectChain(mainOf(*program), iota({40, 500}), 3);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

/// Not a check: what dispatch and instances cost here.
TEST(InstanceTest, PrintsTheCostOfCallsAndInstances) {
  constexpr unsigned kDepth = 100;
  auto program = makeProgram(plan::test::makeChainModule(kDepth));
  auto timeOf = [](auto &&work) {
    auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
        .count();
  };
  Tensor x = iota({1, 1}), out = iota({1, 1});
  std::vector<Value> inputs = {x}, outputs = {out};
  auto call = [&] { ASSERT_TRUE(mainOf(*program).call(inputs, absl::MakeSpan(outputs)).ok()); };
  call();
  constexpr int kCalls = 2000;
  double known = timeOf([&] {
                   for (int i = 0; i < kCalls; ++i)
                     call();
                 }) /
                 kCalls;
  // Units whose code does nothing: what is left is dispatch.
  for (uint32_t u = 0; u < program->module().units.size(); ++u) {
    auto code = std::make_unique<UnitCode>();
    code->fn = [](const AnnealUnitFrame *) -> int32_t { return ANNEAL_OK; };
    program->codeSlot(u).install(std::move(code));
  }
  double empty = timeOf([&] {
                   for (int i = 0; i < kCalls; ++i)
                     call();
                 }) /
                 kCalls;
  for (uint32_t u = 0; u < program->module().units.size(); ++u)
    program->codeSlot(u).install(nullptr);
  double fresh = 0;
  CallStats stats;
  CallOptions options;
  options.stats = &stats;
  for (int64_t rows = 2; rows < 52; ++rows) {
    std::vector<Value> results(1);
    ASSERT_TRUE(mainOf(*program).call({iota({rows, 2})}, absl::MakeSpan(results), options).ok());
    fresh += static_cast<double>(stats.instanceTime.count()) / 50;
  }
  std::printf("%u units of one element: %.0f ns a call, %.1f ns a unit with its kernel, %.1f "
              "ns without; new instance: %.1f us\n",
              kDepth, known, known / kDepth, empty / kDepth, fresh / 1000);
}

} // namespace
