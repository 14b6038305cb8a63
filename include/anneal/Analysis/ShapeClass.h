//===- ShapeClass.h - What the sizes of a function follow from --*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REQUIREMENTS.md M2; docs/analyses/ShapeClass.md.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_ANALYSIS_SHAPECLASS_H
#define ANNEAL_ANALYSIS_SHAPECLASS_H

#include "anneal/Analysis/DimScope.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <limits>
#include <string>

namespace anneal {

/// What has to be known before all sizes in a function are, from nothing to everything.
enum class ShapeClass {
  /// All sizes are in the types.
  Static,
  /// The sizes of the arguments: a guard on them decides for all.
  Bucketable,
  /// Values of scalar arguments too, or how far a loop has come.
  Dynamic,
  /// Elements of tensors, or what nothing tells.
  DataDependent
};

/// "static", "bucketable", "dynamic", "data-dependent".
llvm::StringRef toString(ShapeClass shapeClass);

/// What a size follows from. A value.
struct SizeOrigin {
  /// Dimensions of arguments (number, dimension), and scalar arguments, each ascending.
  llvm::SmallVector<std::pair<unsigned, int64_t>> dims;
  llvm::SmallVector<unsigned> scalars;
  /// What else it follows from; empty: nothing. If there is more than one, the first that was
  /// found.
  std::string loop;
  std::string data;

  ShapeClass getClass() const;
  void add(const SizeOrigin &other);
  /// "dim 0 of %arg0, %arg1, elements of %arg2".
  std::string toText() const;
};

/// The sizes of one function.
struct FunctionShapes {
  ShapeClass shapeClass = ShapeClass::Static;
  /// The symbols of its scope that dynamic sizes are made of, ascending.
  llvm::SmallVector<CostExpr::Symbol> symbols;
  /// Values without a rank: "%0", by the operation that makes them.
  llvm::SmallVector<mlir::Operation *> unranked;
};

/// Finds for each function what its sizes follow from: through DimScope, hence through
/// destinations, reshapes, slices, loops, branches and what operations say by their interfaces, and
/// through calls. Reads the IR below the operation that it is made for and never changes it;
/// invalid once that changes. Not thread-safe.
class ShapeClassAnalysis {
public:
  explicit ShapeClassAnalysis(mlir::Operation *) {}

  const FunctionShapes &getShapes(mlir::FunctionOpInterface function);
  DimScope &getScope(mlir::Operation *function);
  /// What a size of that scope follows from.
  SizeOrigin getOrigin(DimScope &scope, const CostExpr &size);
  SizeOrigin getOrigin(DimScope &scope, CostExpr::Symbol symbol);
  /// The largest value that it can have: by `jit.shape_bucket` on arguments, minima, remainders.
  /// Nothing if none is known.
  std::optional<WideInt> getUpperBound(DimScope &scope, const CostExpr &size);

private:
  SizeOrigin computeOrigin(DimScope &scope, const DimScope::Symbol &symbol);
  SizeOrigin getDimOrigin(DimScope &scope, mlir::Value value, int64_t dim);
  SizeOrigin getScalarOrigin(DimScope &scope, mlir::Value value);
  SizeOrigin getElementOrigin(DimScope &scope, mlir::Value tensor);
  /// Of a value that control flow hands on; `ofSource` is that of one that it comes from.
  SizeOrigin getForwardedOrigin(DimScope &scope, mlir::Value value,
                                llvm::function_ref<SizeOrigin(mlir::Value)> ofSource);
  /// Of a call's result; `ofReturned` is that of the returned value in the callee's scope.
  SizeOrigin getCallOrigin(DimScope &scope, mlir::OpResult result,
                           llvm::function_ref<SizeOrigin(DimScope &, mlir::Value)> ofReturned);
  SizeOrigin getScalarOperandsOrigin(DimScope &scope, mlir::Operation *op);
  std::optional<WideInt> getUpperBound(DimScope &scope, const DimScope::Symbol &symbol);

  mlir::SymbolTableCollection symbolTables;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<DimScope>> scopes;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<FunctionShapes>> shapes;
  llvm::DenseMap<std::pair<DimScope *, CostExpr::Symbol>, SizeOrigin> origins;
  /// Symbols whose origin is being computed, and the depth at which that began; the least depth of
  /// those that were asked for meanwhile.
  llvm::DenseMap<std::pair<DimScope *, CostExpr::Symbol>, unsigned> activeSymbols;
  unsigned lowestReached = std::numeric_limits<unsigned>::max();
  llvm::DenseSet<mlir::Operation *> activeFunctions;
};

} // namespace anneal

#endif // ANNEAL_ANALYSIS_SHAPECLASS_H
