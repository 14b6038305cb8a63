//===- UnitBuilder.cpp - Units made by hand, and their tensors ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitBuilder.h"

#include <algorithm>
#include <cstring>

using namespace anneal;

namespace anneal::runtime::test {

using Token = plan::IndexExpr::Token;

namespace {

/// The expression in postfix order, whatever its form.
std::vector<Token> postfixOf(const plan::IndexExpr &expr) {
  if (!expr.isLinear())
    return expr.postfix;
  std::vector<Token> tokens = {{Token::Kind::Constant, expr.constant}};
  for (size_t d = 0; d < expr.coefficients.size(); ++d) {
    if (expr.coefficients[d] == 0)
      continue;
    tokens.push_back({Token::Kind::Dim, static_cast<int64_t>(d)});
    tokens.push_back({Token::Kind::Constant, expr.coefficients[d]});
    tokens.push_back({Token::Kind::Mul, 0});
    tokens.push_back({Token::Kind::Add, 0});
  }
  return tokens;
}

Ix divided(const Ix &a, int64_t divisor, Token::Kind kind) {
  Ix result;
  result.expr.postfix = postfixOf(a.expr);
  result.expr.postfix.push_back({Token::Kind::Constant, divisor});
  result.expr.postfix.push_back({kind, 0});
  return result;
}

} // namespace

Ix dim(unsigned k) {
  Ix result;
  result.expr.coefficients.assign(k + 1, 0);
  result.expr.coefficients[k] = 1;
  return result;
}

Ix at(int64_t constant) {
  Ix result;
  result.expr.constant = constant;
  return result;
}

Ix operator+(Ix a, const Ix &b) {
  if (!a.expr.isLinear() || !b.expr.isLinear()) {
    Ix result;
    result.expr.postfix = postfixOf(a.expr);
    std::vector<Token> right = postfixOf(b.expr);
    result.expr.postfix.insert(result.expr.postfix.end(), right.begin(), right.end());
    result.expr.postfix.push_back({Token::Kind::Add, 0});
    return result;
  }
  a.expr.constant += b.expr.constant;
  a.expr.coefficients.resize(std::max(a.expr.coefficients.size(), b.expr.coefficients.size()), 0);
  for (size_t d = 0; d < b.expr.coefficients.size(); ++d)
    a.expr.coefficients[d] += b.expr.coefficients[d];
  return a;
}

Ix operator*(Ix a, int64_t factor) {
  a.expr.constant *= factor;
  for (int64_t &coefficient : a.expr.coefficients)
    coefficient *= factor;
  return a;
}

Ix floorDiv(const Ix &a, int64_t divisor) { return divided(a, divisor, Token::Kind::FloorDiv); }
Ix mod(const Ix &a, int64_t modulus) { return divided(a, modulus, Token::Kind::Mod); }

KernelBuilder::KernelBuilder(std::string name, std::string iterators) {
  kernel.opName = std::move(name);
  kernel.location = 7;
  for (char letter : iterators)
    kernel.iterators.push_back(letter == 'r' ? plan::IterKind::Reduction
                                             : plan::IterKind::Parallel);
}

void KernelBuilder::addOperand(uint32_t tensor, std::vector<Ix> map) {
  plan::Operand operand;
  operand.tensor = tensor;
  for (Ix &index : map) {
    if (index.expr.isLinear())
      index.expr.coefficients.resize(kernel.iterators.size(), 0);
    operand.indices.push_back(index.expr);
  }
  kernel.operands.push_back(std::move(operand));
}

KernelBuilder &KernelBuilder::input(uint32_t tensor, std::vector<Ix> map) {
  addOperand(tensor, std::move(map));
  ++kernel.numInputs;
  return *this;
}

KernelBuilder &KernelBuilder::output(uint32_t tensor, std::vector<Ix> map) {
  addOperand(tensor, std::move(map));
  return *this;
}

KernelBuilder &KernelBuilder::gathered(uint32_t tensor) {
  kernel.gathers.push_back(tensor);
  return *this;
}

KernelBuilder &KernelBuilder::body(const std::vector<plan::UnitTensor> &tensors) {
  for (const plan::Operand &operand : kernel.operands)
    kernel.body.regTypes.push_back(tensors[operand.tensor].dtype);
  kernel.body.numOperands = static_cast<uint32_t>(kernel.operands.size());
  return *this;
}

Reg KernelBuilder::reg(DType type) {
  kernel.body.regTypes.push_back(type);
  return static_cast<Reg>(kernel.body.regTypes.size() - 1);
}

Reg KernelBuilder::capture(uint32_t scalar, DType type) {
  kernel.body.captured.push_back(scalar);
  return reg(type);
}

Reg KernelBuilder::constant(DType type, uint64_t bits) {
  plan::Instr instr;
  instr.op = Opcode::Const;
  instr.type = type;
  instr.imm = bits;
  instr.dst = reg(type);
  kernel.body.instrs.push_back(instr);
  return instr.dst;
}

Reg KernelBuilder::constantF32(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return constant(DType::F32, bits);
}

Reg KernelBuilder::op(Opcode op, DType type, Reg a, Reg b, Reg c) {
  plan::Instr instr;
  instr.op = op;
  instr.type = instr.srcType = type;
  instr.a = a;
  instr.b = b;
  instr.c = c;
  plan::OpClass opClass = plan::classOf(op);
  bool isTest = opClass == plan::OpClass::IntCompare || opClass == plan::OpClass::FloatCompare ||
                opClass == plan::OpClass::FloatTest;
  instr.dst = reg(isTest ? DType::I1 : type);
  kernel.body.instrs.push_back(instr);
  return instr.dst;
}

Reg KernelBuilder::convert(Opcode op, DType type, DType from, Reg a) {
  Reg dst = this->op(op, type, a);
  kernel.body.instrs.back().srcType = from;
  return dst;
}

Reg KernelBuilder::position(unsigned dim) {
  Reg dst = op(Opcode::IterIndex, DType::Index, plan::kNoReg);
  kernel.body.instrs.back().imm = dim;
  return dst;
}

Reg KernelBuilder::gather(uint32_t source, DType type, std::vector<Reg> indices) {
  Reg dst = op(Opcode::Gather, type, plan::kNoReg);
  plan::Instr &instr = kernel.body.instrs.back();
  instr.imm = source;
  instr.extraBegin = static_cast<uint32_t>(kernel.body.extra.size());
  instr.numExtra = static_cast<uint32_t>(indices.size());
  kernel.body.extra.insert(kernel.body.extra.end(), indices.begin(), indices.end());
  return dst;
}

void KernelBuilder::check(Reg condition, uint32_t message) {
  plan::Instr instr;
  instr.op = Opcode::Assert;
  instr.a = condition;
  instr.imm = message;
  kernel.body.instrs.push_back(instr);
}

void KernelBuilder::jump(size_t target) {
  plan::Instr instr;
  instr.op = Opcode::Jump;
  instr.imm = target;
  kernel.body.instrs.push_back(instr);
  kernel.body.hasBranches = true;
}

void KernelBuilder::jumpIfFalse(Reg condition, size_t target) {
  jump(target);
  kernel.body.instrs.back().op = Opcode::JumpIfFalse;
  kernel.body.instrs.back().a = condition;
}

void KernelBuilder::moveTo(Reg dst, Reg source, DType type) {
  plan::Instr instr;
  instr.op = Opcode::Move;
  instr.type = instr.srcType = type;
  instr.a = source;
  instr.dst = dst;
  kernel.body.instrs.push_back(instr);
}

int64_t TestTensor::numElements() const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

TestTensor makeTensor(DType dtype, std::vector<int64_t> sizes) {
  std::vector<unsigned> order;
  for (unsigned d = 0; d < sizes.size(); ++d)
    order.push_back(d);
  return makeStrided(dtype, std::move(sizes), order, 0);
}

TestTensor makeStrided(DType dtype, std::vector<int64_t> sizes, std::vector<unsigned> order,
                       int64_t gap) {
  TestTensor tensor;
  tensor.dtype = dtype;
  tensor.strides.assign(sizes.size(), 0);
  int64_t stride = 1;
  for (size_t k = order.size(); k-- > 0;) {
    tensor.strides[order[k]] = stride;
    stride = stride * std::max<int64_t>(sizes[order[k]], 1) + gap;
  }
  tensor.sizes = std::move(sizes);
  tensor.offset = gap;
  // Memory ends with the last element, so that a read or write beyond it is seen by sanitizers.
  int64_t last = tensor.offset + 1;
  for (size_t d = 0; d < tensor.sizes.size(); ++d)
    last += std::max<int64_t>(tensor.sizes[d] - 1, 0) * tensor.strides[d];
  tensor.memory.assign(static_cast<size_t>(last) * plan::sizeOf(dtype), 0);
  return tensor;
}

namespace {

uint64_t randomBits(DType dtype, std::mt19937 &random, bool special) {
  if (plan::isInteger(dtype))
    return dtype == DType::I1 ? random() & 1 : random() % 19 - (dtype == DType::I8 ? 9 : 7);
  float value = std::uniform_real_distribution<float>(-2, 2)(random);
  if (special) {
    const float rare[] = {NAN, INFINITY, -INFINITY, 0.0f, -0.0f};
    if (unsigned pick = random() % 40; pick < 5)
      value = rare[pick];
  }
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  if (dtype == DType::F64) {
    double wide = value;
    uint64_t wideBits;
    std::memcpy(&wideBits, &wide, sizeof(wideBits));
    return wideBits;
  }
  if (dtype == DType::BF16)
    return bits >> 16;
  if (dtype == DType::F16) {
    _Float16 half = static_cast<_Float16>(value);
    uint16_t halfBits;
    std::memcpy(&halfBits, &half, sizeof(halfBits));
    return halfBits;
  }
  return bits;
}

} // namespace

void randomise(TestTensor &tensor, std::mt19937 &random, bool special) {
  size_t size = plan::sizeOf(tensor.dtype);
  for (size_t i = 0; i + size <= tensor.memory.size(); i += size) {
    uint64_t bits = randomBits(tensor.dtype, random, special);
    std::memcpy(tensor.memory.data() + i, &bits, size);
  }
}

uint32_t UnitBuilder::input(TestTensor tensor) {
  ++unit.numInputs;
  uint32_t index = static_cast<uint32_t>(tensors.size());
  plan::UnitTensor declared;
  declared.dtype = tensor.dtype;
  for (size_t d = 0; d < tensor.sizes.size(); ++d)
    declared.sizes.push_back({plan::SizeExpr::Kind::Dim, index, static_cast<int64_t>(d)});
  unit.tensors.push_back(declared);
  tensors.push_back(std::move(tensor));
  return index;
}

uint32_t UnitBuilder::output(TestTensor tensor, bool isRead) {
  uint32_t index = input(std::move(tensor));
  --unit.numInputs;
  ++unit.numOutputs;
  unit.outputIsRead.push_back(isRead);
  return index;
}

uint32_t UnitBuilder::temporary(DType dtype, std::vector<int64_t> sizes) {
  plan::UnitTensor declared;
  declared.dtype = dtype;
  for (int64_t size : sizes)
    declared.sizes.push_back({plan::SizeExpr::Kind::Constant, 0, size});
  unit.tensors.push_back(declared);
  tensors.push_back(makeTensor(dtype, std::move(sizes)));
  return static_cast<uint32_t>(tensors.size() - 1);
}

void UnitBuilder::add(const KernelBuilder &builder, std::vector<plan::DomainSource> domain) {
  plan::Kernel kernel = builder.kernel;
  kernel.domain = std::move(domain);
  // Each dimension's size is that of the first operand dimension it indexes alone.
  for (size_t d = kernel.domain.size(); d < kernel.iterators.size(); ++d) {
    plan::DomainSource source;
    for (size_t k = 0; k < kernel.operands.size() && source.operand < 0; ++k)
      for (size_t j = 0; j < kernel.operands[k].indices.size(); ++j) {
        plan::IndexExpr plain = dim(static_cast<unsigned>(d)).expr;
        plain.coefficients.resize(kernel.iterators.size(), 0);
        if (kernel.operands[k].indices[j] == plain) {
          source = {static_cast<int32_t>(k), static_cast<int64_t>(j)};
          break;
        }
      }
    kernel.domain.push_back(source);
  }
  unit.kernels.push_back(std::move(kernel));
}

} // namespace anneal::runtime::test
