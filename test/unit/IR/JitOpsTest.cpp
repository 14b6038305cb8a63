//===- JitOpsTest.cpp - Tests of the jit dialect's operations -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/IR/JitOps.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace anneal::jit;

namespace {

/// A module under construction.
class JitOps : public testing::Test {
protected:
  JitOps() : builder(&context), location(builder.getUnknownLoc()) {
    context.loadDialect<JitDialect, cf::ControlFlowDialect, func::FuncDialect,
                        linalg::LinalgDialect>();
    module = ModuleOp::create(builder, location);
    builder.setInsertionPointToEnd(module->getBody());
  }

  /// A unit with an input of 4 floats and a condition, a destination of 4 floats, which returns its
  /// destination; with an assert if asked for.
  UnitOp makeUnit(bool asserts) {
    auto tensor = RankedTensorType::get({4}, builder.getF32Type());
    OpBuilder::InsertionGuard guard(builder);
    auto unit =
        UnitOp::create(builder, location, "unit",
                       builder.getFunctionType({tensor, builder.getI1Type(), tensor}, {tensor}));
    builder.setInsertionPointToStart(&unit.getBody().front());
    if (asserts)
      cf::AssertOp::create(builder, location, unit.getArgument(1), "must be");
    ReturnOp::create(builder, location, unit.getArgument(2));
    return unit;
  }

  /// A function whose arguments are of these types, to whose start the builder then points.
  func::FuncOp makeCaller(TypeRange types) {
    auto caller =
        func::FuncOp::create(builder, location, "caller", builder.getFunctionType(types, {}));
    builder.setInsertionPointToStart(caller.addEntryBlock());
    func::ReturnOp::create(builder, location);
    builder.setInsertionPointToStart(&caller.getBody().front());
    return caller;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OpBuilder builder;
  Location location;
  OwningOpRef<ModuleOp> module;
};

TEST_F(JitOps, UnitKnowsInputsAndDestinations) {
  UnitOp unit = makeUnit(/*asserts=*/false);
  EXPECT_EQ(unit.getNumInputs(), 2u);
  EXPECT_EQ(unit.getNumDestinations(), 1u);
  EXPECT_EQ(unit.getInputs().front(), unit.getArgument(0));
  EXPECT_EQ(unit.getDestinations().front(), unit.getArgument(2));
  EXPECT_EQ(unit.getReturn().getOperands().front(), unit.getArgument(2));
  EXPECT_FALSE(unit.isWriteOnly(0));
  unit.setWriteOnly(0);
  EXPECT_TRUE(unit.isWriteOnly(0));
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(JitOps, InvokeOnTensorsHasTheTypesOfItsOutputs) {
  UnitOp unit = makeUnit(/*asserts=*/false);
  func::FuncOp caller = makeCaller(unit.getArgumentTypes());
  ValueRange arguments = caller.getArguments();
  auto invoke =
      InvokeOp::create(builder, location, unit, arguments.take_front(2), arguments.take_back());
  EXPECT_EQ(invoke.getUnit(), unit);
  EXPECT_EQ(invoke.getResultTypes(), unit.getResultTypes());
  EXPECT_FALSE(invoke.getEffects());
  EXPECT_TRUE(isMemoryEffectFree(invoke));
  EXPECT_TRUE(isSpeculatable(invoke));
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(JitOps, InvokeOnMemRefsReadsInputsAndWritesOutputs) {
  UnitOp unit = makeUnit(/*asserts=*/false);
  auto memref = MemRefType::get({4}, builder.getF32Type());
  func::FuncOp caller = makeCaller({memref, builder.getI1Type(), memref});
  ValueRange arguments = caller.getArguments();
  auto invoke =
      InvokeOp::create(builder, location, unit, arguments.take_front(2), arguments.take_back());
  EXPECT_EQ(invoke.getNumResults(), 0u);
  EXPECT_TRUE(hasSingleEffect<MemoryEffects::Read>(invoke, arguments[0]));
  EXPECT_TRUE(hasEffect<MemoryEffects::Read>(invoke, arguments[2]));
  EXPECT_TRUE(hasEffect<MemoryEffects::Write>(invoke, arguments[2]));
  EXPECT_FALSE(isSpeculatable(invoke));
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(JitOps, InvokeOfAUnitThatAssertsHasEffects) {
  UnitOp unit = makeUnit(/*asserts=*/true);
  EXPECT_TRUE(unit.hasEffects());
  EXPECT_FALSE(unit.isSpeculatable());
  func::FuncOp caller = makeCaller(unit.getArgumentTypes());
  ValueRange arguments = caller.getArguments();
  auto invoke =
      InvokeOp::create(builder, location, unit, arguments.take_front(2), arguments.take_back());
  EXPECT_TRUE(invoke.getEffects());
  EXPECT_FALSE(isMemoryEffectFree(invoke));
  EXPECT_TRUE(succeeded(verify(*module)));
}

} // namespace
