//===- UnitBuilder.cpp - jit.unit to plan::Unit ---------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitBuilder.h"

#include "BodyBuilder.h"
#include "anneal/Transforms/StructuredOps.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace anneal {

using plan::DType;
using plan::SizeExpr;

//===----------------------------------------------------------------------===//
// Affine expressions
//===----------------------------------------------------------------------===//

/// Adds `scale * expr` to `out`; false if the expression isn't linear.
static bool addLinear(AffineExpr expr, int64_t scale, plan::IndexExpr &out) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    out.constant += scale * constant.getValue();
    return true;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    out.coefficients[dim.getPosition()] += scale;
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return addLinear(binary.getLHS(), scale, out) && addLinear(binary.getRHS(), scale, out);
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return expr.getKind() == AffineExprKind::Mul && factor &&
         addLinear(binary.getLHS(), scale * factor.getValue(), out);
}

static void addPostfix(AffineExpr expr, std::vector<plan::IndexExpr::Token> &tokens) {
  using Kind = plan::IndexExpr::Token::Kind;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    tokens.push_back({Kind::Constant, constant.getValue()});
    return;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    tokens.push_back({Kind::Dim, static_cast<int64_t>(dim.getPosition())});
    return;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  addPostfix(binary.getLHS(), tokens);
  addPostfix(binary.getRHS(), tokens);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return tokens.push_back({Kind::Add, 0});
  case AffineExprKind::Mul:
    return tokens.push_back({Kind::Mul, 0});
  case AffineExprKind::Mod:
    return tokens.push_back({Kind::Mod, 0});
  case AffineExprKind::FloorDiv:
    return tokens.push_back({Kind::FloorDiv, 0});
  default:
    return tokens.push_back({Kind::CeilDiv, 0});
  }
}

plan::IndexExpr makeIndexExpr(AffineExpr expr, unsigned numDims) {
  plan::IndexExpr result;
  result.coefficients.assign(numDims, 0);
  if (addLinear(expr, 1, result))
    return result;
  result.constant = 0;
  result.coefficients.assign(numDims, 0);
  addPostfix(expr, result.postfix);
  return result;
}

