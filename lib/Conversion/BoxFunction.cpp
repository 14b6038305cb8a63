//===- BoxFunction.cpp - The code of a body over boxes --------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoxFunction.h"

#include "anneal-c/UnitAbi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cstddef>

using namespace mlir;

namespace anneal {

using Predicate = LLVM::ICmpPredicate;

Location BoxFunction::loc() const { return kernel.op->getLoc(); }

//===----------------------------------------------------------------------===//
// Entry and setup
//===----------------------------------------------------------------------===//

void BoxFunction::makeBlocks(LLVM::LLVMFuncOp function) {
  OpBuilder builder(function.getContext());
  entry = function.addEntryBlock(builder);
  Region &region = function.getBody();
  for (Block **made : {&setup, &row, &block, &direct, &staged, &preamble, &vector, &latch, &rowEnd,
                       &done, &failure})
    region.push_back(*made = new Block());
}

/// An empty box has no points, so nothing of it is read.
void BoxFunction::emitEntry() {
  w->at(entry);
  box = entry->getArgument(0);
  rows = w->loadField(w->i64, box, offsetof(AnnealBox, rows));
  columns = w->loadField(w->i64, box, offsetof(AnnealBox, columns));
  for (Place &place : places)
    if (place.isElement() || !place.operand->isOutput) {
      auto bytes = static_cast<int64_t>(width() * place.bytes);
      place.buffer = w->make<LLVM::AllocaOp>(w->ptr, w->i8, w->number(bytes), 64u);
    }
  Value zero = w->number(0);
  Value hasRows = w->compare(Predicate::sgt, rows, zero);
  Value hasColumns = w->compare(Predicate::sgt, columns, zero);
  w->branch(w->both(hasRows, hasColumns), setup, {}, done, {});
  w->at(done);
  Value ok = vectors->constantInt(w->i32, 0);
  LLVM::ReturnOp::create(w->b, ok);
  w->at(failure);
  LLVM::ReturnOp::create(w->b, vectors->constantInt(w->i32, 1));
}

void BoxFunction::setUpOperands() {
  Value data = w->loadField(w->ptr, box, offsetof(AnnealBox, data));
  Value rowStrides = w->loadField(w->ptr, box, offsetof(AnnealBox, rowStrides));
  Value columnStrides = w->loadField(w->ptr, box, offsetof(AnnealBox, columnStrides));
  for (Place &place : places) {
    auto k = static_cast<unsigned>(place.operand - kernel.operands.begin());
    place.data = w->loadEntry(w->ptr, data, k);
    place.rowBytes = w->scale(w->loadEntry(w->i64, rowStrides, k), place.bytes);
    if (place.buffer)
      place.columnStride = w->loadEntry(w->i64, columnStrides, k);
  }
}

void BoxFunction::setUpPositions() {
  for (Operation *op : kernel.live)
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      unsigned dim = index.getDim();
      if (llvm::none_of(positions, [&](Position &known) { return known.dim == dim; }))
        positions.push_back({dim, {}, {}, {}, {}, {}});
    }
  if (positions.empty())
    return;
  Value first = w->loadField(w->ptr, box, offsetof(AnnealBox, positions));
  Value rowSteps = w->loadField(w->ptr, box, offsetof(AnnealBox, rowSteps));
  Value columnSteps = w->loadField(w->ptr, box, offsetof(AnnealBox, columnSteps));
  SmallVector<int64_t> counting(width());
  for (unsigned i = 0; i < width(); ++i)
    counting[i] = i;
  Value iota = vectors->constant(
      DenseElementsAttr::get(vectors->vectorOf(w->i64), ArrayRef<int64_t>(counting)));
  for (Position &position : positions) {
    position.first = w->loadEntry(w->i64, first, position.dim);
    position.rowStep = w->loadEntry(w->i64, rowSteps, position.dim);
    position.columnStep = w->loadEntry(w->i64, columnSteps, position.dim);
    Value steps = vectors->broadcast(w->b, loc(), position.columnStep);
    position.iota = w->make<LLVM::MulOp>(iota, steps);
  }
}

