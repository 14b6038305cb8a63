//===- ScalarCode.h - Operations on scalars to byte code --------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one table from arith and math operations to the plan's byte code (DESIGN.md D2), used for the
// scalars of host functions and for the bodies of structured operations.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_SCALARCODE_H
#define ANNEAL_LIB_CONVERSION_SCALARCODE_H

#include "anneal/Plan/Body.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace anneal {

/// The plan's element type for a scalar type; nullopt where it has none.
std::optional<plan::DType> toDType(mlir::Type type);

/// As `toDType`, with an error at `op` that names the type and those that exist.
mlir::FailureOr<plan::DType> requireDType(mlir::Operation *op, mlir::Type type);

/// The bits of an integer or float attribute, zero-extended; nullopt for other attributes.
std::optional<uint64_t> scalarBits(mlir::Attribute value);

/// One instruction without its destinations.
struct InstrSpec {
  plan::Opcode op = plan::Opcode::Move;
  plan::DType type = plan::DType::I64;
  plan::DType srcType = plan::DType::I64;
  llvm::SmallVector<plan::Reg, 3> sources;
  llvm::SmallVector<plan::Reg, 4> extra;
  uint64_t imm = 0;
  plan::DType resultType = plan::DType::I64;
  /// Instructions with two results: the type of the second.
  std::optional<plan::DType> secondType;
};

/// Takes instructions as they are made.
class CodeSink {
public:
  virtual ~CodeSink();
  /// A register that holds a constant.
  virtual plan::Reg constant(plan::DType type, uint64_t bits) = 0;
  /// Appends an instruction that computes a value. If it has a second result, that one is in the
  /// register after the returned one.
  virtual plan::Reg emit(const InstrSpec &spec, mlir::Location location) = 0;

  plan::Reg indexConstant(int64_t value) {
    return constant(plan::DType::Index, static_cast<uint64_t>(value));
  }
  /// Two operands and the result are of `type`.
  plan::Reg emitBinary(plan::Opcode op, plan::DType type, plan::Reg a, plan::Reg b,
                       mlir::Location location);
  /// `condition ? a : b`, of `type`.
  plan::Reg emitSelect(plan::DType type, plan::Reg condition, plan::Reg a, plan::Reg b,
                       mlir::Location location);
};

using RegLookup = llvm::function_ref<mlir::FailureOr<plan::Reg>(mlir::Value)>;

/// Whether `translateScalarOp` knows the operation: arith or math on scalars, affine.apply,
/// affine.min, affine.max, ub.poison.
bool isScalarOp(mlir::Operation *op);

/// Appends the instructions of an operation for which `isScalarOp` holds. `results` gets a register
/// for each of its results. An operand's register comes from `lookup`, a failure of which has been
/// reported. Element types that the plan doesn't have are an error at the operation.
mlir::LogicalResult translateScalarOp(mlir::Operation *op, RegLookup lookup, CodeSink &sink,
                                      llvm::SmallVectorImpl<plan::Reg> &results);

/// The value of an affine expression. `dims` and `symbols` are registers of type Index.
plan::Reg translateAffineExpr(mlir::AffineExpr expr, llvm::ArrayRef<plan::Reg> dims,
                              llvm::ArrayRef<plan::Reg> symbols, CodeSink &sink,
                              mlir::Location location);

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_SCALARCODE_H
