//===- GenericMerge.cpp - One generic op from several ---------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenericMerge.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace anneal {

/// The constant that every element of `tensor` is, or null.
static TypedAttr splatOf(Value tensor) {
  DenseElementsAttr elements;
  if (!matchPattern(tensor, m_Constant(&elements)) || !elements.isSplat())
    return {};
  Type type = elements.getElementType();
  if (!isa<FloatType, IndexType>(type) && !type.isSignlessInteger())
    return {};
  return elements.getSplatValue<TypedAttr>();
}

/// The fill that made `tensor`, if it stores its value as it is.
static linalg::FillOp plainFillOf(Value tensor) {
  auto fill = tensor.getDefiningOp<linalg::FillOp>();
  if (!fill || fill.value().getType() != getElementTypeOrSelf(tensor))
    return {};
  return fill;
}

AffineMap composeMaps(AffineMap outer, AffineMap inner) {
  if (inner.isIdentity())
    return outer;
  if (outer.isIdentity())
    return inner;
  return simplifyAffineMap(outer.compose(inner));
}

bool isUniform(Value tensor) {
  return !isa<ShapedType>(tensor.getType()) || splatOf(tensor) || plainFillOf(tensor);
}

Value uniformValueOf(RewriterBase &rewriter, Value tensor) {
  if (!isa<ShapedType>(tensor.getType()))
    return tensor;
  if (TypedAttr splat = splatOf(tensor))
    return arith::ConstantOp::create(rewriter, tensor.getLoc(), splat);
  if (linalg::FillOp fill = plainFillOf(tensor))
    return fill.value();
  return {};
}

namespace {

/// The operands of the merged op, each distinct pair of tensor and access once.
class OperandTable {
public:
  /// Position of the operand.
  unsigned add(Value tensor, AffineMap access) {
    for (auto [position, entry] : llvm::enumerate(entries))
      if (entry.first == tensor && entry.second == access)
        return position;
    entries.push_back({tensor, access});
    return entries.size() - 1;
  }
  ArrayRef<std::pair<Value, AffineMap>> get() const { return entries; }

private:
  SmallVector<std::pair<Value, AffineMap>> entries;
};

class Merger {
public:
  Merger(RewriterBase &rewriter, ArrayRef<MergePart> parts)
      : rewriter(rewriter), parts(parts), root(parts.back().op) {}

  FailureOr<linalg::GenericOp> run() {
    for (MergePart part : parts)
      for (OpResult result : part.op->getResults())
        computedAt[result].push_back(resultAccess(part, result));
    collectOperands();
    SmallVector<AffineMap> maps;
    SmallVector<Value> inputs;
    for (auto [tensor, access] : operands.get()) {
      inputs.push_back(tensor);
      maps.push_back(access);
    }
    for (OpOperand &init : root.getDpsInitsMutable())
      maps.push_back(root.getMatchingIndexingMap(&init));
    bool isWithoutSizes = maps.empty() && root.getNumLoops() > 0;
    if (isWithoutSizes || !inversePermutation(concatAffineMaps(maps, rewriter.getContext())))
      return rewriter.notifyMatchFailure(root, "a loop's size would be lost");

    rewriter.setInsertionPoint(root);
    // Values that all elements share are captured, not read.
    for (Value tensor : uniform)
      uniformValues[tensor] = uniformValueOf(rewriter, tensor);
    merged = linalg::GenericOp::create(
        rewriter, root.getLoc(), root->getResultTypes(), inputs, root.getDpsInits(), maps,
        root.getIteratorTypesArray(),
        [&](OpBuilder &builder, Location, ValueRange arguments) { makeBody(builder, arguments); });
    rewriter.replaceOp(root, merged);
    return merged;
  }

private:
  AffineMap inputAccess(MergePart part, OpOperand *operand) {
    return composeMaps(part.op.getMatchingIndexingMap(operand), part.loops);
  }

  AffineMap resultAccess(MergePart part, OpResult result) {
    return composeMaps(part.op.getIndexingMapMatchingResult(result), part.loops);
  }

  bool isComputed(Value tensor, AffineMap access) {
    auto found = computedAt.find(tensor);
    return found != computedAt.end() && llvm::is_contained(found->second, access);
  }