static plan::Operand identityOperand(uint32_t tensor, unsigned rank) {
  plan::Operand operand;
  operand.tensor = tensor;
  for (unsigned dim = 0; dim < rank; ++dim) {
    plan::IndexExpr index;
    index.coefficients.assign(rank, 0);
    index.coefficients[dim] = 1;
    operand.indices.push_back(std::move(index));
  }
  return operand;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

FailureOr<plan::Unit> UnitBuilder::build() {
  unit.name = op.getSymName().str();
  if (failed(addParams()))
    return failure();
  chooseTargets();
  for (Operation &nested : op.getBody().front())
    if (failed(addOp(&nested)))
      return failure();
  return std::move(unit);
}

LogicalResult UnitBuilder::addParams() {
  auto addTensorParam = [&](BlockArgument argument) -> LogicalResult {
    auto type = cast<RankedTensorType>(argument.getType());
    FailureOr<DType> dtype = requireDType(op, type.getElementType());
    if (failed(dtype))
      return failure();
    auto index = static_cast<uint32_t>(unit.tensors.size());
    plan::UnitTensor tensor{*dtype, {}};
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      tensor.sizes.push_back(type.isDynamicDim(dim)
                                 ? SizeExpr{SizeExpr::Kind::Dim, index, dim}
                                 : SizeExpr{SizeExpr::Kind::Constant, 0, type.getDimSize(dim)});
    unit.tensors.push_back(std::move(tensor));
    tensors[argument] = index;
    return success();
  };
  for (BlockArgument argument : op.getInputs()) {
    if (isa<RankedTensorType>(argument.getType())) {
      if (failed(addTensorParam(argument)))
        return failure();
      ++unit.numInputs;
    } else if (failed(addScalar(op, {argument, std::nullopt}, argument.getType()))) {
      return failure();
    }
  }
  for (auto [index, argument] : llvm::enumerate(op.getDestinations())) {
    if (failed(addTensorParam(argument)))
      return failure();
    unit.outputIsRead.push_back(!op.isWriteOnly(index));
  }
  unit.numOutputs = op.getNumDestinations();
  return success();
}

FailureOr<uint32_t> UnitBuilder::addScalar(Operation *user, ScalarSource source, Type type) {
  FailureOr<DType> dtype = requireDType(user, type);
  if (failed(dtype))
    return failure();
  auto index = static_cast<uint32_t>(unit.scalars.size());
  unit.scalars.push_back({*dtype, /*isShape=*/false});
  scalarIndices[{source.value, source.dim.value_or(-1)}] = index;
  scalars.push_back(source);
  return index;
}

FailureOr<uint32_t> UnitBuilder::scalarParam(Operation *user, Value value) {
  auto it = scalarIndices.find({value, -1});
  if (it != scalarIndices.end())
    return it->second;
  return addScalar(user, {value, std::nullopt}, value.getType());
}

FailureOr<uint32_t> UnitBuilder::dimParam(Operation *user, Value tensor, int64_t dim) {
  auto it = scalarIndices.find({tensor, dim});
  if (it != scalarIndices.end())
    return it->second;
  return addScalar(user, {tensor, dim}, IndexType::get(user->getContext()));
}

FailureOr<uint32_t> UnitBuilder::tensorIndex(Operation *user, Value value) {
  auto it = tensors.find(value);
  if (it != tensors.end())
    return it->second;
  if (value.getDefiningOp<tensor::EmptyOp>())
    return addTemporary(user, value);
  return user->emitError() << "reads a tensor that is neither a parameter of the unit nor computed "
                              "in it by a structured operation";
}

//===----------------------------------------------------------------------===//
// Temporaries
//===----------------------------------------------------------------------===//

FailureOr<SizeExpr> UnitBuilder::sizeExpr(Operation *user, OpFoldResult size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return SizeExpr{SizeExpr::Kind::Constant, 0, *constant};
  Value value = cast<Value>(size);
  if (auto dim = value.getDefiningOp<tensor::DimOp>())
    if (std::optional<int64_t> index = dim.getConstantIndex())
      return sizeExpr(user, dim.getSource(), *index);
  FailureOr<uint32_t> param = scalarParam(user, value);
  if (failed(param))
    return failure();
  unit.scalars[*param].isShape = true;
  return SizeExpr{SizeExpr::Kind::Scalar, *param, 0};
}

FailureOr<SizeExpr> UnitBuilder::sizeExpr(Operation *user, Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return SizeExpr{SizeExpr::Kind::Constant, 0, type.getDimSize(dim)};
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return SizeExpr{SizeExpr::Kind::Dim, tensors.lookup(argument), dim};
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
    return sizeExpr(user, empty.getMixedSizes()[dim]);
  if (auto structured = tensor.getDefiningOp<linalg::LinalgOp>())
    return sizeExpr(user, structured.getTiedOpOperand(cast<OpResult>(tensor))->get(), dim);
  FailureOr<uint32_t> param = dimParam(user, tensor, dim);
  if (failed(param))
    return failure();
  unit.scalars[*param].isShape = true;
  return SizeExpr{SizeExpr::Kind::Scalar, *param, 0};
}

FailureOr<uint32_t> UnitBuilder::addTemporary(Operation *user, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  FailureOr<DType> dtype = requireDType(user, type.getElementType());
  if (failed(dtype))
    return failure();
  plan::UnitTensor tensor{*dtype, {}};
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    FailureOr<SizeExpr> size = sizeExpr(user, like, dim);
    if (failed(size))
      return failure();
    tensor.sizes.push_back(*size);
  }
  unit.tensors.push_back(std::move(tensor));
  return static_cast<uint32_t>(unit.tensors.size() - 1);
}

/// A returned value is computed in its destination, and so is what it is computed in place of, as
/// long as nothing else uses that.
void UnitBuilder::chooseTargets() {
  for (auto [index, returned] : llvm::enumerate(op.getReturn().getOperands())) {
    Value value = returned;
    while (auto result = dyn_cast<OpResult>(value)) {
      if (!targets.try_emplace(value, outputTensor(index)).second)
        break;
      auto structured = dyn_cast<linalg::LinalgOp>(result.getOwner());
      if (!structured)
        break;
      value = structured.getTiedOpOperand(result)->get();
      if (!value.hasOneUse() || !value.getDefiningOp<linalg::LinalgOp>())
        break;
    }
  }
}

