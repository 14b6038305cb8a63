//===- UnitMaker.h - From a region to a unit and its call -------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_UNITMAKER_H
#define ANNEAL_LIB_CONVERSION_UNITMAKER_H

#include "anneal/IR/JitOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace anneal {

/// Moves what a unit can't hold and what follows from values outside of a region alone (scalars,
/// constants, empty tensors) before it.
void moveOutOf(jit::RegionOp region);

/// Builds the unit of one region, and what a call of it passes. The region holds something. Every
/// result of it is computed in it, is used, and is there once (moveOutOf, then canonicalisation,
/// see to that).
class UnitMaker {
public:
  explicit UnitMaker(jit::RegionOp region);

  /// The unit, in no module yet and without a name. Fails, with an error at the operation, where
  /// the region holds one that a unit can't.
  mlir::FailureOr<jit::UnitOp> make();

  /// Puts a call of `callee`, which is equal to the unit made, in place of the region.
  void replaceRegion(jit::UnitOp callee);

  /// The structured operations and pads of the region, in their order.
  llvm::ArrayRef<mlir::Operation *> members() const { return group; }

private:
  mlir::LogicalResult collectOps();
  bool isInside(mlir::Value value) const;

  // What results are computed into.
  void chooseDestinations();
  llvm::SmallVector<mlir::OpFoldResult> sizesOf(mlir::Value value);
  mlir::Value makeEmpty(mlir::Value like);
  std::optional<unsigned> destinationOf(mlir::OpOperand &operand);
  std::optional<unsigned> destinationWithSize(mlir::Value value, int64_t dim) const;

  // What comes in.
  void collectInputs();
  void addInput(mlir::Value value, mlir::Operation *user);
  void addSizeInputs(mlir::Value like);
  bool isReplacedInit(mlir::OpOperand &operand);
  mlir::Value sizeOf(mlir::Value value, int64_t dim);

  // The body.
  void fillBody();
  void copyOp(mlir::OpBuilder &inside, mlir::Operation *op);
  mlir::Value makeTemporary(mlir::OpBuilder &inside, mlir::Value like);
  mlir::Value lookUp(mlir::OpBuilder &inside, mlir::Value value);

  jit::RegionOp region;
  mlir::OpBuilder host;
  llvm::SmallVector<mlir::Operation *> group;
  /// The group with the initialisers that come along, each before its user.
  llvm::SetVector<mlir::Operation *> ops;
  llvm::SetVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::Value> destinations;
  llvm::SmallVector<bool> writeOnly;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> sizes;
  jit::UnitOp unit;
  mlir::IRMapping mapping;
};

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_UNITMAKER_H
