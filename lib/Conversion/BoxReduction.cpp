//===- BoxReduction.cpp - Reductions of columns in 16 lanes ---------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rule of docs/Numerics.md: element p of the row goes to lane p mod 16; the lanes are combined
// in a tree, the lower one on the left; the result is combined with the initial value. Sums of f16
// and bf16 are kept in f32 and rounded once.
//
//===----------------------------------------------------------------------===//

#include "BoxFunction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;

namespace anneal {

VectorType BoxFunction::laneType(unsigned output) {
  return VectorType::get(kReductionLanes,
                         heldElement(kernel.combiners[output].op->getResult(0).getType()));
}

Value BoxFunction::lanesOf(Value vector, unsigned part) {
  if (width() == kReductionLanes)
    return vector;
  SmallVector<int32_t> chosen;
  for (unsigned lane = 0; lane < kReductionLanes; ++lane)
    chosen.push_back(static_cast<int32_t>(part * kReductionLanes + lane));
  return w->make<LLVM::ShuffleVectorOp>(vector, w->make<LLVM::PoisonOp>(vector.getType()), chosen);
}

Value BoxFunction::identityOf(unsigned output) {
  Operation *op = kernel.combiners[output].op;
  VectorType type = laneType(output);
  double infinity = std::numeric_limits<double>::infinity();
  if (isa<FloatType>(type.getElementType())) {
    double value = llvm::TypeSwitch<Operation *, double>(op)
                       .Case([](arith::AddFOp) { return -0.0; })
                       .Case([](arith::MulFOp) { return 1.0; })
                       .Case([&](arith::MaximumFOp) { return -infinity; })
                       .Case([&](arith::MinimumFOp) { return infinity; })
                       .Default(std::numeric_limits<double>::quiet_NaN());
    return vectors->constantFloat(type, value);
  }
  unsigned width = type.getElementTypeBitWidth();
  APInt value = llvm::TypeSwitch<Operation *, APInt>(op)
                    .Case([&](arith::MulIOp) { return APInt(width, 1); })
                    .Case<arith::AndIOp, arith::MinUIOp>(
                        [&](Operation *) { return APInt::getAllOnes(width); })
                    .Case([&](arith::MaxSIOp) { return APInt::getSignedMinValue(width); })
                    .Case([&](arith::MinSIOp) { return APInt::getSignedMaxValue(width); })
                    .Default(APInt::getZero(width));
  return vectors->constantInt(type, value.getSExtValue());
}

/// Of values of the lanes' type, vectors or scalars.
Value BoxFunction::combine(unsigned output, Value a, Value b) {
  OperationState state(loc(), kernel.combiners[output].op->getName());
  state.addOperands({a, b});
  state.addTypes(a.getType());
  return w->b.create(state)->getResult(0);
}

void BoxFunction::accumulate() {
  for (unsigned k = 0; k < kernel.combiners.size(); ++k) {
    Value value = body->lookup(kernel.combiners[k].value);
    w->at(compute);
    Value sum = lanes[k];
    for (unsigned part = 0; part < width() / kReductionLanes; ++part)
      sum = w->select(lanesOf(mask(), part), combine(k, sum, lanesOf(value, part)), sum);
    lanesOut.push_back(sum);
  }
}

void BoxFunction::finishRow() {
  unsigned output = 0;
  for (Place &place : places) {
    if (!place.operand->isOutput)
      continue;
    Value tree = lanesOut[output];
    for (unsigned half = kReductionLanes / 2; half > 0; half /= 2) {
      SmallVector<int32_t> low, high;
      for (unsigned lane = 0; lane < half; ++lane) {
        low.push_back(static_cast<int32_t>(lane));
        high.push_back(static_cast<int32_t>(lane + half));
      }
      Value none = w->make<LLVM::PoisonOp>(tree.getType());
      Value left = w->make<LLVM::ShuffleVectorOp>(tree, none, low);
      Value right = w->make<LLVM::ShuffleVectorOp>(tree, none, high);
      tree = combine(output, left, right);
    }
    Value sum = w->make<LLVM::ExtractElementOp>(tree, w->number(0));
    Type type = place.operand->type;
    Value raw = w->load(place.element, place.row, place.bytes());
    Value total = combine(output, vectors->load(w->b, loc(), type, raw), sum);
    total = vectors->roundTo(w->b, loc(), type, total);
    w->store(vectors->store(w->b, loc(), type, total), place.row, place.bytes());
    ++output;
  }
}

} // namespace anneal
