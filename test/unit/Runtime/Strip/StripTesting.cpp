//===- StripTesting.cpp - Values and runs for tests of strips -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StripTesting.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace anneal::runtime::testing {

namespace {
/// Bits of the mantissa without the leading one, and of the exponent.
struct Format {
  int mantissa, exponent;
};
Format formatOf(DType type) {
  switch (type) {
  case DType::F16:
    return {10, 5};
  case DType::BF16:
    return {7, 8};
  case DType::F32:
    return {23, 8};
  default:
    return {52, 11};
  }
}
} // namespace

std::vector<Isa> availableIsas() {
  std::vector<Isa> isas;
  for (unsigned isa = 0; isa <= static_cast<unsigned>(detectIsa()); ++isa)
    isas.push_back(static_cast<Isa>(isa));
  return isas;
}

std::vector<Opcode> allOpcodes() {
  std::vector<Opcode> ops;
  for (unsigned op = 0; op < plan::numOpcodes(); ++op)
    ops.push_back(static_cast<Opcode>(op));
  return ops;
}

Raw load(const void *strip, DType type, size_t i) {
  Raw value = 0;
  size_t size = plan::sizeOf(type);
  memcpy(&value, static_cast<const char *>(strip) + i * size, size);
  return value;
}

void store(void *strip, DType type, size_t i, Raw value) {
  size_t size = plan::sizeOf(type);
  memcpy(static_cast<char *>(strip) + i * size, &value, size);
}

long double decode(DType type, Raw bits) {
  auto [mantissaBits, exponentBits] = formatOf(type);
  int maxExponent = (1 << exponentBits) - 1, bias = maxExponent / 2;
  Raw mantissa = bits & ((Raw(1) << mantissaBits) - 1);
  int exponent = static_cast<int>(bits >> mantissaBits) & maxExponent;
  bool negative = (bits >> (mantissaBits + exponentBits) & 1) != 0;
  long double value;
  if (exponent == maxExponent)
    value = mantissa ? std::numeric_limits<long double>::quiet_NaN()
                     : std::numeric_limits<long double>::infinity();
  else if (exponent == 0)
    value = std::ldexp(static_cast<long double>(mantissa), 1 - bias - mantissaBits);
  else
    value = std::ldexp(static_cast<long double>(mantissa | Raw(1) << mantissaBits),
                       exponent - bias - mantissaBits);
  return negative ? -value : value;
}

Raw encode(DType type, long double value) {
  auto [mantissaBits, exponentBits] = formatOf(type);
  Raw sign = std::signbit(value) ? Raw(1) << (mantissaBits + exponentBits) : 0;
  Raw infinity = ((Raw(1) << exponentBits) - 1) << mantissaBits;
  long double x = std::fabs(value);
  if (std::isnan(x))
    return infinity | Raw(1) << (mantissaBits - 1);
  if (std::isinf(x) || x == 0)
    return sign | (x == 0 ? 0 : infinity);
  int bias = (1 << (exponentBits - 1)) - 1;
  // The weight of the last bit; at least that of denormals.
  int last = std::max(std::ilogb(x), 1 - bias) - mantissaBits;
  Raw steps = static_cast<Raw>(std::nearbyint(std::ldexp(x, -last)));
  // The leading one adds 1 to the exponent field; a carry out of the mantissa too.
  Raw bits = (static_cast<Raw>(last + bias + mantissaBits - 1) << mantissaBits) + steps;
  return sign | std::min(bits, infinity);
}

bool isNaN(DType type, Raw bits) { return plan::isFloat(type) && std::isnan(decode(type, bits)); }

int64_t signedValue(DType type, Raw bits) {
  unsigned shift = 64 - plan::bitWidth(type);
  return static_cast<int64_t>(bits << shift) >> shift;
}

Raw wrapped(DType type, Raw value) {
  unsigned width = plan::bitWidth(type);
  return width == 64 ? value : value & ((Raw(1) << width) - 1);
}

bool same(DType type, Raw a, Raw b) { return a == b || (isNaN(type, a) && isNaN(type, b)); }

std::vector<Raw> edgeValues(DType type) {
  std::vector<Raw> values;
  if (plan::isInteger(type)) {
    Raw top = Raw(1) << (plan::bitWidth(type) - 1);
    for (Raw value : {Raw(0),  Raw(1),    Raw(2),  Raw(3),  Raw(7),   Raw(8),  Raw(15), Raw(16),
                      Raw(31), Raw(32),   Raw(63), Raw(64), Raw(100), Raw(-1), Raw(-2), Raw(-3),
                      Raw(-7), Raw(-100), top,     top - 1, top + 1,  top >> 1})
      values.push_back(wrapped(type, value));
    return values;
  }
  auto [mantissaBits, exponentBits] = formatOf(type);
  Raw sign = Raw(1) << (mantissaBits + exponentBits);
  Raw infinity = ((Raw(1) << exponentBits) - 1) << mantissaBits;
  std::vector<Raw> positive = {0,
                               1,
                               2,
                               (Raw(1) << mantissaBits) - 1,
                               Raw(1) << mantissaBits,
                               infinity - 1,
                               infinity,
                               infinity | Raw(1) << (mantissaBits - 1)};
  for (long double x : {0.25L, 0.5L, 1.0L, 1.5L, 2.0L, 2.5L, 3.0L, 100.0L, 0.4999999L, 0.9999999L})
    positive.push_back(encode(type, x));
  for (Raw value : positive) {
    values.push_back(value);
    values.push_back(value | sign);
  }
  return values;
}

std::vector<Raw> randomValues(DType type, size_t count, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::vector<Raw> values(count);
  for (Raw &value : values)
    value = wrapped(type, generator());
  return values;
}

