//===- LowerUnitBodies.cpp - Bodies of units as functions on boxes --------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoxFunction.h"

#include "anneal-c/UnitAbi.h"
#include "anneal/Conversion/Passes.h"
#include "anneal/IR/JitOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Remarks.h"

#include <cstddef>

#define DEBUG_TYPE "jit-lower-unit-bodies"

namespace anneal {
#define GEN_PASS_DEF_LOWERUNITBODIES
#include "anneal/Conversion/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// Lowers one unit.
class UnitLowering {
public:
  UnitLowering(jit::UnitOp unit, const BoxOptions &options)
      : unit(unit), options(options), builder(unit) {
    for (BlockArgument argument : unit.getInputs())
      if (!isa<TensorType>(argument.getType()))
        scalars.try_emplace(argument, scalars.size());
  }

  void run();

private:
  LLVM::LLVMFuncOp lowerBody(linalg::LinalgOp op, unsigned number);
  void emitEntry(ArrayRef<LLVM::LLVMFuncOp> bodies);
  LLVM::LLVMFuncOp makeFunction(StringRef name);

  jit::UnitOp unit;
  const BoxOptions &options;
  OpBuilder builder;
  llvm::DenseMap<Value, unsigned> scalars;
};

/// `i32 (ptr)`. There is nothing left for LLVM to optimise: without its attempts the same
/// instructions are there in half the time.
LLVM::LLVMFuncOp UnitLowering::makeFunction(StringRef name) {
  Type ptr = LLVM::LLVMPointerType::get(builder.getContext());
  auto function = LLVM::LLVMFuncOp::create(builder, unit.getLoc(), name,
                                           LLVM::LLVMFunctionType::get(builder.getI32Type(), ptr));
  function.setOptimizeNone(true);
  function.setNoInline(true);
  return function;
}

/// Null, with a remark, if the runtime runs `op` without compiled code.
LLVM::LLVMFuncOp UnitLowering::lowerBody(linalg::LinalgOp op, unsigned number) {
  std::string reason;
  LLVM::LLVMFuncOp function;
  FailureOr<BoxKernel> kernel = analyzeBoxKernel(op, reason);
  bool hasCode = succeeded(kernel) && llvm::all_of(kernel->live, [&](Operation *nested) {
                   return hasVectorCode(nested, reason);
                 });
  if (hasCode) {
    function = makeFunction((unit.getSymName() + ".body." + Twine(number)).str());
    if (succeeded(BoxFunction(*kernel, options, scalars).emit(function, reason)))
      return function;
    function.erase();
  }
  remark::missed(
      op->getLoc(),
      remark::RemarkOpts::name("NoCode").category(DEBUG_TYPE).function(unit.getSymName()))
      << remark::reason("'{0}' #{1} gets no code: {2}", op->getName().getStringRef().str(), number,
                        reason);
  return nullptr;
}

/// Calls runKernels with a table of the bodies, which is made on the stack: a constant one would
/// hold absolute addresses.
void UnitLowering::emitEntry(ArrayRef<LLVM::LLVMFuncOp> bodies) {
  LLVM::LLVMFuncOp function = makeFunction(unit.getSymName());
  Block *entry = function.addEntryBlock(builder);
  VectorValues values(entry, 1);
  CodeWriter w(unit.getLoc(), values);
  w.at(entry);
  Value frame = entry->getArgument(0);
  int64_t count = static_cast<int64_t>(bodies.size());
  Value table = w.make<LLVM::AllocaOp>(w.ptr, w.ptr, w.number(std::max<int64_t>(count, 1)), 8u);
  for (auto [index, body] : llvm::enumerate(bodies)) {
    Value address = body ? w.make<LLVM::AddressOfOp>(body) : w.make<LLVM::ZeroOp>(w.ptr);
    w.store(address, w.offset(table, 8 * static_cast<int64_t>(index)), 8);
  }
  Value callbacks = w.loadField(w.ptr, frame, offsetof(AnnealUnitFrame, callbacks));
  Value run = w.loadField(w.ptr, callbacks, offsetof(AnnealCallbacks, runKernels));
  auto type = LLVM::LLVMFunctionType::get(w.i32, {w.ptr, w.ptr, w.i32});
  Value status =
      w.make<LLVM::CallOp>(type, ValueRange{run, frame, table, values.constantInt(w.i32, count)});
  LLVM::ReturnOp::create(w.b, status);
}

void UnitLowering::run() {
  SmallVector<LLVM::LLVMFuncOp> bodies;
  for (auto op : unit.getBody().front().getOps<linalg::LinalgOp>())
    bodies.push_back(lowerBody(op, bodies.size()));
  builder.setInsertionPoint(unit);
  emitEntry(bodies);
  unit.erase();
}

class LowerUnitBodies : public anneal::impl::LowerUnitBodiesBase<LowerUnitBodies> {
public:
  using LowerUnitBodiesBase::LowerUnitBodiesBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (vectorWidth != 8 && vectorWidth != 16) {
      emitError(module.getLoc()) << DEBUG_TYPE << ": vectors can have 8 or 16 elements, not "
                                 << vectorWidth.getValue();
      return signalPassFailure();
    }
    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (!isa<jit::UnitOp>(op))
        op.erase();
    BoxOptions options{vectorWidth, maskedMemory};
    for (auto unit : llvm::to_vector(module.getOps<jit::UnitOp>()))
      UnitLowering(unit, options).run();
  }
};

} // namespace
} // namespace anneal
