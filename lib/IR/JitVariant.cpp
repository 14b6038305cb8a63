//===- JitVariant.cpp - jit.variant ---------------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/IR/JitOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace anneal::jit;

//===----------------------------------------------------------------------===//
// Building, text form
//===----------------------------------------------------------------------===//

void VariantOp::build(OpBuilder &builder, OperationState &state, UnitOp code, UnitOp unit,
                      ArrayRef<ShapeBucketAttr> constraints) {
  SmallVector<Attribute> guard;
  for (ShapeBucketAttr constraint : constraints)
    guard.push_back(constraint ? Attribute(constraint) : builder.getUnitAttr());
  build(builder, state, FlatSymbolRefAttr::get(code), FlatSymbolRefAttr::get(unit),
        builder.getArrayAttr(guard));
}

ParseResult VariantOp::parse(OpAsmParser &parser, OperationState &result) {
  FlatSymbolRefAttr code, unit;
  SmallVector<Attribute> guard;
  auto parseNext = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalKeyword("any"))) {
      guard.push_back(parser.getBuilder().getUnitAttr());
      return success();
    }
    guard.push_back(ShapeBucketAttr::parse(parser, {}));
    return success(bool(guard.back()));
  };
  if (parser.parseAttribute(code) || parser.parseKeyword("of") || parser.parseAttribute(unit) ||
      parser.parseKeyword("when") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseNext) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  Properties &properties = result.getOrAddProperties<Properties>();
  properties.code = code;
  properties.unit = unit;
  properties.guard = parser.getBuilder().getArrayAttr(guard);
  return success();
}

void VariantOp::print(OpAsmPrinter &printer) {
  printer << " " << getCodeAttr() << " of " << getUnitAttr() << " when (";
  llvm::interleaveComma(getGuard(), printer, [&](Attribute constraint) {
    if (auto bucket = dyn_cast<ShapeBucketAttr>(constraint))
      bucket.print(printer);
    else
      printer << "any";
  });
  printer << ")";
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getCodeAttrName(), getUnitAttrName(), getGuardAttrName()});
}

UnitOp VariantOp::getGenericUnit() {
  return SymbolTable::lookupNearestSymbolFrom<UnitOp>(*this, getUnitAttr());
}

