//===- UnitBuilder.h - jit.unit to plan::Unit -------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_UNITBUILDER_H
#define ANNEAL_LIB_CONVERSION_UNITBUILDER_H

#include "ModuleTables.h"

#include "anneal/IR/JitOps.h"
#include "anneal/Plan/Unit.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseMap.h"

namespace anneal {

/// Where the value of one scalar parameter of a plan::Unit comes from, in terms of the jit.unit: a
/// scalar (an argument, or an operation outside of the structured ones, which the caller computes),
/// or size `dim` of a tensor.
struct ScalarSource {
  mlir::Value value;
  std::optional<int64_t> dim;
};

/// A plan::Unit and what its callers must pass as scalars.
struct BuiltUnit {
  uint32_t index = 0;
  std::vector<ScalarSource> scalars;
};

/// Translates one jit.unit. Scalar parameters of the result are the unit's scalar arguments in
/// order, then sizes and scalars that the body computes and a kernel can't.
class UnitBuilder {
public:
  UnitBuilder(jit::UnitOp op, ModuleTables &tables) : op(op), tables(tables) {}

  /// Errors are reported at the operation that can't be translated.
  mlir::FailureOr<plan::Unit> build();
  std::vector<ScalarSource> takeScalars() { return std::move(scalars); }

  // For the bodies of kernels.

  ModuleTables &getTables() { return tables; }
  /// Index of the scalar parameter that holds `value`, which is made if there is none.
  mlir::FailureOr<uint32_t> scalarParam(mlir::Operation *user, mlir::Value value);
  /// As above for size `dim` of a tensor.
  mlir::FailureOr<uint32_t> dimParam(mlir::Operation *user, mlir::Value tensor, int64_t dim);
  /// Index of the unit's tensor that holds `value`.
  mlir::FailureOr<uint32_t> tensorIndex(mlir::Operation *user, mlir::Value value);

private:
  mlir::LogicalResult addParams();
  void chooseTargets();
  mlir::LogicalResult addOp(mlir::Operation *op);
  mlir::LogicalResult addStructured(mlir::linalg::LinalgOp op);
  mlir::LogicalResult addPad(mlir::tensor::PadOp op);
  mlir::LogicalResult addAssert(mlir::Operation *op);
  mlir::LogicalResult addReturn(jit::ReturnOp op);

  /// Chooses where result `result` of `op` is computed and remembers it.
  mlir::LogicalResult placeResult(mlir::linalg::LinalgOp op, mlir::OpResult result);
  mlir::LogicalResult addOperands(mlir::linalg::LinalgOp op, plan::Kernel &kernel,
                                  class BodyBuilder &body);
  void addDomain(mlir::linalg::LinalgOp op, plan::Kernel &kernel,
                 llvm::ArrayRef<int32_t> operandOf);
  /// Element-wise copy of tensor `from` to tensor `to`, of `rank` dimensions.
  void addCopy(mlir::Location location, uint32_t from, uint32_t to);

  mlir::FailureOr<uint32_t> addTemporary(mlir::Operation *user, mlir::Value like);
  mlir::FailureOr<plan::SizeExpr> sizeExpr(mlir::Operation *user, mlir::Value tensor, int64_t dim);
  mlir::FailureOr<plan::SizeExpr> sizeExpr(mlir::Operation *user, mlir::OpFoldResult size);
  mlir::FailureOr<uint32_t> addScalar(mlir::Operation *user, ScalarSource source, mlir::Type type);
  plan::Kernel &addKernel(mlir::Operation *op);
  uint32_t outputTensor(unsigned destination) { return unit.numInputs + destination; }

  jit::UnitOp op;
  ModuleTables &tables;
  plan::Unit unit;
  /// Linalg operations translated so far.
  int32_t numStructured = 0;
  std::vector<ScalarSource> scalars;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, uint32_t> scalarIndices;
  llvm::DenseMap<mlir::Value, uint32_t> tensors;
  /// Outputs into which values are to be computed at once.
  llvm::DenseMap<mlir::Value, uint32_t> targets;
};

/// The expression as a linear one where it is one, else in postfix order.
plan::IndexExpr makeIndexExpr(mlir::AffineExpr expr, unsigned numDims);

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_UNITBUILDER_H
