//===- JitGuard.cpp - jit.guard -------------------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/IR/JitOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace anneal::jit;

//===----------------------------------------------------------------------===//
// Building, text form
//===----------------------------------------------------------------------===//

void GuardOp::build(OpBuilder &builder, OperationState &state, ValueRange operands,
                    ArrayRef<ShapeBucketAttr> buckets) {
  state.addOperands(operands);
  state.addTypes(builder.getI1Type());
  SmallVector<Attribute> attributes(buckets.begin(), buckets.end());
  state.getOrAddProperties<Properties>().buckets = builder.getArrayAttr(attributes);
}

ParseResult GuardOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Attribute> buckets;
  SmallVector<Type> types;
  auto parseNext = [&]() -> ParseResult {
    if (parser.parseOperand(operands.emplace_back()) || parser.parseKeyword("in"))
      return failure();
    buckets.push_back(ShapeBucketAttr::parse(parser, {}));
    return success(bool(buckets.back()));
  };
  SMLoc start = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(parseNext) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonTypeList(types) ||
      parser.resolveOperands(operands, types, start, result.operands))
    return failure();
  result.addTypes(parser.getBuilder().getI1Type());
  result.getOrAddProperties<Properties>().buckets = parser.getBuilder().getArrayAttr(buckets);
  return success();
}

