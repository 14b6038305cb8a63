//===- JitUnit.cpp - jit.unit and jit.return ------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/IR/JitDialect.h"
#include "anneal/IR/JitOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "mlir/Interfaces/ParallelCombiningOpInterface.h"

using namespace mlir;
using namespace anneal::jit;

//===----------------------------------------------------------------------===//
// jit.unit
//===----------------------------------------------------------------------===//

void UnitOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type,
                   ArrayRef<NamedAttribute> attrs) {
  buildWithEntryBlock(builder, state, name, type, attrs, type.getInputs());
}

ParseResult UnitOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(arguments, results); };
  SMLoc start = parser.getCurrentLocation();
  if (function_interface_impl::parseFunctionOp(
          parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), buildType,
          getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name)))
    return failure();
  // An own attribute of the wrong kind would silently be left out otherwise.
  return result.name.verifyInherentAttrs(
      result.attributes, [&] { return parser.emitError(start) << "'" << result.name << "' op "; });
}

void UnitOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false,
                                           getFunctionTypeAttrName(), getArgAttrsAttrName(),
                                           getResAttrsAttrName());
}

/// Whether a unit can take a value of this type that isn't a tensor.
static bool isScalar(Type type) {
  return type.isSignlessInteger() || isa<IndexType, FloatType, ComplexType>(type);
}

LogicalResult UnitOp::verify() {
  FunctionType type = getFunctionType();
  for (auto [index, argument] : llvm::enumerate(type.getInputs()))
    if (!isa<RankedTensorType>(argument) && !isScalar(argument))
      return emitOpError() << "argument #" << index
                           << " must be a ranked tensor or a scalar, but is " << argument;
  if (type.getNumInputs() < type.getNumResults())
    return emitOpError() << "has " << type.getNumResults() << " results but only "
                         << type.getNumInputs() << " arguments: each result needs a destination, "
                         << "and destinations are the last arguments";
  ArrayRef<Type> destinations = type.getInputs().take_back(type.getNumResults());
  for (auto [index, result, destination] : llvm::enumerate(type.getResults(), destinations)) {
    if (!isa<RankedTensorType>(result))
      return emitOpError() << "result #" << index << " must be a ranked tensor, but is " << result;
    if (result != destination)
      return emitOpError() << "result #" << index << " is of type " << result
                           << ", but its destination, argument #"
                           << type.getNumInputs() - type.getNumResults() + index << ", is "
                           << destination;
  }
  return success();
}

/// Whether an operation reads elements of an operand. Of what it isn't known, as where a loop takes
/// it on, it is taken that it doesn't.
static bool readsElements(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (isa<tensor::ExtractOp>(op))
    return true;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return structured.payloadUsesValueFromOperand(&operand);
  auto destination = dyn_cast<DestinationStyleOpInterface>(op);
  return destination && destination.isDpsInput(&operand);
}

LogicalResult UnitOp::verifyRegions() {
  for (auto [index, destination] : llvm::enumerate(getDestinations())) {
    if (!isWriteOnly(index))
      continue;
    auto reader = llvm::find_if(destination.getUses(), readsElements);
    if (reader == destination.use_end())
      continue;
    InFlightDiagnostic error = emitOpError()
                               << "promises by '" << JitDialect::kWriteOnlyAttrName
                               << "' not to read argument #" << destination.getArgNumber();
    error.attachNote(reader->getOwner()->getLoc())
        << "'" << reader->getOwner()->getName() << "' reads it";
    return error;
  }
  return success();
}

bool UnitOp::isWriteOnly(unsigned index) {
  return bool(getArgAttr(getNumInputs() + index, JitDialect::kWriteOnlyAttrName));
}

void UnitOp::setWriteOnly(unsigned index) {
  setArgAttr(getNumInputs() + index, JitDialect::kWriteOnlyAttrName, UnitAttr::get(getContext()));
}

ReturnOp UnitOp::getReturn() { return cast<ReturnOp>(getBody().front().getTerminator()); }

/// Whether the effects of `op` itself, not of what is nested in it, reach outside of a unit.
static bool hasOwnOutsideEffects(Operation *op) {
  // Writes a part of what the parallel loop around it returns.
  if (isa<ParallelCombiningOpInterface>(op))
    return false;
  if (auto memory = dyn_cast<MemoryEffectOpInterface>(op)) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    memory.getEffects(effects);
    return llvm::any_of(effects, [](const MemoryEffects::EffectInstance &effect) {
      return isa<MemoryEffects::Write>(effect.getEffect()) && !effect.getValue();
    });
  }
  return !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
}

bool UnitOp::callsUnits() {
  return getBody().walk([](InvokeOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

bool UnitOp::hasEffects() {
  WalkResult walk = getBody().walk([](Operation *op) {
    return hasOwnOutsideEffects(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

bool UnitOp::isSpeculatable() {
  return !hasEffects() && llvm::all_of(getBody().front().without_terminator(),
                                       [](Operation &op) { return mlir::isSpeculatable(&op); });
}

//===----------------------------------------------------------------------===//
// jit.return
//===----------------------------------------------------------------------===//

LogicalResult ReturnOp::verify() {
  auto unit = cast<UnitOp>((*this)->getParentOp());
  ArrayRef<Type> expected = unit.getFunctionType().getResults();
  if (getNumOperands() != expected.size())
    return emitOpError() << "has " << getNumOperands() << " operands, but unit '@"
                         << unit.getSymName() << "' has " << expected.size() << " results";
  for (auto [index, operand, type] : llvm::enumerate(getOperandTypes(), expected))
    if (operand != type)
      return emitOpError() << "operand #" << index << " is of type " << operand << ", but result #"
                           << index << " of unit '@" << unit.getSymName() << "' is " << type;
  return success();
}
