//===- JitInvoke.cpp - jit.invoke -----------------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/IR/JitOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace anneal::jit;

//===----------------------------------------------------------------------===//
// Building, text form
//===----------------------------------------------------------------------===//

void InvokeOp::build(OpBuilder &builder, OperationState &state, StringRef callee, ValueRange inputs,
                     ValueRange outputs, bool effects) {
  state.addOperands(inputs);
  state.addOperands(outputs);
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.callee = FlatSymbolRefAttr::get(builder.getContext(), callee);
  properties.operandSegmentSizes = {static_cast<int32_t>(inputs.size()),
                                    static_cast<int32_t>(outputs.size())};
  if (effects)
    properties.effects = builder.getUnitAttr();
  for (Type type : outputs.getTypes())
    if (isa<RankedTensorType>(type))
      state.addTypes(type);
}

void InvokeOp::build(OpBuilder &builder, OperationState &state, UnitOp unit, ValueRange inputs,
                     ValueRange outputs) {
  build(builder, state, unit.getSymName(), inputs, outputs, unit.hasEffects());
}

/// Parses `type`, or `(type, type)` where there are several results.
static ParseResult parseResultTypes(OpAsmParser &parser, SmallVectorImpl<Type> &types) {
  if (failed(parser.parseOptionalLParen()))
    return parser.parseType(types.emplace_back());
  return failure(parser.parseTypeList(types) || parser.parseRParen());
}

static void printResultTypes(OpAsmPrinter &printer, Operation *, TypeRange types) {
  if (types.size() == 1)
    printer << types.front();
  else
    printer << "(" << types << ")";
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult InvokeOp::verify() {
  if (isa<UnitOp>((*this)->getParentOp()) ||
      ((*this)->getParentOfType<UnitOp>() && !(*this)->getParentOfType<LoopLikeOpInterface>()))
    return emitOpError() << "stands inside a jit.unit; only loops in units call others";
  bool anyTensor = llvm::any_of(getOperandTypes(), llvm::IsaPred<TensorType>);
  bool anyMemRef = llvm::any_of(getOperandTypes(), llvm::IsaPred<BaseMemRefType>);
  if (anyTensor && anyMemRef)
    return emitOpError() << "mixes tensors and memrefs";
  return success();
}

/// Whether a value of type `operand` may be passed for an argument of type `argument`: equal for a
/// scalar; for a tensor, or the memref that stands for one, equal in element type and rank, and
/// knowing each size that the argument knows.
static bool isPassable(Type operand, Type argument) {
  auto tensor = dyn_cast<RankedTensorType>(argument);
  if (!tensor)
    return operand == argument;
  auto shaped = dyn_cast<ShapedType>(operand);
  if (!shaped || !isa<RankedTensorType, MemRefType>(operand) ||
      shaped.getElementType() != tensor.getElementType() || shaped.getRank() != tensor.getRank())
    return false;
  return llvm::all_of(llvm::zip(shaped.getShape(), tensor.getShape()), [](auto sizes) {
    auto [actual, expected] = sizes;
    return ShapedType::isDynamic(expected) || actual == expected;
  });
}

LogicalResult InvokeOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  Operation *symbol = symbolTable.lookupNearestSymbolFrom(*this, getCalleeAttr());
  if (!symbol)
    return emitOpError() << "calls '" << getCalleeAttr() << "', which doesn't exist";
  auto unit = dyn_cast<UnitOp>(symbol);
  if (!unit)
    return emitOpError() << "calls '" << getCalleeAttr() << "', which is a '" << symbol->getName()
                         << "' and no jit.unit";
  if ((*this)->getParentOfType<UnitOp>() && unit.callsUnits())
    return emitOpError() << "calls '" << getCalleeAttr()
                         << "' from a unit, but that one calls units itself";
  if (getInputs().size() != unit.getNumInputs() || getOutputs().size() != unit.getNumDestinations())
    return emitOpError() << "passes " << getInputs().size() << " inputs and " << getOutputs().size()
                         << " destinations, but unit '" << getCalleeAttr() << "' takes "
                         << unit.getNumInputs() << " and " << unit.getNumDestinations();
  for (auto [index, operand, argument] :
       llvm::enumerate(getOperandTypes(), unit.getArgumentTypes()))
    if (!isPassable(operand, argument))
      return emitOpError() << "passes " << operand << " for argument #" << index << " of unit '"
                           << getCalleeAttr() << "', which is " << argument;
  if (!getEffects() && unit.hasEffects())
    return emitOpError() << "calls '" << getCalleeAttr()
                         << "', which has effects, and must say so: {effects}";
  return success();
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

UnitOp InvokeOp::getUnit() {
  return SymbolTable::lookupNearestSymbolFrom<UnitOp>(*this, getCalleeAttr());
}

void InvokeOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : (*this)->getOpOperands()) {
    if (!isa<BaseMemRefType>(operand.get().getType()))
      continue;
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
  if (getEffects())
    effects.emplace_back(MemoryEffects::Write::get());
}

