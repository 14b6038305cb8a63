//===- ConstantsTest.cpp - Constants and their derived forms --------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramTesting.h"

#include <atomic>
#include <cstring>
#include <thread>

using namespace anneal;
using namespace anneal::runtime;
using namespace anneal::runtime::test;

namespace {

TEST(ConstantStoreTest, EqualConstantsShareOneIdentity) {
  plan::Module module;
  plan::test::addConstant(module, {2, 2}, {1, 2, 3, 4});
  plan::test::addConstant(module, {2, 2}, {1, 2, 3, 5});
  plan::test::addConstant(module, {2, 2}, {1, 2, 3, 4});
  plan::test::addConstant(module, {4}, {1, 2, 3, 4});
  auto store = *ConstantStore::create(module.constants);
  EXPECT_EQ(store->identity(0), 0u);
  EXPECT_EQ(store->identity(1), 1u);
  EXPECT_EQ(store->identity(2), 0u);
  EXPECT_EQ(store->data(2), store->data(0));
  EXPECT_EQ(store->identity(3), 3u);
  EXPECT_EQ(store->digest(2), store->digest(0));
  EXPECT_EQ(store->digest(3), store->digest(0));
  EXPECT_NE(store->digest(1), store->digest(0));
  EXPECT_EQ(store->totalBytes(), 48u);
}

TEST(ConstantStoreTest, UsesBytesWhereTheyLieUnlessMisaligned) {
  plan::Module module;
  plan::test::addConstant(module, {2}, {1, 2});
  alignas(16) static char memory[16];
  std::memcpy(memory + 1, module.constants[0].data, 8);
  std::memcpy(memory + 4, module.constants[0].data, 4);
  plan::Constant odd = module.constants[0], even = module.constants[0];
  odd.data = memory + 1;
  even.data = memory + 4;
  odd.owner = even.owner = nullptr;
  auto store = *ConstantStore::create({odd, even});
  EXPECT_NE(store->data(0), odd.data);
  EXPECT_EQ(std::memcmp(store->data(0), odd.data, 8), 0);
  EXPECT_EQ(store->data(1), even.data);
}

TEST(ConstantStoreTest, RefusesConstantsWithoutBytes) {
  plan::Constant constant;
  constant.dims = {3};
  EXPECT_THAT(
      ConstantStore::create({constant}).status(),
      IsError(absl::StatusCode::kInvalidArgument, "constant #0 (tensor<3xf32>) has no bytes"));
  constant.dims = {0};
  auto store = ConstantStore::create({constant});
  ASSERT_TRUE(store.ok());
  EXPECT_NE((*store)->data(0), nullptr);
}

TEST(ConstantStoreTest, PartsHaveIdentitiesOfTheirOwn) {
  plan::Module module;
  plan::test::addConstant(module, {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  auto store = *ConstantStore::create(module.constants);
  uint32_t whole = store->partIdentity(0, 0, {2, 4}, {4, 1});
  EXPECT_EQ(whole, 0u);
  uint32_t row = store->partIdentity(0, 4, {1, 4}, {4, 1});
  EXPECT_NE(row, whole);
  EXPECT_EQ(store->partIdentity(0, 4, {1, 4}, {4, 1}), row);
  EXPECT_NE(store->partIdentity(0, 0, {1, 4}, {4, 1}), row);
  EXPECT_NE(store->partIdentity(0, 0, {4, 2}, {1, 4}), whole);
}

TEST(DerivedConstantsTest, MakesEachFormOnce) {
  DerivedConstants derived;
  std::atomic<int> made{0};
  auto get = [&](uint32_t constant, const char *layout) {
    return derived.getOrCreate(constant, layout, 256, [&](void *memory) {
      ++made;
      std::this_thread::yield();
      std::memset(memory, static_cast<int>(constant), 256);
    });
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (uint32_t constant = 0; constant < 50; ++constant) {
        auto *bytes = static_cast<const char *>(get(constant, "packed 8"));
        EXPECT_EQ(bytes[255], static_cast<char>(constant));
        EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes) % 64, 0u);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(made.load(), 50);
  EXPECT_NE(get(3, "packed 16"), get(3, "packed 8"));
  EXPECT_EQ(made.load(), 51);
  EXPECT_EQ(derived.sizeInBytes(), 51u * 256);
}

TEST(ProgramConstantsTest, ComputedConstantsAreEvaluatedOnce) {
  plan::Module module;
  uint32_t add = plan::test::addBinaryUnit(module, "add", plan::Opcode::AddF, 1);
  uint32_t base = plan::test::addConstant(module, {3}, {1, 2, 3});
  plan::Constant computed;
  computed.dims = {3};
  computed.initResult = 0;
  module.constants.push_back(computed);
  plan::test::FunctionBuilder init(module, "init");
  init.function.isPublic = false;
  uint32_t c = init.constantTensor(base);
  init.invoke(add, {c, c, init.result({3}, {init.constant(3)})});
  init.finish();
  module.initFunction = 0;
  plan::test::FunctionBuilder f(module, "main");
  uint32_t x = f.argument("x", {3});
  f.invoke(add, {x, f.constantTensor(1), f.result({3}, {f.constant(3)})});
  f.finish();

  auto program = makeProgram(module);
  EXPECT_EQ(floatsOf(run(*program, {iota({3})})[0]), (std::vector<float>{2, 5, 8}));
  ProgramStats stats = program->stats();
  EXPECT_EQ(stats.units[0].calls, 2u);
  EXPECT_EQ(stats.constantBytes, 24u);
  EXPECT_THAT(program->function("init").status(),
              IsError(absl::StatusCode::kNotFound, "no function 'init'; there is 'main'"));
}

} // namespace