/// Whether all operands and positions are as they are expected to be along the columns.
Value BoxFunction::setUpDirect() {
  Value all;
  for (Place &place : places)
    if (place.buffer)
      all = w->both(
          all, w->compare(Predicate::eq, place.columnStride, w->number(place.isElement() ? 1 : 0)));
  for (Position &position : positions)
    if (spreadOf(position.dim) == Spread::Row)
      all = w->both(all, w->compare(Predicate::eq, position.columnStep, w->number(0)));
  return all ? all : vectors->constantInt(w->i1, 1);
}

void BoxFunction::emitSetup() {
  w->at(setup);
  setUpOperands();
  setUpPositions();
  isDirect = setUpDirect();
}

//===----------------------------------------------------------------------===//
// Rows and blocks
//===----------------------------------------------------------------------===//

void BoxFunction::emitRow() {
  w->at(row);
  rowIndex = row->addArgument(w->i64, loc());
  for (Place &place : places)
    place.row = row->addArgument(w->ptr, loc());
  for (Position &position : positions)
    position.row = row->addArgument(w->i64, loc());
  SmallVector<Value> arguments{w->number(0)};
  for (unsigned k = 0; k < kernel.combiners.size(); ++k)
    arguments.push_back(identityOf(k));
  w->branch(block, arguments);
}

void BoxFunction::emitBlock() {
  w->at(block);
  firstColumn = block->addArgument(w->i64, loc());
  for (unsigned k = 0; k < kernel.combiners.size(); ++k)
    lanesIn.push_back(block->addArgument(vectors->vectorOf(laneType(k)), loc()));
  Value rest = w->sub(columns, firstColumn);
  isWhole = w->compare(Predicate::sge, rest, w->number(width()));
  count = w->select(isWhole, w->number(width()), rest);
  Value ones = w->make<LLVM::ShlOp>(w->number(1), count);
  maskBits = w->make<LLVM::TruncOp>(w->b.getIntegerType(width()), w->sub(ones, w->number(1)));
  Value goesDirect = options.maskedMemory ? isDirect : w->both(isDirect, isWhole);
  w->branch(goesDirect, direct, {}, staged, {});
}

void BoxFunction::emitDirect() {
  w->at(direct);
  SmallVector<Value> arguments{w->sub(columns, w->number(width())), vectors->constantInt(w->i1, 0)};
  for (Place &place : places) {
    if (place.isElement()) {
      if (place.operand->isRead)
        arguments.push_back(place.row);
      if (place.isVectorOutput)
        arguments.push_back(place.row);
    } else if (place.buffer) {
      Value scalar = w->load(storedElement(place.operand->type), place.row, place.bytes);
      arguments.push_back(vectors->broadcast(w->b, loc(), scalar));
    }
  }
  w->branch(preamble, arguments);
}

/// The elements of the block, where they stand or in the buffer.
Value BoxFunction::stage(Place &place) {
  Value bytes = w->scale(place.columnStride, place.bytes);
  Value source = w->offset(place.row, w->make<LLVM::MulOp>(firstColumn, bytes));
  LLVM::LLVMFuncOp function = staging.stage(place.bytes);
  return w->make<LLVM::CallOp>(
      function, ValueRange{place.buffer, source, place.columnStride, count, isWhole});
}

void BoxFunction::emitStaged() {
  w->at(staged);
  SmallVector<Value> arguments{w->number(-1), vectors->constantInt(w->i1, 1)};
  for (Place &place : places) {
    // The body adds its column.
    Value back = w->sub(w->number(0), w->scale(firstColumn, place.bytes));
    if (place.isElement()) {
      if (place.operand->isRead)
        arguments.push_back(w->offset(stage(place), back));
      if (place.isVectorOutput)
        arguments.push_back(w->offset(place.buffer, back));
    } else if (place.buffer) {
      Value from = stage(place);
      arguments.push_back(w->load(vectors->stored(place.operand->type), from, place.bytes));
    }
  }
  w->branch(preamble, arguments);
}

