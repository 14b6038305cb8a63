//===- SizeTies.cpp - Sizes that operations take to be equal --------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeTies.h"

#include "anneal/Analysis/CallTargets.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace anneal {
namespace {

class TieChecker {
public:
  explicit TieChecker(ModuleOp module) : costs(module, FlopWeights()) {}

  DimScope &getScope(FunctionOpInterface function) { return costs.getScope(function); }

  std::optional<SizeContradiction> check(FunctionOpInterface function, DimEvaluator &evaluator) {
    std::optional<SizeContradiction> found;
    if (!function.getFunctionBody().hasOneBlock())
      return found;
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      // What runs only under a condition may be for other sizes.
      if (isa<RegionBranchOpInterface>(op) && !isa<LoopLikeOpInterface>(op))
        return WalkResult::skip();
      if (isa<linalg::LinalgOp>(op))
        found = checkOp(op, evaluator);
      else if (isCall(op))
        found = checkCall(op, evaluator);
      return found ? WalkResult::interrupt() : WalkResult::advance();
    });
    return found;
  }

private:
  /// Each call is looked at once, so that functions that call others twice don't double the work at
  /// every level.
  std::optional<SizeContradiction> checkCall(Operation *call, DimEvaluator &evaluator) {
    FunctionOpInterface callee = costs.getCallee(call);
    if (!callee || callee.isExternal() || !visited.insert(call).second ||
        !costs.getRecursion(call).empty())
      return std::nullopt;
    DimEvaluator inner(costs.getScope(callee), evaluator, call);
    return check(callee, inner);
  }

  std::optional<SizeContradiction> checkOp(Operation *op, DimEvaluator &evaluator) {
    struct Known {
      WideInt size;
      std::string text;
    };
    auto structured = cast<linalg::LinalgOp>(op);
    SmallVector<std::optional<Known>> loops(structured.getNumLoops());
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = structured.getMatchingIndexingMap(&operand);
      for (auto [dim, index] : llvm::enumerate(map.getResults())) {
        auto loop = dyn_cast<AffineDimExpr>(index);
        if (!loop)
          continue;
        CostExpr expr = evaluator.getScope().getDim(operand.get(), dim);
        std::optional<WideInt> size = evaluator.evaluate(expr);
        if (!size)
          continue;
        std::optional<Known> &known = loops[loop.getPosition()];
        std::string text = describe(operand, dim, expr, *size, evaluator.getScope());
        if (known && known->size != *size)
          return SizeContradiction{op, known->text, text};
        known = Known{*size, text};
      }
    }
    return std::nullopt;
  }

  static std::string describe(OpOperand &operand, int64_t dim, const CostExpr &expr,
                              const WideInt &size, const DimScope &scope) {
    std::string text;
    llvm::raw_string_ostream os(text);
    std::optional<CostExpr::Symbol> symbol = expr.getSymbol();
    if (symbol && scope.getSymbol(*symbol).kind == DimScope::Symbol::Kind::Dim)
      os << scope.getSymbol(*symbol).description;
    else
      os << "dim " << dim << " of operand #" << operand.getOperandNumber();
    os << ", which is " << size;
    return text;
  }

  OpCostAnalysis costs;
  llvm::DenseSet<Operation *> visited;
};

} // namespace

std::optional<SizeContradiction> findContradiction(ModuleOp module, FunctionOpInterface function,
                                                   const ArgumentSizes &sizes) {
  TieChecker checker(module);
  DimEvaluator evaluator(checker.getScope(function), sizes);
  return checker.check(function, evaluator);
}

} // namespace anneal
