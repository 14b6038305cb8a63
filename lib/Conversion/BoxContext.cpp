//===- BoxContext.cpp - What a body reads from its box --------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalars, positions, gathers and asserts of a BoxFunction, and how elements are staged.
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
  w->at(setup);
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
  if (at != setup)
    bad = w->make<LLVM::AndOp>(bad, mask());
  Value &all = failures[at];
  all = all ? w->make<LLVM::OrOp>(all, bad) : bad;
}

BoxFunction::GatherView &BoxFunction::viewOf(unsigned gather, unsigned rank) {
  GatherView &view = gathers[gather];
  if (view.data)
    return view;
  w->at(setup);
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
  Value wanted = builder.getBlock() == setup ? inside : w->both(inside, mask());
  Value addresses = w->make<LLVM::GEPOp>(vectors->vectorOf(w->ptr), storedElement(element),
                                         view.data, ValueRange{distance});
  Value raw = w->make<LLVM::masked_gather>(type, addresses, wanted,
                                           ValueRange{vectors->constantInt(type, 0)},
                                           w->b.getI32IntegerAttr(elementBytes(element)));
  return vectors->load(w->b, loc(), element, raw);
}

//===----------------------------------------------------------------------===//
// Staging
//===----------------------------------------------------------------------===//

LLVM::LLVMFuncOp StagingFunctions::stage(unsigned bytes) { return make(bytes, true); }
LLVM::LLVMFuncOp StagingFunctions::unstage(unsigned bytes) { return make(bytes, false); }

LLVM::LLVMFuncOp StagingFunctions::make(unsigned bytes, bool isStage) {
  LLVM::LLVMFuncOp &function = functions[{bytes, isStage}];
  if (function)
    return function;
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  MLIRContext *context = module.getContext();
  Type ptr = LLVM::LLVMPointerType::get(context), i64 = builder.getI64Type();
  SmallVector<Type> arguments{ptr, ptr, i64, i64};
  if (isStage)
    arguments.push_back(builder.getI1Type());
  Type result = isStage ? ptr : LLVM::LLVMVoidType::get(context);
  function = LLVM::LLVMFuncOp::create(
      builder, module.getLoc(), ((isStage ? "jit.stage." : "jit.unstage.") + Twine(bytes)).str(),
      LLVM::LLVMFunctionType::get(result, arguments), LLVM::Linkage::Internal);
  emitLoop(function, bytes, isStage);
  return function;
}

void StagingFunctions::emitLoop(LLVM::LLVMFuncOp function, unsigned bytes, bool isStage) {
  OpBuilder builder(function.getContext());
  Block *entry = function.addEntryBlock(builder);
  VectorValues values(entry, 1);
  CodeWriter w(function.getLoc(), values);
  auto *copy = new Block(), *out = new Block();
  function.getBody().push_back(copy);
  function.getBody().push_back(out);
  Value buffer = entry->getArgument(0), other = entry->getArgument(1);
  Value stride = entry->getArgument(2), count = entry->getArgument(3);
  Type type = w.b.getIntegerType(8 * bytes);

  w.at(entry);
  SmallVector<Value> results;
  if (isStage) {
    out->addArgument(w.ptr, function.getLoc());
    results.push_back(buffer);
    Value isLine = w.compare(Predicate::eq, stride, w.number(1));
    w.branch(w.both(isLine, entry->getArgument(4)), out, ValueRange{other}, copy,
             ValueRange{w.number(0), other});
  } else {
    w.branch(copy, ValueRange{w.number(0), other});
  }

  w.at(copy);
  Value index = copy->addArgument(w.i64, function.getLoc());
  Value at = copy->addArgument(w.ptr, function.getLoc());
  Value slot = w.element(buffer, type, index);
  w.store(w.load(type, isStage ? at : slot, bytes), isStage ? slot : at, bytes);
  Value next = w.add(index, w.number(1));
  Value after = w.element(at, type, stride);
  w.branch(w.compare(Predicate::slt, next, count), copy, ValueRange{next, after}, out, results);

  w.at(out);
  LLVM::ReturnOp::create(w.b, isStage ? ValueRange{out->getArgument(0)} : ValueRange{});
}

} // namespace anneal
