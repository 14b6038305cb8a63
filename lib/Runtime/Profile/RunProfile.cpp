//===- RunProfile.cpp - What runs of a program have shown -----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Profile/RunProfile.h"

#include "anneal/Plan/Print.h"
#include "anneal/Support/Saturating.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <sstream>
#include <xxhash.h>

namespace anneal::runtime {

namespace {

/// Alignments beyond this one are chance.
constexpr uint64_t kMostAlignment = 64;

uint64_t scaled(uint64_t count, double factor) {
  return static_cast<uint64_t>(static_cast<double>(count) * factor);
}

/// Whether the elements lie one after the other, the last dimension innermost.
bool isDense(const OperandSeen &operand) {
  int64_t expected = 1;
  for (size_t d = operand.sizes.size(); d-- > 0;) {
    if (operand.sizes[d] != 1 && operand.strides[d] != expected)
      return false;
    expected *= operand.sizes[d];
  }
  return true;
}

/// The largest power of two that divides all addresses.
uint64_t alignmentOf(uint64_t addressBits) {
  return addressBits == 0 ? 0 : std::min(kMostAlignment, addressBits & (~addressBits + 1));
}

std::vector<std::vector<int64_t>> sizesOf(const ShapeClassStats &stats) {
  std::vector<std::vector<int64_t>> sizes;
  for (const OperandSeen &operand : stats.operands)
    sizes.push_back(operand.sizes);
  return sizes;
}

ShapeProfile &shapeOf(UnitProfile &unit, const std::vector<std::vector<int64_t>> &sizes) {
  for (ShapeProfile &shape : unit.shapes)
    if (shape.sizes == sizes)
      return shape;
  ShapeProfile &shape = unit.shapes.emplace_back();
  shape.sizes = sizes;
  return shape;
}

void addShape(const ShapeClassStats &stats, bool hasTimes, UnitProfile &unit) {
  ShapeProfile &shape = shapeOf(unit, sizesOf(stats));
  shape.calls = addSaturating(shape.calls, stats.calls);
  shape.flops = stats.flopsPerCall;
  shape.bytes = stats.bytesPerCall;
  if (hasTimes && stats.timedCalls > 0 && shape.usPerCall == 0)
    shape.usPerCall = std::chrono::duration<double, std::micro>(stats.time).count() /
                      static_cast<double>(stats.timedCalls);
}

/// Of one unit; `classes` begin with the one that was called most.
std::vector<AccessProfile> accessesOf(const std::vector<const ShapeClassStats *> &classes) {
  std::vector<AccessProfile> accesses;
  for (size_t o = 0; o < classes.front()->operands.size(); ++o) {
    AccessProfile &access = accesses.emplace_back();
    access.strides = classes.front()->operands[o].strides;
    double dense = 0, all = 0;
    uint64_t bits = 0;
    for (const ShapeClassStats *stats : classes) {
      auto calls = static_cast<double>(stats->calls);
      dense += isDense(stats->operands[o]) ? calls : 0;
      all += calls;
      bits |= stats->operands[o].addressBits;
    }
    access.contiguity = dense / all;
    access.alignment = alignmentOf(bits);
  }
  return accesses;
}

} // namespace

std::string fingerprintOf(const plan::Module &module) {
  std::ostringstream text;
  plan::print(module, text);
  std::string printed = text.str();
  return absl::StrCat(absl::Hex(XXH3_64bits(printed.data(), printed.size()), absl::kZeroPad16));
}

void decay(RunProfile &profile, double factor) {
  profile.programCalls = scaled(profile.programCalls, factor);
  for (UnitProfile &unit : profile.units) {
    unit.calls = scaled(unit.calls, factor);
    unit.timed.calls = scaled(unit.timed.calls, factor);
    unit.timed.seconds *= factor;
    unit.timed.flops *= factor;
    unit.timed.bytes *= factor;
    for (ShapeProfile &shape : unit.shapes)
      shape.calls = scaled(shape.calls, factor);
    std::erase_if(unit.shapes, [](const ShapeProfile &shape) { return shape.calls == 0; });
  }
}

void addShapes(const Program &program, bool hasTimes, std::vector<UnitProfile> &units) {
  const std::vector<ShapeClassStats> classes = program.shapeClasses();
  for (size_t begin = 0, end = 0; begin < classes.size(); begin = end) {
    uint32_t u = classes[begin].unit;
    std::vector<const ShapeClassStats *> ofUnit;
    for (; end < classes.size() && classes[end].unit == u; ++end)
      ofUnit.push_back(&classes[end]);
    // Where a scalar stands among the arguments of the unit is not in the plan.
    if (!program.module().units[u].scalars.empty())
      continue;
    for (const ShapeClassStats *stats : ofUnit)
      addShape(*stats, hasTimes, units[u]);
    units[u].memory = accessesOf(ofUnit);
  }
}

void addEarlier(const RunProfile &before, RunProfile &profile) {
  absl::flat_hash_map<std::string, UnitProfile *> unitOf;
  for (UnitProfile &unit : profile.units)
    unitOf[unit.name] = &unit;
  profile.programCalls = addSaturating(profile.programCalls, before.programCalls);
  for (const UnitProfile &earlier : before.units) {
    auto found = unitOf.find(earlier.name);
    if (found == unitOf.end())
      continue;
    UnitProfile &unit = *found->second;
    unit.calls = addSaturating(unit.calls, earlier.calls);
    for (const ShapeProfile &shape : earlier.shapes) {
      ShapeProfile &same = shapeOf(unit, shape.sizes);
      uint64_t calls = addSaturating(same.calls, shape.calls);
      if (same.calls == 0)
        same = shape;
      same.calls = calls;
    }
    if (unit.memory.empty())
      unit.memory = earlier.memory;
  }
}

} // namespace anneal::runtime
