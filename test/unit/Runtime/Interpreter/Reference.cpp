//===- Reference.cpp - A naive interpreter to compare with ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

#include "anneal/Runtime/Kernels/StripOps.h"

#include <cstring>
#include <map>

using namespace anneal;
using plan::IndexExpr;
using plan::Instr;
using plan::Kernel;

namespace anneal::runtime::test {

namespace {

/// One operation on single values.
uint64_t apply(Instr instr, uint64_t a, uint64_t b = 0, uint64_t c = 0,
               uint64_t *second = nullptr) {
  uint64_t result = 0, dst2 = 0;
  StripFn fn = findStripOp(instr, ~0u, Isa::Portable);
  fn({&result, &dst2, &a, &b, &c, 1, instr.imm});
  if (second)
    *second = dst2;
  return result;
}

uint64_t apply(Opcode op, DType type, uint64_t a, uint64_t b = 0, uint64_t c = 0) {
  Instr instr;
  instr.op = op;
  instr.type = instr.srcType = type;
  return apply(instr, a, b, c);
}

bool isHalf(DType type) { return type == DType::F16 || type == DType::BF16; }

uint64_t convert(Opcode op, DType to, DType from, uint64_t a) {
  Instr instr;
  instr.op = op;
  instr.type = to;
  instr.srcType = from;
  return apply(instr, a);
}

uint64_t load(const TestTensor &tensor, int64_t offset) {
  uint64_t bits = 0;
  size_t size = plan::sizeOf(tensor.dtype);
  std::memcpy(&bits, tensor.data() + offset * static_cast<int64_t>(size), size);
  return bits;
}

void store(TestTensor &tensor, int64_t offset, uint64_t bits) {
  size_t size = plan::sizeOf(tensor.dtype);
  std::memcpy(tensor.data() + offset * static_cast<int64_t>(size), &bits, size);
}

int64_t evaluate(const IndexExpr &index, const std::vector<int64_t> &point) {
  if (index.isLinear()) {
    int64_t value = index.constant;
    for (size_t d = 0; d < index.coefficients.size(); ++d)
      value += index.coefficients[d] * point[d];
    return value;
  }
  std::vector<int64_t> stack;
  auto floorDiv = [](int64_t a, int64_t b) { return (a - ((a % b) + b) % b) / b; };
  using Kind = IndexExpr::Token::Kind;
  for (const IndexExpr::Token &token : index.postfix) {
    if (token.kind == Kind::Dim || token.kind == Kind::Constant) {
      stack.push_back(token.kind == Kind::Dim ? point[token.value] : token.value);
      continue;
    }
    int64_t b = stack.back();
    stack.pop_back();
    int64_t a = stack.back();
    switch (token.kind) {
    case Kind::Add:
      stack.back() = a + b;
      break;
    case Kind::Mul:
      stack.back() = a * b;
      break;
    case Kind::Mod:
      stack.back() = ((a % b) + b) % b;
      break;
    case Kind::FloorDiv:
      stack.back() = floorDiv(a, b);
      break;
    default:
      stack.back() = -floorDiv(-a, b);
    }
  }
  return stack.back();
}

int64_t offsetOf(const plan::Operand &operand, const TestTensor &tensor,
                 const std::vector<int64_t> &point) {
  int64_t offset = 0;
  for (size_t d = 0; d < operand.indices.size(); ++d)
    offset += evaluate(operand.indices[d], point) * tensor.strides[d];
  return offset;
}

/// What is added up in one element of an output.
struct Pending {
  std::vector<uint64_t> values;
  std::vector<uint64_t> factors;
};

/// One kernel being run.
class Interpreter {
public:
  Interpreter(const Kernel &kernel, std::vector<TestTensor> &tensors,
              const std::vector<uint64_t> &scalars)
      : kernel(kernel), tensors(tensors), scalars(scalars), regs(kernel.body.regTypes.size(), 0) {
    for (const plan::DomainSource &source : kernel.domain)
      sizes.push_back(source.operand < 0
                          ? source.dim
                          : tensors[kernel.operands[source.operand].tensor].sizes[source.dim]);
  }

  void run(Order order) {
    std::vector<int64_t> point(sizes.size(), 0);
    for (int64_t size : sizes)
      if (size == 0)
        return;
    do {
      loadOperands(point);
      runBody(point);
      if (order == Order::Body)
        storeResults(point);
      else
        collect(point, order);
    } while (advance(point));
    if (order != Order::Body)
      for (auto &[key, pending] : collected)
        finish(key.first, key.second, pending, order);
  }

private:
  bool advance(std::vector<int64_t> &point) const {
    for (size_t d = sizes.size(); d-- > 0;) {
      if (++point[d] < sizes[d])
        return true;
      point[d] = 0;
    }
    return false;
  }

