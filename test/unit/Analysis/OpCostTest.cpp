//===- OpCostTest.cpp - Tests of the cost analysis as a library -----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What lit cannot see: use through the analysis manager, sizes for the same polynomials again and
// again, and that the analysis leaves the IR alone. Costs themselves: test/Analysis/op-cost*.mlir.
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/OpCost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/AnalysisManager.h"
#include "mlir/Support/DebugStringHelper.h"

#include "gtest/gtest.h"

using namespace anneal;
using namespace mlir;

namespace {

constexpr StringLiteral kModule = R"(
  func.func @f(%x: tensor<?x8xf32>, %w: tensor<8x?xf32>) -> tensor<?x?xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %m = tensor.dim %x, %c0 : tensor<?x8xf32>
    %half = arith.divsi %m, %c2 : index
    %n = tensor.dim %w, %c1 : tensor<8x?xf32>
    %s = tensor.extract_slice %x[0, 0] [%half, 8] [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
    %e = tensor.empty(%half, %n) : tensor<?x?xf32>
    %0 = linalg.matmul ins(%s, %w : tensor<?x8xf32>, tensor<8x?xf32>)
        outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    return %0 : tensor<?x?xf32>
  })";

class OpCostTest : public testing::Test {
protected:
  OpCostTest() {
    DialectRegistry registry;
    registry.insert<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect,
                    tensor::TensorDialect>();
    registerCostModels(registry);
    context.appendDialectRegistry(registry);
    module = parseSourceString<ModuleOp>(kModule, &context);
    module->walk([&](linalg::MatmulOp op) { matmul = op; });
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Operation *matmul = nullptr;
};

TEST_F(OpCostTest, EvaluatesOnePolynomialAtManySizes) {
  OpCostAnalysis costs(*module);
  const OpCost &cost = costs.getCost(matmul);
  DimScope &scope = costs.getScope(matmul);
  EXPECT_EQ(scope.toString(cost.flops), "16*s0*d1");
  for (int64_t m : {0, 1, 7, 1000}) {
    ArgumentSizes sizes;
    sizes.byArgument[0] = {m, 8};
    sizes.byArgument[1] = {8, 3};
    DimEvaluator evaluator(scope, sizes);
    std::optional<CostValues> values = evaluate(cost, evaluator);
    ASSERT_TRUE(values);
    EXPECT_EQ(values->flops, WideInt(16 * (m / 2) * 3));
  }
}

TEST_F(OpCostTest, SaysNothingWhereASizeIsNotKnown) {
  OpCostAnalysis costs(*module);
  ArgumentSizes sizes;
  sizes.byArgument[0] = {ShapedType::kDynamic, 8};
  DimEvaluator evaluator(costs.getScope(matmul), sizes);
  EXPECT_FALSE(evaluate(costs.getCost(matmul), evaluator));
}

TEST_F(OpCostTest, WorksThroughTheAnalysisManagerAndLeavesTheIrAlone) {
  std::string before = debugString(*module->getOperation());
  ModuleAnalysisManager manager(module->getOperation(), /*passInstrumentor=*/nullptr);
  AnalysisManager analyses = manager;
  auto &costs = analyses.getAnalysis<OpCostAnalysis>();
  EXPECT_FALSE(costs.getCost(matmul).isUnknown);
  EXPECT_EQ(&costs, &analyses.getAnalysis<OpCostAnalysis>());
  EXPECT_EQ(debugString(*module->getOperation()), before);
}

TEST_F(OpCostTest, TakesWeightsOfItsUser) {
  FlopWeights weights;
  weights.set("arith.mulf", 10);
  OpCostAnalysis costs(*module, weights);
  EXPECT_EQ(costs.getScope(matmul).toString(costs.getCost(matmul).flops), "88*s0*d1");
}

} // namespace
