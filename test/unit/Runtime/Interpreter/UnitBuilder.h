//===- UnitBuilder.h - Units made by hand, and their tensors ----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TEST_UNIT_RUNTIME_INTERPRETER_UNITBUILDER_H
#define ANNEAL_TEST_UNIT_RUNTIME_INTERPRETER_UNITBUILDER_H

#include "anneal/Plan/Unit.h"

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

namespace anneal::runtime::test {

using plan::DType;
using plan::Opcode;
using plan::Reg;

/// An index expression under construction; coefficients grow as dimensions are named.
struct Ix {
  plan::IndexExpr expr;
};
/// Iteration dimension `k`, and a constant.
Ix dim(unsigned k);
Ix at(int64_t constant);
Ix operator+(Ix a, const Ix &b);
Ix operator*(Ix a, int64_t factor);
/// Expressions that are not linear.
Ix floorDiv(const Ix &a, int64_t divisor);
Ix mod(const Ix &a, int64_t modulus);

/// Makes a body; operands must all have been declared by the kernel before.
class KernelBuilder {
public:
  KernelBuilder(std::string name, std::string iterators);

  /// `iterators`: one letter for each dimension, 'p' or 'r'.
  KernelBuilder &input(uint32_t tensor, std::vector<Ix> map);
  KernelBuilder &output(uint32_t tensor, std::vector<Ix> map);
  KernelBuilder &gathered(uint32_t tensor);

  /// Starts the body. `types`: of the operands' registers, in order.
  KernelBuilder &body(const std::vector<plan::UnitTensor> &tensors);
  Reg capture(uint32_t scalar, DType type);
  Reg constant(DType type, uint64_t bits);
  Reg constantF32(float value);
  Reg op(Opcode op, DType type, Reg a, Reg b = plan::kNoReg, Reg c = plan::kNoReg);
  Reg convert(Opcode op, DType type, DType from, Reg a);
  Reg position(unsigned dim);
  Reg gather(uint32_t source, DType type, std::vector<Reg> indices);
  void check(Reg condition, uint32_t message);
  void jump(size_t target);
  void jumpIfFalse(Reg condition, size_t target);
  size_t next() const { return kernel.body.instrs.size(); }
  /// Patches the target of a jump emitted before.
  void target(size_t jump, size_t to) { kernel.body.instrs[jump].imm = to; }
  void moveTo(Reg dst, Reg source, DType type);
  Reg reg(DType type);
  void yield(std::vector<Reg> values) { kernel.body.yields = std::move(values); }

  plan::Kernel kernel;

private:
  void addOperand(uint32_t tensor, std::vector<Ix> map);
};

/// A dense tensor, or one with strides and an offset of its own in a larger memory.
struct TestTensor {
  DType dtype = DType::F32;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  int64_t offset = 0;
  std::vector<char> memory;

  char *data() { return memory.data() + offset * static_cast<int64_t>(plan::sizeOf(dtype)); }
  const char *data() const {
    return memory.data() + offset * static_cast<int64_t>(plan::sizeOf(dtype));
  }
  int64_t numElements() const;
  template <class T> T &at(std::initializer_list<int64_t> index) {
    int64_t position = 0;
    size_t d = 0;
    for (int64_t i : index)
      position += i * strides[d++];
    return reinterpret_cast<T *>(data())[position];
  }
};

TestTensor makeTensor(DType dtype, std::vector<int64_t> sizes);
/// As makeTensor, with elements between rows and dimensions in memory order `order`.
TestTensor makeStrided(DType dtype, std::vector<int64_t> sizes, std::vector<unsigned> order,
                       int64_t gap);
/// Fills all of the memory with values that are small enough not to overflow in sums; a few NaN,
/// infinities and zeros of both signs if `special`.
void randomise(TestTensor &tensor, std::mt19937 &random, bool special = false);

/// A unit with the tensors of its parameters and temporaries.
struct UnitBuilder {
  plan::Unit unit;
  std::vector<TestTensor> tensors;

  /// In this order: inputs, outputs, temporaries.
  uint32_t input(TestTensor tensor);
  uint32_t output(TestTensor tensor, bool isRead = false);
  uint32_t temporary(DType dtype, std::vector<int64_t> sizes);
  void add(const KernelBuilder &builder, std::vector<plan::DomainSource> domain = {});
};

} // namespace anneal::runtime::test

#endif // ANNEAL_TEST_UNIT_RUNTIME_INTERPRETER_UNITBUILDER_H