LogicalResult UnitBuilder::placeResult(linalg::LinalgOp op, OpResult result) {
  OpOperand *init = op.getTiedOpOperand(result);
  Value old = init->get();
  auto holder = tensors.find(old);
  uint32_t place;
  if (auto target = targets.find(result); target != targets.end()) {
    place = target->second;
  } else if (holder != tensors.end() && !isa<BlockArgument>(old) && old.hasOneUse()) {
    place = holder->second;
  } else {
    FailureOr<uint32_t> temporary = addTemporary(op, old);
    if (failed(temporary))
      return failure();
    place = *temporary;
  }
  if (holder != tensors.end() && holder->second != place && !overwrites(op, *init))
    addCopy(op.getLoc(), holder->second, place);
  tensors[result] = place;
  return success();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

plan::Kernel &UnitBuilder::addKernel(Operation *op) {
  plan::Kernel &kernel = unit.kernels.emplace_back();
  kernel.opName = op->getName().getStringRef().str();
  kernel.location = tables.location(op->getLoc());
  return kernel;
}

LogicalResult UnitBuilder::addOp(Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return addStructured(structured);
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return addPad(pad);
  if (isa<cf::AssertOp>(op))
    return addAssert(op);
  if (auto end = dyn_cast<jit::ReturnOp>(op))
    return addReturn(end);
  // Computed by the caller where a kernel or a size needs it.
  if (isa<tensor::EmptyOp, tensor::DimOp>(op) || op->hasTrait<OpTrait::ConstantLike>() ||
      isScalarOp(op))
    return success();
  return op->emitError() << "'" << op->getName() << "' can't stand in a unit";
}

LogicalResult UnitBuilder::addOperands(linalg::LinalgOp op, plan::Kernel &kernel,
                                       BodyBuilder &body) {
  unsigned numDims = op.getNumLoops();
  SmallVector<int32_t> operandOf;
  for (OpOperand &operand : op->getOpOperands()) {
    operandOf.push_back(-1);
    unsigned number = operand.getOperandNumber();
    bool isInput = op.isDpsInput(&operand);
    BlockArgument argument = number < op.getBlock()->getNumArguments()
                                 ? op.getBlock()->getArgument(number)
                                 : BlockArgument();
    if (op.isScalar(&operand)) {
      FailureOr<plan::Reg> reg = body.capture(op, operand.get());
      if (failed(reg))
        return failure();
      body.bind(argument, *reg);
      continue;
    }
    FailureOr<DType> dtype = requireDType(op, getElementTypeOrSelf(operand.get().getType()));
    if (failed(dtype))
      return failure();
    DenseElementsAttr elements;
    if (isInput && matchPattern(operand.get(), m_Constant(&elements)) && elements.isSplat()) {
      body.bind(argument, body.constant(*dtype, *scalarBits(elements.getSplatValue<Attribute>())));
      continue;
    }
    FailureOr<uint32_t> tensor = isInput
                                     ? tensorIndex(op, operand.get())
                                     : tensors.lookup(op->getResult(number - op.getNumDpsInputs()));
    if (failed(tensor))
      return failure();
    operandOf.back() = static_cast<int32_t>(kernel.operands.size());
    kernel.numInputs += isInput;
    plan::Operand &access = kernel.operands.emplace_back();
    access.tensor = *tensor;
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
      access.indices.push_back(makeIndexExpr(expr, numDims));
    plan::Reg reg = body.addOperand(*dtype);
    if (argument)
      body.bind(argument, reg);
  }
  addDomain(op, kernel, operandOf);
  return success();
}

void UnitBuilder::addDomain(linalg::LinalgOp op, plan::Kernel &kernel,
                            ArrayRef<int32_t> operandOf) {
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim) {
    AffineExpr wanted = getAffineDimExpr(dim, op.getContext());
    plan::DomainSource source;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      std::optional<unsigned> position = map.getResultPosition(wanted);
      if (!position)
        continue;
      int64_t size = op.getShape(&operand)[*position];
      if (!ShapedType::isDynamic(size)) {
        source = {-1, size};
        break;
      }
      if (source.operand < 0)
        source = {operandOf[operand.getOperandNumber()], *position};
    }
    kernel.domain.push_back(source);
  }
}

