//===- RegionFlow.cpp - Values that control flow hands on -----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/RegionFlow.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace anneal {

void forEachForwardedValue(RegionBranchOpInterface op,
                           function_ref<void(Operation *, Value, Value)> visit) {
  SmallVector<RegionSuccessor> successors;
  op.getSuccessorRegions(RegionBranchPoint::parent(), successors);
  for (const RegionSuccessor &successor : successors)
    for (auto [from, to] :
         llvm::zip(op.getEntrySuccessorOperands(successor), successor.getSuccessorInputs()))
      visit(op, from, to);

  for (Region &region : op->getRegions())
    for (Block &block : region) {
      auto terminator = block.empty() ? RegionBranchTerminatorOpInterface()
                                      : dyn_cast<RegionBranchTerminatorOpInterface>(block.back());
      if (!terminator)
        continue;
      successors.clear();
      op.getSuccessorRegions(RegionBranchPoint(terminator), successors);
      for (const RegionSuccessor &successor : successors)
        for (auto [from, to] :
             llvm::zip(terminator.getSuccessorOperands(successor), successor.getSuccessorInputs()))
          visit(terminator, from, to);
    }
}

} // namespace anneal