std::vector<Raw> someValues(DType type, size_t count, unsigned seed) {
  std::vector<Raw> values = edgeValues(type);
  std::vector<Raw> more = randomValues(type, count, seed);
  // Edge values at places that differ with the seed, so that operands meet in many ways.
  for (size_t i = 0; i < count; ++i)
    if ((i + seed) % 3 == 0)
      more[i] = values[(i / 3 * (2 * seed + 1) + seed) % values.size()];
  return more;
}

Types typesOf(const plan::Instr &instr) {
  using plan::OpClass;
  Types types;
  types.sources.assign(plan::numSources(instr.op), instr.type);
  types.result = instr.type;
  switch (plan::classOf(instr.op)) {
  case OpClass::IntCompare:
  case OpClass::FloatCompare:
  case OpClass::FloatTest:
    types.result = DType::I1;
    break;
  case OpClass::IntExtended: {
    bool isProduct = instr.op == Opcode::MulSIExtended || instr.op == Opcode::MulUIExtended;
    types.hasSecond = true;
    types.second = isProduct ? instr.type : DType::I1;
    break;
  }
  case OpClass::FloatInt:
    types.sources[1] = instr.srcType;
    break;
  case OpClass::Convert:
    types.sources[0] = instr.srcType;
    break;
  default:
    if (instr.op == Opcode::Select)
      types.sources[0] = DType::I1;
    break;
  }
  return types;
}

namespace {
void add(std::vector<plan::Instr> &all, Opcode op, DType type, DType srcType) {
  plan::Instr instr;
  instr.op = op;
  instr.type = type;
  instr.srcType = srcType;
  instr.imm = wrapped(type, 0x123456789abcdef1);
  all.push_back(instr);
}

/// Whether a conversion from `from` to `to` has a meaning.
bool isConversion(Opcode op, DType to, DType from) {
  bool toInt = plan::isInteger(to), fromInt = plan::isInteger(from);
  switch (op) {
  case Opcode::ExtSI:
  case Opcode::ExtUI:
    return toInt && fromInt && to >= from;
  case Opcode::TruncI:
    return toInt && fromInt && to <= from;
  case Opcode::ExtF:
  case Opcode::TruncF:
    return !toInt && !fromInt;
  case Opcode::SIToFP:
  case Opcode::UIToFP:
    return !toInt && fromInt;
  case Opcode::FPToSI:
  case Opcode::FPToUI:
    return toInt && !fromInt;
  default:
    return plan::bitWidth(to) == plan::bitWidth(from);
  }
}

void addTyped(std::vector<plan::Instr> &all, Opcode op) {
  std::vector<DType> types(std::begin(kIntTypes), std::end(kIntTypes));
  types.insert(types.end(), std::begin(kFloatTypes), std::end(kFloatTypes));
  plan::OpClass opClass = plan::classOf(op);
  bool isInt = opClass <= plan::OpClass::IntExtended;
  for (DType type : types) {
    if (opClass == plan::OpClass::Convert) {
      for (DType from : types)
        if (isConversion(op, type, from))
          add(all, op, type, from);
    } else if (opClass == plan::OpClass::FloatInt) {
      for (DType exponent : {DType::I8, DType::I16, DType::I32, DType::I64})
        if (plan::isFloat(type))
          add(all, op, type, exponent);
    } else if (opClass == plan::OpClass::Special || isInt == plan::isInteger(type)) {
      add(all, op, type, type);
    }
  }
}
} // namespace

std::vector<plan::Instr> allInstructions() {
  std::vector<plan::Instr> all;
  for (Opcode op : allOpcodes())
    if (plan::classOf(op) != plan::OpClass::Special || op == Opcode::Select ||
        op == Opcode::Const || op == Opcode::Move)
      addTyped(all, op);
  return all;
}

std::string describe(const plan::Instr &instr) {
  return std::string(plan::name(instr.op)) + " " + std::string(plan::name(instr.type)) + " from " +
         std::string(plan::name(instr.srcType));
}

Results run(const plan::Instr &instr, unsigned mask, Isa isa,
            const std::array<std::vector<Raw>, 3> &sources, size_t n, size_t offset) {
  Types types = typesOf(instr);
  StripFn fn = findStripOp(instr, mask, isa);
  if (!fn)
    return {};
  std::array<std::vector<char>, 3> memory;
  const void *pointers[3] = {};
  for (size_t k = 0; k < types.sources.size(); ++k) {
    DType type = types.sources[k];
    size_t count = (mask >> k & 1) ? 1 : n;
    // Exactly as large as it must be, so that a sanitizer sees reads outside.
    memory[k].resize((count + offset) * plan::sizeOf(type));
    for (size_t i = 0; i < count; ++i)
      store(memory[k].data(), type, i + offset, sources[k][i]);
    pointers[k] = memory[k].data() + offset * plan::sizeOf(type);
  }
  std::vector<char> first((n + offset) * plan::sizeOf(types.result));
  std::vector<char> second((n + offset) * plan::sizeOf(types.second));
  StripArgs args;
  args.a = pointers[0];
  args.b = pointers[1];
  args.c = pointers[2];
  args.dst = first.data() + offset * plan::sizeOf(types.result);
  args.dst2 = second.data() + offset * plan::sizeOf(types.second);
  args.n = n;
  args.imm = instr.imm;
  fn(args);
  Results results;
  for (size_t i = 0; i < n; ++i) {
    results.first.push_back(load(args.dst, types.result, i));
    if (types.hasSecond)
      results.second.push_back(load(args.dst2, types.second, i));
  }
  return results;
}

} // namespace anneal::runtime::testing
