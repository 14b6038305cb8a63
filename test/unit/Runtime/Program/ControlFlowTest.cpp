//===- ControlFlowTest.cpp - Branches, loops, tensors made in calls -------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramTesting.h"

#include <thread>

using namespace anneal;
using namespace anneal::runtime;
using namespace anneal::runtime::test;
using plan::DType;
using plan::Opcode;
using plan::Reg;
using plan::StepKind;
using plan::test::FunctionBuilder;
using plan::test::kAny;
using Yield = FunctionBuilder::Yield;

namespace {

Scalar index(int64_t value) { return Scalar::of<int64_t>(DType::Index, value); }

TEST(ControlFlowTest, LoopsOverSlicesAtOffsetsOfTheCall) {
  auto program = makeProgram(plan::test::makeRowSumModule());
  EXPECT_EQ(floatsOf(run(*program, {iota({4, 3})})[0]), (std::vector<float>{18, 22, 26}));
  EXPECT_EQ(floatsOf(run(*program, {iota({1, 3})})[0]), (std::vector<float>{0, 1, 2}));
}

TEST(ControlFlowTest, LoopsMayGrowTensors) {
  auto program = makeProgram(plan::test::makeGrowingModule());
  for (int64_t n : {0, 1, 5, 40}) {
    std::vector<Value> results = run(*program, {index(n)});
    std::vector<int64_t> expected;
    for (int64_t i = 0; i < n; ++i)
      expected.push_back(i);
    EXPECT_EQ(integersOf(results[0]), expected);
  }
  EXPECT_EQ(program->stats().instancesMade, 1u);
}

TEST(ControlFlowTest, GrowingTensorsNeitherLeakNorPileUp) {
  auto program = makeProgram(plan::test::makeGrowingModule());
  run(*program, {index(5000)});
  // The largest tensor, the one before it, the result and their rounding.
  EXPECT_LE(program->stats().poolPeakBytes, 4u * 5000 * 8);
  EXPECT_EQ(program->stats().poolBytesInUse, 0u);
}

TEST(ControlFlowTest, IfsChooseTensorsAndScalars) {
  plan::Module module;
  uint32_t add = plan::test::addBinaryUnit(module, "add", Opcode::AddF, 1);
  FunctionBuilder f(module, "main");
  uint32_t x = f.argument("x", {kAny}), y = f.argument("y", {kAny});
  Reg flag = f.scalarArgument("flag", DType::I1, false);
  uint32_t chosen = f.slot({f.size(x, 0)});
  Reg number = f.reg(DType::Index);
  f.makeIf(
      flag, [&]() -> Yield { return {{f.constant(1)}, {x}}; },
      [&]() -> Yield {
        uint32_t sum = f.alloc({f.size(x, 0)});
        f.invoke(add, {x, y, sum});
        return {{f.constant(2)}, {sum}};
      },
      {{number}, {chosen}});
  f.invoke(add, {chosen, chosen, f.result({kAny}, {f.size(x, 0)})});
  f.scalarResult(number);
  f.finish();
  auto program = makeProgram(module);
  auto flagOf = [](bool value) { return Scalar::of<uint8_t>(DType::I1, value); };
  std::vector<Value> results = run(*program, {iota({2}), iota({2}), flagOf(true)});
  EXPECT_EQ(floatsOf(results[0]), (std::vector<float>{0, 2}));
  EXPECT_EQ(results[1].scalar().bits, 1u);
  results = run(*program, {iota({2}), iota({2}), flagOf(false)});
  EXPECT_EQ(floatsOf(results[0]), (std::vector<float>{0, 4}));
  EXPECT_EQ(results[1].scalar().bits, 2u);
}

/// A branch that is not taken may be about sizes that cannot be.
TEST(ControlFlowTest, WhatIsNotReachedIsNotAnError) {
  plan::Module module;
  uint32_t add = plan::test::addBinaryUnit(module, "add", Opcode::AddF, 1);
  FunctionBuilder f(module, "main");
  uint32_t x = f.argument("x", {kAny}), y = f.argument("y", {kAny});
  Reg fits = f.shape(Opcode::CmpIEq, f.size(x, 0), f.size(y, 0));
  uint32_t sum = f.result({kAny}, {f.size(x, 0)});
  f.copy(x, sum);
  Reg less = f.shape(Opcode::SubI, f.size(y, 0), f.constant(4));
  f.makeIf(
      fits,
      [&]() -> Yield {
        f.invoke(add, {x, y, sum}, {}, "m.mlir:4:4");
        uint32_t rest = f.alloc({less});
        f.copy(rest, rest);
        return {};
      },
      [&]() -> Yield { return {}; });
  f.finish();
  auto program = makeProgram(module);
  EXPECT_EQ(floatsOf(run(*program, {iota({5}), iota({5})})[0]),
            (std::vector<float>{0, 2, 4, 6, 8}));
  EXPECT_EQ(floatsOf(run(*program, {iota({3}), iota({2})})[0]), (std::vector<float>{0, 1, 2}));
  EXPECT_THAT(fail(*program, {iota({3}), iota({3})}),
              IsError(absl::StatusCode::kInvalidArgument, "size -1"));
}

TEST(ControlFlowTest, LoopCarriedTensorsMayChangePlaces) {
  plan::Module module;
  FunctionBuilder f(module, "main");
  uint32_t x = f.argument("x", {kAny}), y = f.argument("y", {kAny});
  Reg n = f.scalarArgument("n", DType::Index, false);
  Reg one = f.constant(1);
  std::vector<uint32_t> carried;
  for (int i = 0; i < 2; ++i)
    carried.push_back(f.memref({plan::Base::Kind::Slot, f.function.numSlots++}, {f.handedSize()},
                               {one}, plan::kNoReg));
  f.makeFor(f.constant(0), n, one, {{}, {x, y}}, {{}, carried},
            [&](Reg) -> Yield { return {{}, {carried[1], carried[0]}}; });
  f.resultFrom(carried[0], {kAny});
  f.resultFrom(carried[1], {kAny});
  f.finish();
  auto program = makeProgram(module);
  for (int64_t n : {0, 1, 2, 7}) {
    std::vector<Value> results = run(*program, {iota({3}), iota({5}), index(n)});
    EXPECT_EQ(results[0].tensor().numElements(), n % 2 ? 5 : 3);
    EXPECT_EQ(results[1].tensor().numElements(), n % 2 ? 3 : 5);
  }
}

TEST(ControlFlowTest, LoopsCountInTheirType) {
  struct Range {
    int64_t lower, upper, step;
    DType type;
    bool isUnsigned;
    int64_t turns;
  };
  const Range ranges[] = {
      {0, 10, 3, DType::Index, false, 4},
      {5, 5, 1, DType::Index, false, 0},
      {7, 3, 1, DType::Index, false, 0},
      {-5, 5, 5, DType::I32, false, 2},
      {-100, 100, 60, DType::I8, false, 4},
      {100, 127, 100, DType::I8, false, 1},
      {200, 250, 25, DType::I8, true, 2},
      {-1, 0, 1, DType::I32, true, 0},
      {INT64_MIN, INT64_MAX, INT64_MAX, DType::Index, false, 3},
  };
  for (const Range &range : ranges) {
    plan::Module module;
    FunctionBuilder f(module, "main");
    Reg count = f.reg(DType::Index), last = f.reg(range.type);
    f.makeFor(f.constant(range.lower, range.type), f.constant(range.upper, range.type),
              f.constant(range.step, range.type), {{f.constant(0), f.constant(0, range.type)}, {}},
              {{count, last}, {}}, [&](Reg counter) -> Yield {
                return {{f.run(Opcode::AddI, count, f.constant(1)), counter}, {}};
              });
    f.function.body.steps[0].unsignedCompare = range.isUnsigned;
    f.scalarResult(count);
    f.scalarResult(last);
    f.finish();
    auto program = makeProgram(module);
    std::vector<Value> results = run(*program, {});
    EXPECT_EQ(results[0].scalar().as<int64_t>(), range.turns);
    if (range.turns > 0) {
      uint64_t expected =
          static_cast<uint64_t>(range.lower) +
          static_cast<uint64_t>(range.turns - 1) * static_cast<uint64_t>(range.step);
      unsigned unused = 64 - plan::bitWidth(range.type);
      EXPECT_EQ(results[1].scalar().bits, expected << unused >> unused);
    }
  }
}

TEST(ControlFlowTest, ALoopNeedsAPositiveStep) {
  plan::Module module;
  FunctionBuilder f(module, "main");
  Reg step = f.scalarArgument("step", DType::Index, false);
  f.makeFor(f.constant(0), f.constant(3), step, {}, {}, [](Reg) -> Yield { return {}; });
  f.finish();
  auto program = makeProgram(module);
  run(*program, {index(1)});
  for (int64_t bad : {0, -1})
    EXPECT_THAT(fail(*program, {index(bad)}),
                IsError(absl::StatusCode::kInvalidArgument, "a loop with the step"));
}

/// Collatz: a loop whose length only the values know.
TEST(ControlFlowTest, WhilesRunUntilTheirConditionFails) {
  plan::Module module;
  FunctionBuilder f(module, "main");
  Reg start = f.scalarArgument("start", DType::Index, false);
  Reg one = f.constant(1), two = f.constant(2), three = f.constant(3);
  Reg value = f.reg(DType::Index), turns = f.reg(DType::Index);
  Reg valueAfter = f.reg(DType::Index), turnsAfter = f.reg(DType::Index);
  f.makeWhile(
      {{start, f.constant(0)}, {}}, {{value, turns}, {}}, {{valueAfter, turnsAfter}, {}},
      [&]() -> Yield { return {{f.run(Opcode::CmpINe, value, one), value, turns}, {}}; },
      [&]() -> Yield {
        Reg odd = f.run(Opcode::RemSI, valueAfter, two);
        Reg isOdd = f.run(Opcode::CmpIEq, odd, one);
        Reg up = f.run(Opcode::AddI, f.run(Opcode::MulI, valueAfter, three), one);
        Reg down = f.run(Opcode::DivSI, valueAfter, two);
        Reg next = f.run(Opcode::Select, isOdd, up, down);
        return {{next, f.run(Opcode::AddI, turnsAfter, one)}, {}};
      });
  f.scalarResult(valueAfter);
  f.scalarResult(turnsAfter);
  f.finish();
  auto program = makeProgram(module);
  std::vector<Value> results = run(*program, {index(27)});
  EXPECT_EQ(results[0].scalar().as<int64_t>(), 1);
  EXPECT_EQ(results[1].scalar().as<int64_t>(), 111);
}

TEST(ControlFlowTest, SwitchesHaveADefault) {
  plan::Module module;
  FunctionBuilder f(module, "main");
  Reg selector = f.scalarArgument("selector", DType::I32, false);
  Reg chosen = f.reg(DType::Index);
  auto give = [&](int64_t value) {
    return [&f, value]() -> Yield { return {{f.constant(value)}, {}}; };
  };
  f.makeSwitch(selector, {4, -2}, {give(10), give(20), give(30)}, {{chosen}, {}});
  f.scalarResult(chosen);
  f.finish();
  auto program = makeProgram(module);
  for (auto [value, expected] : {std::pair<int32_t, int64_t>{4, 10}, {-2, 20}, {0, 30}})
    EXPECT_EQ(run(*program, {Scalar::of(DType::I32, value)})[0].scalar().as<int64_t>(), expected);
}

TEST(ControlFlowTest, ElementsAreLoadedAndStoredInBounds) {
  plan::Module module;
  FunctionBuilder f(module, "main");
  uint32_t x = f.argument("x", {kAny, kAny});
  Reg i = f.scalarArgument("i", DType::Index, false),
      j = f.scalarArgument("j", DType::Index, false);
  uint32_t out = f.result({kAny, kAny}, {f.size(x, 0), f.size(x, 1)});
  f.copy(x, out);
  Reg value = f.load(x, {i, j}, "m.mlir:5:9");
  f.store(value, out, {f.constant(0), f.constant(0)});
  f.scalarResult(value);
  f.finish();
  auto program = makeProgram(module);
  std::vector<Value> results = run(*program, {iota({2, 3}), index(1), index(2)});
  EXPECT_EQ(floatsOf(results[0]), (std::vector<float>{5, 1, 2, 3, 4, 5}));
  EXPECT_EQ(results[1].scalar().as<float>(), 5);
  EXPECT_THAT(fail(*program, {iota({2, 3}), index(1), index(3)}),
              IsError(absl::StatusCode::kOutOfRange,
                      "index 3 is out of bounds for dimension 1 of size 3 (at m.mlir:5:9)"));
  EXPECT_THAT(fail(*program, {iota({2, 3}), index(-1), index(0)}),
              IsError(absl::StatusCode::kOutOfRange, "index -1"));
}

/// Units on tensors whose sizes only the call knows are bound then, and only once for each size.
TEST(ControlFlowTest, UnitsAreBoundToSizesOfTheCall) {
  plan::Module module;
  uint32_t add = plan::test::addBinaryUnit(module, "add", Opcode::AddF, 1);
  uint32_t temporary = plan::test::addTemporaryUnit(module, "temporary");
  FunctionBuilder f(module, "main");
  f.argument("x", {kAny});
  Reg n = f.scalarArgument("n", DType::Index, false);
  Reg one = f.constant(1);
  plan::Base slot{plan::Base::Kind::Slot, f.function.numSlots++};
  uint32_t made = f.memref(slot, {n}, {one}, plan::kNoReg);
  uint32_t front = f.memref({plan::Base::Kind::Argument, 0}, {n}, {one}, plan::kNoReg);
  f.allocate(made);
  f.invoke(add, {front, front, made});
  f.invoke(temporary, {made, made}, {n});
  f.resultFrom(made, {kAny});
  f.finish();
  for (unsigned threads : {1u, 3u}) {
    auto program = makeProgram(module, threads);
    for (int round = 0; round < 3; ++round)
      for (int64_t size : {0, 1, 5, 8}) {
        std::vector<float> expected;
        for (int64_t i = 0; i < size; ++i)
          expected.push_back(4.0f * static_cast<float>(i));
        EXPECT_EQ(floatsOf(run(*program, {iota({8}), index(size)})[0]), expected);
      }
    EXPECT_LE(program->stats().boundUnits, 8u);
    EXPECT_THAT(fail(*program, {iota({8}), index(9)}),
                IsError(absl::StatusCode::kOutOfRange, "(unit 'add')"));
    EXPECT_THAT(fail(*program, {iota({8}), index(-1)}),
                IsError(absl::StatusCode::kInvalidArgument, "size -1"));
  }
}

plan::Module makeEndlessModule() {
  plan::Module module;
  FunctionBuilder f(module, "main");
  Reg always = f.constant(1, DType::I1);
  f.makeWhile({}, {}, {}, [&]() -> Yield { return {{always}, {}}; }, []() -> Yield { return {}; });
  f.finish();
  return module;
}

TEST(ControlFlowTest, CallsCanBeCancelled) {
  auto program = makeProgram(makeEndlessModule());
  std::atomic<bool> cancel{false};
  CallOptions options;
  options.cancel = &cancel;
  std::thread other([&] {
    // The call has begun once it has its instance; from there on it has no end of its own.
    while (program->stats().instancesMade == 0)
      std::this_thread::yield();
    cancel = true;
  });
  EXPECT_THAT(fail(*program, {}, options), IsError(absl::StatusCode::kCancelled, "cancelled"));
  other.join();
}

TEST(ControlFlowTest, CallsEndAtTheirDeadline) {
  auto program = makeProgram(makeEndlessModule());
  CallOptions options;
  // One that has passed, and one that passes while the loop runs.
  for (auto left : {std::chrono::milliseconds(0), std::chrono::milliseconds(5)}) {
    options.deadline = std::chrono::steady_clock::now() + left;
    EXPECT_THAT(fail(*program, {}, options),
                IsError(absl::StatusCode::kDeadlineExceeded, "deadline"));
  }
  options.deadline = std::chrono::steady_clock::now() + std::chrono::hours(1);
  auto linear = makeProgram(plan::test::makeLinearModule());
  EXPECT_TRUE(mainOf(*linear).call({iota({2, 4}), iota({2, 4})}, options).ok());
}

} // namespace
