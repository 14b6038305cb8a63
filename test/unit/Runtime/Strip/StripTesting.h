//===- StripTesting.h - Values and runs for tests of strips -----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values are handled as raw bits, zero-extended to 64. Floats are decoded and rounded here by
// arithmetic on their definition, not by the code under test.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TEST_UNIT_RUNTIME_STRIP_STRIPTESTING_H
#define ANNEAL_TEST_UNIT_RUNTIME_STRIP_STRIPTESTING_H

#include "anneal/Runtime/Kernels/StripOps.h"

#include <array>
#include <string>
#include <vector>

namespace anneal::runtime::testing {

using plan::DType;
using plan::Opcode;
using Raw = uint64_t;

inline constexpr DType kIntTypes[] = {DType::I1, DType::I8, DType::I16, DType::I32, DType::I64};
inline constexpr DType kFloatTypes[] = {DType::F16, DType::BF16, DType::F32, DType::F64};

/// The instruction sets of this machine.
std::vector<Isa> availableIsas();

/// Every opcode.
std::vector<Opcode> allOpcodes();

/// Reads and writes element i of a strip of `type`.
Raw load(const void *strip, DType type, size_t i);
void store(void *strip, DType type, size_t i, Raw value);

/// The number that a float's bits stand for.
long double decode(DType type, Raw bits);
/// The nearest float, halves to even.
Raw encode(DType type, long double value);
bool isNaN(DType type, Raw bits);
/// The signed value of an integer (I1: 0 or -1).
int64_t signedValue(DType type, Raw bits);
/// The bits of `value` that fit `type`.
Raw wrapped(DType type, Raw value);

/// Equal bits, or both NaN.
bool same(DType type, Raw a, Raw b);

/// Values at which something changes: limits, zeros, infinities, NaN, denormals, small numbers.
std::vector<Raw> edgeValues(DType type);
/// Uniformly random bits.
std::vector<Raw> randomValues(DType type, size_t count, unsigned seed);
/// Edge values, and random ones up to `count`.
std::vector<Raw> someValues(DType type, size_t count, unsigned seed);

/// Types of the operands of an operation.
struct Types {
  std::vector<DType> sources;
  DType result = DType::F32;
  bool hasSecond = false;
  DType second = DType::I1;
};
/// Of an operation that computes values.
Types typesOf(const plan::Instr &instr);

/// Every combination of an opcode that computes values with types.
std::vector<plan::Instr> allInstructions();

std::string describe(const plan::Instr &instr);

/// Runs an operation on strips of n raw values; `offset` elements lie before each strip, so that it
/// is not aligned. A uniform source has one value. Returns the results, and the second ones.
struct Results {
  std::vector<Raw> first, second;
};
Results run(const plan::Instr &instr, unsigned mask, Isa isa,
            const std::array<std::vector<Raw>, 3> &sources, size_t n, size_t offset = 0);

} // namespace anneal::runtime::testing

#endif // ANNEAL_TEST_UNIT_RUNTIME_STRIP_STRIPTESTING_H
