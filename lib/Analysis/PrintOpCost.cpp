//===- PrintOpCost.cpp - Show what operations cost ------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/CostOptions.h"
#include "anneal/Analysis/OpCost.h"
#include "anneal/Analysis/Passes.h"
#include "anneal/IR/JitDialect.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/Format.h"

#define DEBUG_TYPE "jit-print-op-cost"

namespace anneal {
#define GEN_PASS_DEF_PRINTOPCOST
#include "anneal/Analysis/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

bool fitsInt64(const WideInt &value) {
  bool didSaturate = false;
  saturate(value, &didSaturate);
  return !didSaturate;
}

/// Whether all numbers in a polynomial fit 64 bits.
bool fitsInt64(const CostExpr &expr) {
  return llvm::all_of(expr.getTerms(),
                      [](const CostExpr::Term &term) { return fitsInt64(term.coefficient); });
}

bool isFree(const OpCost &cost) {
  return cost.numUnknownOps == 0 && cost.flops.isZero() && cost.getBytes().isZero();
}

/// Visits the operations under `parent` that have a cost of their own: those in loops and branches
/// too, not those in the bodies of structured ops. `depth` counts the regions around them.
void visitOps(Operation *parent, unsigned depth, function_ref<void(Operation *, unsigned)> visit) {
  for (Region &region : parent->getRegions())
    for (Operation &op : region.getOps()) {
      visit(&op, depth);
      if (isa<RegionBranchOpInterface, LoopLikeOpInterface>(op))
        visitOps(&op, depth + 1, visit);
    }
}

/// Writes costs of one function, by their symbols or by the sizes that are known.
class FunctionCosts {
public:
  FunctionCosts(OpCostAnalysis &costs, FunctionOpInterface function,
                std::optional<ArgumentSizes> sizes)
      : costs(costs), function(function), scope(costs.getScope(function)), sizes(std::move(sizes)) {
    if (this->sizes)
      evaluator.emplace(scope, *this->sizes);
  }

  /// The costs of single operations, found before anything is printed, so that all symbols are
  /// known.
  void prepare() {
    visitOps(function, 0, [&](Operation *op, unsigned) { costs.getCost(op); });
    costs.getBodyCost(function);
  }

  void printSymbols(raw_ostream &os) {
    for (CostExpr::Symbol symbol : getUsedSymbols()) {
      os << "  " << scope.getSymbol(symbol).name << " = " << scope.getSymbol(symbol).description;
      if (std::optional<WideInt> value = evaluator ? evaluator->evaluate(symbol) : std::nullopt)
        os << " = " << *value;
      os << "\n";
    }
  }

  void printOp(raw_ostream &os, Operation *op, unsigned depth, AsmState &state) {
    const OpCost &cost = costs.getCost(op);
    if (isFree(cost))
      return;
    os.indent(2 + 2 * depth);
    if (op->getNumResults() > 0) {
      op->getResult(0).printAsOperand(os, state);
      if (op->getNumResults() > 1)
        os << ":" << op->getNumResults();
      os << " = ";
    }
    os << op->getName() << ": ";
    printCost(os, cost, valuesOf(cost));
  }

  void printTotal(raw_ostream &os) {
    os << "  total: ";
    const OpCost &cost = costs.getBodyCost(function);
    printCost(os, cost, valuesOfTotal());
  }

  void annotateOp(Operation *op) {
    const OpCost &cost = costs.getCost(op);
    if (!isFree(cost))
      op->setAttr(jit::JitDialect::kCostAttrName, toAttribute(cost, valuesOf(cost)));
  }