  void loadOperands(const std::vector<int64_t> &point) {
    for (size_t k = 0; k < kernel.operands.size(); ++k) {
      const TestTensor &tensor = tensors[kernel.operands[k].tensor];
      regs[k] = load(tensor, offsetOf(kernel.operands[k], tensor, point));
    }
    for (size_t k = 0; k < kernel.body.captured.size(); ++k)
      regs[kernel.body.numOperands + k] = scalars[kernel.body.captured[k]];
  }

  void runBody(const std::vector<int64_t> &point) {
    const plan::Body &body = kernel.body;
    auto value = [&](Reg reg) { return reg == plan::kNoReg ? 0 : regs[reg]; };
    for (size_t pc = 0; pc < body.instrs.size();) {
      const Instr &instr = body.instrs[pc++];
      if (instr.op == Opcode::Jump || (instr.op == Opcode::JumpIfFalse && !(value(instr.a) & 1)))
        pc = instr.imm;
      else if (instr.op == Opcode::IterIndex)
        regs[instr.dst] = static_cast<uint64_t>(point[instr.imm]);
      else if (instr.op == Opcode::Gather)
        regs[instr.dst] = gathered(instr);
      else if (instr.op != Opcode::Assert && instr.op != Opcode::JumpIfFalse) {
        uint64_t second;
        regs[instr.dst] = apply(instr, value(instr.a), value(instr.b), value(instr.c), &second);
        if (instr.dst2 != plan::kNoReg)
          regs[instr.dst2] = second;
      }
    }
  }

  uint64_t gathered(const Instr &instr) const {
    const TestTensor &tensor = tensors[kernel.gathers[instr.imm]];
    int64_t offset = 0;
    for (uint32_t k = 0; k < instr.numExtra; ++k)
      offset +=
          static_cast<int64_t>(regs[kernel.body.extra[instr.extraBegin + k]]) * tensor.strides[k];
    return load(tensor, offset);
  }

  void storeResults(const std::vector<int64_t> &point) {
    for (size_t k = 0; k < kernel.numOutputs(); ++k) {
      const plan::Operand &operand = kernel.operands[kernel.numInputs + k];
      TestTensor &tensor = tensors[operand.tensor];
      store(tensor, offsetOf(operand, tensor, point), regs[kernel.body.yields[k]]);
    }
  }

  const Instr &definition(Reg reg) const {
    for (const Instr &instr : kernel.body.instrs)
      if (instr.dst == reg)
        return instr;
    std::abort();
  }

  /// The value that output k's combiner adds, and the combiner.
  std::pair<Reg, Instr> combinerOf(size_t k) const {
    const Instr &instr = definition(kernel.body.yields[k]);
    Reg accumulator = static_cast<Reg>(kernel.numInputs + k);
    return {instr.a == accumulator ? instr.b : instr.a, instr};
  }

  void collect(const std::vector<int64_t> &point, Order order) {
    for (size_t k = 0; k < kernel.numOutputs(); ++k) {
      const plan::Operand &operand = kernel.operands[kernel.numInputs + k];
      Pending &pending = collected[{k, offsetOf(operand, tensors[operand.tensor], point)}];
      auto [value, combiner] = combinerOf(k);
      if (order == Order::Chain || order == Order::Lanes) {
        pending.values.push_back(regs[value]);
        continue;
      }
      const Instr &product = definition(value);
      pending.values.push_back(regs[product.a]);
      pending.factors.push_back(regs[product.b]);
    }
  }

