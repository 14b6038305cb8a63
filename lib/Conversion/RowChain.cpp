//===- RowChain.cpp - Operations over the same rows -----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowChain.h"

using namespace mlir;

namespace anneal {

RowChain::RowChain(linalg::LinalgOp first) {
  Loops loops;
  for (auto [loop, kind] : llvm::enumerate(first.getIteratorTypesArray()))
    if (kind == utils::IteratorType::parallel)
      loops.push_back(static_cast<int>(loop));
  keepCommon(first, loops);
  members[first] = std::move(loops);
}

void RowChain::keepCommon(linalg::LinalgOp op, Loops &loops) {
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (int &loop : loops) {
    if (loop < 0)
      continue;
    auto position = static_cast<unsigned>(loop);
    bool isShared = kinds[position] == utils::IteratorType::parallel &&
                    llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
                      AffineExpr row = getAffineDimExpr(position, op.getContext());
                      return llvm::is_contained(op.getMatchingIndexingMap(&init).getResults(), row);
                    });
    if (!isShared)
      loop = kNone;
  }
}

void RowChain::match(AffineMap knownMap, ArrayRef<int> known, AffineMap map, Loops &loops) {
  for (auto [row, loop] : llvm::enumerate(loops)) {
    if (loop == kNone)
      continue;
    int found = kNone;
    for (auto [there, here] : llvm::zip_equal(knownMap.getResults(), map.getResults())) {
      auto thereDim = dyn_cast<AffineDimExpr>(there);
      auto hereDim = dyn_cast<AffineDimExpr>(here);
      if (thereDim && hereDim && known[row] == static_cast<int>(thereDim.getPosition()))
        found = static_cast<int>(hereDim.getPosition());
    }
    loop = loop == kUnknown || loop == found ? found : kNone;
  }
}

bool RowChain::join(linalg::LinalgOp op) {
  Loops loops(members.begin()->second.size(), kUnknown);
  for (OpOperand &operand : op->getOpOperands())
    if (auto writer = operand.get().getDefiningOp<linalg::LinalgOp>())
      if (auto member = members.find(writer); member != members.end())
        match(writer.getIndexingMapMatchingResult(cast<OpResult>(operand.get())), member->second,
              op.getMatchingIndexingMap(&operand), loops);
  for (OpResult result : op->getResults())
    for (OpOperand &use : result.getUses())
      if (auto member = members.find(use.getOwner()); member != members.end()) {
        auto reader = cast<linalg::LinalgOp>(use.getOwner());
        match(reader.getMatchingIndexingMap(&use), member->second,
              op.getIndexingMapMatchingResult(result), loops);
      }
  keepCommon(op, loops);
  if (llvm::none_of(loops, [](int loop) { return loop >= 0; }))
    return false;
  for (auto &member : members)
    for (auto [row, loop] : llvm::enumerate(member.second))
      if (loops[row] < 0)
        loop = kNone;
  members[op] = std::move(loops);
  return true;
}

} // namespace anneal
