//===- TieringTesting.cpp - Tiering without a compiler --------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TieringTesting.h"

#include <cstddef>
#include <cstring>

namespace anneal::engine::test {

plan::CodeImage unitImage(int32_t status, size_t size) {
  // mov (%rdi), %rax; xor %esi, %esi; xor %edx, %edx; jmp *runKernels(%rax)
  constexpr unsigned char kRunKernels[] = {
      0x48, 0x8b, 0x07, 0x31, 0xf6,
      0x31, 0xd2, 0xff, 0x60, static_cast<unsigned char>(offsetof(AnnealCallbacks, runKernels))};
  // mov $status, %eax; ret
  unsigned char fail[] = {0xb8, 0, 0, 0, 0, 0xc3};
  std::memcpy(fail + 1, &status, sizeof(status));
  plan::CodeImage image;
  image.bytes.assign(size, '\0');
  if (status == 0)
    std::memcpy(image.bytes.data(), kRunKernels, sizeof(kRunKernels));
  else
    std::memcpy(image.bytes.data(), fail, sizeof(fail));
  image.textSize = 16;
  image.entries = {{"unit", 0, 10}};
  image.architecture = "x86_64";
  image.abiVersion = ANNEAL_UNIT_ABI_VERSION;
  return image;
}

plan::Module makeUnitsModule(unsigned numUnits, unsigned callsOfEach) {
  plan::Module module;
  module.name = "units";
  for (unsigned u = 0; u < numUnits; ++u)
    plan::test::addBinaryUnit(module, "u" + std::to_string(u), plan::Opcode::AddF, 2);
  unsigned numCalls = numUnits * callsOfEach;
  plan::test::FunctionBuilder f(module, "main");
  uint32_t x = f.argument("x", {plan::kDynamic, plan::kDynamic});
  std::vector<plan::Reg> sizes = {f.size(x, 0), f.size(x, 1)};
  uint32_t previous = x;
  for (unsigned i = 0; i < numCalls; ++i) {
    bool isLast = i + 1 == numCalls;
    uint32_t next = isLast ? f.result({plan::kDynamic, plan::kDynamic}, sizes) : f.alloc(sizes);
    if (!isLast) {
      f.function.allocs.back().firstStep = i;
      f.function.allocs.back().lastStep = i + 1;
    }
    f.invoke(i % numUnits, {previous, x, next});
    previous = next;
  }
  f.finish();
  return module;
}

void Latch::open() {
  std::lock_guard<std::mutex> lock(mutex);
  isOpen = true;
  changed.notify_all();
}

void Latch::wait() {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return isOpen; });
}

/// What one compile thread gets.
class FakeCompiler::Unit final : public compiler::UnitCompiler {
public:
  explicit Unit(FakeCompiler &all) : all(all) {}

  void compile(const std::string &unit, Tier tier, compiler::UnitCompileResult &result) override {
    {
      std::lock_guard<std::mutex> lock(all.mutex);
      ++all.compiles[unit];
    }
    result.ok = true;
    result.numBodies = 1;
    result.image = unitImage();
    if (all.compile)
      all.compile(unit, result);
  }

private:
  FakeCompiler &all;
};

MakeUnitCompiler FakeCompiler::maker() {
  return [this]() -> absl::StatusOr<std::unique_ptr<compiler::UnitCompiler>> {
    std::lock_guard<std::mutex> lock(mutex);
    ++compilers;
    return std::make_unique<Unit>(*this);
  };
}

int FakeCompiler::numCompiles(const std::string &unit) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = compiles.find(unit);
  return found == compiles.end() ? 0 : found->second;
}

int FakeCompiler::numCompilers() const {
  std::lock_guard<std::mutex> lock(mutex);
  return compilers;
}

TieredProgram::TieredProgram(plan::Module module, FakeCompiler *compiler, TieringOptions options,
                             std::shared_ptr<TimeSource> time,
                             std::vector<std::shared_ptr<TieringObserver>> observers)
    : code(std::make_shared<CodeSpace>(options.codeLimitBytes)),
      factor(static_cast<float>(module.functions[0].numSteps + 1)) {
  MakeUnitCompiler maker = compiler ? compiler->maker() : MakeUnitCompiler();
  auto made = TieringManager::create({options, maker, code, std::move(time), std::move(observers)});
  EXPECT_TRUE(made.ok()) << made.status();
  manager = *std::move(made);
  runtime::ProgramOptions programOptions;
  manager->configure(programOptions);
  auto created = runtime::Program::create(std::move(module), programOptions);
  EXPECT_TRUE(created.ok()) << created.status();
  program = *std::move(created);
  manager->attach(*program);
}

bool TieredProgram::call(int64_t rows) {
  runtime::Tensor x = runtime::test::iota({rows, 2});
  auto results = runtime::test::mainOf(*program).call({x});
  if (!results.ok())
    return false;
  std::vector<float> y = runtime::test::floatsOf((*results)[0]);
  for (size_t i = 0; i < y.size(); ++i)
    if (y[i] != factor * static_cast<float>(i))
      return false;
  return true;
}

void TieredProgram::call(int times, int64_t rows) {
  for (int i = 0; i < times; ++i)
    EXPECT_TRUE(call(rows));
}

} // namespace anneal::engine::test
