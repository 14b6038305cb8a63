//===- BoxFunction.cpp - The code of a body over boxes --------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoxFunction.h"

#include "MathExpansion.h"

#include "anneal-c/UnitAbi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cstddef>

using namespace mlir;

namespace anneal {

using Predicate = LLVM::ICmpPredicate;

Location BoxFunction::loc() const { return kernel.op->getLoc(); }

/// Elements of one vector register, of the widest type that the body has; of two where the steps of
/// one polynomial wait for each other, unless rows are known to be short. Several polynomials fill
/// the waits of each other, and twice their code takes twice the time to compile.
unsigned BoxFunction::chooseWidth() {
  unsigned bytes = 4;
  auto consider = [&](Type type) {
    if (type.isIntOrIndexOrFloat())
      bytes = std::max(bytes, heldElement(type).getIntOrFloatBitWidth() / 8);
  };
  for (const BoxOperand &operand : kernel.operands)
    consider(operand.type);
  for (Operation *op : kernel.live)
    for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults()))
      consider(value.getType());
  unsigned width = options.width * 4 / bytes;
  bool isShort = false;
  if (kernel.columnDim >= 0) {
    int64_t columns = kernel.op.getStaticLoopRanges()[kernel.columnDim];
    isShort = !ShapedType::isDynamic(columns) && columns <= width;
  }
  if (!isShort && llvm::count_if(kernel.live, isPolynomial) == 1)
    width *= 2;
  return kernel.isReduction ? std::max(width, kReductionLanes) : width;
}

void BoxFunction::makeBlocks(LLVM::LLVMFuncOp function) {
  OpBuilder builder(function.getContext());
  entry = function.addEntryBlock(builder);
  for (Block **made : {&row, &block, &vector, &latch, &rowEnd, &done, &failure})
    function.getBody().push_back(*made = new Block());
  compute = vector;
}

Block *BoxFunction::addBlock() {
  Block *current = w->b.getBlock();
  auto *added = new Block();
  current->getParent()->getBlocks().insertAfter(Region::iterator(current), added);
  return added;
}

