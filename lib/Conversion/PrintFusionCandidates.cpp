//===- PrintFusionCandidates.cpp - Show what could run together -----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Conversion/FusionCandidates.h"
#include "anneal/Conversion/Passes.h"
#include "anneal/IR/JitDialect.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"

#define DEBUG_TYPE "jit-fusion-candidates"

namespace anneal {
#define GEN_PASS_DEF_PRINTFUSIONCANDIDATES
#include "anneal/Conversion/Passes.h.inc"
} // namespace anneal

using namespace mlir;
using namespace anneal;

namespace {

class PrintFusionCandidates
    : public anneal::impl::PrintFusionCandidatesBase<PrintFusionCandidates> {
public:
  using Base::Base;

  void runOnOperation() override {
    if (flopsPerByte < 1) {
      emitError(getOperation().getLoc()) << DEBUG_TYPE << ": flops-per-byte is "
                                         << flopsPerByte.getValue() << ", but must be at least 1";
      return signalPassFailure();
    }
    OpCostAnalysis costs(getOperation());
    FusionCandidates candidates(getOperation(), costs);
    scope = &costs.getScope(getOperation());
    for (const FusionPair &pair : candidates.getPairs()) {
      if (remarks)
        remark(pair);
      if (annotate)
        attach(pair);
    }
    for (auto [number, group] : llvm::enumerate(candidates.getGroups())) {
      if (remarks && !group.ops.empty())
        emitRemark(group.ops.back()->getLoc())
            << "unit of " << group.ops.size() << " operation" << (group.ops.size() == 1 ? "" : "s")
            << "; saves " << scope->toString(group.bytesSaved) << " bytes"
            << symbolsOf({&group.bytesSaved});
      if (annotate)
        for (Operation *op : group.ops)
          op->setAttr(jit::JitDialect::kFusionGroupAttrName,
                      IntegerAttr::get(IntegerType::get(&getContext(), 64), number));
    }
  }

private:
  /// At the location only: a remark of the operation prints it with a note, for which MLIR numbers
  /// the whole function each time.
  void remark(const FusionPair &pair) {
    InFlightDiagnostic out = emitRemark(pair.getConsumer()->getLoc());
    out << (pair.refusal == FusionRefusal::None ? "fused with '" : "not fused with '")
        << pair.getProducer()->getName() << "', " << placeOf(pair) << ": "
        << anneal::toString(pair.refusal) << "; benefit " << benefitOf(pair)
        << symbolsOf({&pair.bytesSaved, &pair.flopsRepeated});
  }

  static std::string placeOf(const FusionPair &pair) {
    return ("operand #" + Twine(pair.use->getOperandNumber()) + " of '" +
            pair.getConsumer()->getName().getStringRef() + "'")
        .str();
  }

  std::string benefitOf(const FusionPair &pair) {
    if (!pair.unknown.empty())
      return "unknown: " + pair.unknown;
    std::string saved = scope->toString(pair.bytesSaved);
    if (pair.flopsRepeated.isZero())
      return saved + " bytes";
    return saved + " - (" + scope->toString(pair.flopsRepeated) + ")/" +
           std::to_string(flopsPerByte) + " bytes";
  }

  /// "; d0 is dim 0 of %arg0, ..." for the symbols of some expressions.
  std::string symbolsOf(std::initializer_list<const CostExpr *> expressions) {
    llvm::DenseSet<CostExpr::Symbol> found;
    for (const CostExpr *expression : expressions)
      scope->collectSymbols(*expression, found);
    SmallVector<CostExpr::Symbol> sorted(found.begin(), found.end());
    llvm::sort(sorted);
    std::string text;
    for (CostExpr::Symbol symbol : sorted)
      text += (text.empty() ? "; " : ", ") + scope->getSymbol(symbol).name + " is " +
              scope->getSymbol(symbol).description;
    return text;
  }

  void attach(const FusionPair &pair) {
    Builder builder(&getContext());
    SmallVector<NamedAttribute> fields = {
        builder.getNamedAttr("operand", builder.getI64IntegerAttr(pair.use->getOperandNumber())),
        builder.getNamedAttr("producer",
                             builder.getStringAttr(pair.getProducer()->getName().getStringRef())),
        builder.getNamedAttr("fused", builder.getBoolAttr(pair.refusal == FusionRefusal::None)),
        builder.getNamedAttr("reason", builder.getStringAttr(anneal::toString(pair.refusal))),
        builder.getNamedAttr("bytes_saved",
                             builder.getStringAttr(scope->toString(pair.bytesSaved))),
        builder.getNamedAttr("flops_repeated",
                             builder.getStringAttr(scope->toString(pair.flopsRepeated))),
        builder.getNamedAttr("benefit", builder.getStringAttr(benefitOf(pair)))};
    SmallVector<Attribute> all;
    if (auto known = pair.getConsumer()->getAttrOfType<ArrayAttr>(jit::JitDialect::kFusionAttrName);
        known && attached.contains(pair.getConsumer()))
      llvm::append_range(all, known);
    attached.insert(pair.getConsumer());
    all.push_back(builder.getDictionaryAttr(fields));
    pair.getConsumer()->setAttr(jit::JitDialect::kFusionAttrName, builder.getArrayAttr(all));
  }

  DimScope *scope = nullptr;
  llvm::DenseSet<Operation *> attached;
};

} // namespace