Speculation::Speculatability InvokeOp::getSpeculatability() {
  if (getEffects() || !hasPureTensorSemantics())
    return Speculation::NotSpeculatable;
  UnitOp unit = getUnit();
  return unit && unit.isSpeculatable() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

//===----------------------------------------------------------------------===//
// Bufferization
//===----------------------------------------------------------------------===//

bool InvokeOp::bufferizesToMemoryRead(OpOperand &operand, const bufferization::AnalysisState &) {
  if (!isDpsInit(&operand))
    return true;
  UnitOp unit = getUnit();
  return !unit || !unit.isWriteOnly(operand.getOperandNumber() - getInputs().size());
}

bool InvokeOp::bufferizesToMemoryWrite(OpOperand &operand, const bufferization::AnalysisState &) {
  return isDpsInit(&operand);
}

bufferization::AliasingValueList InvokeOp::getAliasingValues(OpOperand &operand,
                                                             const bufferization::AnalysisState &) {
  if (!isDpsInit(&operand))
    return {};
  return {{getTiedOpResult(&operand), bufferization::BufferRelation::Equivalent}};
}

LogicalResult InvokeOp::bufferize(RewriterBase &rewriter,
                                  const bufferization::BufferizationOptions &options,
                                  bufferization::BufferizationState &state) {
  if (!hasPureTensorSemantics())
    return success();
  SmallVector<Value> buffers;
  for (Value operand : getOperands()) {
    if (!isa<TensorType>(operand.getType())) {
      buffers.push_back(operand);
      continue;
    }
    FailureOr<Value> buffer = bufferization::getBuffer(rewriter, operand, options, state);
    if (failed(buffer))
      return failure();
    buffers.push_back(*buffer);
  }
  ValueRange operands(buffers);
  ValueRange outputs = operands.drop_front(getInputs().size());
  auto call = InvokeOp::create(rewriter, getLoc(), getCallee(),
                               operands.take_front(getInputs().size()), outputs, getEffects());
  call->setDiscardableAttrs((*this)->getDiscardableAttrDictionary());
  bufferization::replaceOpWithBufferizedValues(rewriter, *this, outputs);
  return success();
}

//===----------------------------------------------------------------------===//
// Canonicalization
//===----------------------------------------------------------------------===//

namespace {
/// Passes the source of a `memref.cast` that only forgets sizes or strides.
struct FoldMemRefCast : OpRewritePattern<InvokeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(InvokeOp invoke, PatternRewriter &rewriter) const override {
    bool changed = false;
    for (OpOperand &operand : invoke->getOpOperands()) {
      auto cast = operand.get().getDefiningOp<memref::CastOp>();
      if (!cast || !memref::CastOp::canFoldIntoConsumerOp(cast))
        continue;
      rewriter.modifyOpInPlace(invoke, [&] { operand.set(cast.getSource()); });
      changed = true;
    }
    return changed ? success() : rewriter.notifyMatchFailure(invoke, "no cast that forgets sizes");
  }
};
} // namespace

void InvokeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<FoldMemRefCast>(context);
}

#define GET_OP_CLASSES
#include "anneal/IR/JitOps.cpp.inc"
