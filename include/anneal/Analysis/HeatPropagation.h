//===- HeatPropagation.h - Heat over use-def and call edges -----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REQUIREMENTS.md H3; docs/analyses/Heat.md says what is an edge. The step itself is
// anneal/Support/HeatStep.h.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_ANALYSIS_HEATPROPAGATION_H
#define ANNEAL_ANALYSIS_HEATPROPAGATION_H

#include "anneal/Analysis/ProfileFile.h"
#include "anneal/IR/JitAttrs.h"
#include "anneal/Support/HeatStep.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"

namespace anneal {

/// The hotness that stands on an operation or unit; null if none does.
jit::HotnessAttr getHotnessAttr(mlir::Operation *op);
/// Puts `hotness` there; null: takes away what is there.
void setHotnessAttr(mlir::Operation *op, jit::HotnessAttr hotness);

/// Which field of a profile is the heat to start from.
enum class HeatQuantity { Count, TimeUs, Score };

/// The graph of the operations and block arguments below an operation, and the heat that attributes
/// or a profile give them. Nodes are operations (functions and units too), but those in regions
/// that no interface tells the control flow of, as the bodies of structured ops, are one with the
/// operation around them; and the arguments of blocks. Edges are
///   * from what defines a value to the operation that uses it, one for each use;
///   * from an operation that hands a value on by control flow to the block argument that receives
///     it, or to the operation around it whose result it becomes, one for each value;
///   * from an operation to the arguments of its regions that it makes itself (induction
///   variables);
///   * from a call to what it calls, from a function to its arguments, and from its returns to each
///     call of it, one for each value.
/// Reads the IR and never changes it; invalid once that changes. const functions may be called from
/// many threads.
class HeatPropagation {
public:
  using Node = HeatGraph::Node;

  explicit HeatPropagation(mlir::Operation *root);

  const HeatGraph &getGraph() const { return graph; }
  /// The operations that are nodes, in the order of the IR.
  llvm::ArrayRef<mlir::Operation *> getOperations() const { return operations; }
  /// The node of an operation or of a block argument; nothing where it is none.
  std::optional<Node> getNode(mlir::Operation *op) const;
  std::optional<Node> getNode(mlir::BlockArgument argument) const;

  /// The heat that `#jit.hotness` attributes give, for each node; 0 where they say nothing.
  std::vector<double> getHotness(HeatQuantity quantity) const;

private:
  void addNodes(mlir::Operation *op);
  void addEdges(mlir::Operation *op);
  void addUses(mlir::Operation *op);
  void addForwardedValues(mlir::Operation *op);
  void addCall(mlir::Operation *call);
  void addEdge(std::optional<Node> from, std::optional<Node> to);
  std::optional<Node> getDefinition(mlir::Value value) const;

  mlir::SymbolTableCollection symbols;
  llvm::SmallVector<mlir::Operation *> operations;
  llvm::DenseMap<mlir::Operation *, Node> operationNodes;
  llvm::DenseMap<mlir::Value, Node> argumentNodes;
  size_t numNodes = 0;
  std::vector<HeatGraph::Edge> edges;
  HeatGraph graph;
};

} // namespace anneal

#endif // ANNEAL_ANALYSIS_HEATPROPAGATION_H
