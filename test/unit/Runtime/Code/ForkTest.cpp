//===- ForkTest.cpp - Code in a child process -----------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Code/CodeSlabs.h"
#include "anneal/Runtime/Code/CodeSlot.h"
#include "anneal/Runtime/Code/InstalledCode.h"

#include "CodeTesting.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace anneal::runtime;
using namespace anneal::runtime::test;

namespace {

/// Runs `child` in a child process, which gets the read end of a pipe, and `parent` meanwhile in
/// this one; then lets the child go on. The child's function returns whether all is well.
void forkWith(const std::function<bool(int goOn)> &child, const std::function<void()> &parent) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::fflush(nullptr);
  pid_t pid = fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    close(ends[1]);
    _exit(child(ends[0]) ? 0 : 1);
  }
  close(ends[0]);
  parent();
  close(ends[1]);
  int status = -1;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

/// Waits until the parent closes its end.
void waitFor(int goOn) {
  char byte;
  while (read(goOn, &byte, 1) > 0) {
  }
}

class ForkTest : public testing::TestWithParam<CodeMapping> {
protected:
  std::shared_ptr<CodeSlabs> slabs =
      *CodeSlabs::create({.slabBytes = 1 << 16, .mapping = GetParam()});

  std::unique_ptr<UnitCode> makeCode(int32_t value) const {
    auto installed = *InstalledCode::install(constantImage(value, 1000), slabs);
    auto code = std::make_unique<UnitCode>();
    code->fn = installed->unit("get");
    code->owner = installed;
    return code;
  }
  static int32_t call(const CodeSlot &slot) {
    Epochs::Guard guard;
    return slot.load(guard)->fn(nullptr);
  }
};
INSTANTIATE_TEST_SUITE_P(Mappings, ForkTest,
                         testing::Values(CodeMapping::TwoViews, CodeMapping::OneView),
                         [](const auto &info) {
                           return info.param == CodeMapping::TwoViews ? "TwoViews" : "OneView";
                         });

TEST_P(ForkTest, ParentAndChildDoNotChangeEachOthersCode) {
  Epochs epochs;
  CodeSlot slot(epochs);
  slot.install(makeCode(1));
  forkWith(
      [&](int goOn) {
        waitFor(goOn);
        // What the parent has done to its own copy since is not seen here.
        bool good = call(slot) == 1;
        for (int32_t i = 100; i < 200; ++i) {
          slot.install(makeCode(i));
          good &= call(slot) == i;
        }
        return good && epochs.collect() > 0;
      },
      [&] {
        for (int32_t i = 2; i < 200; ++i) {
          slot.install(makeCode(i));
          EXPECT_EQ(call(slot), i);
        }
        epochs.collect();
      });
  EXPECT_EQ(call(slot), 199);
}

#if !defined(__SANITIZE_THREAD__) // which does not support threads in a child of many
TEST_P(ForkTest, AChildDoesNotWaitForThreadsThatItDoesNotHave) {
  Epochs epochs;
  CodeSlot slot(epochs);
  slot.install(makeCode(1));
  std::atomic<bool> stop{false};
  std::atomic<int> reading{0};
  // Threads that hold each lock and each guard at some time.
  std::thread installer([&] {
    for (int32_t i = 2; !stop; ++i)
      slot.install(makeCode(i));
  });
  std::thread reader([&] {
    while (!stop) {
      Epochs::Guard guard;
      ASSERT_GT(slot.load(guard)->fn(nullptr), 0);
      reading = 1;
    }
  });
  while (!reading)
    std::this_thread::yield();
  for (int round = 0; round < 20; ++round)
    forkWith(
        [&](int) {
          bool good = call(slot) > 0;
          slot.install(makeCode(-7));
          epochs.collect();
          return good && call(slot) == -7 && epochs.backlog() == 0;
        },
        [] {});
  stop = true;
  installer.join();
  reader.join();
}
#endif

} // namespace