  void annotateTotal() {
    function->setAttr(jit::JitDialect::kCostAttrName,
                      toAttribute(costs.getBodyCost(function), valuesOfTotal()));
    Builder builder(function->getContext());
    SmallVector<NamedAttribute> dims;
    for (CostExpr::Symbol symbol : getUsedSymbols())
      dims.push_back(
          builder.getNamedAttr(scope.getSymbol(symbol).name,
                               builder.getStringAttr(scope.getSymbol(symbol).description)));
    if (!dims.empty())
      function->setAttr(jit::JitDialect::kCostDimsAttrName, builder.getDictionaryAttr(dims));
  }

private:
  /// The symbols of all costs, and those that their descriptions mention, ascending.
  SmallVector<CostExpr::Symbol> getUsedSymbols() {
    llvm::DenseSet<CostExpr::Symbol> found;
    auto collect = [&](const OpCost &cost) {
      for (const CostExpr *expr : {&cost.flops, &cost.bytesRead, &cost.bytesWritten})
        scope.collectSymbols(*expr, found);
    };
    visitOps(function, 0, [&](Operation *op, unsigned) { collect(costs.getCost(op)); });
    collect(costs.getBodyCost(function));
    SmallVector<CostExpr::Symbol> used(found.begin(), found.end());
    llvm::sort(used);
    return used;
  }

  std::optional<CostValues> valuesOf(const OpCost &cost) {
    return evaluator ? evaluate(cost, *evaluator) : std::nullopt;
  }

  /// Op by op where the function has one block, so that ops whose domain is empty count as nothing.
  std::optional<CostValues> valuesOfTotal() {
    const OpCost &total = costs.getBodyCost(function);
    if (!evaluator || total.isUnknown || function.isExternal())
      return std::nullopt;
    CostValues sum;
    for (Operation &op : function.getFunctionBody().getOps()) {
      const OpCost &cost = costs.getCost(&op);
      if (cost.isUnknown)
        continue;
      std::optional<CostValues> values = valuesOf(cost);
      if (!values)
        return std::nullopt;
      sum.flops += values->flops;
      sum.bytesRead += values->bytesRead;
      sum.bytesWritten += values->bytesWritten;
    }
    return sum;
  }

  void printCost(raw_ostream &os, const OpCost &cost, const std::optional<CostValues> &values) {
    if (cost.isUnknown) {
      os << "unknown: " << cost.reason << "\n";
      return;
    }
    bool fits = true;
    if (values) {
      os << "flops=" << values->flops << ", read=" << values->bytesRead
         << ", written=" << values->bytesWritten
         << ", intensity=" << llvm::format("%.4g", values->getIntensity());
      fits = fitsInt64(values->flops) && fitsInt64(values->getBytes());
    } else {
      os << "flops=" << scope.toString(cost.flops) << ", read=" << scope.toString(cost.bytesRead)
         << ", written=" << scope.toString(cost.bytesWritten) << ", intensity=";
      printIntensity(os, cost);
      fits = fitsInt64(cost.flops) && fitsInt64(cost.getBytes());
      if (evaluator)
        os << " (not all sizes are known)";
    }
    if (!fits)
      os << " (beyond 64 bits; exact)";
    if (cost.isFlopsEstimate)
      os << " (FLOPs estimated: one a point where there is no body to count)";
    if (cost.isUpperBound)
      os << " (upper bound: of branches the dearest)";
    if (cost.numUnknownOps > 0)
      os << " (without " << cost.numUnknownOps << " of unknown cost: " << cost.reason << ")";
    os << "\n";
  }

  void printIntensity(raw_ostream &os, const OpCost &cost) {
    CostExpr flops = cost.flops;
    CostExpr bytes = cost.getBytes();
    if (bytes.isZero() || flops.isZero()) {
      os << "0";
      return;
    }
    CostExpr::cancelCommonFactors(flops, bytes);
    std::optional<WideInt> up = flops.getConstant();
    std::optional<WideInt> down = bytes.getConstant();
    if (up && down) {
      os << llvm::format("%.4g", toDouble(*up) / toDouble(*down));
      return;
    }
    auto print = [&](const CostExpr &expr) {
      bool isSum = expr.getTerms().size() > 1;
      os << (isSum ? "(" : "") << scope.toString(expr) << (isSum ? ")" : "");
    };
    print(flops);
    if (down == WideInt(1))
      return;
    // A product after a division would read as a factor of the quotient.
    bool isProduct = bytes.getTerms().size() == 1 && !down && !bytes.getSymbol();
    os << (isProduct ? "/(" : "/");
    print(bytes);
    os << (isProduct ? ")" : "");
  }

