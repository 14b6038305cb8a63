//===- TieringTesting.h - Tiering without a compiler ------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TEST_UNIT_ENGINE_TIERINGTESTING_H
#define ANNEAL_TEST_UNIT_ENGINE_TIERINGTESTING_H

#include "TieringManager.h"

#include "ProgramTesting.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace anneal::engine::test {

/// An image whose unit runs all of its kernels in the interpreter, or (`status` not 0) fails with
/// that status. `size`: bytes, at least 32.
plan::CodeImage unitImage(int32_t status = 0, size_t size = 32);

/// @main(x: ?x?) = x * (numUnits + 1), by units u0, u1, ... that each add x, and are each called
/// `callsOfEach` times.
plan::Module makeUnitsModule(unsigned numUnits, unsigned callsOfEach = 1);

/// Something that threads wait for. Thread-safe.
class Latch {
public:
  void open();
  void wait();

private:
  std::mutex mutex;
  std::condition_variable changed;
  bool isOpen = false;
};

/// Compilers that do what a test says, for all threads. Thread-safe.
class FakeCompiler {
public:
  using Compile = std::function<void(const std::string &unit, compiler::UnitCompileResult &result)>;

  /// `compile`: fills in a result that otherwise is a success, with unitImage().
  explicit FakeCompiler(Compile compile = {}) : compile(std::move(compile)) {}

  MakeUnitCompiler maker();
  /// How often a unit was compiled.
  int numCompiles(const std::string &unit) const;
  int numCompilers() const;

private:
  class Unit;

  const Compile compile;
  mutable std::mutex mutex;
  std::map<std::string, int> compiles;
  int compilers = 0;
};

/// Time as a test sets it. Thread-safe.
class ManualTime final : public TimeSource {
public:
  /// `secondsPerCall`: of units at a tier.
  explicit ManualTime(std::function<double(Tier)> secondsPerCall = {})
      : secondsPerCall(std::move(secondsPerCall)) {}

  void advance(std::chrono::nanoseconds time) { nanoseconds += time.count(); }

  std::chrono::nanoseconds now() const override {
    return std::chrono::nanoseconds(nanoseconds.load());
  }
  double secondsOf(uint32_t unit, Tier tier, uint64_t calls, double flops,
                   double measured) override {
    return secondsPerCall ? secondsPerCall(tier) * static_cast<double>(calls) : measured;
  }

private:
  const std::function<double(Tier)> secondsPerCall;
  std::atomic<int64_t> nanoseconds{0};
};

/// A program with its tiering. The test fails if one of them can't be made.
class TieredProgram {
public:
  TieredProgram(plan::Module module, FakeCompiler *compiler, TieringOptions options,
                std::shared_ptr<TimeSource> time = nullptr,
                std::vector<std::shared_ptr<TieringObserver>> observers = {});
  ~TieredProgram() { manager->stop(); }

  /// Calls @main; whether the result is what it has to be. Thread-safe.
  bool call(int64_t rows = 3);
  void call(int times, int64_t rows);

  TieringReport report() const { return manager->report(); }
  /// Of unit `unit`.
  UnitHistory history(uint32_t unit) const { return report().units[unit]; }
  runtime::Reason reason(uint32_t unit) const { return history(unit).decision.reason(); }

  std::shared_ptr<CodeSpace> code;
  std::unique_ptr<TieringManager> manager;
  std::unique_ptr<runtime::Program> program;

private:
  float factor;
};

} // namespace anneal::engine::test

#endif // ANNEAL_TEST_UNIT_ENGINE_TIERINGTESTING_H
