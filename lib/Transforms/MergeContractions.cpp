//===- MergeContractions.cpp - One product for all gates ------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeUtils.h"
#include "anneal/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"

namespace anneal {
#define GEN_PASS_DEF_MERGECONTRACTIONS
#include "anneal/Transforms/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// Tells which values follow from constants alone.
class ConstantValues {
public:
  bool contains(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !isPure(op))
      return false;
    auto [known, isNew] = isConstant.try_emplace(op, false);
    if (!isNew)
      return known->second;
    llvm::SetVector<Value> read(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), read);
    bool result = llvm::all_of(read, [&](Value value) { return contains(value); });
    return isConstant[op] = result;
  }

private:
  llvm::DenseMap<Operation *, bool> isConstant;
};

/// Products that can be one: of the same matrix, with accumulators that start at the same value.
struct MergeKey {
  Value lhs;
  Value start;
  /// Maps, casts, and what else is said of the product.
  Attribute attributes;
  Type resultType;

  auto asTuple() const {
    return std::make_tuple(lhs.getAsOpaquePointer(), start.getAsOpaquePointer(),
                           attributes.getAsOpaquePointer(), resultType.getAsOpaquePointer());
  }
};

class Merger {
public:
  explicit Merger(RewriterBase &rewriter) : rewriter(rewriter) {}

  void visit(LoopLikeOpInterface loop) {
    for (Region *region : loop.getLoopRegions())
      for (Block &block : *region)
        visit(loop, block);
  }

private:
  using Group = SmallVector<linalg::MatmulOp>;

  void visit(LoopLikeOpInterface loop, Block &block) {
    llvm::MapVector<decltype(MergeKey().asTuple()), Group> groups;
    for (auto product : block.getOps<linalg::MatmulOp>())
      if (std::optional<MergeKey> key = keyOf(loop, product))
        groups[key->asTuple()].push_back(product);
    for (Group &group : llvm::make_second_range(groups))
      if (group.size() > 1)
        merge(loop, group);
  }

  std::optional<MergeKey> keyOf(LoopLikeOpInterface loop, linalg::MatmulOp product) {
    auto start = product.getOutputs()[0].getDefiningOp<linalg::FillOp>();
    Value rhs = product.getInputs()[1];
    auto type = dyn_cast<RankedTensorType>(rhs.getType());
    if (!product.hasPureTensorSemantics() || product.hasUserDefinedMaps() || !start || !type ||
        !type.hasStaticShape() || !loop.isDefinedOutsideOfLoop(rhs) || !constants.contains(rhs))
      return std::nullopt;
    auto result = cast<RankedTensorType>(product.getResult(0).getType());
    // Columns may differ in number, elements and rows not.
    Type like =
        RankedTensorType::get({result.getDimSize(0), type.getDimSize(0)}, result.getElementType());
    // Nor may the elements of the matrices.
    NamedAttrList attributes(product->getAttrDictionary());
    attributes.set("rhs", TypeAttr::get(type.getElementType()));
    return MergeKey{product.getInputs()[0], start.value(),
                    attributes.getDictionary(product.getContext()), like};
  }

  static int64_t columnsOf(linalg::MatmulOp product) {
    return cast<RankedTensorType>(product.getInputs()[1].getType()).getDimSize(1);
  }

  void merge(LoopLikeOpInterface loop, ArrayRef<linalg::MatmulOp> group) {
    linalg::MatmulOp first = group.front();
    Location loc = first.getLoc();
    int64_t columns = 0;
    for (linalg::MatmulOp product : group)
      columns += columnsOf(product);
    Value lhs = first.getInputs()[0];
    Value start = first.getOutputs()[0].getDefiningOp<linalg::FillOp>().value();
    auto type = cast<RankedTensorType>(first.getResult(0).getType());

    rewriter.setInsertionPoint(loop);
    Value matrix = sideBySide(loc, group, columns);
    rewriter.setInsertionPoint(first);
    OpFoldResult rows = sizeOf(rewriter, loc, lhs, 0);
    Value init =
        makeEmpty(rewriter, loc, {rows, rewriter.getIndexAttr(columns)}, type.getElementType());
    init = linalg::FillOp::create(rewriter, loc, start, init).getResult(0);
    Operation *all = clone(rewriter, first, init.getType(), {lhs, matrix, init});

    int64_t offset = 0;
    for (linalg::MatmulOp product : group) {
      int64_t size = columnsOf(product);
      SmallVector<OpFoldResult> offsets{rewriter.getIndexAttr(0), rewriter.getIndexAttr(offset)};
      SmallVector<OpFoldResult> sizes{rows, rewriter.getIndexAttr(size)};
      SmallVector<OpFoldResult> ones(2, rewriter.getIndexAttr(1));
      Value slice = tensor::ExtractSliceOp::create(rewriter, product.getLoc(), all->getResult(0),
                                                   offsets, sizes, ones);
      if (slice.getType() != product.getResult(0).getType())
        slice = tensor::CastOp::create(rewriter, product.getLoc(), product.getResult(0).getType(),
                                       slice);
      rewriter.replaceOp(product, slice);
      offset += size;
    }
  }

  /// The matrices of the products as one.
  Value sideBySide(Location loc, ArrayRef<linalg::MatmulOp> group, int64_t columns) {
    auto type = cast<RankedTensorType>(linalg::MatmulOp(group.front()).getInputs()[1].getType());
    OpFoldResult rows = rewriter.getIndexAttr(type.getDimSize(0));
    Value all =
        makeEmpty(rewriter, loc, {rows, rewriter.getIndexAttr(columns)}, type.getElementType());
    int64_t offset = 0;
    for (linalg::MatmulOp product : group) {
      int64_t size = columnsOf(product);
      SmallVector<OpFoldResult> offsets{rewriter.getIndexAttr(0), rewriter.getIndexAttr(offset)};
      SmallVector<OpFoldResult> sizes{rows, rewriter.getIndexAttr(size)};
      SmallVector<OpFoldResult> ones(2, rewriter.getIndexAttr(1));
      all = tensor::InsertSliceOp::create(rewriter, loc, product.getInputs()[1], all, offsets,
                                          sizes, ones);
      offset += size;
    }
    return all;
  }

  RewriterBase &rewriter;
  ConstantValues constants;
};

struct MergeContractionsPass : impl::MergeContractionsBase<MergeContractionsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    Merger merger(rewriter);
    SmallVector<LoopLikeOpInterface> loops;
    getOperation().walk([&](LoopLikeOpInterface loop) { loops.push_back(loop); });
    for (LoopLikeOpInterface loop : loops)
      merger.visit(loop);
  }
};

} // namespace
} // namespace anneal
