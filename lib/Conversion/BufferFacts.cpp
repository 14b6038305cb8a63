//===- BufferFacts.cpp - What is to be known of buffers first -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferFacts.h"

#include "ScalarCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace anneal {

Value viewSource(Operation *op) {
  if (isa<memref::CastOp, memref::CollapseShapeOp, memref::ExpandShapeOp, memref::SubViewOp,
          memref::TransposeOp, memref::ReinterpretCastOp, memref::ReshapeOp,
          memref::MemorySpaceCastOp, memref::AssumeAlignmentOp>(op))
    return op->getOperand(0);
  return nullptr;
}

BufferFacts::BufferFacts(func::FuncOp function, const llvm::StringMap<BuiltUnit> &units,
                         ArrayRef<plan::Unit> planUnits) {
  findOutliving(function);
  findResults(function);
  findKeys(function, units, planUnits);
}

std::optional<unsigned> BufferFacts::resultOf(Operation *alloc) const {
  auto it = results.find(alloc);
  if (it == results.end())
    return std::nullopt;
  return it->second;
}

//===----------------------------------------------------------------------===//
// Allocations that outlive their iteration
//===----------------------------------------------------------------------===//

namespace {
/// Follows a buffer to where a loop around its allocation hands it to the next iteration.
class YieldSearch {
public:
  explicit YieldSearch(Operation *alloc) : alloc(alloc) {}

  bool reachesNextIteration(Value value) {
    if (!visited.insert(value).second)
      return false;
    return llvm::any_of(value.getUses(), [&](OpOperand &use) { return follow(use); });
  }

private:
  bool follow(OpOperand &use) {
    Operation *user = use.getOwner();
    if (viewSource(user) == use.get() || isa<arith::SelectOp>(user))
      return reachesNextIteration(user->getResult(0));
    if (auto loop = dyn_cast<LoopLikeOpInterface>(user)) {
      // An initial value: also what the loop sees and perhaps what it gives back.
      if (BlockArgument argument = loop.getTiedLoopRegionIterArg(&use))
        if (reachesNextIteration(argument))
          return true;
      OpResult result = loop.getTiedLoopResult(&use);
      return result && reachesNextIteration(result);
    }
    if (auto condition = dyn_cast<scf::ConditionOp>(user)) {
      auto loop = cast<scf::WhileOp>(condition->getParentOp());
      unsigned index = use.getOperandNumber() - 1;
      return reachesNextIteration(loop.getAfterArguments()[index]) ||
             reachesNextIteration(loop.getResult(index));
    }
    if (!isa<scf::YieldOp>(user))
      return false;
    Operation *parent = user->getParentOp();
    if (isa<scf::WhileOp>(parent))
      return parent->isAncestor(alloc) ||
             reachesNextIteration(
                 cast<scf::WhileOp>(parent).getBeforeArguments()[use.getOperandNumber()]);
    if (isa<scf::ForOp>(parent) && parent->isAncestor(alloc))
      return true;
    return reachesNextIteration(parent->getResult(use.getOperandNumber()));
  }

  Operation *alloc;
  llvm::DenseSet<Value> visited;
};
} // namespace

void BufferFacts::findOutliving(func::FuncOp function) {
  function.walk([&](memref::AllocOp alloc) {
    if (alloc->getParentOfType<LoopLikeOpInterface>() &&
        YieldSearch(alloc).reachesNextIteration(alloc.getResult()))
      outliving.insert(alloc);
  });
}

//===----------------------------------------------------------------------===//
// Allocations that are results
//===----------------------------------------------------------------------===//

void BufferFacts::findResults(func::FuncOp function) {
  Operation *end = function.getBody().front().getTerminator();
  for (auto [index, operand] : llvm::enumerate(end->getOperands())) {
    Value value = operand;
    // Views that show all elements, in order.
    while (auto *op = value.getDefiningOp()) {
      if (!isa<memref::CastOp, memref::CollapseShapeOp, memref::ExpandShapeOp>(op))
        break;
      value = viewSource(op);
    }
    auto alloc = value.getDefiningOp<memref::AllocOp>();
    if (alloc && alloc->getBlock() == end->getBlock())
      results.try_emplace(alloc, index);
  }
}

