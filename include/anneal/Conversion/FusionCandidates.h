//===- FusionCandidates.h - What could run together, and why not *- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REQUIREMENTS.md S3; docs/analyses/FusionCandidates.md says what is weighed.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_CONVERSION_FUSIONCANDIDATES_H
#define ANNEAL_CONVERSION_FUSIONCANDIDATES_H

#include "anneal/Analysis/OpCost.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace anneal {

/// Why an operation isn't fused with what it reads.
enum class FusionRefusal {
  /// It is: both are in one group.
  None,
  /// Compatible fails: one of the two is no structured operation on tensors, nor a pad.
  NotStructured,
  /// The reader is in another block: a loop or a branch is between them.
  OtherBlock,
  /// The reader's body reaches for elements at places that it computes.
  BodyReaches,
  /// NoAlias fails: the reader writes in place what the other reads at other places.
  Alias,
  /// A contraction reads its operand many times: each element would be computed anew each time.
  ContractionOperand,
  /// The reader spreads the value over more points: each element would be computed anew for each.
  Broadcast,
  /// The reader reads at other places than it writes, and the two have no rows in common.
  Indexing,
  /// Operations outside of the group read the value too.
  ReadElsewhere,
  /// Neither is an anchor nor a reduction: a matter of `jit-fuse-elementwise`.
  NoAnchor,
  /// Allowed, but one of the two is in a group with others already.
  OtherGroup
};

/// In words, as a remark says it.
llvm::StringRef toString(FusionRefusal refusal);

/// An operation and one operand of it that another operation of the function computes.
struct FusionPair {
  mlir::OpOperand *use;
  FusionRefusal refusal;
  /// size(intermediate) * (read + write), in bytes; the write only if nobody else reads it (S3).
  CostExpr bytesSaved;
  /// FLOPs that would be done again: 0 where the value is computed once.
  CostExpr flopsRepeated;
  /// Why either isn't known; empty if they are.
  std::string unknown;

  mlir::Operation *getProducer() const { return use->get().getDefiningOp(); }
  mlir::Operation *getConsumer() const { return use->getOwner(); }
};

/// Operations that become one unit, in the order of their block.
struct FusionGroup {
  llvm::SmallVector<mlir::Operation *, 4> ops;
  CostExpr bytesSaved;
};

/// The pairs and groups of one function, by the rule of `jit-form-regions`. Reads the IR and
/// changes nothing; invalid once that changes. Costs are in the symbols of
/// `costs.getScope(function)`.
class FusionCandidates {
public:
  FusionCandidates(mlir::func::FuncOp function, OpCostAnalysis &costs);

  llvm::ArrayRef<FusionPair> getPairs() const { return pairs; }
  llvm::ArrayRef<FusionGroup> getGroups() const { return groups; }

private:
  void addPairs(mlir::Operation *consumer);
  FusionRefusal judge(mlir::OpOperand &use) const;
  void weigh(FusionPair &pair);

  OpCostAnalysis &costs;
  llvm::DenseMap<mlir::Operation *, unsigned> groupOf;
  std::vector<FusionPair> pairs;
  std::vector<FusionGroup> groups;
};

} // namespace anneal

#endif // ANNEAL_CONVERSION_FUSIONCANDIDATES_H