  Attribute toAttribute(const CostExpr &expr, const WideInt *value) {
    Builder builder(function->getContext());
    std::optional<WideInt> constant = value ? *value : expr.getConstant();
    if (constant && fitsInt64(*constant))
      return builder.getI64IntegerAttr(int64_t(*constant));
    return builder.getStringAttr(scope.toString(constant ? CostExpr(*constant) : expr));
  }

  Attribute toAttribute(const OpCost &cost, const std::optional<CostValues> &values) {
    Builder builder(function->getContext());
    SmallVector<NamedAttribute> fields;
    auto add = [&](StringRef name, Attribute value) {
      fields.push_back(builder.getNamedAttr(name, value));
    };
    if (cost.isUnknown) {
      add("unknown", builder.getStringAttr(cost.reason));
      return builder.getDictionaryAttr(fields);
    }
    add("flops", toAttribute(cost.flops, values ? &values->flops : nullptr));
    add("bytes_read", toAttribute(cost.bytesRead, values ? &values->bytesRead : nullptr));
    add("bytes_written", toAttribute(cost.bytesWritten, values ? &values->bytesWritten : nullptr));
    if (cost.isFlopsEstimate)
      add("estimate", builder.getUnitAttr());
    if (cost.isUpperBound)
      add("upper_bound", builder.getUnitAttr());
    if (cost.numUnknownOps > 0)
      add("unknown_ops", builder.getI64IntegerAttr(cost.numUnknownOps));
    return builder.getDictionaryAttr(fields);
  }

  OpCostAnalysis &costs;
  FunctionOpInterface function;
  DimScope &scope;
  std::optional<ArgumentSizes> sizes;
  std::optional<DimEvaluator> evaluator;
};

class PrintOpCost : public impl::PrintOpCostBase<PrintOpCost> {
public:
  using PrintOpCostBase::PrintOpCostBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FlopWeights weights;
    FunctionOpInterface entry;
    std::optional<ArgumentSizes> sizes;
    if (failed(CostOptions(module, DEBUG_TYPE).parseFlopWeights(flopWeights, weights)) ||
        failed(findSizes(entry, sizes)))
      return signalPassFailure();

    OpCostAnalysis costs(module, weights);
    std::string text;
    llvm::raw_string_ostream os(text);
    AsmState state(module);
    for (auto op : module.getOps<FunctionOpInterface>()) {
      if (op.isExternal() || (!function.empty() && op != entry))
        continue;
      FunctionCosts printer(costs, op, op == entry ? sizes : std::nullopt);
      printer.prepare();
      if (annotate)
        write(printer, op);
      else
        print(os, printer, op, state);
    }
    llvm::outs() << text;
    if (!annotate)
      markAllAnalysesPreserved();
  }

private:
  /// The function that `dims` or `function` is about, and its sizes.
  LogicalResult findSizes(FunctionOpInterface &entry, std::optional<ArgumentSizes> &sizes) {
    if (dims.empty() && function.empty() && tripCount < 0)
      return success();
    FailureOr<FunctionOpInterface> found =
        CostOptions(getOperation(), DEBUG_TYPE).findEntry(function);
    if (failed(found))
      return failure();
    entry = *found;
    if (dims.empty() && tripCount < 0)
      return success();
    FailureOr<ArgumentSizes> parsed =
        CostOptions(getOperation(), DEBUG_TYPE).parseArgumentSizes(entry, dims);
    if (failed(parsed))
      return failure();
    sizes = *parsed;
    if (tripCount >= 0)
      sizes->tripCount = tripCount;
    return success();
  }

  void print(raw_ostream &os, FunctionCosts &printer, FunctionOpInterface op, AsmState &state) {
    os << op->getName() << " @" << op.getName() << "\n";
    if (!totalsOnly) {
      printer.printSymbols(os);
      visitOps(op, 0,
               [&](Operation *inner, unsigned depth) { printer.printOp(os, inner, depth, state); });
    }
    printer.printTotal(os);
  }

  void write(FunctionCosts &printer, FunctionOpInterface op) {
    if (!totalsOnly)
      visitOps(op, 0, [&](Operation *inner, unsigned) { printer.annotateOp(inner); });
    printer.annotateTotal();
  }
};

} // namespace
} // namespace anneal
