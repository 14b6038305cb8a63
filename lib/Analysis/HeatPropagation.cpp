//===- HeatPropagation.cpp - Heat over use-def and call edges -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/HeatPropagation.h"

#include "anneal/Analysis/CallTargets.h"
#include "anneal/Analysis/RegionFlow.h"
#include "anneal/IR/JitOps.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace anneal {

/// Whether the operations in the regions of `op` are nodes.
static bool isFollowed(Operation *op) {
  return isa<RegionBranchOpInterface, FunctionOpInterface>(op) ||
         op->hasTrait<OpTrait::SymbolTable>();
}

HeatPropagation::HeatPropagation(Operation *root) {
  addNodes(root);
  for (Operation *op : operations)
    addEdges(op);
  graph = HeatGraph(numNodes, edges);
  edges = {};
}

void HeatPropagation::addNodes(Operation *op) {
  operations.push_back(op);
  operationNodes[op] = numNodes++;
  if (!isFollowed(op))
    return;
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      for (BlockArgument argument : block.getArguments())
        argumentNodes[argument] = numNodes++;
      for (Operation &inner : block)
        addNodes(&inner);
    }
}

std::optional<HeatPropagation::Node> HeatPropagation::getNode(Operation *op) const {
  auto node = operationNodes.find(op);
  return node == operationNodes.end() ? std::nullopt : std::optional(node->second);
}

std::optional<HeatPropagation::Node> HeatPropagation::getNode(BlockArgument argument) const {
  auto node = argumentNodes.find(argument);
  return node == argumentNodes.end() ? std::nullopt : std::optional(node->second);
}

std::optional<HeatPropagation::Node> HeatPropagation::getDefinition(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return getNode(argument);
  return getNode(value.getDefiningOp());
}

void HeatPropagation::addEdge(std::optional<Node> from, std::optional<Node> to) {
  if (from && to)
    edges.push_back({*from, *to});
}

void HeatPropagation::addEdges(Operation *op) {
  addUses(op);
  addForwardedValues(op);
  if (isCall(op))
    addCall(op);
  // What a function is called with goes to its arguments.
  if (auto function = dyn_cast<FunctionOpInterface>(op); function && !function.isExternal())
    for (BlockArgument argument : function.getArguments())
      addEdge(getNode(op), getNode(argument));
}

void HeatPropagation::addUses(Operation *op) {
  for (Value operand : op->getOperands())
    addEdge(getDefinition(operand), getNode(op));
  if (isFollowed(op))
    return;
  // Values from outside that the regions of a node use; those from inside are no nodes.
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        addEdge(getDefinition(operand), getNode(op));
    });
}

void HeatPropagation::addForwardedValues(Operation *op) {
  if (auto branch = dyn_cast<BranchOpInterface>(op))
    for (auto [index, successor] : llvm::enumerate(op->getSuccessors()))
      for (BlockArgument argument : successor->getArguments())
        addEdge(getNode(op), getNode(argument));

  auto regions = dyn_cast<RegionBranchOpInterface>(op);
  if (!regions)
    return;
  llvm::DenseSet<Value> received;
  forEachForwardedValue(regions, [&](Operation *source, Value from, Value to) {
    received.insert(to);
    // What passes the regions by is a use of the op, and no edge from it to itself.
    if (source == op && isa<OpResult>(to))
      return;
    addEdge(getNode(source), getDefinition(to));
  });
  for (Region &region : op->getRegions())
    if (!region.empty())
      for (BlockArgument argument : region.front().getArguments())
        if (!received.contains(argument))
          addEdge(getNode(op), getNode(argument));
}

void HeatPropagation::addCall(Operation *call) {
  FunctionOpInterface target = getCallTarget(call, symbols);
  if (!target)
    return;
  addEdge(getNode(call), getNode(target));
  for (Block &block : target.getFunctionBody())
    if (!block.empty() && block.back().hasTrait<OpTrait::ReturnLike>())
      for (unsigned value = 0; value < block.back().getNumOperands(); ++value)
        addEdge(getNode(&block.back()), getNode(call));
}

jit::HotnessAttr getHotnessAttr(Operation *op) {
  if (auto unit = dyn_cast<jit::UnitOp>(op))
    return unit.getHotnessAttr();
  return op->getAttrOfType<jit::HotnessAttr>(jit::JitDialect::kHotnessAttrName);
}

void setHotnessAttr(Operation *op, jit::HotnessAttr hotness) {
  auto unit = dyn_cast<jit::UnitOp>(op);
  StringAttr name = unit ? unit.getHotnessAttrName()
                         : StringAttr::get(op->getContext(), jit::JitDialect::kHotnessAttrName);
  if (hotness)
    op->setAttr(name, hotness);
  else
    op->removeAttr(name);
}

std::vector<double> HeatPropagation::getHotness(HeatQuantity quantity) const {
  std::vector<double> heat(numNodes);
  for (Operation *op : operations)
    if (jit::HotnessAttr hotness = getHotnessAttr(op)) {
      double &value = heat[operationNodes.lookup(op)];
      switch (quantity) {
      case HeatQuantity::Count:
        value = static_cast<double>(hotness.getCount().value_or(0));
        break;
      case HeatQuantity::TimeUs:
        value = hotness.getTimeUs().value_or(0);
        break;
      case HeatQuantity::Score:
        value = hotness.getScore().value_or(0);
        break;
      }
    }
  return heat;
}

} // namespace anneal