LogicalResult UnitBuilder::addStructured(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return op.emitError() << "works on buffers; units work on tensors";
  for (OpResult result : op->getResults())
    if (failed(placeResult(op, result)))
      return failure();
  if (unit.anchor < 0 && isAnchor(op))
    unit.anchor = static_cast<int32_t>(unit.kernels.size());
  plan::Kernel &kernel = addKernel(op);
  kernel.sourceOp = numStructured++;
  BodyBuilder body(*this, kernel);
  for (utils::IteratorType iterator : op.getIteratorTypesArray())
    kernel.iterators.push_back(iterator == utils::IteratorType::reduction
                                   ? plan::IterKind::Reduction
                                   : plan::IterKind::Parallel);
  if (failed(addOperands(op, kernel, body)) || failed(body.translateRoot(*op.getBlock())))
    return failure();
  kernel.body = body.finish();
  return success();
}

LogicalResult UnitBuilder::addPad(tensor::PadOp op) {
  Value padding = op.getConstantPaddingValue();
  if (!padding)
    return op.emitError() << "pads with a value that depends on the position";
  FailureOr<uint32_t> from = tensorIndex(op, op.getSource());
  if (failed(from))
    return failure();
  FailureOr<uint32_t> to = failure();
  if (auto target = targets.find(op.getResult()); target != targets.end())
    to = target->second;
  else
    to = addTemporary(op, op.getResult());
  if (failed(to))
    return failure();
  tensors[op.getResult()] = *to;
  unsigned rank = op.getResultType().getRank();
  SmallVector<plan::SizeExpr> low;
  for (OpFoldResult amount : op.getMixedLowPad()) {
    FailureOr<SizeExpr> size = sizeExpr(op, amount);
    if (failed(size))
      return failure();
    low.push_back(*size);
  }
  plan::Kernel &kernel = addKernel(op);
  kernel.kind = plan::KernelKind::Pad;
  kernel.padLow.assign(low.begin(), low.end());
  kernel.numInputs = 1;
  kernel.operands = {identityOperand(*from, rank), identityOperand(*to, rank)};
  kernel.iterators.assign(rank, plan::IterKind::Parallel);
  for (unsigned dim = 0; dim < rank; ++dim)
    kernel.domain.push_back({1, dim});
  BodyBuilder body(*this, kernel);
  FailureOr<plan::Reg> value = body.capture(op, padding);
  if (failed(value))
    return failure();
  body.addYield(*value);
  kernel.body = body.finish();
  return success();
}

LogicalResult UnitBuilder::addAssert(Operation *op) {
  plan::Kernel &kernel = addKernel(op);
  BodyBuilder body(*this, kernel);
  if (failed(body.translateAlone(op)))
    return failure();
  kernel.body = body.finish();
  return success();
}

void UnitBuilder::addCopy(Location location, uint32_t from, uint32_t to) {
  auto rank = static_cast<unsigned>(unit.tensors[to].sizes.size());
  plan::Kernel &kernel = unit.kernels.emplace_back();
  kernel.opName = "linalg.copy";
  kernel.location = tables.location(location);
  kernel.numInputs = 1;
  kernel.operands = {identityOperand(from, rank), identityOperand(to, rank)};
  kernel.iterators.assign(rank, plan::IterKind::Parallel);
  for (unsigned dim = 0; dim < rank; ++dim)
    kernel.domain.push_back({1, dim});
  kernel.body.numOperands = 2;
  kernel.body.regTypes.assign(2, unit.tensors[to].dtype);
  kernel.body.yields = {0};
}

LogicalResult UnitBuilder::addReturn(jit::ReturnOp end) {
  for (auto [index, value] : llvm::enumerate(end.getOperands())) {
    FailureOr<uint32_t> tensor = tensorIndex(end, value);
    if (failed(tensor))
      return failure();
    if (*tensor != outputTensor(index))
      addCopy(end.getLoc(), *tensor, outputTensor(index));
  }
  return success();
}

} // namespace anneal