void BoxFunction::findPlaces() {
  for (const BoxOperand &operand : kernel.operands)
    if (operand.isRead || operand.isOutput) {
      Place &place = places.emplace_back();
      place.operand = &operand;
      place.element = storedElement(operand.type);
      place.isVectorOutput = operand.isOutput && !kernel.isReduction;
    }
  for (Operation *op : kernel.live)
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      if (llvm::none_of(positions, [&](Position &known) { return known.dim == index.getDim(); }))
        positions.emplace_back().dim = index.getDim();
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

void BoxFunction::setUpOperands() {
  if (places.empty())
    return;
  Value data = w->loadField(w->ptr, box, offsetof(AnnealBox, data));
  Value rowStrides = w->loadField(w->ptr, box, offsetof(AnnealBox, rowStrides));
  Value columnStrides = w->loadField(w->ptr, box, offsetof(AnnealBox, columnStrides));
  for (Place &place : places) {
    auto k = static_cast<unsigned>(place.operand - kernel.operands.begin());
    place.data = w->loadEntry(w->ptr, data, k);
    place.rowStride = w->loadEntry(w->i64, rowStrides, k);
    if (place.hasColumns())
      place.columnStride = w->loadEntry(w->i64, columnStrides, k);
  }
}

void BoxFunction::setUpPositions() {
  if (positions.empty())
    return;
  Value first = w->loadField(w->ptr, box, offsetof(AnnealBox, positions));
  Value rowSteps = w->loadField(w->ptr, box, offsetof(AnnealBox, rowSteps));
  Value columnSteps = w->loadField(w->ptr, box, offsetof(AnnealBox, columnSteps));
  SmallVector<int64_t> counting;
  for (unsigned i = 0; i < width(); ++i)
    counting.push_back(i);
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

/// Whether all operands and positions move along the columns as expected.
Value BoxFunction::setUpDirect() {
  // From here on a column stride is what it is more than expected.
  Value more;
  auto collect = [&](Value excess) { more = more ? w->make<LLVM::OrOp>(more, excess) : excess; };
  for (Place &place : places) {
    if (!place.hasColumns())
      continue;
    if (place.isElement())
      place.columnStride = w->sub(place.columnStride, w->number(1));
    collect(place.columnStride);
  }
  for (Position &position : positions)
    if (spreadOf(position.dim) == Spread::Row)
      collect(position.columnStep);
  return more ? w->compare(Predicate::eq, more, w->number(0)) : vectors->constantInt(w->i1, 1);
}

void BoxFunction::emitEntry() {
  w->at(entry);
  box = entry->getArgument(0);
  rows = w->loadField(w->i64, box, offsetof(AnnealBox, rows));
  columns = w->loadField(w->i64, box, offsetof(AnnealBox, columns));
  setUpOperands();
  setUpPositions();
  isDirect = setUpDirect();
  step = w->select(isDirect, w->number(width()), w->number(1));
  limit = w->select(isDirect, w->sub(columns, w->number(width())), w->number(-1));
  w->at(done);
  Value ok = vectors->constantInt(w->i32, 0);
  LLVM::ReturnOp::create(w->b, ok);
}

/// An empty box has no points: nothing of it is read, and no assert fires.
void BoxFunction::finishEntry() {
  w->at(entry);
  SmallVector<Value> first{w->number(0)};
  for (Place &place : places)
    first.push_back(place.data);
  for (Position &position : positions)
    first.push_back(position.first);
  Value least = w->make<LLVM::OrOp>(w->sub(rows, w->number(1)), w->sub(columns, w->number(1)));
  Value hasPoints = w->compare(Predicate::sge, least, w->number(0));
  if (!failures.lookup(entry))
    return w->branch(hasPoints, row, first, done, {});
  Block *checked = addBlock();
  Value bad = failures.lookup(entry);
  w->branch(hasPoints, checked, {}, done, {});
  failures[checked] = bad;
  w->at(checked);
  leave(row, first);
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

/// What is left of the row decides what the vector holds; then the addresses of the block.
void BoxFunction::emitBlock() {
  w->at(block);
  firstColumn = block->addArgument(w->i64, loc());
  for (unsigned k = 0; k < kernel.combiners.size(); ++k)
    lanesIn.push_back(block->addArgument(laneType(k), loc()));
  isVector = isDirect;
  if (!options.maskedMemory)
    isVector = w->both(isDirect, w->compare(Predicate::sle, firstColumn, limit));
  // Single elements go to lane after lane.
  if (kernel.isReduction)
    lane = w->select(isVector, w->number(0),
                     w->make<LLVM::AndOp>(firstColumn, w->number(kReductionLanes - 1)));
  if (!block->empty())
    maskBegin = &block->back();
  bool shifts = lane && options.maskedMemory;
  for (Place &place : places) {
    if (!place.hasColumns())
      continue;
    Value back = w->make<LLVM::MulOp>(firstColumn, place.columnStride);
    if (shifts && place.isElement())
      back = w->sub(back, lane);
    place.base = w->element(place.row, place.element, back);
  }
}

//===----------------------------------------------------------------------===//
// Body
//===----------------------------------------------------------------------===//

void BoxFunction::leave(Block *next, ValueRange arguments) {
  Value bad = failures.lookup(w->b.getBlock());
  if (!bad)
    return w->branch(next, arguments);
  Type bits = w->b.getIntegerType(width());
  Value any =
      w->compare(Predicate::ne, w->make<LLVM::BitcastOp>(bits, bad), vectors->constantInt(bits, 0));
  w->branch(any, failure, {}, next, arguments);
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
  kernel.isReduction ? accumulate() : storeResults();
  return success();
}

//===----------------------------------------------------------------------===//
// Ends of loops
//===----------------------------------------------------------------------===//

void BoxFunction::emitLoopEnds() {
  // The builder is at the end of the body.
  if (kernel.isReduction) {
    w->at(compute);
    if (failures.lookup(compute)) {
      Block *checked = addBlock();
      leave(checked, {});
      w->at(checked);
    }
  }
  Value by = step;
  if (!options.maskedMemory)
    by = w->select(isVector, w->number(width()), w->number(1));
  Value next = w->add(column, by);
  SmallVector<Value> again{next};
  llvm::append_range(again, lanesOut);
  Value more = w->compare(Predicate::sle, next, limit);
  w->branch(options.maskedMemory ? more : w->both(more, isVector), vector, again, latch, {});

  w->at(block);
  SmallVector<Value> first{firstColumn};
  llvm::append_range(first, lanesIn);
  leave(vector, first);

  w->at(latch);
  w->branch(w->compare(Predicate::slt, next, columns), block, again, rowEnd, {});

  w->at(rowEnd);
  if (kernel.isReduction)
    finishRow();
  Value nextRow = w->add(rowIndex, w->number(1));
  SmallVector<Value> arguments{nextRow};
  for (Place &place : places)
    arguments.push_back(w->element(place.row, place.element, place.rowStride));
  for (Position &position : positions)
    arguments.push_back(w->add(position.row, position.rowStep));
  w->branch(w->compare(Predicate::slt, nextRow, rows), row, arguments, done, {});
}

LogicalResult BoxFunction::emit(LLVM::LLVMFuncOp function, std::string &reason) {
  makeBlocks(function);
  vectors = std::make_unique<VectorValues>(entry, chooseWidth());
  w = std::make_unique<CodeWriter>(loc(), *vectors);
  findPlaces();
  emitEntry();
  emitRow();
  emitBlock();
  if (failed(emitBody(reason)))
    return llvm::failure();
  emitLoopEnds();
  finishEntry();
  if (failures.empty()) {
    failure->erase();
    return success();
  }
  w->at(failure);
  LLVM::ReturnOp::create(w->b, vectors->constantInt(w->i32, 1));
  return success();
}

} // namespace anneal
