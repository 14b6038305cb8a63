//===- IsaEqualityTest.cpp - The same bits on every instruction set -------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StripTesting.h"

#include <gtest/gtest.h>

#include <set>

using namespace anneal;
using namespace anneal::runtime;
using namespace anneal::runtime::testing;

namespace {

/// Operands with special values, and, for floats, with numbers for which functions do more than
/// overflow.
std::array<std::vector<Raw>, 3> operands(const plan::Instr &instr, size_t n) {
  std::array<std::vector<Raw>, 3> sources;
  Types types = typesOf(instr);
  for (unsigned k = 0; k < types.sources.size(); ++k) {
    DType type = types.sources[k];
    sources[k] = someValues(type, n, k + 1);
    for (size_t i = k; plan::isFloat(type) && i < n; i += 2)
      sources[k][i] =
          encode(type, (static_cast<long double>(sources[k][i] % 100003) - 50000) / 2500);
  }
  return sources;
}

void expectSame(const plan::Instr &instr, const Results &a, const Results &b,
                const std::string &what) {
  Types types = typesOf(instr);
  ASSERT_EQ(a.first.size(), b.first.size()) << describe(instr) << " " << what;
  for (size_t i = 0; i < a.first.size(); ++i)
    ASSERT_TRUE(same(types.result, a.first[i], b.first[i]))
        << describe(instr) << " " << what << ", element " << i << ": " << std::hex << a.first[i]
        << " and " << b.first[i];
  ASSERT_EQ(a.second, b.second) << describe(instr) << " " << what;
}

unsigned allMasks(const plan::Instr &instr) { return 1u << plan::numSources(instr.op); }

TEST(IsaEqualityTest, EveryOperationGivesTheSameBitsOnEveryIsaAndForEveryMask) {
  constexpr size_t n = 1000;
  std::vector<Isa> isas = availableIsas();
  if (isas.size() < 3)
    std::cout << "only up to " << name(isas.back()) << ": this processor has no more\n";
  for (const plan::Instr &instr : allInstructions()) {
    std::array<std::vector<Raw>, 3> sources = operands(instr, n);
    for (unsigned mask = 0; mask < allMasks(instr); ++mask) {
      if (mask + 1 == allMasks(instr) && mask != 0)
        continue; // all uniform: see below
      // What a uniform source stands for.
      std::array<std::vector<Raw>, 3> spread = sources;
      for (unsigned k = 0; k < 3; ++k)
        if (mask >> k & 1)
          spread[k].assign(n, sources[k][0]);
      Results expected = run(instr, 0, Isa::Portable, spread, n);
      ASSERT_EQ(expected.first.size(), n) << describe(instr);
      for (Isa isa : isas)
        expectSame(instr, run(instr, mask, isa, sources, n), expected,
                   std::string(name(isa)) + " mask " + std::to_string(mask));
    }
  }
}

TEST(IsaEqualityTest, LengthAndAlignmentDoNotMatter) {
  constexpr size_t n = 300;
  for (const plan::Instr &instr : allInstructions()) {
    std::array<std::vector<Raw>, 3> sources = operands(instr, n);
    for (Isa isa : availableIsas()) {
      Results whole = run(instr, 0, isa, sources, n);
      for (size_t length : {0, 1, 15, 16, 17, 270}) {
        Results part = run(instr, 0, isa, sources, length, 1 + length % 3);
        Results expected = {{whole.first.begin(), whole.first.begin() + static_cast<long>(length)},
                            {}};
        if (!whole.second.empty())
          expected.second = {whole.second.begin(),
                             whole.second.begin() + static_cast<long>(length)};
        expectSame(instr, part, expected,
                   std::string(name(isa)) + " length " + std::to_string(length));
      }
    }
  }
}

TEST(IsaEqualityTest, AllUniformSourcesRunAsOneElement) {
  for (const plan::Instr &instr : allInstructions()) {
    std::array<std::vector<Raw>, 3> sources = operands(instr, 8);
    for (Isa isa : availableIsas())
      expectSame(instr, run(instr, allMasks(instr) - 1, isa, sources, 1),
                 run(instr, 0, isa, sources, 1), std::string(name(isa)) + " all uniform");
  }
}

TEST(IsaEqualityTest, ResultsMayReplaceASource) {
  constexpr size_t n = 1000;
  for (const plan::Instr &instr : allInstructions()) {
    Types types = typesOf(instr);
    std::array<std::vector<Raw>, 3> sources = operands(instr, n);
    for (Isa isa : availableIsas())
      for (unsigned k = 0; k < types.sources.size(); ++k) {
        if (plan::sizeOf(types.sources[k]) != plan::sizeOf(types.result))
          continue;
        std::array<std::vector<char>, 3> memory;
        for (unsigned j = 0; j < types.sources.size(); ++j) {
          memory[j].resize(n * plan::sizeOf(types.sources[j]));
          for (size_t i = 0; i < n; ++i)
            store(memory[j].data(), types.sources[j], i, sources[j][i]);
        }
        std::vector<char> second(n * 8);
        StripArgs args;
        args.dst = memory[k].data();
        args.dst2 = second.data();
        args.a = memory[0].data();
        args.b = memory[1].data();
        args.c = memory[2].data();
        args.n = n;
        findStripOp(instr, 0, isa)(args);
        Results inPlace, apart = run(instr, 0, isa, sources, n);
        for (size_t i = 0; i < n; ++i) {
          inPlace.first.push_back(load(args.dst, types.result, i));
          if (types.hasSecond)
            inPlace.second.push_back(load(args.dst2, types.second, i));
        }
        expectSame(instr, inPlace, apart,
                   std::string(name(isa)) + " in place of " + std::to_string(k));
      }
  }
}

TEST(IsaEqualityTest, OnlyOperationsThatComputeValuesAreFound) {
  std::set<std::array<unsigned, 3>> legal;
  for (const plan::Instr &instr : allInstructions())
    legal.insert({unsigned(instr.op), unsigned(instr.type), unsigned(instr.srcType)});
  for (Opcode op : allOpcodes())
    for (unsigned type = 0; type < plan::kNumDTypes; ++type) {
      plan::Instr instr;
      instr.op = op;
      instr.type = instr.srcType = static_cast<DType>(type);
      if (instr.type == DType::Index)
        continue;
      bool usesSource = plan::classOf(op) == plan::OpClass::FloatInt;
      if (usesSource)
        continue;
      EXPECT_EQ(findStripOp(instr, 0, detectIsa()) != nullptr,
                legal.count({unsigned(op), type, type}) != 0)
          << describe(instr);
    }
}

} // namespace
