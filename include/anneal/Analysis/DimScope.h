//===- DimScope.h - Sizes of a function as polynomials ----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_ANALYSIS_DIMSCOPE_H
#define ANNEAL_ANALYSIS_DIMSCOPE_H

#include "anneal/Analysis/CostExpr.h"

#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

#include <deque>
#include <memory>

namespace anneal {

/// The sizes and host scalars of one function (or of what else holds operations), each as a
/// polynomial in symbols. Sizes that are equal by how they are computed are equal polynomials:
/// through destinations, reshapes, slices, pads, loop-carried values, branches, and arithmetic on
/// sizes, which is taken not to overflow. What is no polynomial of others is a symbol with a
/// description, the same one for the same computation.
///
/// Reads the IR and never changes it; what it hands out holds as long as the IR isn't changed. Not
/// thread-safe.
class DimScope {
public:
  /// A symbol, and what is needed to evaluate it.
  struct Symbol {
    enum class Kind {
      /// Dimension `dim` of `value`.
      Dim,
      /// The scalar `value`.
      Scalar,
      /// max(0, ceil(numerator / denominator)).
      Quotient,
      /// `numerator`, kept together since the product with others would have too many terms.
      Group,
      /// How often the loop `op` runs its body, each time that it is reached.
      TripCount,
      /// Symbol `calleeSymbol` of `callee`, in the call `op`.
      Callee
    };
    Kind kind;
    std::string name;
    std::string description;
    mlir::Value value = {};
    int64_t dim = 0;
    /// What the description mentions.
    llvm::SmallVector<CostExpr::Symbol> mentioned = {};
    CostExpr numerator = {};
    CostExpr denominator = {};
    mlir::Operation *op = nullptr;
    DimScope *callee = nullptr;
    CostExpr::Symbol calleeSymbol = 0;
  };

  /// `root`: a function, or another operation with regions.
  explicit DimScope(mlir::Operation *root) : root(root) {}
  ~DimScope();
  DimScope(const DimScope &) = delete;
  DimScope &operator=(const DimScope &) = delete;

  mlir::Operation *getRoot() const { return root; }
  const Symbol &getSymbol(CostExpr::Symbol symbol) const { return symbols[symbol]; }
  unsigned getNumSymbols() const { return symbols.size(); }

  /// Dimension `dim` of a ranked tensor or memref.
  CostExpr getDim(mlir::Value shaped, int64_t dim);
  /// All dimensions. REQUIRES: a ranked shape.
  llvm::SmallVector<CostExpr> getShape(mlir::Value shaped);
  /// Elements of a ranked tensor or memref, 1 for a scalar.
  CostExpr getNumElements(mlir::Value value);
  /// A scalar of the host program.
  CostExpr getScalar(mlir::Value scalar);
  CostExpr getScalar(mlir::OpFoldResult scalar);
  /// The product of sizes.
  CostExpr getProduct(llvm::ArrayRef<CostExpr> sizes);
  /// max(0, ceil((upper - lower) / step)): the iterations of a loop.
  CostExpr getNumIterations(const CostExpr &lower, const CostExpr &upper, const CostExpr &step);
  /// A symbol for the iterations of a loop that nothing is known of.
  CostExpr getTripCount(mlir::Operation *loop);
  /// The sizes of the iteration domain.
  llvm::SmallVector<CostExpr> getIterationDomain(mlir::TilingInterface op);

  /// `expr`, which is of the function that `call` calls, in symbols of this scope. `operandOf` says
  /// what an argument of the callee's entry block is here.
  CostExpr translate(const CostExpr &expr, DimScope &callee, mlir::Operation *call,
                     llvm::function_ref<mlir::Value(mlir::BlockArgument)> operandOf);

  /// Adds the symbols of `expr`, and those that their descriptions mention, to `found`.
  void collectSymbols(const CostExpr &expr, llvm::DenseSet<CostExpr::Symbol> &found) const;
  /// `expr` by the names of its symbols.
  std::string toString(const CostExpr &expr) const;

private:
  using DimKey = std::pair<mlir::Value, int64_t>;

