//===- BodyTranslator.h - Bodies of structured ops on vectors ---*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_BODYTRANSLATOR_H
#define ANNEAL_LIB_CONVERSION_BODYTRANSLATOR_H

#include "BoxKernel.h"
#include "VectorValues.h"

#include <array>

namespace anneal {

/// What a body reads beside its operands. Values are vectors.
class BodyContext {
public:
  virtual ~BodyContext() = default;
  /// The unit's scalar argument `value`, or null if it is none.
  virtual mlir::Value scalar(mlir::Value value) = 0;
  /// Positions in an iteration dimension.
  virtual mlir::Value position(mlir::OpBuilder &builder, unsigned dim) = 0;
  /// Spread of the positions in a dimension.
  virtual Spread spreadOf(unsigned dim) = 0;
  /// Elements of the kernel's gather operand `gather`. Indices outside are failures.
  virtual mlir::Value gather(mlir::OpBuilder &builder, unsigned gather, mlir::Type element,
                             mlir::ValueRange indices) = 0;
  /// Fails where `condition` is false.
  virtual void require(mlir::OpBuilder &builder, mlir::Value condition) = 0;
};

/// Writes the operations of a body as operations of arith and math on vectors, each in the block
/// that runs as often as its value changes. Their meaning is that of the plan's code
/// (anneal/Plan/Opcodes.def): `jit-expand-math` makes it explicit.
class BodyTranslator {
public:
  /// `blocks`: by Spread; operations are appended.
  BodyTranslator(const BoxKernel &kernel, VectorValues &vectors, BodyContext &context,
                 std::array<mlir::Block *, 3> blocks)
      : kernel(kernel), vectors(vectors), context(context), blocks(blocks) {}

  /// Says what a value of the body is.
  void bind(mlir::Value value, mlir::Value vector, Spread spread) {
    values[value] = {vector, spread};
  }
  /// Translates all operations but `except`.
  mlir::LogicalResult translate(llvm::function_ref<bool(mlir::Operation *)> except);
  /// The vector that holds a value; null if it can't be had.
  mlir::Value lookup(mlir::Value value);
  Spread spreadOf(mlir::Value value);

private:
  struct Known {
    mlir::Value vector;
    Spread spread = Spread::Box;
  };

  mlir::LogicalResult translateOp(mlir::Operation *op);
  mlir::LogicalResult translateIndexed(mlir::Operation *op);
  mlir::Value translateConversion(mlir::Operation *op, mlir::Value operand);
  mlir::Value translateIntToHalf(mlir::Operation *op, mlir::Value operand);
  mlir::LogicalResult translateGeneric(mlir::Operation *op, mlir::ValueRange operands);
  Known &find(mlir::Value value);

  const BoxKernel &kernel;
  VectorValues &vectors;
  BodyContext &context;
  std::array<mlir::Block *, 3> blocks;
  llvm::DenseMap<mlir::Value, Known> values;
  mlir::OpBuilder builder{static_cast<mlir::MLIRContext *>(nullptr)};
  Spread spread = Spread::Box;
};

/// Whether compiled code can run `op`, an operation of a body, on the types that it has; if not,
/// `reason` says what is missing.
bool hasVectorCode(mlir::Operation *op, std::string &reason);

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_BODYTRANSLATOR_H