void GuardOp::print(OpAsmPrinter &printer) {
  printer << " ";
  llvm::interleaveComma(llvm::seq<unsigned>(0, getNumOperands()), printer, [&](unsigned index) {
    printer << getOperand(index) << " in ";
    getBucket(index).print(printer);
  });
  printer.printOptionalAttrDict((*this)->getAttrs(), getBucketsAttrName().getValue());
  printer << " : " << getOperandTypes();
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// What a shape is known to be; null for a type without one.
static ShapedType getShape(Value value) { return cast<ShapedType>(value.getType()); }

/// Whether no shape of `type` lies in `bucket`; then `dimension` says where.
static bool excludes(ShapeBucketAttr bucket, ShapedType type, size_t &dimension) {
  for (auto [index, dim, size] : llvm::enumerate(bucket.getDims(), type.getShape()))
    if (ShapedType::isDynamic(size) ? !dim.getSizes() : !dim.contains(size)) {
      dimension = index;
      return true;
    }
  return false;
}

static bool intersect(std::tuple<const DimBucket &, const DimBucket &> dims) {
  return std::get<0>(dims).intersects(std::get<1>(dims));
}

LogicalResult GuardOp::verify() {
  if (getNumOperands() == 0)
    return emitOpError() << "guards nothing; it needs at least one operand";
  if (getBuckets().size() != getNumOperands())
    return emitOpError() << "has " << getNumOperands() << " operands, but " << getBuckets().size()
                         << " buckets";
  for (unsigned index : llvm::seq<unsigned>(0, getNumOperands())) {
    ShapedType type = getShape(getOperand(index));
    ShapeBucketAttr bucket = getBucket(index);
    if (type.getRank() != static_cast<int64_t>(bucket.getDims().size()))
      return emitOpError() << "operand #" << index << " is a " << type << ", but its bucket has "
                           << bucket.getDims().size() << " dimensions";
    size_t dim = 0;
    if (excludes(bucket, type, dim))
      return emitOpError() << "can never hold: dimension #" << dim << " of operand #" << index
                           << ", a " << type << ", has no size that lies in " << bucket;
    for (unsigned before : llvm::seq<unsigned>(0, index)) {
      if (getOperand(before) != getOperand(index))
        continue;
      for (auto [dim, one, other] : llvm::enumerate(getBucket(before).getDims(), bucket.getDims()))
        if (!one.intersects(other))
          return emitOpError() << "can never hold: no size of dimension #" << dim << " of operand #"
                               << index << " lies both in " << getBucket(before) << " and in "
                               << bucket;
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Folding, canonicalization
//===----------------------------------------------------------------------===//

/// The value behind casts that keep the rank, which may know more of its sizes.
static Value lookThroughCasts(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::CastOp, memref::CastOp>(op))
      break;
    auto source = dyn_cast<ShapedType>(op->getOperand(0).getType());
    if (!source || !source.hasRank() || !isa<RankedTensorType, MemRefType>(source) ||
        source.getNumDynamicDims() > getShape(value).getNumDynamicDims())
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool GuardOp::canHold(ValueRange operands, ArrayRef<ShapeBucketAttr> buckets) {
  for (size_t i = 0; i < buckets.size(); ++i) {
    size_t dim;
    if (excludes(buckets[i], getShape(operands[i]), dim))
      return false;
    for (size_t j = 0; j < i; ++j)
      if (operands[i] == operands[j] &&
          !llvm::all_of(llvm::zip(buckets[i].getDims(), buckets[j].getDims()), intersect))
        return false;
  }
  return true;
}

/// Whether all shapes of `type` lie in `bucket`.
static bool includes(ShapeBucketAttr bucket, ShapedType type) {
  return llvm::all_of(llvm::zip(bucket.getDims(), type.getShape()), [](auto pair) {
    auto [dim, size] = pair;
    return dim.isAny() || (!ShapedType::isDynamic(size) && dim.contains(size));
  });
}

bool GuardOp::alwaysHolds(TypeRange types, ArrayRef<ShapeBucketAttr> buckets) {
  return llvm::all_of(llvm::zip(types, buckets), [](auto pair) {
    auto [type, bucket] = pair;
    return includes(bucket, cast<ShapedType>(type));
  });
}

/// Adds what guards around `guard` have made sure of: those of choices in whose first branch it
/// stands.
static void collectFacts(GuardOp guard, SmallVectorImpl<Value> &values,
                         SmallVectorImpl<ShapeBucketAttr> &buckets) {
  Operation *op = guard;
  while (auto choice = op->getParentOfType<scf::IfOp>()) {
    auto outer = choice.getCondition().getDefiningOp<GuardOp>();
    if (outer && choice.getThenRegion().isAncestor(op->getParentRegion()))
      for (unsigned index : llvm::seq<unsigned>(0, outer.getNumOperands())) {
        values.push_back(lookThroughCasts(outer.getOperand(index)));
        buckets.push_back(outer.getBucket(index));
      }
    op = choice;
  }
}

/// Whether `value` lies in `bucket` by its type, or by what holds for it.
static bool isKnown(Value value, ShapeBucketAttr bucket, ArrayRef<Value> values,
                    ArrayRef<ShapeBucketAttr> facts) {
  ArrayRef<int64_t> shape = getShape(value).getShape();
  return llvm::all_of(llvm::enumerate(bucket.getDims()), [&](auto entry) {
    auto [index, dim] = entry;
    if (dim.isAny() || (!ShapedType::isDynamic(shape[index]) && dim.contains(shape[index])))
      return true;
    for (auto [other, fact] : llvm::zip(values, facts))
      if (other == value && dim.covers(fact.getDims()[index]))
        return true;
    return false;
  });
}

OpFoldResult GuardOp::fold(FoldAdaptor) {
  SmallVector<Value> values;
  SmallVector<ShapeBucketAttr> buckets;
  collectFacts(*this, values, buckets);
  bool holds = true;
  for (unsigned index : llvm::seq<unsigned>(0, getNumOperands())) {
    Value value = lookThroughCasts(getOperand(index));
    holds &= isKnown(value, getBucket(index), values, buckets);
    values.push_back(value);
    buckets.push_back(getBucket(index));
  }
  if (!canHold(values, buckets))
    return BoolAttr::get(getContext(), false);
  return holds ? OpFoldResult(BoolAttr::get(getContext(), true)) : OpFoldResult();
}

namespace {
/// Asks each value once, and only for what isn't known. What no value can fulfil is left to the
/// folder.
struct SimplifyGuard : OpRewritePattern<GuardOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GuardOp guard, PatternRewriter &rewriter) const override {
    SmallVector<Value> values;
    SmallVector<ShapeBucketAttr> buckets;
    bool changed = false;
    for (unsigned index : llvm::seq<unsigned>(0, guard.getNumOperands())) {
      Value value = lookThroughCasts(guard.getOperand(index));
      ShapeBucketAttr bucket = guard.getBucket(index);
      changed |= value != guard.getOperand(index);
      if (includes(bucket, getShape(value)) || covers(bucket, values, buckets, value)) {
        changed = true;
        continue;
      }
      if (auto *known = llvm::find(values, value); known != values.end()) {
        if (std::optional<ShapeBucketAttr> both = meet(buckets[known - values.begin()], bucket)) {
          buckets[known - values.begin()] = *both;
          changed = true;
          continue;
        }
      }
      values.push_back(value);
      buckets.push_back(bucket);
    }
    // Values behind casts may be one value that is asked for two sizes.
    if (!changed || values.empty() || !GuardOp::canHold(values, buckets))
      return rewriter.notifyMatchFailure(guard, "nothing to simplify");
    rewriter.replaceOpWithNewOp<GuardOp>(guard, values, buckets);
    return success();
  }

private:
  /// Whether a bucket that `value` has to be in already lies in `bucket`.
  static bool covers(ShapeBucketAttr bucket, ArrayRef<Value> values,
                     ArrayRef<ShapeBucketAttr> buckets, Value value) {
    return llvm::any_of(llvm::zip(values, buckets), [&](auto pair) {
      auto [other, known] = pair;
      return other == value &&
             llvm::all_of(llvm::zip(bucket.getDims(), known.getDims()),
                          [](auto dims) { return std::get<0>(dims).covers(std::get<1>(dims)); });
    });
  }

  /// The bucket of shapes that lie in both, where one dimension's sizes are among the other's.
  static std::optional<ShapeBucketAttr> meet(ShapeBucketAttr one, ShapeBucketAttr other) {
    SmallVector<DimBucket> dims;
    for (auto [a, b] : llvm::zip(one.getDims(), other.getDims())) {
      if (!a.covers(b) && !b.covers(a))
        return std::nullopt;
      dims.push_back(a.covers(b) ? b : a);
    }
    return ShapeBucketAttr::get(one.getContext(), dims);
  }
};
} // namespace

void GuardOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SimplifyGuard>(context);
}

//===----------------------------------------------------------------------===//
// Bufferization
//===----------------------------------------------------------------------===//

bool GuardOp::bufferizesToMemoryRead(OpOperand &, const bufferization::AnalysisState &) {
  return false;
}

bool GuardOp::bufferizesToMemoryWrite(OpOperand &, const bufferization::AnalysisState &) {
  return false;
}

bufferization::AliasingValueList GuardOp::getAliasingValues(OpOperand &,
                                                            const bufferization::AnalysisState &) {
  return {};
}

LogicalResult GuardOp::bufferize(RewriterBase &rewriter,
                                 const bufferization::BufferizationOptions &options,
                                 bufferization::BufferizationState &state) {
  SmallVector<Value> values;
  SmallVector<ShapeBucketAttr> buckets;
  for (unsigned index : llvm::seq<unsigned>(0, getNumOperands())) {
    Value value = getOperand(index);
    if (isa<TensorType>(value.getType())) {
      FailureOr<Value> buffer = bufferization::getBuffer(rewriter, value, options, state);
      if (failed(buffer))
        return failure();
      value = *buffer;
    }
    values.push_back(value);
    buckets.push_back(getBucket(index));
  }
  rewriter.replaceOpWithNewOp<GuardOp>(*this, values, buckets);
  return success();
}