  CostExpr computeDim(mlir::Value shaped, int64_t dim);
  CostExpr computeDimOfResult(mlir::OpResult result, int64_t dim);
  CostExpr computeScalar(mlir::Value scalar);
  /// The dim that all predecessors of a region argument or region result agree on.
  std::optional<CostExpr> getForwardedDim(mlir::Value value, int64_t dim);
  std::optional<CostExpr> getReifiedDim(mlir::OpResult result, int64_t dim);
  /// What distinguishes a computation from others, as text; equal ones have equal text. Adds the
  /// symbols in it to `mentioned`.
  std::string getScalarKey(mlir::Operation *op, unsigned resultNumber,
                           llvm::SmallVectorImpl<CostExpr::Symbol> &mentioned);

  CostExpr getDimSymbol(mlir::Value value, int64_t dim);
  CostExpr makeSymbol(char prefix, Symbol symbol, llvm::StringRef key);
  std::string describe(mlir::Value value) const;
  unsigned getNumber(const void *object);

  /// A copy of `op` in a block of its own, whose arguments stand for the values that `op` uses.
  /// What interfaces that build IR make of the copy lies in that block.
  mlir::Operation *copyAside(mlir::Operation *op);
  mlir::Value lookThroughCopy(mlir::Value value) const { return originals.lookup_or(value, value); }

  mlir::Operation *root;
  std::deque<Symbol> symbols;
  llvm::StringMap<CostExpr::Symbol> symbolsByKey;
  std::array<unsigned, 128> symbolsWithPrefix{};
  llvm::DenseMap<const void *, unsigned> numbers;
  llvm::DenseMap<DimKey, CostExpr> dims;
  /// Keys of `dims` in the order in which they were found.
  llvm::SmallVector<DimKey> dimLog;
  llvm::DenseMap<mlir::Value, CostExpr> scalars;
  llvm::DenseMap<mlir::Operation *, llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>>>
      predecessors;
  llvm::SmallVector<std::unique_ptr<mlir::Block>> copies;
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> copyOf;
  llvm::DenseMap<mlir::Value, mlir::Value> originals;
};

/// Sizes and scalars of the arguments of a function.
struct ArgumentSizes {
  /// For argument n: its sizes (one that is negative is unknown), or the value of a scalar.
  llvm::DenseMap<unsigned, llvm::SmallVector<int64_t>> byArgument;
  /// The iterations of loops that nothing is known of; unknown where there is none.
  std::optional<int64_t> tripCount;
  /// The size of dimensions that nothing else tells; unknown where there is none.
  std::optional<int64_t> otherDims;
};

/// Gives symbols of a scope their values, for known sizes of the function's arguments: by
/// evaluating, with the operations' own folders, the arithmetic that they come from. Changes no IR.
/// Not thread-safe.
class DimEvaluator {
public:
  DimEvaluator(DimScope &scope, const ArgumentSizes &arguments)
      : scope(scope), arguments(&arguments) {}

  /// For a function that `caller` calls by `call`. Both scopes' evaluators must outlive this one.
  DimEvaluator(DimScope &scope, DimEvaluator &caller, mlir::Operation *call)
      : scope(scope), caller(&caller), call(call) {}

  DimScope &getScope() const { return scope; }
  /// The value; nothing where it depends on what is not known.
  std::optional<WideInt> evaluate(const CostExpr &expr);
  std::optional<WideInt> evaluate(CostExpr::Symbol symbol);
  /// The value of a host scalar as an attribute; null if not known.
  mlir::Attribute evaluateScalar(mlir::Value scalar);

private:
  const ArgumentSizes &getOutermostSizes() const;
  std::optional<WideInt> computeSymbol(const DimScope::Symbol &symbol);
  std::optional<WideInt> evaluateArgumentDim(mlir::BlockArgument argument, int64_t dim);
  mlir::Attribute evaluateArgument(mlir::BlockArgument argument);
  mlir::Attribute computeScalar(mlir::Value scalar);

  DimScope &scope;
  const ArgumentSizes *arguments = nullptr;
  DimEvaluator *caller = nullptr;
  mlir::Operation *call = nullptr;
  llvm::DenseMap<CostExpr::Symbol, std::optional<WideInt>> values;
  llvm::DenseMap<mlir::Value, mlir::Attribute> scalars;
};

} // namespace anneal

#endif // ANNEAL_ANALYSIS_DIMSCOPE_H
