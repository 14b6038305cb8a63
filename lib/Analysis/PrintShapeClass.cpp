//===- PrintShapeClass.cpp - Show what sizes follow from ------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/CostOptions.h"
#include "anneal/Analysis/Passes.h"
#include "anneal/Analysis/ShapeClass.h"
#include "anneal/IR/JitDialect.h"

#include "mlir/IR/Builders.h"

#define DEBUG_TYPE "jit-print-shape-class"

namespace anneal {
#define GEN_PASS_DEF_PRINTSHAPECLASS
#include "anneal/Analysis/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// What is known of one function, as text.
class FunctionText {
public:
  FunctionText(ShapeClassAnalysis &analysis, FunctionOpInterface function)
      : analysis(analysis), function(function), shapes(analysis.getShapes(function)),
        scope(analysis.getScope(function)) {}

  void print(raw_ostream &os) {
    os << function->getName() << " @" << function.getName() << ": " << toString(shapes.shapeClass)
       << "\n";
    for (CostExpr::Symbol symbol : shapes.symbols)
      os << "  " << scope.getSymbol(symbol).name << " = " << scope.getSymbol(symbol).description
         << ": " << getSymbolText(symbol) << "\n";
    for (Operation *op : shapes.unranked)
      os << "  unranked: a value of '" << op->getName() << "'\n";
    for (auto [index, text] : llvm::enumerate(getResults()))
      os << "  result #" << index << ": " << text << "\n";
  }

  void annotate() {
    Builder builder(function->getContext());
    SmallVector<NamedAttribute> sizes;
    for (CostExpr::Symbol symbol : shapes.symbols)
      sizes.push_back(builder.getNamedAttr(
          scope.getSymbol(symbol).name, builder.getStringAttr(scope.getSymbol(symbol).description +
                                                              ": " + getSymbolText(symbol))));
    SmallVector<NamedAttribute> fields;
    fields.push_back(
        builder.getNamedAttr("class", builder.getStringAttr(toString(shapes.shapeClass))));
    if (!sizes.empty())
      fields.push_back(builder.getNamedAttr("sizes", builder.getDictionaryAttr(sizes)));
    SmallVector<std::string> results = getResults();
    if (!results.empty())
      fields.push_back(builder.getNamedAttr(
          "results",
          builder.getStrArrayAttr(SmallVector<StringRef>(results.begin(), results.end()))));
    function->setAttr(jit::JitDialect::kShapeClassAttrName, builder.getDictionaryAttr(fields));
  }

private:
  /// "bucketable, at most 15", "data-dependent, from elements of %arg1".
  std::string getSymbolText(CostExpr::Symbol symbol) {
    std::string text;
    llvm::raw_string_ostream os(text);
    SizeOrigin origin = analysis.getOrigin(scope, symbol);
    os << toString(origin.getClass());
    // Of a symbol that is an argument's dimension, the description says so.
    bool isArgumentDim = scope.getSymbol(symbol).kind == DimScope::Symbol::Kind::Dim &&
                         origin.getClass() == ShapeClass::Bucketable && origin.dims.size() == 1 &&
                         isa<BlockArgument>(scope.getSymbol(symbol).value);
    if (!isArgumentDim)
      os << ", from " << origin.toText();
    if (std::optional<WideInt> bound = analysis.getUpperBound(scope, CostExpr::forSymbol(symbol)))
      os << ", at most " << *bound;
    return text;
  }

  /// The sizes of each result that has some, as "[d0, 4]"; "?" where returns differ.
  SmallVector<std::string> getResults() {
    SmallVector<std::string> texts(function.getNumResults());
    for (Block &block : function.getFunctionBody()) {
      if (block.empty() || !block.back().hasTrait<OpTrait::ReturnLike>())
        continue;
      for (auto [operand, text] : llvm::zip(block.back().getOperands(), texts)) {
        std::string sizes = getSizes(operand);
        text = text.empty() || text == sizes ? sizes : "differs from return to return";
      }
    }
    // A function that never returns, or returns nothing by the type that says so.
    if (llvm::all_of(texts, [](const std::string &text) { return text.empty(); }))
      texts.clear();
    return texts;
  }

  std::string getSizes(Value value) {
    auto type = dyn_cast<ShapedType>(value.getType());
    if (!type)
      return "scalar";
    if (!type.hasRank())
      return "unranked";
    std::string text = "[";
    llvm::raw_string_ostream os(text);
    llvm::interleaveComma(scope.getShape(value), os,
                          [&](const CostExpr &size) { os << scope.toString(size); });
    os << "]";
    return text;
  }

  ShapeClassAnalysis &analysis;
  FunctionOpInterface function;
  const FunctionShapes &shapes;
  DimScope &scope;
};

class PrintShapeClass : public impl::PrintShapeClassBase<PrintShapeClass> {
public:
  using PrintShapeClassBase::PrintShapeClassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FunctionOpInterface entry;
    if (!function.empty()) {
      FailureOr<FunctionOpInterface> found = CostOptions(module, DEBUG_TYPE).findEntry(function);
      if (failed(found))
        return signalPassFailure();
      entry = *found;
    }
    auto &analysis = getAnalysis<ShapeClassAnalysis>();
    std::string text;
    llvm::raw_string_ostream os(text);
    for (auto op : module.getOps<FunctionOpInterface>()) {
      if (op.isExternal() || (entry && op != entry))
        continue;
      FunctionText writer(analysis, op);
      if (annotate)
        writer.annotate();
      else
        writer.print(os);
    }
    llvm::outs() << text;
    if (!annotate)
      markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace anneal
