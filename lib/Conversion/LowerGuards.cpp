//===- LowerGuards.cpp - Guards to comparisons of sizes -------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Conversion/Passes.h"
#include "anneal/IR/JitOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#define DEBUG_TYPE "jit-lower-guards"

namespace anneal {
#define GEN_PASS_DEF_LOWERGUARDS
#include "anneal/Conversion/Passes.h.inc"
} // namespace anneal

using namespace mlir;
using namespace anneal;

namespace {

/// Writes the comparisons of one guard, before it.
class GuardWriter {
public:
  explicit GuardWriter(jit::GuardOp guard) : guard(guard), builder(guard) {}

  Value write() {
    for (unsigned number : llvm::seq<unsigned>(0, guard.getNumOperands()))
      for (auto [dim, sizes] : llvm::enumerate(guard.getBucket(number).getDims()))
        compare(guard.getOperand(number), dim, sizes);
    if (!all)
      all = arith::ConstantOp::create(builder, guard.getLoc(), builder.getBoolAttr(true));
    return all;
  }

private:
  void compare(Value shaped, int64_t dim, const jit::DimBucket &sizes) {
    int64_t known = cast<ShapedType>(shaped.getType()).getDimSize(dim);
    if (sizes.isAny() || (!ShapedType::isDynamic(known) && sizes.contains(known)))
      return;
    std::optional<SizeRange> range = sizes.getSizes();
    if (!range) {
      require(arith::ConstantOp::create(builder, guard.getLoc(), builder.getBoolAttr(false)));
      return;
    }
    Value size = sizeOf(shaped, dim);
    if (range->first == range->last) {
      compare(arith::CmpIPredicate::eq, size, range->first);
      return;
    }
    // Sizes are from 0 to 2^63 - 1, and so are the ends of the range.
    if (range->first > 0)
      compare(arith::CmpIPredicate::sge, size, range->first);
    if (range->last < static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      compare(arith::CmpIPredicate::sle, size, range->last);
  }

  void compare(arith::CmpIPredicate predicate, Value size, uint64_t bound) {
    Value constant =
        arith::ConstantIndexOp::create(builder, guard.getLoc(), static_cast<int64_t>(bound));
    require(arith::CmpIOp::create(builder, guard.getLoc(), predicate, size, constant));
  }

  Value sizeOf(Value shaped, int64_t dim) {
    if (isa<TensorType>(shaped.getType()))
      return tensor::DimOp::create(builder, guard.getLoc(), shaped, dim);
    return memref::DimOp::create(builder, guard.getLoc(), shaped, dim);
  }

  void require(Value condition) {
    all = all ? arith::AndIOp::create(builder, guard.getLoc(), all, condition) : condition;
  }

  jit::GuardOp guard;
  OpBuilder builder;
  Value all;
};

struct LowerGuards : anneal::impl::LowerGuardsBase<LowerGuards> {
  using LowerGuardsBase::LowerGuardsBase;

  void runOnOperation() override {
    getOperation().walk([](jit::GuardOp guard) {
      guard.replaceAllUsesWith(GuardWriter(guard).write());
      guard.erase();
    });
  }
};

} // namespace