//===----------------------------------------------------------------------===//
// Body
//===----------------------------------------------------------------------===//

Value BoxFunction::mask() {
  if (!maskVector) {
    OpBuilder builder = OpBuilder::atBlockBegin(preamble);
    maskVector = LLVM::BitcastOp::create(builder, loc(), vectors->vectorOf(w->i1), maskBits);
  }
  return maskVector;
}

/// Binds operands to what they are in preamble and body.
void BoxFunction::bindOperands() {
  limit = preamble->addArgument(w->i64, loc());
  isStaged = preamble->addArgument(w->i1, loc());
  column = vector->addArgument(w->i64, loc());
  for (unsigned k = 0; k < kernel.combiners.size(); ++k)
    lanes.push_back(vector->addArgument(vectors->vectorOf(laneType(k)), loc()));
  for (Place &place : places) {
    Type type = place.operand->type;
    if (place.isElement()) {
      if (place.operand->isRead)
        place.from = preamble->addArgument(w->ptr, loc());
      if (place.isVectorOutput)
        place.to = preamble->addArgument(w->ptr, loc());
    }
    if (!place.buffer || !place.operand->isRead)
      continue;
    Value raw;
    if (place.isElement()) {
      w->at(vector);
      Value address = w->element(place.from, storedElement(type), column);
      raw = options.maskedMemory
                ? w->make<LLVM::MaskedLoadOp>(vectors->stored(type), address, mask(),
                                              vectors->constantInt(vectors->stored(type), 0),
                                              place.bytes)
                : w->load(vectors->stored(type), address, place.bytes);
    } else {
      w->at(preamble);
      raw = preamble->addArgument(vectors->stored(type), loc());
    }
    body->bind(place.operand->argument, vectors->load(w->b, loc(), type, raw),
               place.operand->spread);
  }
}

void BoxFunction::leave(Block *next, ValueRange arguments) {
  Value bad = failures.lookup(w->b.getBlock());
  if (!bad)
    return w->branch(next, arguments);
  Type bits = w->b.getIntegerType(width());
  Value any =
      w->compare(Predicate::ne, w->make<LLVM::BitcastOp>(bits, bad), vectors->constantInt(bits, 0));
  w->branch(any, failure, {}, next, arguments);
}

void BoxFunction::storeResults() {
  OperandRange yields = kernel.op.getBlock()->getTerminator()->getOperands();
  SmallVector<Value> results;
  for (Value yield : yields)
    results.push_back(body->lookup(yield));
  w->at(vector);
  unsigned output = 0;
  for (Place &place : places) {
    if (!place.isVectorOutput)
      continue;
    Type type = place.operand->type;
    Value raw = vectors->store(w->b, loc(), type, results[output++]);
    Value address = w->element(place.to, storedElement(type), column);
    if (options.maskedMemory)
      LLVM::MaskedStoreOp::create(w->b, raw, address, mask(), place.bytes);
    else
      w->store(raw, address, place.bytes);
  }
}

LogicalResult BoxFunction::emitBody(std::string &reason) {
  bindOperands();
  auto isCombiner = [&](Operation *op) {
    return llvm::any_of(kernel.combiners,
                        [&](const BoxCombiner &combiner) { return combiner.op == op; });
  };
  SmallVector<Value> wanted;
  if (!kernel.isReduction)
    llvm::append_range(wanted, kernel.op.getBlock()->getTerminator()->getOperands());
  for (const BoxCombiner &combiner : kernel.combiners)
    wanted.push_back(combiner.value);
  bool known = succeeded(body->translate(isCombiner)) &&
               llvm::all_of(wanted, [&](Value value) { return body->lookup(value) != nullptr; });
  if (!known) {
    reason = "a value of the body is computed outside of it";
    return llvm::failure();
  }
  if (kernel.isReduction) {
    if (failed(accumulate()))
      return llvm::failure();
  } else {
    storeResults();
  }
  return success();
}

