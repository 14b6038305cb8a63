//===- BoxContext.cpp - What a body reads from its box --------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalars, positions, gathers and asserts of a BoxFunction.
//
//===----------------------------------------------------------------------===//

#include "BoxFunction.h"

#include "anneal-c/UnitAbi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cstddef>

using namespace mlir;

namespace anneal {

using Predicate = LLVM::ICmpPredicate;

//===----------------------------------------------------------------------===//
// Scalars and positions
//===----------------------------------------------------------------------===//

Value BoxFunction::scalar(Value value) {
  auto known = scalars.find(value);
  if (known == scalars.end())
    return Value();
  w->at(entry);
  Type type = value.getType();
  Value array = w->loadField(w->ptr, box, offsetof(AnnealBox, scalars));
  Value address = w->offset(array, 8 * static_cast<int64_t>(known->second));
  Value raw = w->load(storedElement(type), address, elementBytes(type));
  return vectors->load(w->b, loc(), type, vectors->broadcast(w->b, loc(), raw));
}

Spread BoxFunction::spreadOf(unsigned dim) {
  return static_cast<int>(dim) == kernel.columnDim ? Spread::Element : Spread::Row;
}

Value BoxFunction::position(OpBuilder &builder, unsigned dim) {
  Position &known =
      *llvm::find_if(positions, [&](Position &position) { return position.dim == dim; });
  w->at(builder.getBlock());
  Value at = spreadOf(dim) == Spread::Element ? column : firstColumn;
  if (lane)
    at = w->sub(at, lane);
  Value first = w->add(known.row, w->make<LLVM::MulOp>(at, known.columnStep));
  return w->make<LLVM::AddOp>(vectors->broadcast(w->b, loc(), first), known.iota);
}

//===----------------------------------------------------------------------===//
// Failures and gathers
//===----------------------------------------------------------------------===//

void BoxFunction::require(OpBuilder &builder, Value condition) {
  Block *at = builder.getBlock();
  w->at(at);
  Value bad = w->make<LLVM::XOrOp>(condition, vectors->constantInt(condition.getType(), 1));
  if (at != entry)
    bad = w->make<LLVM::AndOp>(bad, mask());
  Value &all = failures[at];
  all = all ? w->make<LLVM::OrOp>(all, bad) : bad;
}

BoxFunction::GatherView &BoxFunction::viewOf(unsigned gather, unsigned rank) {
  GatherView &view = gathers[gather];
  if (view.data)
    return view;
  w->at(entry);
  Value views = w->loadField(w->ptr, box, offsetof(AnnealBox, gathers));
  Value at = w->offset(views, static_cast<int64_t>(gather * sizeof(AnnealView)));
  view.data = w->loadField(w->ptr, at, offsetof(AnnealView, data));
  Value sizes = w->loadField(w->ptr, at, offsetof(AnnealView, sizes));
  Value strides = w->loadField(w->ptr, at, offsetof(AnnealView, strides));
  for (unsigned d = 0; d < rank; ++d) {
    view.sizes.push_back(vectors->broadcast(w->b, loc(), w->loadEntry(w->i64, sizes, d)));
    view.strides.push_back(vectors->broadcast(w->b, loc(), w->loadEntry(w->i64, strides, d)));
  }
  return view;
}

Value BoxFunction::gather(OpBuilder &builder, unsigned gather, Type element, ValueRange indices) {
  GatherView &view = viewOf(gather, indices.size());
  w->at(builder.getBlock());
  VectorType type = vectors->stored(element);
  Value inside = vectors->constantInt(vectors->vectorOf(w->i1), 1);
  Value distance = vectors->constantInt(vectors->vectorOf(w->i64), 0);
  for (auto [index, size, stride] : llvm::zip(indices, view.sizes, view.strides)) {
    // A negative one is a large one without sign.
    inside = w->both(inside, w->compare(Predicate::ult, index, size));
    distance = w->add(distance, w->make<LLVM::MulOp>(index, stride));
  }
  require(builder, inside);
  w->at(builder.getBlock());
  Value wanted = builder.getBlock() == entry ? inside : w->both(inside, mask());
  Value addresses = w->make<LLVM::GEPOp>(vectors->vectorOf(w->ptr), storedElement(element),
                                         view.data, ValueRange{distance});
  Value raw = w->make<LLVM::masked_gather>(type, addresses, wanted,
                                           ValueRange{vectors->constantInt(type, 0)},
                                           w->b.getI32IntegerAttr(elementBytes(element)));
  return vectors->load(w->b, loc(), element, raw);
}

} // namespace anneal
