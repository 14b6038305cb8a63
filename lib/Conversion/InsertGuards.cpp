//===- InsertGuards.cpp - Calls that look for a variant -------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeDemands.h"

#include "anneal/Conversion/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringMap.h"

#define DEBUG_TYPE "jit-insert-guards"

namespace anneal {
#define GEN_PASS_DEF_INSERTGUARDS
#include "anneal/Conversion/Passes.h.inc"
} // namespace anneal

using namespace mlir;
using namespace anneal;

namespace {
/// An entry of the table, and what it demands.
struct Entry {
  jit::UnitOp code;
  std::string name;
  SmallVector<jit::ShapeBucketAttr> guard;
  ShapeDemands demands;
};
} // namespace

/// Whether each shape that `other` is for is one of those of `one`.
static bool covers(const ShapeDemands &one, const ShapeDemands &other) {
  return llvm::all_of(llvm::zip(one, other), [](auto arguments) {
    auto [a, b] = arguments;
    return llvm::all_of(llvm::zip(a, b),
                        [](auto dims) { return std::get<0>(dims).covers(std::get<1>(dims)); });
  });
}

/// Whether a guard decides `choice`, and its first branch calls `code`.
static bool asksFor(scf::IfOp choice, StringRef code) {
  if (!choice.getCondition().getDefiningOp<jit::GuardOp>())
    return false;
  auto calls = choice.thenBlock()->getOps<jit::InvokeOp>();
  return llvm::any_of(calls, [&](jit::InvokeOp other) { return other.getCallee() == code; });
}

/// Whether the call stands where `code` was asked for and does not fit: in an else of a choice that
/// calls it otherwise.
static bool isRuledOut(jit::InvokeOp invoke, StringRef code) {
  Operation *op = invoke;
  while (Operation *parent = op->getParentOp()) {
    auto choice = dyn_cast<scf::IfOp>(parent);
    if (choice && op->getParentRegion() == &choice.getElseRegion() && asksFor(choice, code))
      return true;
    op = parent;
  }
  return false;
}

/// The type of `value` with the sizes that it or `argument` knows.
static Type knownType(Value value, Type argument) {
  auto wanted = dyn_cast<RankedTensorType>(argument);
  if (!wanted)
    return value.getType();
  auto type = cast<ShapedType>(value.getType());
  SmallVector<int64_t> shape;
  for (auto [size, known] : llvm::zip(type.getShape(), wanted.getShape()))
    shape.push_back(ShapedType::isDynamic(size) ? known : size);
  return type.clone(shape);
}

static Value castTo(OpBuilder &builder, Location location, Type type, Value value) {
  if (value.getType() == type)
    return value;
  if (isa<TensorType>(type))
    return tensor::CastOp::create(builder, location, type, value);
  return memref::CastOp::create(builder, location, type, value);
}

namespace {

class InsertGuards : public anneal::impl::InsertGuardsBase<InsertGuards> {
public:
  using InsertGuardsBase::InsertGuardsBase;

  void runOnOperation() override {
    readTable();
    SmallVector<jit::InvokeOp> calls;
    getOperation().walk([&](jit::InvokeOp invoke) {
      if (table.contains(invoke.getCallee()))
        calls.push_back(invoke);
    });
    for (jit::InvokeOp call : calls)
      guardCall(call);
  }

private:
  /// In the order of the table, but a variant before those that are for all of its shapes too.
  void readTable() {
    SymbolTable symbols(getOperation());
    for (auto variant : getOperation().getOps<jit::VariantOp>()) {
      auto unit = symbols.lookup<jit::UnitOp>(variant.getUnit());
      Entry entry{symbols.lookup<jit::UnitOp>(variant.getCode()),
                  variant.getCode().str(),
                  variant.getConstraints(),
                  {}};
      entry.demands = demandsOf(unit, entry.guard);
      SmallVector<Entry> &entries = table[variant.getUnit()];
      auto *place = llvm::find_if(
          entries, [&](const Entry &other) { return covers(other.demands, entry.demands); });
      entries.insert(place, std::move(entry));
    }
  }

