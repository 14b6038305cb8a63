//===- PackLoops.cpp - Packing element by element -------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace anneal {
namespace {

/// One op that is lowered.
class PackLoops {
public:
  PackLoops(RewriterBase &rewriter, Operation *op)
      : rewriter(rewriter), op(op), loc(op->getLoc()) {}

  LogicalResult lower() {
    auto packOp = dyn_cast<linalg::PackOp>(op);
    Value dest = packOp ? packOp.getDest() : cast<linalg::UnPackOp>(op).getDest();
    auto type = dyn_cast<RankedTensorType>(dest.getType());
    if (!type)
      return failure();
    AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
    auto generic = linalg::GenericOp::create(
        rewriter, loc, TypeRange(type), ValueRange(), ValueRange(dest), ArrayRef(identity), loops,
        [&](OpBuilder &builder, Location, ValueRange arguments) {
          SmallVector<Value> at;
          for (int64_t d = 0; d < type.getRank(); ++d)
            at.push_back(linalg::IndexOp::create(builder, loc, d));
          auto pack = dyn_cast<linalg::PackOp>(op);
          Value value = pack ? packed(builder, pack, at, arguments[0])
                             : unpacked(builder, cast<linalg::UnPackOp>(op), at);
          linalg::YieldOp::create(builder, loc, value);
        });
    rewriter.replaceOp(op, generic);
    return success();
  }

private:
  /// Dimension of the untiled tensor that outer dimension `d` of the packed one is for.
  static int64_t untiled(ArrayRef<int64_t> outerPerm, int64_t d) {
    return outerPerm.empty() ? d : outerPerm[d];
  }

  Value packed(OpBuilder &b, linalg::PackOp pack, ArrayRef<Value> at, Value old) {
    auto rank = cast<RankedTensorType>(pack.getSource().getType()).getRank();
    SmallVector<Value> from(rank);
    for (int64_t d = 0; d < rank; ++d)
      from[untiled(pack.getOuterDimsPerm(), d)] = at[d];
    for (auto [i, d] : llvm::enumerate(pack.getInnerDimsPos())) {
      Value tile = getValueOrCreateConstantIndexOp(b, loc, pack.getMixedTiles()[i]);
      Value start = arith::MulIOp::create(b, loc, from[d], tile);
      from[d] = arith::AddIOp::create(b, loc, start, at[rank + i]);
    }
    Value inside = arith::ConstantIntOp::create(b, loc, 1, 1);
    for (int64_t d : pack.getInnerDimsPos()) {
      Value size = tensor::DimOp::create(b, loc, pack.getSource(), d);
      Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, from[d], size);
      inside = arith::AndIOp::create(b, loc, inside, fits);
    }
    Value outside = pack.getPaddingValue() ? pack.getPaddingValue() : old;
    auto choice = scf::IfOp::create(
        b, loc, inside,
        [&](OpBuilder &then, Location) {
          Value value = tensor::ExtractOp::create(then, loc, pack.getSource(), from);
          scf::YieldOp::create(then, loc, value);
        },
        [&](OpBuilder &other, Location) { scf::YieldOp::create(other, loc, outside); });
    return choice.getResult(0);
  }

  Value unpacked(OpBuilder &b, linalg::UnPackOp unpack, ArrayRef<Value> at) {
    auto rank = static_cast<int64_t>(at.size());
    SmallVector<Value> tileOf(at), inner;
    for (auto [i, d] : llvm::enumerate(unpack.getInnerDimsPos())) {
      Value tile = getValueOrCreateConstantIndexOp(b, loc, unpack.getMixedTiles()[i]);
      tileOf[d] = arith::DivUIOp::create(b, loc, at[d], tile);
      inner.push_back(arith::RemUIOp::create(b, loc, at[d], tile));
    }
    SmallVector<Value> from;
    for (int64_t d = 0; d < rank; ++d)
      from.push_back(tileOf[untiled(unpack.getOuterDimsPerm(), d)]);
    from.append(inner);
    return tensor::ExtractOp::create(b, loc, unpack.getSource(), from);
  }

  RewriterBase &rewriter;
  Operation *op;
  Location loc;
};

} // namespace

LogicalResult lowerPackToLoops(RewriterBase &rewriter, Operation *op) {
  return PackLoops(rewriter, op).lower();
}

} // namespace anneal
