//===- Unit.h - What is compiled, and interpreted, at once ------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A unit (DESIGN.md D3) as plain data, in the form that the interpreter runs: a few kernels over
// the unit's tensors. A kernel is one structured operation: an iteration space, operands that are
// accessed through affine maps, and a body.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_PLAN_UNIT_H
#define ANNEAL_PLAN_UNIT_H

#include "anneal/Plan/Body.h"

#include <cstdint>
#include <string>
#include <vector>

namespace anneal::plan {

inline constexpr int64_t kDynamic = INT64_MIN;

/// A size, known when the unit is bound to shapes.
struct SizeExpr {
  enum class Kind : uint8_t {
    Constant, ///< `value`
    Scalar,   ///< scalar parameter `index` of the unit
    Dim       ///< dimension `value` of tensor `index` of the unit
  };
  Kind kind = Kind::Constant;
  uint32_t index = 0;
  int64_t value = 0;

  bool operator==(const SizeExpr &) const = default;
};

/// One result of an affine map: `constant + sum coefficients[d] * i_d`, or, where that cannot
/// express it, a postfix program.
struct IndexExpr {
  struct Token {
    enum class Kind : uint8_t { Dim, Constant, Add, Mul, Mod, FloorDiv, CeilDiv };
    Kind kind;
    int64_t value = 0; ///< dimension or constant
    bool operator==(const Token &) const = default;
  };
  int64_t constant = 0;
  /// One for each iteration dimension.
  std::vector<int64_t> coefficients;
  /// Empty for a linear expression; else the whole expression, in postfix order.
  std::vector<Token> postfix;

  bool isLinear() const { return postfix.empty(); }
  bool operator==(const IndexExpr &) const = default;
};

/// How a kernel reaches one of the unit's tensors.
struct Operand {
  /// Index into the unit's tensors.
  uint32_t tensor = 0;
  /// One for each dimension of the tensor.
  std::vector<IndexExpr> indices;

  bool operator==(const Operand &) const = default;
};

enum class IterKind : uint8_t { Parallel, Reduction };

/// Where the size of an iteration dimension is read: dimension `dim` of operand `operand`, which is
/// accessed by that dimension alone. `operand < 0`: a constant size `dim`.
struct DomainSource {
  int32_t operand = -1;
  int64_t dim = 0;
  bool operator==(const DomainSource &) const = default;
};

enum class KernelKind : uint8_t {
  /// Any linalg structured operation.
  Structured,
  /// `outputs[0]` is `inputs[0]` surrounded by the value of the body's only yield; the body has no
  /// operand registers.
  Pad
};

struct Kernel {
  KernelKind kind = KernelKind::Structured;
  /// Of the MLIR operation, for messages and reports: "linalg.matmul".
  std::string opName;
  /// Which of the unit's linalg operations it is, counted from 0, for compiled bodies
  /// (AnnealCallbacks::runKernels); -1: none.
  int32_t sourceOp = -1;
  /// Index into Module::locations.
  uint32_t location = 0;

  std::vector<IterKind> iterators;
  std::vector<DomainSource> domain;
  uint32_t numInputs = 0;
  /// Inputs, then outputs (numOutputs = operands.size() - numInputs).
  std::vector<Operand> operands;
  /// Tensors read by `Gather` in the body; only `tensor` counts.
  std::vector<uint32_t> gathers;
  Body body;
  /// Pad: how much comes before, a size for each dimension (what comes after follows from the
  /// sizes).
  std::vector<SizeExpr> padLow;

  uint32_t numOutputs() const { return static_cast<uint32_t>(operands.size()) - numInputs; }
  bool operator==(const Kernel &) const = default;
};

/// A tensor of a unit: a parameter (inputs, then outputs) or a temporary inside.
struct UnitTensor {
  DType dtype = DType::F32;
  /// Temporaries: the sizes. Parameters: the sizes that are known, `Dim` of itself where not.
  std::vector<SizeExpr> sizes;

  bool operator==(const UnitTensor &) const = default;
};

struct UnitScalar {
  DType dtype = DType::Index;
  /// Sizes of temporaries or paddings depend on it, so binding needs its value.
  bool isShape = false;

  bool operator==(const UnitScalar &) const = default;
};

/// One unit. Kernels run in order. If `anchor >= 0`, kernel `anchor` is a contraction or
/// convolution; kernels before it prepare its operands (a pad of an input, a fill or broadcast of
/// its output), kernels after it are element-wise on its result. All may then run tile by tile, so
/// that temporaries between them are never whole in memory; the interpreter checks for itself that
/// this is legal and otherwise runs the kernels one after the other, with the same bits as result.
///
/// A loop unit (Step::loopUnit) has nothing but a name: what it does is the loop.
struct Unit {
  std::string name;
  std::vector<UnitScalar> scalars;
  uint32_t numInputs = 0;
  uint32_t numOutputs = 0;
  /// Inputs, outputs, temporaries. An output is written in full unless `outputIsRead`.
  std::vector<UnitTensor> tensors;
  /// For each output: its previous contents matter (accumulation in place).
  std::vector<bool> outputIsRead;
  std::vector<Kernel> kernels;
  int32_t anchor = -1;
  bool isLoop = false;

  uint32_t numTemporaries() const {
    return static_cast<uint32_t>(tensors.size()) - numInputs - numOutputs;
  }
};

} // namespace anneal::plan

#endif // ANNEAL_PLAN_UNIT_H