  /// Combines everything into output k's element in the type that sums are kept in.
  void finish(size_t k, int64_t offset, const Pending &pending, Order order) {
    TestTensor &tensor = tensors[kernel.operands[kernel.numInputs + k].tensor];
    const Instr combiner = combinerOf(k).second;
    bool half = isHalf(combiner.type);
    DType type = half ? DType::F32 : combiner.type;
    auto widened = [&](uint64_t bits) {
      return half ? convert(Opcode::ExtF, DType::F32, combiner.type, bits) : bits;
    };
    bool fused = order == Order::FmaChain || order == Order::FmaLanes;
    auto combine = [&](uint64_t acc, size_t i) {
      if (!fused)
        return apply(combiner.op, type, acc, widened(pending.values[i]));
      uint64_t x = widened(pending.values[i]), y = widened(pending.factors[i]);
      if (plan::isFloat(type))
        return apply(Opcode::Fma, type, x, y, acc);
      return apply(Opcode::AddI, type, acc, apply(Opcode::MulI, type, x, y));
    };
    uint64_t result = widened(load(tensor, offset));
    if (order == Order::Chain || order == Order::FmaChain) {
      for (size_t i = 0; i < pending.values.size(); ++i)
        result = combine(result, i);
    } else {
      uint64_t lanes[16];
      for (size_t l = 0; l < 16; ++l)
        lanes[l] = identity(combiner.op, type);
      for (size_t i = 0; i < pending.values.size(); ++i)
        lanes[i % 16] = combine(lanes[i % 16], i);
      for (size_t step = 8; step > 0; step /= 2)
        for (size_t l = 0; l < step; ++l)
          lanes[l] = apply(combiner.op, type, lanes[l], lanes[l + step]);
      result = apply(combiner.op, type, result, lanes[0]);
    }
    store(tensor, offset,
          half ? convert(Opcode::TruncF, combiner.type, DType::F32, result) : result);
  }

  static uint64_t floatBits(DType type, double value) {
    uint64_t bits = 0;
    float narrow = static_cast<float>(value);
    if (type == DType::F64)
      std::memcpy(&bits, &value, sizeof(value));
    else
      std::memcpy(&bits, &narrow, sizeof(narrow));
    return bits;
  }

  static uint64_t identity(Opcode op, DType type) {
    uint64_t ones =
        plan::bitWidth(type) == 64 ? ~uint64_t(0) : (uint64_t(1) << plan::bitWidth(type)) - 1;
    uint64_t sign = uint64_t(1) << (plan::bitWidth(type) - 1);
    switch (op) {
    case Opcode::AddF:
      return floatBits(type, -0.0);
    case Opcode::MulF:
      return floatBits(type, 1);
    case Opcode::MaximumF:
      return floatBits(type, -INFINITY);
    case Opcode::MinimumF:
      return floatBits(type, INFINITY);
    case Opcode::MaxNumF:
    case Opcode::MinNumF:
      return floatBits(type, NAN);
    case Opcode::MulI:
      return 1;
    case Opcode::AndI:
    case Opcode::MinUI:
      return ones;
    case Opcode::MinSI:
      return ones ^ sign;
    case Opcode::MaxSI:
      return sign;
    default:
      return 0;
    }
  }

  const Kernel &kernel;
  std::vector<TestTensor> &tensors;
  const std::vector<uint64_t> &scalars;
  std::vector<uint64_t> regs;
  std::vector<int64_t> sizes;
  std::map<std::pair<size_t, int64_t>, Pending> collected;
};

/// outputs[0] = inputs[0] surrounded by the body's value.
void runPad(const Kernel &kernel, std::vector<TestTensor> &tensors,
            const std::vector<uint64_t> &scalars) {
  const TestTensor &input = tensors[kernel.operands[0].tensor];
  TestTensor &output = tensors[kernel.operands[1].tensor];
  uint64_t value =
      kernel.body.instrs.empty() ? scalars[kernel.body.captured[0]] : kernel.body.instrs[0].imm;
  std::vector<int64_t> point(output.sizes.size(), 0);
  for (int64_t n = output.numElements(); n > 0; --n) {
    int64_t from = 0, to = 0;
    bool inside = true;
    for (size_t d = 0; d < point.size(); ++d) {
      int64_t x = point[d] - kernel.padLow[d].value;
      inside &= x >= 0 && x < input.sizes[d];
      from += x * input.strides[d];
      to += point[d] * output.strides[d];
    }
    store(output, to, inside ? load(input, from) : value);
    for (size_t d = point.size(); d-- > 0;) {
      if (++point[d] < output.sizes[d])
        break;
      point[d] = 0;
    }
  }
}

} // namespace

void runReference(UnitBuilder &unit, const std::vector<uint64_t> &scalars,
                  const std::vector<Order> &orders) {
  for (size_t k = 0; k < unit.unit.kernels.size(); ++k) {
    if (unit.unit.kernels[k].kind == plan::KernelKind::Pad)
      runPad(unit.unit.kernels[k], unit.tensors, scalars);
    else
      Interpreter(unit.unit.kernels[k], unit.tensors, scalars)
          .run(k < orders.size() ? orders[k] : Order::Body);
  }
}

} // namespace anneal::runtime::test
