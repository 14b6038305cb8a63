//===- JitDialect.cpp - The dialect of units of compilation ---------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/IR/JitDialect.h"

#include "anneal/IR/JitAttrs.h"
#include "anneal/IR/JitOps.h"
#include "anneal/IR/JitVersion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace anneal::jit;

#include "anneal/IR/JitDialect.cpp.inc"

void JitDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "anneal/IR/JitOps.cpp.inc"
      >();
  addBytecodeInterface(*this);
}

/// Guards fold to constants.
Operation *JitDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                           Location location) {
  return arith::ConstantOp::materialize(builder, value, type, location);
}

/// The names under which the dialect's attributes stand on operations of other dialects, and
/// whether an attribute is of the kind that such a name promises.
static bool isOfKind(StringRef name, Attribute value) {
  return llvm::StringSwitch<bool>(name)
      .Case(JitDialect::kLoopUnitAttrName, isa<FlatSymbolRefAttr>(value))
      .Case(JitDialect::kHotnessAttrName, isa<HotnessAttr>(value))
      .Case(JitDialect::kModeAttrName, isa<ModeAttr>(value))
      .Case(JitDialect::kProfileAttrName, isa<ProfileAttr>(value))
      .Case(JitDialect::kScheduleAttrName, isa<ScheduleAttr>(value))
      .Case(JitDialect::kTierAttrName, isa<TierAttr>(value))
      .Default(true);
}

/// Every name that an attribute of an operation may have.
static constexpr StringLiteral kOperationAttrNames[] = {
    JitDialect::kCostAttrName,         JitDialect::kCostDimsAttrName,
    JitDialect::kCriticalPathAttrName, JitDialect::kFusionAttrName,
    JitDialect::kFusionGroupAttrName,  JitDialect::kHotnessAttrName,
    JitDialect::kLoopUnitAttrName,     JitDialect::kModeAttrName,
    JitDialect::kProfileAttrName,      JitDialect::kScheduleAttrName,
    JitDialect::kShapeClassAttrName,   JitDialect::kSparsityAttrName,
    JitDialect::kTierAttrName};
/// And one of an argument.
static constexpr StringLiteral kArgumentAttrNames[] = {JitDialect::kShapeBucketAttrName,
                                                       JitDialect::kWriteOnlyAttrName};

/// An attribute of the dialect that nothing reads is a name written wrong.
static LogicalResult refuseUnknown(Operation *op, StringRef name, StringRef where,
                                   ArrayRef<StringLiteral> known) {
  return op->emitError() << "'" << name << "' is no attribute of " << where << "; there is "
                         << llvm::join(known, ", ");
}

LogicalResult JitDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kLoopUnitAttrName && !isa<LoopLikeOpInterface>(op))
    return op->emitError() << "'" << name << "' belongs on a loop";
  if (!isOfKind(name, attribute.getValue()))
    return op->emitError() << "'" << name << "' must be "
                           << (name == kLoopUnitAttrName ? "the name of a unit"
                                                         : "a #" + name.str())
                           << ", but is " << attribute.getValue();
  if (llvm::is_contained(kArgumentAttrNames, name))
    return op->emitError() << "'" << name << "' belongs on an argument";
  auto unit = dyn_cast<UnitOp>(op);
  if (unit && name == kProfileAttrName)
    return cast<ProfileAttr>(attribute.getValue())
        .verifyFits([&] { return unit.emitError(); }, unit.getArgumentTypes());
  StringRef bareName = name.drop_front(getDialectNamespace().size() + 1);
  if (unit && llvm::is_contained(UnitOp::getAttributeNames(), bareName))
    return op->emitError() << "a jit.unit has '" << bareName
                           << "', without the prefix, in place of '" << name << "'";
  if (!llvm::is_contained(kOperationAttrNames, name))
    return refuseUnknown(op, name, "an operation", kOperationAttrNames);
  return success();
}

/// `jit.write_only` stands on destinations of units.
static LogicalResult verifyWriteOnly(Operation *op, unsigned argIndex, Attribute value) {
  if (!isa<UnitAttr>(value))
    return op->emitError() << "'" << JitDialect::kWriteOnlyAttrName << "' of argument #" << argIndex
                           << " takes no value";
  auto unit = dyn_cast<UnitOp>(op);
  if (!unit || argIndex < unit.getNumInputs())
    return op->emitError() << "'" << JitDialect::kWriteOnlyAttrName << "' stands on argument #"
                           << argIndex << ", which is no destination of a jit.unit";
  return success();
}

/// `jit.shape_bucket` stands on ranked tensors whose known sizes lie in it.
static LogicalResult verifyShapeBucket(Operation *op, unsigned argIndex, Attribute value) {
  auto bucket = dyn_cast<ShapeBucketAttr>(value);
  if (!bucket)
    return op->emitError() << "'" << JitDialect::kShapeBucketAttrName << "' of argument #"
                           << argIndex << " must be a #jit.shape_bucket, but is " << value;
  auto function = dyn_cast<FunctionOpInterface>(op);
  auto tensor = function ? dyn_cast<RankedTensorType>(function.getArgumentTypes()[argIndex])
                         : RankedTensorType();
  if (!tensor)
    return op->emitError() << "'" << JitDialect::kShapeBucketAttrName << "' stands on argument #"
                           << argIndex << ", which is no ranked tensor";
  ArrayRef<DimBucket> dims = bucket.getDims();
  if (tensor.getRank() != static_cast<int64_t>(dims.size()))
    return op->emitError() << "'" << JitDialect::kShapeBucketAttrName << "' of argument #"
                           << argIndex << " has " << dims.size()
                           << " dimensions, but the argument is a " << tensor;
  for (auto [index, dim, size] : llvm::enumerate(dims, tensor.getShape()))
    if (!ShapedType::isDynamic(size) && !dim.contains(size))
      return op->emitError() << "'" << JitDialect::kShapeBucketAttrName << "' of argument #"
                             << argIndex << " leaves out size " << size << " of dimension #"
                             << index;
  return success();
}

LogicalResult JitDialect::verifyRegionArgAttribute(Operation *op, unsigned regionIndex,
                                                   unsigned argIndex, NamedAttribute attribute) {
  if (attribute.getName() == kWriteOnlyAttrName)
    return verifyWriteOnly(op, argIndex, attribute.getValue());
  if (attribute.getName() == kShapeBucketAttrName)
    return verifyShapeBucket(op, argIndex, attribute.getValue());
  return refuseUnknown(op, attribute.getName(), "an argument", kArgumentAttrNames);
}

LogicalResult JitDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned,
                                                      NamedAttribute attribute) {
  return op->emitError() << "'" << attribute.getName().getValue()
                         << "' stands on a result, which has no attributes of this dialect";
}