UnitOp VariantOp::getCodeUnit() {
  return SymbolTable::lookupNearestSymbolFrom<UnitOp>(*this, getCodeAttr());
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult VariantOp::verify() {
  for (auto [index, constraint] : llvm::enumerate(getGuard()))
    if (!isa<ShapeBucketAttr, ::mlir::UnitAttr>(constraint))
      return emitOpError()
             << "the guard of argument #" << index
             << " must be a #jit.shape_bucket or a unit attribute for any shape, but is "
             << constraint;
  if (getCode() == getUnit())
    return emitOpError() << "says that '" << getUnitAttr() << "' is a variant of itself";
  return success();
}

/// The unit of that name, or an error.
static FailureOr<UnitOp> lookUpUnit(VariantOp variant, FlatSymbolRefAttr name,
                                    SymbolTableCollection &symbolTable) {
  Operation *symbol = symbolTable.lookupNearestSymbolFrom(variant, name);
  if (!symbol)
    return variant.emitOpError() << "names '" << name << "', which doesn't exist";
  auto unit = dyn_cast<UnitOp>(symbol);
  if (!unit)
    return variant.emitOpError() << "names '" << name << "', which is a '" << symbol->getName()
                                 << "' and no jit.unit";
  return unit;
}

/// Whether a guard's demand on an argument can be fulfilled, and whether it demands what `code`
/// knows.
static LogicalResult verifyArgument(VariantOp variant, unsigned index, Type generic, Type code) {
  auto tensor = dyn_cast<RankedTensorType>(generic);
  ShapeBucketAttr bucket = variant.getConstraint(index);
  if (!tensor) {
    if (bucket)
      return variant.emitOpError() << "demands a shape of argument #" << index << " of '"
                                   << variant.getUnitAttr() << "', which is a scalar: write any";
    if (generic != code)
      return variant.emitOpError()
             << "argument #" << index << " is " << code << " in '" << variant.getCodeAttr()
             << "', but " << generic << " in '" << variant.getUnitAttr() << "'";
    return success();
  }
  auto known = dyn_cast<RankedTensorType>(code);
  if (!known || known.getElementType() != tensor.getElementType() ||
      known.getEncoding() != tensor.getEncoding() || known.getRank() != tensor.getRank())
    return variant.emitOpError() << "argument #" << index << " is " << code << " in '"
                                 << variant.getCodeAttr() << "', but " << generic << " in '"
                                 << variant.getUnitAttr() << "'";
  if (bucket && static_cast<int64_t>(bucket.getDims().size()) != tensor.getRank())
    return variant.emitOpError() << "the guard of argument #" << index << " has "
                                 << bucket.getDims().size() << " dimensions, but the argument is a "
                                 << tensor;
  for (int64_t dim : llvm::seq<int64_t>(0, tensor.getRank())) {
    DimBucket demand = bucket ? bucket.getDims()[dim] : DimBucket::any();
    if (tensor.isDynamicDim(dim) ? !demand.getSizes() : !demand.contains(tensor.getDimSize(dim)))
      return variant.emitOpError() << "its guard can never hold: dimension #" << dim
                                   << " of argument #" << index << " of '" << variant.getUnitAttr()
                                   << "', a " << tensor << ", has no size that lies in " << bucket;
    if (known.isDynamicDim(dim)) {
      if (!tensor.isDynamicDim(dim))
        return variant.emitOpError() << "argument #" << index << " of '" << variant.getCodeAttr()
                                     << "' knows less of dimension #" << dim << " than that of '"
                                     << variant.getUnitAttr() << "': " << known << ", " << tensor;
      continue;
    }
    DimBucket size = DimBucket::size(known.getDimSize(dim));
    if (tensor.isDynamicDim(dim) ? !size.covers(demand)
                                 : known.getDimSize(dim) != tensor.getDimSize(dim))
      return variant.emitOpError()
             << "'" << variant.getCodeAttr() << "' is for size " << known.getDimSize(dim)
             << " in dimension #" << dim << " of argument #" << index
             << ", but the guard lets others through";
  }
  return success();
}

/// What a guard demands beyond what the generic unit's types say, per dimension of each argument;
/// equal guards have equal demands.
static SmallVector<DimBucket> getDemands(VariantOp variant, UnitOp unit) {
  SmallVector<DimBucket> demands;
  for (auto [index, type] : llvm::enumerate(unit.getArgumentTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      continue;
    ShapeBucketAttr bucket = variant.getConstraint(index);
    for (int64_t dim : llvm::seq<int64_t>(0, tensor.getRank()))
      demands.push_back(bucket && tensor.isDynamicDim(dim) ? bucket.getDims()[dim]
                                                           : DimBucket::any());
  }
  return demands;
}

static bool areEqual(const DimBucket &one, const DimBucket &other) {
  return one.covers(other) && other.covers(one);
}

/// A unit has one variant for a guard, and isn't both generic and a variant.
static LogicalResult verifySiblings(VariantOp variant, UnitOp unit) {
  SmallVector<DimBucket> demands = getDemands(variant, unit);
  if (llvm::all_of(demands, [](const DimBucket &demand) { return demand.isAny(); }))
    return variant.emitOpError() << "its guard holds for every call of '" << variant.getUnitAttr()
                                 << "', and so it specialises nothing";
  for (Operation &op : *variant->getBlock()) {
    auto other = dyn_cast<VariantOp>(op);
    if (!other || other == variant)
      continue;
    if (other.getCodeAttr() == variant.getUnitAttr()) {
      InFlightDiagnostic error = variant.emitOpError();
      error << "'" << variant.getUnitAttr() << "' is itself a variant, of '" << other.getUnitAttr()
            << "'; name that one as the generic unit";
      error.attachNote(other.getLoc()) << "by this";
      return error;
    }
    if (other.getUnitAttr() != variant.getUnitAttr() || !other->isBeforeInBlock(variant) ||
        other.getGuard().size() != variant.getGuard().size())
      continue;
    if (llvm::equal(getDemands(other, unit), demands, areEqual)) {
      InFlightDiagnostic error = variant.emitOpError();
      error << "has the guard of another variant of '" << variant.getUnitAttr() << "', '"
            << other.getCodeAttr() << "'";
      error.attachNote(other.getLoc()) << "which is here";
      return error;
    }
  }
  return success();
}

LogicalResult VariantOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  FailureOr<UnitOp> unit = lookUpUnit(*this, getUnitAttr(), symbolTable);
  if (failed(unit))
    return failure();
  FailureOr<UnitOp> code = lookUpUnit(*this, getCodeAttr(), symbolTable);
  if (failed(code))
    return failure();
  ArrayRef<Type> generic = unit->getArgumentTypes(), known = code->getArgumentTypes();
  if (getGuard().size() != generic.size())
    return emitOpError() << "guards " << getGuard().size() << " arguments, but '" << getUnitAttr()
                         << "' has " << generic.size();
  if (known.size() != generic.size() || code->getNumDestinations() != unit->getNumDestinations())
    return emitOpError() << "'" << getCodeAttr() << "' takes " << code->getNumInputs()
                         << " inputs and " << code->getNumDestinations() << " destinations, but '"
                         << getUnitAttr() << "' takes " << unit->getNumInputs() << " and "
                         << unit->getNumDestinations();
  for (unsigned index : llvm::seq<unsigned>(0, generic.size()))
    if (failed(verifyArgument(*this, index, generic[index], known[index])))
      return failure();
  for (unsigned index : llvm::seq<unsigned>(0, unit->getNumDestinations()))
    if (unit->isWriteOnly(index) && !code->isWriteOnly(index))
      return emitOpError() << "'" << getCodeAttr() << "' may read destination #" << index
                           << ", which '" << getUnitAttr() << "' only writes";
  if (code->hasEffects() && !unit->hasEffects())
    return emitOpError() << "'" << getCodeAttr() << "' has effects, but '" << getUnitAttr()
                         << "' has none";
  return verifySiblings(*this, *unit);
}
