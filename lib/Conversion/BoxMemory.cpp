//===- BoxMemory.cpp - How a body reads and writes its operands -----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors of elements between memory and a BoxFunction's body, whole or in part.
//
//===----------------------------------------------------------------------===//

#include "BoxFunction.h"

using namespace mlir;

namespace anneal {

using Predicate = LLVM::ICmpPredicate;

/// As many ones as there are elements, from the lane of the first one on.
Value BoxFunction::mask() {
  if (maskVector)
    return maskVector;
  OpBuilder::InsertionGuard guard(w->b);
  maskBegin ? w->b.setInsertionPointAfter(maskBegin) : w->b.setInsertionPointToStart(block);
  Value count;
  if (options.maskedMemory) {
    Value left = w->sub(columns, firstColumn);
    count = w->select(w->compare(Predicate::slt, left, step), left, step);
  } else {
    count = w->select(isVector, w->number(width()), w->number(1));
  }
  Value ones = w->sub(w->make<LLVM::ShlOp>(w->number(1), count), w->number(1));
  if (lane)
    ones = w->make<LLVM::ShlOp>(ones, lane);
  Value bits = w->make<LLVM::TruncOp>(w->b.getIntegerType(width()), ones);
  maskVector = w->make<LLVM::BitcastOp>(vectors->vectorOf(w->i1), bits);
  return maskVector;
}

/// The elements that the body reads, as they are in memory, in the block that computes.
void BoxFunction::loadVectors(SmallVectorImpl<Value> &raws) {
  SmallVector<Place *> read;
  for (Place &place : places)
    if (place.isElement() && place.operand->isRead)
      read.push_back(&place);
  auto typeOf = [&](Place *place) { return vectors->vectorOf(place->element); };
  auto addressOf = [&](Place *place) { return w->element(place->base, place->element, column); };
  w->at(vector);
  if (options.maskedMemory || read.empty()) {
    for (Place *place : read)
      raws.push_back(w->make<LLVM::MaskedLoadOp>(typeOf(place), addressOf(place), mask(),
                                                 vectors->constantInt(typeOf(place), 0),
                                                 place->bytes()));
    return;
  }
  // A whole vector, or one element in all places.
  Block *whole = addBlock();
  w->at(whole);
  Block *single = addBlock();
  w->at(single);
  compute = addBlock();
  w->at(vector);
  w->branch(isVector, whole, {}, single, {});
  SmallVector<Value> loaded;
  w->at(whole);
  for (Place *place : read)
    loaded.push_back(w->load(typeOf(place), addressOf(place), place->bytes()));
  w->branch(compute, loaded);
  loaded.clear();
  w->at(single);
  for (Place *place : read)
    loaded.push_back(
        vectors->broadcast(w->b, loc(), w->load(place->element, addressOf(place), place->bytes())));
  w->branch(compute, loaded);
  for (Place *place : read)
    raws.push_back(compute->addArgument(typeOf(place), loc()));
}

/// Says what the operands are in the blocks of rows and of the body.
void BoxFunction::bindOperands() {
  column = vector->addArgument(w->i64, loc());
  for (unsigned k = 0; k < kernel.combiners.size(); ++k)
    lanes.push_back(vector->addArgument(laneType(k), loc()));
  SmallVector<Value> raws;
  loadVectors(raws);
  auto *raw = raws.begin();
  body = std::make_unique<BodyTranslator>(kernel, *vectors, static_cast<BodyContext &>(*this),
                                          std::array<Block *, 3>{entry, block, compute});
  for (Place &place : places) {
    if (!place.hasColumns() || !place.operand->isRead)
      continue;
    Value elements;
    if (place.isElement()) {
      w->at(compute);
      elements = *raw++;
    } else {
      w->at(block);
      elements = vectors->broadcast(w->b, loc(), w->load(place.element, place.base, place.bytes()));
    }
    body->bind(place.operand->argument, vectors->load(w->b, loc(), place.operand->type, elements),
               place.operand->spread);
  }
}

void BoxFunction::storeResults() {
  SmallVector<Value> raws;
  OperandRange yields = kernel.op.getBlock()->getTerminator()->getOperands();
  for (auto [yield, init] : llvm::zip(yields, kernel.op.getDpsInits())) {
    Value value = body->lookup(yield);
    w->at(compute);
    raws.push_back(vectors->store(w->b, loc(), getElementTypeOrSelf(init.getType()), value));
  }
  w->at(compute);
  if (failures.lookup(compute)) {
    Block *checked = addBlock();
    leave(checked, {});
    w->at(checked);
  }
  storeVectors(raws);
}

/// Leaves the builder where the loop goes on.
void BoxFunction::storeVectors(ValueRange raws) {
  SmallVector<std::pair<Place *, Value>> stores;
  for (Place &place : places)
    if (place.isVectorOutput)
      stores.push_back({&place, raws[stores.size()]});
  SmallVector<Value> addresses;
  for (auto [place, raw] : stores)
    addresses.push_back(w->element(place->base, place->element, column));
  if (options.maskedMemory || stores.empty()) {
    for (auto [store, address] : llvm::zip(stores, addresses))
      LLVM::MaskedStoreOp::create(w->b, store.second, address, mask(), store.first->bytes());
    return;
  }
  Block *current = w->b.getBlock();
  Block *whole = addBlock();
  w->at(whole);
  Block *single = addBlock();
  w->at(single);
  Block *after = addBlock();
  w->at(current);
  w->branch(isVector, whole, {}, single, {});
  w->at(whole);
  for (auto [store, address] : llvm::zip(stores, addresses))
    w->store(store.second, address, store.first->bytes());
  w->branch(after);
  w->at(single);
  for (auto [store, address] : llvm::zip(stores, addresses))
    w->store(w->make<LLVM::ExtractElementOp>(store.second, w->number(0)), address,
             store.first->bytes());
  w->branch(after);
  w->at(after);
}

} // namespace anneal
