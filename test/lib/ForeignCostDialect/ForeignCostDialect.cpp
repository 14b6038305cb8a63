//===- ForeignCostDialect.cpp - A dialect whose ops have costs ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that the project knows nothing of, which the analyses take in through interfaces
// alone:
//
//   foreign.spin      says itself what it costs (JitCostOpInterface)
//   foreign.scan      has an iteration domain and a destination (TilingInterface,
//                     DestinationStyleOpInterface)
//   foreign.square    is a structured operation with a body (LinalgStructuredInterface)
//   foreign.repeat    says of which sizes its result is (ReifyRankedShapedTypeOpInterface)
//   foreign.opaque    has none of these
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/OpCost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"

using namespace mlir;

namespace {

class ForeignDialect : public Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ForeignDialect)

  explicit ForeignDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<ForeignDialect>()) {
    // Of the operations that the interfaces' implementations make.
    context->loadDialect<arith::ArithDialect, linalg::LinalgDialect, tensor::TensorDialect>();
    initialize();
  }
  static StringRef getDialectNamespace() { return "foreign"; }

private:
  void initialize();
};

/// Passes a tensor on after three operations on each element.
class SpinOp : public Op<SpinOp, OpTrait::OneOperand, OpTrait::OneResult, OpTrait::ZeroRegions,
                         anneal::JitCostOpInterface::Trait> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SpinOp)
  using Op::Op;
  static StringRef getOperationName() { return "foreign.spin"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }

  anneal::OpCost getCost(anneal::OpCostAnalysis &analysis) {
    Value tensor = getOperation()->getOperand(0);
    anneal::OpCost cost =
        anneal::OpCost::movement(analysis.getBytes(tensor), analysis.getBytes(tensor));
    cost.flops = analysis.getScope(*this).getNumElements(tensor) * anneal::CostExpr(3);
    return cost;
  }
};

/// A tensor and a destination of its type; the iteration domain is that of the destination.
class ScanOp
    : public Op<ScanOp, OpTrait::NOperands<2>::Impl, OpTrait::OneResult, OpTrait::ZeroRegions,
                DestinationStyleOpInterface::Trait, TilingInterface::Trait> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ScanOp)
  using Op::Op;
  static StringRef getOperationName() { return "foreign.scan"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }

  MutableOperandRange getDpsInitsMutable() { return MutableOperandRange(*this, 1, 1); }
  SmallVector<utils::IteratorType> getLoopIteratorTypes() {
    auto type = cast<RankedTensorType>(getOperation()->getOperand(1).getType());
    return SmallVector<utils::IteratorType>(type.getRank(), utils::IteratorType::parallel);
  }
  SmallVector<Range> getIterationDomain(OpBuilder &builder) {
    Value destination = getOperation()->getOperand(1);
    SmallVector<Range> ranges;
    for (OpFoldResult size : tensor::getMixedSizes(builder, getLoc(), destination))
      ranges.push_back({builder.getIndexAttr(0), size, builder.getIndexAttr(1)});
    return ranges;
  }
};

/// A tensor, and a destination whose elements its body computes, one from each of the tensor's.
class SquareOp
    : public Op<SquareOp, OpTrait::NOperands<2>::Impl, OpTrait::OneResult, OpTrait::OneRegion,
                DestinationStyleOpInterface::Trait, IndexingMapOpInterface::Trait,
                linalg::LinalgOp::Trait, MemoryEffectOpInterface::Trait> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SquareOp)
  using Op::Op;
  static StringRef getOperationName() { return "foreign.square"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }

  MutableOperandRange getDpsInitsMutable() { return MutableOperandRange(*this, 1, 1); }
  SmallVector<utils::IteratorType> getIteratorTypesArray() {
    return SmallVector<utils::IteratorType>(countDims(), utils::IteratorType::parallel);
  }
  SmallVector<AffineMap> getIndexingMapsArray() {
    return SmallVector<AffineMap>(2, Builder(getContext()).getMultiDimIdentityMap(countDims()));
  }
  ArrayAttr getIndexingMaps() {
    return Builder(getContext()).getAffineMapArrayAttr(getIndexingMapsArray());
  }
  bool hasIndexSemantics() { return false; }
  Block *getBody() { return &getOperation()->getRegion(0).front(); }
  std::string getLibraryCallName() { return "foreign_square"; }
  static std::function<void(ImplicitLocOpBuilder &, Block &, ArrayRef<NamedAttribute>,
                            function_ref<InFlightDiagnostic()>)>
  getRegionBuilder() {
    return nullptr;
  }
  void getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &) {}

private:
  unsigned countDims() {
    return cast<RankedTensorType>(getOperation()->getOperand(1).getType()).getRank();
  }
};

/// Twice the rows of a tensor.
class RepeatOp : public Op<RepeatOp, OpTrait::OneOperand, OpTrait::OneResult, OpTrait::ZeroRegions,
                           ReifyRankedShapedTypeOpInterface::Trait> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RepeatOp)
  using Op::Op;
  static StringRef getOperationName() { return "foreign.repeat"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }

  LogicalResult reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, getLoc(), getOperation()->getOperand(0));
    Value two = arith::ConstantIndexOp::create(builder, getLoc(), 2);
    Value rows = getValueOrCreateConstantIndexOp(builder, getLoc(), sizes[0]);
    sizes[0] = arith::MulIOp::create(builder, getLoc(), rows, two).getResult();
    shapes.push_back(sizes);
    return success();
  }
};

/// Something.
class OpaqueOp : public Op<OpaqueOp, OpTrait::VariadicOperands, OpTrait::VariadicResults,
                           OpTrait::VariadicRegions> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OpaqueOp)
  using Op::Op;
  static StringRef getOperationName() { return "foreign.opaque"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
};

void ForeignDialect::initialize() { addOperations<SpinOp, ScanOp, SquareOp, RepeatOp, OpaqueOp>(); }

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "ForeignCostDialect", "1.0",
          [](DialectRegistry *registry) { registry->insert<ForeignDialect>(); }};
}