  static bool isRead(MergePart part, OpOperand *operand) {
    return part.op.payloadUsesValueFromOperand(operand);
  }

  /// Inputs of the parts that come from outside.
  void collectOperands() {
    for (MergePart part : parts) {
      for (OpOperand *operand : part.op.getDpsInputOperands()) {
        Value tensor = operand->get();
        if (!isRead(part, operand))
          continue;
        if (isUniform(tensor)) {
          uniform.insert(tensor);
          continue;
        }
        AffineMap access = inputAccess(part, operand);
        if (!isComputed(tensor, access))
          operands.add(tensor, access);
      }
    }
  }

  /// What an input of a part is in the body.
  Value lookUpInput(MergePart part, OpOperand *operand, ValueRange arguments) {
    Value tensor = operand->get();
    if (Value value = uniformValues.lookup(tensor))
      return value;
    AffineMap access = inputAccess(part, operand);
    if (Value value = computed.lookup({tensor, access}))
      return value;
    return arguments[operands.add(tensor, access)];
  }

  void makeBody(OpBuilder &builder, ValueRange arguments) {
    ValueRange outputs = arguments.drop_front(operands.get().size());
    for (MergePart part : parts) {
      IRMapping mapping;
      Block *body = part.op.getBlock();
      for (OpOperand *operand : part.op.getDpsInputOperands())
        if (isRead(part, operand))
          mapping.map(part.op.getMatchingBlockArgument(operand),
                      lookUpInput(part, operand, arguments));
      bool isRoot = part.op == root;
      if (isRoot)
        for (auto [number, init] : llvm::enumerate(part.op.getDpsInitsMutable()))
          if (isRead(part, &init))
            mapping.map(part.op.getMatchingBlockArgument(&init), outputs[number]);
      for (Operation &op : body->without_terminator())
        cloneInto(builder, op, part, mapping);
      SmallVector<Value> yielded =
          llvm::map_to_vector(body->getTerminator()->getOperands(),
                              [&](Value v) { return mapping.lookupOrDefault(v); });
      if (isRoot) {
        linalg::YieldOp::create(builder, part.op.getLoc(), yielded);
        return;
      }
      for (auto [result, value] : llvm::zip_equal(part.op->getResults(), yielded))
        computed[{result, resultAccess(part, result)}] = value;
    }
  }

  /// Copies an op of a body; loop counters are those of the merged op.
  void cloneInto(OpBuilder &builder, Operation &op, MergePart part, IRMapping &mapping) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      mapping.map(index.getResult(),
                  makeIndex(builder, index.getLoc(), part.loops.getResult(index.getDim())));
      return;
    }
    Operation *copy = builder.clone(op, mapping);
    copy->walk([&](linalg::IndexOp index) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(index);
      Value value = makeIndex(builder, index.getLoc(), part.loops.getResult(index.getDim()));
      if (value == index.getResult())
        return;
      index.replaceAllUsesWith(value);
      index.erase();
    });
  }

  Value makeIndex(OpBuilder &builder, Location loc, AffineExpr expr) {
    SmallVector<Value> counters;
    for (unsigned loop = 0; loop < root.getNumLoops(); ++loop)
      counters.push_back(expr.isFunctionOfDim(loop)
                             ? Value(linalg::IndexOp::create(builder, loc, loop))
                             : Value());
    return affine::expandAffineExpr(builder, loc, expr, counters, {});
  }

  RewriterBase &rewriter;
  ArrayRef<MergePart> parts;
  linalg::LinalgOp root;
  linalg::GenericOp merged;
  OperandTable operands;
  llvm::SmallSetVector<Value, 4> uniform;
  llvm::DenseMap<Value, Value> uniformValues;
  /// Results of parts and the accesses at which the body has them.
  llvm::DenseMap<Value, SmallVector<AffineMap, 1>> computedAt;
  llvm::DenseMap<std::pair<Value, AffineMap>, Value> computed;
};

} // namespace

FailureOr<linalg::GenericOp> mergeParts(RewriterBase &rewriter, ArrayRef<MergePart> parts) {
  return Merger(rewriter, parts).run();
}

} // namespace anneal
