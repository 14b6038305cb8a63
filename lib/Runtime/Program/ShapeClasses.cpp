//===- ShapeClasses.cpp - Which sizes units are called with ---------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeClasses.h"

#include "Context.h"

#include "anneal/Support/Saturating.h"

#include <algorithm>
#include <tuple>

namespace anneal::runtime {

namespace {

/// Sizes and strides of what an invoke passes, with the bits that were set in an address.
std::vector<OperandSeen> operandsOf(const Context &context, const InvokeCode &invoke) {
  std::vector<OperandSeen> operands;
  for (size_t i = 0; i < invoke.step->memrefs.size(); ++i) {
    const TensorLayout &layout = context.instance.layouts[invoke.step->memrefs[i]];
    OperandSeen &operand = operands.emplace_back();
    operand.sizes.assign(layout.sizes.begin(), layout.sizes.end());
    operand.strides.assign(layout.strides.begin(), layout.strides.end());
    operand.addressBits = context.addressBits[invoke.firstView + i].load(std::memory_order_relaxed);
  }
  return operands;
}

} // namespace

void ShapeClasses::collect(const Context &context, Table &table,
                           absl::flat_hash_map<uint32_t, size_t> &numOfUnit) {
  const FunctionCode &code = context.instance.code;
  for (size_t i = 0; i < code.invokes.size(); ++i) {
    const InvokeCounters &counters = context.invokeCounters[i];
    uint64_t calls = counters.calls.load(std::memory_order_relaxed);
    // The sizes of what is bound in the call are not the instance's.
    if (calls == 0 || !context.instance.bound[i])
      continue;
    const InvokeCode &invoke = code.invokes[i];
    std::vector<OperandSeen> operands = operandsOf(context, invoke);
    Key key{invoke.step->unit, {}};
    for (const OperandSeen &operand : operands) {
      key.second.insert(key.second.end(), operand.sizes.begin(), operand.sizes.end());
      key.second.insert(key.second.end(), operand.strides.begin(), operand.strides.end());
    }
    auto found = table.find(key);
    if (found == table.end()) {
      size_t &number = numOfUnit[invoke.step->unit];
      if (number == kMaxClassesOfUnit)
        continue;
      ++number;
      const UnitWork &work = context.instance.bound[i]->work();
      found = table.try_emplace(std::move(key)).first;
      found->second.unit = invoke.step->unit;
      found->second.operands = operands;
      found->second.flopsPerCall = work.flops;
      found->second.bytesPerCall = work.bytes;
    }
    ShapeClassStats &stats = found->second;
    stats.calls = addSaturating(stats.calls, calls);
    stats.timedCalls += counters.timedCalls.load(std::memory_order_relaxed);
    stats.time += std::chrono::nanoseconds(counters.nanoseconds.load(std::memory_order_relaxed));
    for (size_t o = 0; o < operands.size(); ++o)
      stats.operands[o].addressBits |= operands[o].addressBits;
  }
}

void ShapeClasses::add(const Context *context) {
  std::lock_guard<std::mutex> lock(mutex);
  live.insert(context);
}

void ShapeClasses::remove(const Context *context) {
  std::lock_guard<std::mutex> lock(mutex);
  live.erase(context);
  collect(*context, gone, numGone);
}

std::vector<ShapeClassStats> ShapeClasses::classes() const {
  Table table;
  {
    std::lock_guard<std::mutex> lock(mutex);
    table = gone;
    absl::flat_hash_map<uint32_t, size_t> numOfUnit = numGone;
    for (const Context *context : live)
      collect(*context, table, numOfUnit);
  }
  std::vector<std::pair<Key, ShapeClassStats>> sorted(table.begin(), table.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) {
    return std::tie(a.second.unit, b.second.calls, a.first.second) <
           std::tie(b.second.unit, a.second.calls, b.first.second);
  });
  std::vector<ShapeClassStats> result;
  for (auto &entry : sorted)
    result.push_back(std::move(entry.second));
  return result;
}

} // namespace anneal::runtime