//===----------------------------------------------------------------------===//
// Scalar arguments that shapes depend on
//===----------------------------------------------------------------------===//

namespace {
/// Finds the scalar arguments that a value is computed from, if nothing but them, constants and the
/// sizes of arguments goes into it.
class KeySearch {
public:
  struct Answer {
    bool isShape = true;
    llvm::SmallDenseSet<Value, 2> arguments;
  };

  const Answer &ask(Value value) {
    auto known = answers.find(value);
    if (known != answers.end())
      return *known->second;
    auto answer = std::make_unique<Answer>(compute(value));
    return *(answers[value] = std::move(answer));
  }

private:
  Answer compute(Value value) {
    Answer answer;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      answer.isShape = isa<func::FuncOp>(argument.getOwner()->getParentOp());
      if (answer.isShape)
        answer.arguments.insert(value);
      return answer;
    }
    Operation *op = value.getDefiningOp();
    if (auto dim = dyn_cast<memref::DimOp>(op)) {
      std::optional<int64_t> index = dim.getConstantIndex();
      return index ? sizeOf(dim.getSource(), *index) : unknown();
    }
    if (!isScalarOp(op))
      return unknown();
    for (Value operand : op->getOperands())
      add(answer, ask(operand));
    return answer;
  }

  /// Of size `dim` of a memref: what its allocation or slice was made with.
  Answer sizeOf(Value memref, int64_t dim) {
    auto type = cast<MemRefType>(memref.getType());
    if (!type.isDynamicDim(dim))
      return {};
    if (auto argument = dyn_cast<BlockArgument>(memref))
      return isa<func::FuncOp>(argument.getOwner()->getParentOp()) ? Answer() : unknown();
    Operation *op = memref.getDefiningOp();
    Answer answer;
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      return ask(alloc.getDynamicSizes()[type.getDynamicDimIndex(dim)]);
    if (!viewSource(op))
      return unknown();
    // A view: its own operands and, at most, all sizes of its source.
    for (Value operand : op->getOperands().drop_front())
      add(answer, isa<MemRefType>(operand.getType()) ? unknown() : ask(operand));
    auto source = cast<MemRefType>(op->getOperand(0).getType());
    for (int64_t i = 0; i < source.getRank(); ++i)
      add(answer, sizeOf(op->getOperand(0), i));
    return answer;
  }

  static Answer unknown() {
    Answer answer;
    answer.isShape = false;
    return answer;
  }

  static void add(Answer &answer, const Answer &other) {
    answer.isShape &= other.isShape;
    answer.arguments.insert(other.arguments.begin(), other.arguments.end());
  }

  llvm::DenseMap<Value, std::unique_ptr<Answer>> answers;
};
} // namespace

void BufferFacts::findKeys(func::FuncOp function, const llvm::StringMap<BuiltUnit> &units,
                           ArrayRef<plan::Unit> planUnits) {
  if (llvm::all_of(function.getArgumentTypes(), llvm::IsaPred<MemRefType>))
    return;
  KeySearch search;
  auto visit = [&](Value value) {
    if (isa<MemRefType>(value.getType()))
      return;
    const KeySearch::Answer &answer = search.ask(value);
    if (answer.isShape)
      keys.insert(answer.arguments.begin(), answer.arguments.end());
  };
  function.walk([&](Operation *op) {
    if (isa<memref::AllocOp>(op) || viewSource(op))
      llvm::for_each(op->getOperands(), visit);
    auto invoke = dyn_cast<jit::InvokeOp>(op);
    if (!invoke)
      return;
    const BuiltUnit &unit = units.at(invoke.getCallee());
    size_t next = 0;
    for (Value input : invoke.getInputs())
      if (!isa<MemRefType>(input.getType()))
        if (planUnits[unit.index].scalars[next++].isShape)
          visit(input);
  });
}

} // namespace anneal
