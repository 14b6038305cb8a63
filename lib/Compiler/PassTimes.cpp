//===- PassTimes.cpp - How long each pass of a compile takes --------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassTimes.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using Clock = std::chrono::steady_clock;

namespace anneal::compiler {
namespace {

class Instrumentation final : public PassInstrumentation {
public:
  explicit Instrumentation(PassTimes &times) : times(times) {}

  void runBeforePass(Pass *, Operation *) override { starts.push_back(Clock::now()); }
  void runAfterPass(Pass *pass, Operation *) override { end(pass); }
  void runAfterPassFailed(Pass *pass, Operation *) override { end(pass); }

private:
  /// Passes have an argument; what has none runs others, whose time is theirs.
  void end(Pass *pass) {
    if (!pass->getArgument().empty())
      times.add(pass->getArgument(), Clock::now() - starts.back());
    starts.pop_back();
  }

  PassTimes &times;
  SmallVector<Clock::time_point> starts;
};

} // namespace

std::unique_ptr<PassInstrumentation> PassTimes::instrumentation() {
  return std::make_unique<Instrumentation>(*this);
}

void PassTimes::add(StringRef name, Clock::duration time) {
  auto found = llvm::find_if(times, [&](const PassTime &entry) { return entry.name == name; });
  if (found == times.end())
    found = times.insert(times.end(), {name.str(), 0});
  found->ms += std::chrono::duration<double, std::milli>(time).count();
}

} // namespace anneal::compiler