void BoxFunction::emitLatch() {
  SmallVector<Value> first{firstColumn};
  llvm::append_range(first, lanesIn);
  w->at(preamble);
  leave(vector, first);

  w->at(vector);
  Value next = w->add(column, w->number(width()));
  SmallVector<Value> again{next};
  llvm::append_range(again, lanesOut);
  if (failures.lookup(vector)) {
    auto *checked = new Block();
    vector->getParent()->getBlocks().insertAfter(Region::iterator(vector), checked);
    leave(checked, {});
    w->at(checked);
  }
  w->branch(w->compare(Predicate::sle, next, limit), vector, again, latch, {});

  w->at(latch);
  auto *unstage = new Block(), *end = new Block();
  bool hasOutputs = llvm::any_of(places, [](Place &place) { return place.isVectorOutput; });
  latch->getParent()->getBlocks().insertAfter(Region::iterator(latch), end);
  latch->getParent()->getBlocks().insertAfter(Region::iterator(latch), unstage);
  if (hasOutputs)
    w->branch(isStaged, unstage, {}, end, {});
  else
    w->branch(end);
  w->at(unstage);
  for (Place &place : places)
    if (place.isVectorOutput) {
      Value bytes = w->scale(place.columnStride, place.bytes);
      Value target = w->offset(place.row, w->make<LLVM::MulOp>(firstColumn, bytes));
      LLVM::CallOp::create(w->b, staging.unstage(place.bytes),
                           ValueRange{place.buffer, target, place.columnStride, count});
    }
  w->branch(end);
  w->at(end);
  w->branch(w->compare(Predicate::slt, next, columns), block, again, rowEnd, {});
}

void BoxFunction::emitRowEnd() {
  w->at(rowEnd);
  if (kernel.isReduction)
    finishRow();
  Value next = w->add(rowIndex, w->number(1));
  SmallVector<Value> arguments{next};
  for (Place &place : places)
    arguments.push_back(w->offset(place.row, place.rowBytes));
  for (Position &position : positions)
    arguments.push_back(w->add(position.row, position.rowStep));
  w->branch(w->compare(Predicate::slt, next, rows), row, arguments, done, {});
}

LogicalResult BoxFunction::emit(LLVM::LLVMFuncOp function, std::string &reason) {
  makeBlocks(function);
  unsigned width = kernel.isReduction ? kReductionLanes : options.width;
  vectors = std::make_unique<VectorValues>(entry, width);
  w = std::make_unique<CodeWriter>(loc(), *vectors);
  body = std::make_unique<BodyTranslator>(kernel, *vectors, static_cast<BodyContext &>(*this),
                                          std::array<Block *, 3>{setup, preamble, vector});
  for (const BoxOperand &operand : kernel.operands)
    if (operand.isRead || operand.isOutput) {
      Place place{&operand, elementBytes(operand.type), {}, {}, {}, {}, {}, {}, {}};
      place.isVectorOutput = operand.isOutput && !kernel.isReduction;
      places.push_back(place);
    }
  emitEntry();
  emitSetup();
  emitRow();
  emitBlock();
  emitDirect();
  emitStaged();
  if (failed(emitBody(reason)))
    return llvm::failure();
  emitLatch();
  emitRowEnd();
  // Values of the whole box have been added to the setup meanwhile.
  w->at(setup);
  SmallVector<Value> first{w->number(0)};
  for (Place &place : places)
    first.push_back(place.data);
  for (Position &position : positions)
    first.push_back(position.first);
  leave(row, first);
  return success();
}

} // namespace anneal
