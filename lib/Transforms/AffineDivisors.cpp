//===- AffineDivisors.cpp - Divisions of affine maps that can't be --------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AffineDivisors.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/IntegerSet.h"

using namespace mlir;

namespace anneal {
namespace {

/// The constant by which an expression divides wrongly, if it does.
std::optional<int64_t> wrongDivisor(AffineExpr whole) {
  std::optional<int64_t> wrong;
  whole.walk([&](AffineExpr expr) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary || binary.getKind() == AffineExprKind::Add ||
        binary.getKind() == AffineExprKind::Mul)
      return;
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (divisor && divisor.getValue() <= 0)
      wrong = divisor.getValue();
  });
  return wrong;
}

ArrayRef<AffineExpr> expressionsOf(Attribute attribute) {
  if (auto map = dyn_cast<AffineMapAttr>(attribute))
    return map.getValue().getResults();
  if (auto set = dyn_cast<IntegerSetAttr>(attribute))
    return set.getValue().getConstraints();
  return {};
}

LogicalResult checkOp(Operation *op) {
  for (NamedAttribute named : op->getAttrs())
    for (AffineExpr expr : expressionsOf(named.getValue()))
      if (std::optional<int64_t> divisor = wrongDivisor(expr))
        return op->emitError() << "'" << op->getName() << "' divides by " << *divisor
                               << "; affine expressions divide by positive numbers only";
  return success();
}

} // namespace

LogicalResult checkAffineDivisors(Operation *root) {
  WalkResult walk = root->walk([](Operation *op) {
    bool isAffine = isa_and_nonnull<affine::AffineDialect>(op->getDialect());
    return isAffine && failed(checkOp(op)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

} // namespace anneal