  void guardCall(jit::InvokeOp call) {
    OpBuilder builder(call);
    unsigned guards = 0;
    for (const Entry &entry : table[call.getCallee()]) {
      if (isRuledOut(call, entry.name))
        continue;
      SmallVector<Value> operands;
      SmallVector<jit::ShapeBucketAttr> buckets;
      collect(call, entry, operands, buckets);
      if (!jit::GuardOp::canHold(operands, buckets)) {
        missed(call, entry, "the call's sizes are others");
        continue;
      }
      if (jit::GuardOp::alwaysHolds(TypeRange(ValueRange(operands)), buckets)) {
        // No other is ever needed here.
        builder.setInsertionPoint(call);
        call->replaceAllUsesWith(makeCall(builder, call, entry.code));
        say(call, entry, "calls it without a guard: the call's sizes are known");
        call.erase();
        return;
      }
      guardOne(call, entry, operands, buckets);
      say(call, entry, "guard #" + std::to_string(guards++));
    }
  }

  /// The operands of which the entry demands something.
  static void collect(jit::InvokeOp call, const Entry &entry, SmallVectorImpl<Value> &operands,
                      SmallVectorImpl<jit::ShapeBucketAttr> &buckets) {
    for (auto [operand, bucket] : llvm::zip(call.getOperands(), entry.guard)) {
      if (!bucket)
        continue;
      operands.push_back(operand);
      buckets.push_back(bucket);
    }
  }

  /// Puts the call into the else of a choice, with that of the variant in the other branch.
  static void guardOne(jit::InvokeOp call, const Entry &entry, ArrayRef<Value> operands,
                       ArrayRef<jit::ShapeBucketAttr> buckets) {
    Location location = call.getLoc();
    OpBuilder builder(call);
    auto guard = jit::GuardOp::create(builder, location, operands, buckets);
    auto choice = scf::IfOp::create(builder, location, call.getResultTypes(), guard,
                                    /*withElseRegion=*/true);
    call->replaceAllUsesWith(choice);
    builder.setInsertionPointToStart(choice.thenBlock());
    SmallVector<Value> results = makeCall(builder, call, entry.code);
    if (results.empty()) {
      // A choice without results has its terminators already.
      call->moveBefore(choice.elseBlock()->getTerminator());
      return;
    }
    scf::YieldOp::create(builder, location, results);
    call->moveBefore(choice.elseBlock(), choice.elseBlock()->end());
    builder.setInsertionPointAfter(call);
    scf::YieldOp::create(builder, location, call.getResults());
  }

  /// A call of `code` with the operands of `call`; its results are of the types of that call's.
  static SmallVector<Value> makeCall(OpBuilder &builder, jit::InvokeOp call, jit::UnitOp code) {
    Location location = call.getLoc();
    SmallVector<Value> operands;
    for (auto [operand, argument] : llvm::zip(call.getOperands(), code.getArgumentTypes()))
      operands.push_back(castTo(builder, location, knownType(operand, argument), operand));
    ValueRange all(operands);
    unsigned numInputs = code.getNumInputs();
    auto made = jit::InvokeOp::create(builder, location, code, all.take_front(numInputs),
                                      all.drop_front(numInputs));
    made->setDiscardableAttrs(call->getDiscardableAttrDictionary());
    SmallVector<Value> results;
    for (auto [result, type] : llvm::zip(made.getResults(), call.getResultTypes()))
      results.push_back(castTo(builder, location, type, result));
    return results;
  }

  static void say(jit::InvokeOp call, const Entry &entry, const std::string &text) {
    remark::passed(
        call.getLoc(),
        remark::RemarkOpts::name("Guarded").category(DEBUG_TYPE).function(call.getCallee()))
        << remark::reason("'@{0}': {1}", entry.name, text);
  }

  static void missed(jit::InvokeOp call, const Entry &entry, StringRef text) {
    remark::missed(
        call.getLoc(),
        remark::RemarkOpts::name("NotGuarded").category(DEBUG_TYPE).function(call.getCallee()))
        << remark::reason("'@{0}' is never called here: {1}", entry.name, text.str());
  }

  llvm::StringMap<SmallVector<Entry>> table;
};

} // namespace
