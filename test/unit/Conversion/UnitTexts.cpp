//===- UnitTexts.cpp - Units to compare tiers on --------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitTexts.h"

#include <algorithm>

namespace anneal::test {

using plan::DType;

namespace {

size_t draw(Random &random, size_t below) { return random() % below; }

std::string dims(unsigned count, const std::string &separator = ", ") {
  std::string text;
  for (unsigned d = 0; d < count; ++d)
    text += (d ? separator : "") + "d" + std::to_string(d);
  return text;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// Writes a body, an operation at a time, on values drawn from those that are there.
class BodyWriter {
public:
  BodyWriter(Random &random, unsigned numDims) : random(random), numDims(numDims) {}

  void add(DType type, const std::string &name) { values.push_back({type, name}); }
  /// A value of the type, made if need be.
  std::string any(DType type);
  /// Appends an operation with a result of some type.
  void addOperation();
  const std::string &text() const { return lines; }

private:
  struct Value {
    DType type;
    std::string name;
  };
  std::string emit(DType type, const std::string &operation);
  std::string constant(DType type);
  void addFloat(DType type);
  void addInteger(DType type);
  void addConversion();
  template <size_t N> const char *pick(const char *const (&names)[N]) {
    return names[draw(random, N)];
  }

  Random &random;
  unsigned numDims, numNames = 0;
  std::vector<Value> values;
  std::string lines;
};

std::string BodyWriter::emit(DType type, const std::string &operation) {
  std::string name = "%v" + std::to_string(numNames++);
  lines += "      " + name + " = " + operation + "\n";
  add(type, name);
  return name;
}

std::string BodyWriter::constant(DType type) {
  uint64_t bits = anyBits(type, random);
  std::string literal;
  if (type == DType::I1) {
    literal = bits ? "true" : "false";
    return emit(type, "arith.constant " + literal);
  }
  if (plan::isFloat(type)) {
    char text[20];
    std::snprintf(text, sizeof(text), "0x%0*llX", static_cast<int>(plan::bitWidth(type) / 4),
                  static_cast<unsigned long long>(bits));
    literal = text;
  } else {
    unsigned unused = 64 - plan::bitWidth(type);
    literal = std::to_string(static_cast<int64_t>(bits << unused) >> unused);
  }
  return emit(type, "arith.constant " + literal + " : " + typeName(type));
}

std::string BodyWriter::any(DType type) {
  std::vector<std::string> names;
  for (const Value &value : values)
    if (value.type == type)
      names.push_back(value.name);
  if (names.empty() || draw(random, 6) == 0)
    return constant(type);
  return names[draw(random, names.size())];
}

void BodyWriter::addFloat(DType type) {
  static constexpr const char *kBinary[] = {"arith.addf",    "arith.subf",     "arith.mulf",
                                            "arith.divf",    "arith.maximumf", "arith.minimumf",
                                            "arith.maxnumf", "arith.minnumf",  "math.copysign"};
  static constexpr const char *kUnary[] = {
      "arith.negf", "math.absf",  "math.sqrt",      "math.rsqrt", "math.floor",
      "math.ceil",  "math.round", "math.roundeven", "math.trunc", "math.exp",
      "math.exp2",  "math.log",   "math.log2",      "math.tanh"};
  static constexpr const char *kPredicates[] = {"oeq", "ogt", "oge", "olt", "ole", "one", "ord",
                                                "ueq", "ugt", "uge", "ult", "ule", "une", "uno"};
  static constexpr const char *kTests[] = {"math.isfinite", "math.isinf", "math.isnan"};
  std::string name = typeName(type), a = any(type), b = any(type);
  switch (draw(random, 8)) {
  case 0:
  case 1:
  case 2:
    emit(type, std::string(pick(kBinary)) + " " + a + ", " + b + " : " + name);
    return;
  case 3:
  case 4:
    emit(type, std::string(pick(kUnary)) + " " + a + " : " + name);
    return;
  case 5:
    emit(type, "math.fma " + a + ", " + b + ", " + any(type) + " : " + name);
    return;
  case 6:
    emit(DType::I1,
         "arith.cmpf " + std::string(pick(kPredicates)) + ", " + a + ", " + b + " : " + name);
    return;
  default:
    emit(DType::I1, std::string(pick(kTests)) + " " + a + " : " + name);
  }
}

void BodyWriter::addInteger(DType type) {
  static constexpr const char *kBinary[] = {
      "arith.addi",      "arith.subi",      "arith.muli",  "arith.andi",  "arith.ori",
      "arith.xori",      "arith.shli",      "arith.shrsi", "arith.shrui", "arith.maxsi",
      "arith.maxui",     "arith.minsi",     "arith.minui", "arith.divsi", "arith.remsi",
      "arith.ceildivsi", "arith.floordivsi"};
  static constexpr const char *kPredicates[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                                "sge", "ult", "ule", "ugt", "uge"};
  static constexpr const char *kUnary[] = {"math.absi", "math.ctlz", "math.cttz", "math.ctpop"};
  std::string name = typeName(type), a = any(type), b = any(type);
  size_t choice = draw(random, 6);
  if (choice < 3)
    emit(type, std::string(pick(kBinary)) + " " + a + ", " + b + " : " + name);
  else if (choice == 3 && type != DType::I1)
    emit(type, std::string(pick(kUnary)) + " " + a + " : " + name);
  else
    emit(DType::I1,
         "arith.cmpi " + std::string(pick(kPredicates)) + ", " + a + ", " + b + " : " + name);
}

/// From one type to another one.
void BodyWriter::addConversion() {
  const Value from = values[draw(random, values.size())];
  static constexpr DType kTypes[] = {DType::I1,  DType::I8,   DType::I16, DType::I32, DType::I64,
                                     DType::F16, DType::BF16, DType::F32, DType::F64};
  DType to = kTypes[draw(random, std::size(kTypes))];
  unsigned fromWidth = plan::bitWidth(from.type), toWidth = plan::bitWidth(to);
  std::string operation;
  if (from.type == DType::Index)
    return void(emit(DType::I64, "arith.index_cast " + from.name + " : index to i64"));
  bool isSigned = draw(random, 2) != 0;
  if (plan::isFloat(from.type) && plan::isFloat(to)) {
    if (fromWidth == toWidth)
      return;
    operation = fromWidth < toWidth ? "arith.extf" : "arith.truncf";
  } else if (plan::isFloat(from.type)) {
    if (to == DType::I1)
      return;
    operation = isSigned ? "arith.fptosi" : "arith.fptoui";
  } else if (plan::isFloat(to)) {
    if (to == DType::BF16 && from.type == DType::I64)
      return;
    operation = isSigned ? "arith.sitofp" : "arith.uitofp";
  } else {
    if (fromWidth == toWidth)
      return;
    operation = fromWidth > toWidth ? "arith.trunci" : isSigned ? "arith.extsi" : "arith.extui";
  }
  emit(to, operation + " " + from.name + " : " + typeName(from.type) + " to " + typeName(to));
}

void BodyWriter::addOperation() {
  size_t choice = draw(random, 12);
  if (choice == 0 && numDims > 0) {
    std::string dim = std::to_string(draw(random, numDims));
    std::string index = emit(DType::Index, "linalg.index " + dim + " : index");
    emit(DType::I64, "arith.index_cast " + index + " : index to i64");
    return;
  }
  if (choice <= 2)
    return addConversion();
  DType type = values[draw(random, values.size())].type;
  if (type == DType::Index)
    return;
  if (choice == 3) {
    std::string condition = any(DType::I1), a = any(type), b = any(type);
    emit(type, "arith.select " + condition + ", " + a + ", " + b + " : " + typeName(type));
    return;
  }
  plan::isFloat(type) ? addFloat(type) : addInteger(type);
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

std::string tensorType(const std::vector<int> &map, DType type) {
  std::string text = "tensor<";
  for (int dim : map)
    text += dim < 0 ? "1x" : "?x";
  return text + typeName(type) + ">";
}

std::string mapText(unsigned numDims, const std::vector<int> &map) {
  std::string text = "affine_map<(" + dims(numDims) + ") -> (";
  for (size_t k = 0; k < map.size(); ++k)
    text += (k ? ", " : "") + (map[k] < 0 ? "0" : "d" + std::to_string(map[k]));
  return text + ")>";
}

/// Writes the unit around a body that has been written; `block` and `yield` are its ends.
std::string unitText(const RandomUnit &unit, const std::vector<DType> &scalarTypes,
                     const std::string &body, const std::string &yield) {
  std::string arguments, maps, ins, inTypes, outs, outTypes, block, iterators;
  for (size_t s = 0; s < scalarTypes.size(); ++s)
    arguments += "%s" + std::to_string(s) + ": " + typeName(scalarTypes[s]) + ", ";
  for (size_t t = 0; t < unit.types.size(); ++t) {
    bool isInput = t < unit.numInputs, isFirst = t == 0 || t == unit.numInputs;
    std::string name = "t" + std::to_string(t), type = tensorType(unit.maps[t], unit.types[t]);
    arguments += (t ? ", %" : "%") + name + ": " + type;
    maps += (t ? ", " : "") + mapText(unit.numDims, unit.maps[t]);
    block += (t ? ", %a" : "%a") + std::to_string(t) + ": " + typeName(unit.types[t]);
    (isInput ? ins : outs) += (isFirst ? "%" : ", %") + name;
    (isInput ? inTypes : outTypes) += (isFirst ? "" : ", ") + type;
  }
  for (unsigned d = 0; d < unit.numDims; ++d)
    iterators +=
        (d ? ", " : "") +
        std::string(unit.isReduction && d + 1 == unit.numDims ? "\"reduction\"" : "\"parallel\"");
  bool hasMany = unit.types.size() > unit.numInputs + 1;
  std::string results = hasMany ? "(" + outTypes + ")" : outTypes;
  std::string text = "jit.unit @u(" + arguments + ") -> " + results + " {\n  %r" +
                     (hasMany ? ":" + std::to_string(unit.types.size() - unit.numInputs) : "") +
                     " = linalg.generic {indexing_maps = [" + maps + "], iterator_types = [" +
                     iterators + "]}";
  if (unit.numInputs)
    text += " ins(" + ins + " : " + inTypes + ")";
  text += " outs(" + outs + " : " + outTypes + ") {\n    ^bb0(" + block + "):\n" + body +
          "      linalg.yield " + yield + "\n  } -> " + results + "\n  jit.return ";
  for (size_t k = 0; k < unit.types.size() - unit.numInputs; ++k)
    text += (k ? ", %r" : "%r") + (hasMany ? "#" + std::to_string(k) : "");
  return text + " : " + outTypes + "\n}\n";
}

constexpr DType kElementTypes[] = {DType::F32, DType::F32,  DType::F32, DType::F64,
                                   DType::F16, DType::BF16, DType::I1,  DType::I8,
                                   DType::I16, DType::I32,  DType::I64};

DType anyType(Random &random) { return kElementTypes[draw(random, std::size(kElementTypes))]; }

/// A map for an input: some of the dimensions in order, seldom others.
std::vector<int> anyMap(unsigned numDims, Random &random) {
  std::vector<int> map;
  bool isWhole = draw(random, 2) != 0;
  for (unsigned d = 0; d < numDims; ++d) {
    size_t choice = isWhole ? 0 : draw(random, 4);
    if (choice <= 1)
      map.push_back(static_cast<int>(d));
    else if (choice == 2)
      map.push_back(-1);
  }
  if (draw(random, 6) == 0)
    std::shuffle(map.begin(), map.end(), random);
  return map;
}

} // namespace

std::string mapUnit(const std::vector<DType> &inputs, DType result, const std::string &body) {
  RandomUnit unit;
  unit.numDims = 1;
  unit.numInputs = static_cast<unsigned>(inputs.size());
  unit.types = inputs;
  unit.types.push_back(result);
  unit.maps.assign(unit.types.size(), {0});
  return unitText(unit, {}, body, "%r : " + typeName(result));
}

RandomUnit randomMap(Random &random) {
  RandomUnit unit;
  unit.numDims = 1 + static_cast<unsigned>(draw(random, 4));
  unit.numInputs = static_cast<unsigned>(draw(random, 5));
  size_t numOutputs = draw(random, 5) == 0 ? 2 : 1;
  std::vector<int> identity;
  for (unsigned d = 0; d < unit.numDims; ++d)
    identity.push_back(static_cast<int>(d));
  BodyWriter body(random, unit.numDims);
  for (size_t t = 0; t < unit.numInputs + numOutputs; ++t) {
    unit.types.push_back(anyType(random));
    unit.maps.push_back(t < unit.numInputs ? anyMap(unit.numDims, random) : identity);
    if (t < unit.numInputs || draw(random, 3) == 0)
      body.add(unit.types[t], "%a" + std::to_string(t));
  }
  std::vector<DType> scalarTypes;
  while (draw(random, 3) == 0) {
    scalarTypes.push_back(anyType(random));
    unit.scalars.push_back(anyBits(scalarTypes.back(), random));
    body.add(scalarTypes.back(), "%s" + std::to_string(scalarTypes.size() - 1));
  }
  body.any(DType::F32);
  for (size_t count = 1 + draw(random, 12); count > 0; --count)
    body.addOperation();
  std::string yield, types;
  for (size_t t = unit.numInputs; t < unit.types.size(); ++t) {
    bool isFirst = t == unit.numInputs;
    yield += (isFirst ? "" : ", ") + body.any(unit.types[t]);
    types += (isFirst ? "" : ", ") + typeName(unit.types[t]);
  }
  unit.text = unitText(unit, scalarTypes, body.text(), yield + " : " + types);
  return unit;
}

RandomUnit randomReduction(Random &random) {
  static constexpr const char *kFloat[] = {"arith.addf",     "arith.mulf",    "arith.maximumf",
                                           "arith.minimumf", "arith.maxnumf", "arith.minnumf"};
  static constexpr const char *kInteger[] = {"arith.addi",  "arith.muli",  "arith.maxsi",
                                             "arith.maxui", "arith.minsi", "arith.minui",
                                             "arith.andi",  "arith.ori",   "arith.xori"};
  RandomUnit unit;
  unit.isReduction = true;
  unit.numDims = 1 + static_cast<unsigned>(draw(random, 3));
  unit.numInputs = 1 + static_cast<unsigned>(draw(random, 3));
  size_t numOutputs = draw(random, 4) == 0 ? 2 : 1;
  std::vector<int> identity, outer;
  for (unsigned d = 0; d < unit.numDims; ++d)
    identity.push_back(static_cast<int>(d));
  outer.assign(identity.begin(), identity.end() - 1);
  BodyWriter body(random, unit.numDims);
  for (size_t t = 0; t < unit.numInputs + numOutputs; ++t) {
    unit.types.push_back(anyType(random));
    unit.maps.push_back(t == 0               ? identity
                        : t < unit.numInputs ? anyMap(unit.numDims, random)
                                             : outer);
    if (t < unit.numInputs)
      body.add(unit.types[t], "%a" + std::to_string(t));
  }
  for (size_t count = 1 + draw(random, 6); count > 0; --count)
    body.addOperation();
  std::string yield, types, combiners;
  for (size_t t = unit.numInputs; t < unit.types.size(); ++t) {
    DType type = unit.types[t];
    const char *op = plan::isFloat(type) ? kFloat[draw(random, std::size(kFloat))]
                                         : kInteger[draw(random, std::size(kInteger))];
    std::string value = body.any(type), name = "%c" + std::to_string(t);
    std::string accumulator = "%a" + std::to_string(t);
    bool isFirst = draw(random, 2) != 0;
    combiners += "      " + name + " = " + op + " " + (isFirst ? accumulator : value) + ", " +
                 (isFirst ? value : accumulator) + " : " + typeName(type) + "\n";
    yield += (t == unit.numInputs ? "" : ", ") + name;
    types += (t == unit.numInputs ? "" : ", ") + typeName(type);
  }
  unit.text = unitText(unit, {}, body.text() + combiners, yield + " : " + types);
  return unit;
}

} // namespace anneal::test
