//===- OpCost.h - FLOPs and bytes of operations -----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REQUIREMENTS.md H5; docs/analyses/OpCost.md says what is counted.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_ANALYSIS_OPCOST_H
#define ANNEAL_ANALYSIS_OPCOST_H

#include "anneal/Analysis/CostExpr.h"
#include "anneal/Analysis/DimScope.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <string>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace anneal {

/// What one run of an operation costs, in the symbols of the DimScope that it is in. A value.
struct OpCost {
  /// Arithmetic operations on elements, weighted (FlopWeights).
  CostExpr flops;
  /// Bytes that must be read and written if each element is moved once.
  CostExpr bytesRead;
  CostExpr bytesWritten;
  /// Points of the iteration domain of a structured op: where that is 0, nothing runs.
  std::optional<CostExpr> domain;
  /// Nothing is known, and `reason` says why.
  bool isUnknown = false;
  /// FLOPs are taken to be one for each point of the iteration domain: the op has no body to count.
  bool isFlopsEstimate = false;
  /// The true cost may be smaller: of branches the dearer one was counted.
  bool isUpperBound = false;
  /// How many operations of unknown cost are not in the sum.
  unsigned numUnknownOps = 0;
  /// Why the cost isn't known; of several operations, the first one's.
  std::string reason;

  static OpCost unknown(const llvm::Twine &reason);
  /// Moves of `read` and `written` bytes.
  static OpCost movement(const CostExpr &read, const CostExpr &written);

  CostExpr getBytes() const { return bytesRead + bytesWritten; }
  /// Adds `times` runs of another operation.
  void add(const OpCost &other, const CostExpr &times = CostExpr(1));
};

/// A cost for known sizes.
struct CostValues {
  WideInt flops;
  WideInt bytesRead;
  WideInt bytesWritten;

  WideInt getBytes() const { return bytesRead + bytesWritten; }
  /// FLOPs a byte; 0 where no byte is moved.
  double getIntensity() const;
};

/// The values of a known cost, by `evaluator`; nothing where a size isn't known.
std::optional<CostValues> evaluate(const OpCost &cost, DimEvaluator &evaluator);

/// How many FLOPs the arithmetic operations count for. What isn't listed counts as 1.
class FlopWeights {
public:
  /// The defaults; docs/analyses/OpCost.md lists them with their reasons.
  FlopWeights();

  int64_t get(mlir::OperationName name) const;
  void set(llvm::StringRef opName, int64_t weight) { weights[opName] = weight; }

private:
  llvm::StringMap<int64_t> weights;
};

/// Costs of operations, found through interfaces: JitCostOpInterface, else a structured op's
/// (LinalgOp, or TilingInterface with DestinationStyleOpInterface), else those of loops, branches
/// and calls. Computed when asked for, then kept. Reads the IR below the operation that it is made
/// for and never changes it; invalid once that changes. Not thread-safe.
///
///   OpCostAnalysis &costs = getAnalysis<OpCostAnalysis>();
///   const OpCost &cost = costs.getCost(op);
///   DimEvaluator evaluator(costs.getScope(op), sizes);
///   std::optional<CostValues> values = evaluate(cost, evaluator);
class OpCostAnalysis {
public:
  explicit OpCostAnalysis(mlir::Operation *root, FlopWeights weights = {})
      : root(root), weights(std::move(weights)) {}
  ~OpCostAnalysis();

  /// One run of `op` with what is in its regions, and what it calls. A function or unit costs
  /// nothing where it stands: see getBodyCost.
  const OpCost &getCost(mlir::Operation *op);
  /// One call of a function or unit, in symbols of its own scope.
  const OpCost &getBodyCost(mlir::FunctionOpInterface function);
  /// One run of all operations of a region, without those that only run by branches between its
  /// blocks, which make it an upper bound (unknown if they form a loop).
  OpCost getRegionCost(mlir::Region &region);
  /// The same of operations that are one unit: what they hand each other is not moved, what several
  /// read is read once.
  OpCost getUnitCost(mlir::Region &region);

  /// How often a loop, or what branches back to one of its regions, runs its regions each time that
  /// it is reached.
  CostExpr getNumIterations(mlir::Operation *loop);
  /// What a call calls; null where that has no body in this module.
  mlir::FunctionOpInterface getCallee(mlir::Operation *call);
  /// By which functions what a call calls comes back to the caller, as describeCycle says it; empty
  /// if it doesn't.
  const std::string &getRecursion(mlir::Operation *call);

  /// The scope in whose symbols the cost of `op` is: of the function or unit around it, or that it
  /// is.
  DimScope &getScope(mlir::Operation *op);

  //===--- For implementations of JitCostOpInterface ---===//

  /// Bytes of all elements of a ranked tensor or memref; 0 for scalars and vectors.
  CostExpr getBytes(mlir::Value value);
  /// Bytes of one element: 1 for i1, 8 for index. Nothing if the type has no size of its own.
  static std::optional<int64_t> getElementBytes(mlir::Type type);
  const FlopWeights &getWeights() const { return weights; }
  /// The elements that a map from loops of the given sizes touches in `value`: each once.
  CostExpr getFootprint(mlir::Value value, mlir::AffineMap map, llvm::ArrayRef<CostExpr> loopSizes);

private:
  OpCost compute(mlir::Operation *op);
  OpCost computeStructured(mlir::Operation *op);
  /// What the body of a structured op does in all its runs, without the elements of operands that
  /// are handed to it.
  OpCost computeStructuredBody(mlir::Operation *op);
  /// Calls `visit` with each operand of a structured op of known cost and the bytes of it that the
  /// op reads, or writes, or both.
  void visitOperandBytes(mlir::Operation *op,
                         llvm::function_ref<void(mlir::OpOperand &, const CostExpr &)> visit);
  /// Sizes of the loops of a structured op; nothing where no operand tells one.
  std::optional<llvm::SmallVector<CostExpr>> getLoopSizes(mlir::Operation *op);
  /// Bytes of what a structured op reads of, or writes to, an operand.
  CostExpr getOperandBytes(mlir::OpOperand &operand, llvm::ArrayRef<CostExpr> loopSizes);
  OpCost computeTiled(mlir::Operation *op);
  OpCost computeLoop(mlir::Operation *op);
  OpCost computeBranch(mlir::Operation *op);
  OpCost computeCall(mlir::Operation *op);
  OpCost computeElementwise(mlir::Operation *op);
  /// One run of a structured op's body.
  OpCost getBodyPointCost(mlir::Region &body);

  mlir::Operation *root;
  FlopWeights weights;
  mlir::SymbolTableCollection symbolTables;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<DimScope>> scopes;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<OpCost>> costs;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<OpCost>> bodyCosts;
  /// By target and caller of a call.
  llvm::DenseMap<std::pair<mlir::Operation *, mlir::Operation *>, std::string> recursions;
};

/// Attaches JitCostOpInterface to operations of upstream dialects that are no structured ops: moves
/// of tensors, element accesses, allocations, views. In force in contexts that are made of
/// `registry`.
void registerCostModels(mlir::DialectRegistry &registry);

} // namespace anneal

#include "anneal/Analysis/CostInterface.h.inc"

#endif // ANNEAL_ANALYSIS_OPCOST_H
