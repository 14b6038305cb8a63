//===- NoAllocationTest.cpp - Calls neither allocate nor lock -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A binary of its own: it replaces the allocation functions and pthread_mutex_lock by ones that
// count.
//
//===----------------------------------------------------------------------===//

#include "ProgramTesting.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <pthread.h>

namespace {

std::atomic<uint64_t> numAllocations{0};
std::atomic<uint64_t> numLocks{0};

} // namespace

extern "C" {

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  ++numAllocations;
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  ++numAllocations;
  return __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) {
  ++numAllocations;
  return __libc_realloc(old, size);
}
void *memalign(size_t alignment, size_t size) {
  ++numAllocations;
  return __libc_memalign(alignment, size);
}
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void **result, size_t alignment, size_t size) {
  *result = memalign(alignment, size);
  return *result ? 0 : ENOMEM;
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  using Lock = int (*)(pthread_mutex_t *);
  static const Lock next = reinterpret_cast<Lock>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  ++numLocks;
  return next(mutex);
}

} // extern "C"

using namespace anneal;
using namespace anneal::runtime;
using namespace anneal::runtime::test;
using plan::DType;

namespace {

/// 1000 calls of "main" with pooled results, on all threads together, allocate and lock nothing; a
/// few calls before let pools settle.
void expectNothing(const Program &program, const std::vector<Value> &inputs) {
  const Function &function = mainOf(program);
  std::vector<Value> outputs(function.results().size());
  auto call = [&] {
    for (Value &output : outputs)
      output = Value();
    absl::Status status = function.call(inputs, absl::MakeSpan(outputs));
    ASSERT_TRUE(status.ok()) << status;
  };
  for (int i = 0; i < 20; ++i)
    call();
  uint64_t allocations = numAllocations, locks = numLocks;
  for (int i = 0; i < 1000; ++i)
    call();
  EXPECT_EQ(numAllocations - allocations, 0u);
  EXPECT_EQ(numLocks - locks, 0u);
}

TEST(NoAllocationTest, TheCountersCount) {
  uint64_t allocations = numAllocations, locks = numLocks;
  auto *number = new int(3);
  std::mutex mutex;
  mutex.lock();
  mutex.unlock();
  EXPECT_EQ(numAllocations - allocations, 1u);
  EXPECT_EQ(numLocks - locks, 1u);
  delete number;
}

TEST(NoAllocationTest, PooledResults) {
  for (unsigned threads : {1u, 2u}) {
    auto program = makeProgram(plan::test::makeLinearModule(), threads);
    expectNothing(*program, {iota({50, 4}), iota({50, 4})});
  }
}

TEST(NoAllocationTest, LargeTensorsOnAllThreads) {
  auto program = makeProgram(plan::test::makeChainModule(4), 2);
  expectNothing(*program, {iota({300, 300})});
}

TEST(NoAllocationTest, LoopsWithOffsetsOfTheCall) {
  auto program = makeProgram(plan::test::makeRowSumModule());
  expectNothing(*program, {iota({30, 3})});
}

TEST(NoAllocationTest, TensorsMadeInCalls) {
  auto program = makeProgram(plan::test::makeGrowingModule());
  expectNothing(*program, {Scalar::of<int64_t>(DType::Index, 50)});
}

TEST(NoAllocationTest, InputsThatHaveToBeCopied) {
  auto program = makeProgram(plan::test::makeLinearModule());
  Tensor storage = iota({4, 50});
  Tensor transposed = Tensor::view(DType::F32, {50, 4}, storage.data(), nullptr, {1, 50});
  expectNothing(*program, {transposed, iota({50, 4})});
}

} // namespace
