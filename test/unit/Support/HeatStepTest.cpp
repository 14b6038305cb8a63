//===- HeatStepTest.cpp - Tests of the heat step --------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Support/HeatStep.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <limits>
#include <random>

using namespace anneal;
using testing::ElementsAre;

namespace {

using Edges = std::vector<HeatGraph::Edge>;

std::vector<double> step(const HeatGraph &graph, double alpha, const std::vector<double> &heat,
                         const std::vector<double> &injected = {}) {
  std::vector<double> next(heat.size());
  stepHeat(graph, alpha, heat, next, injected);
  return next;
}

TEST(HeatGraphTest, KeepsPredecessorsInOrderAndCountsParallelEdges) {
  HeatGraph graph(4, Edges{{2, 1}, {0, 1}, {2, 1}, {1, 3}, {3, 3}});
  EXPECT_EQ(graph.getNumNodes(), 4u);
  EXPECT_EQ(graph.getNumEdges(), 5u);
  EXPECT_THAT(graph.getPredecessors(0), ElementsAre());
  EXPECT_THAT(graph.getPredecessors(1), ElementsAre(2, 0, 2));
  EXPECT_THAT(graph.getPredecessors(3), ElementsAre(1, 3));
  EXPECT_EQ(graph.getOutDegree(2), 2u);
  EXPECT_EQ(graph.getOutDegree(3), 1u);
}

TEST(HeatStepTest, SplitsHeatOverSuccessors) {
  HeatGraph graph(3, Edges{{0, 1}, {0, 2}, {0, 2}});
  EXPECT_THAT(step(graph, 0.5, {12, 0, 0}), ElementsAre(6, 2, 4));
}

TEST(HeatStepTest, ReadsOnlyTheHeatBeforeTheStep) {
  // One after the other, node 2 would receive from the heat that node 1 has just received.
  HeatGraph graph(3, Edges{{0, 1}, {1, 2}});
  EXPECT_THAT(step(graph, 0.5, {8, 0, 0}), ElementsAre(4, 4, 0));
  // The order of nodes against that of edges makes no difference.
  HeatGraph reversed(3, Edges{{2, 1}, {1, 0}});
  EXPECT_THAT(step(reversed, 0.5, {0, 0, 8}), ElementsAre(0, 4, 4));
}

TEST(HeatStepTest, DecaysWithoutPredecessors) {
  HeatGraph graph(1, Edges{});
  EXPECT_THAT(step(graph, 0.75, {16}), ElementsAre(12));
}

TEST(HeatStepTest, KeepsTheSumOnACycle) {
  HeatGraph graph(3, Edges{{0, 1}, {1, 2}, {2, 0}});
  std::vector<double> heat{4, 0, 8};
  for (int i = 0; i < 10; ++i)
    heat = step(graph, 0.5, heat);
  EXPECT_NEAR(heat[0] + heat[1] + heat[2], 12, 1e-12);
  EXPECT_NEAR(heat[0], 4, 0.02);
}

TEST(HeatStepTest, AddsWhatIsInjected) {
  HeatGraph graph(2, Edges{{0, 1}});
  EXPECT_THAT(step(graph, 0.5, {8, 0}, {1, 2}), ElementsAre(5, 6));
}

TEST(HeatStepTest, ReturnsTheLargestChange) {
  HeatGraph graph(2, Edges{{0, 1}});
  std::vector<double> heat{8, 1}, next(2);
  EXPECT_EQ(stepHeat(graph, 0.25, heat, next), 6);
}

TEST(HeatStepTest, AlphaOneChangesNothingAndAlphaZeroMovesAll) {
  HeatGraph graph(2, Edges{{0, 1}});
  EXPECT_THAT(step(graph, 1, {8, 2}), ElementsAre(8, 2));
  EXPECT_THAT(step(graph, 0, {8, 2}), ElementsAre(0, 8));
}

TEST(HeatStepTest, AgreesWithADenseMatrix) {
  std::mt19937 random(7);
  constexpr size_t kNodes = 40;
  std::uniform_int_distribution<HeatGraph::Node> node(0, kNodes - 1);
  Edges edges;
  std::vector<std::vector<double>> matrix(kNodes, std::vector<double>(kNodes));
  std::vector<double> degree(kNodes);
  for (int i = 0; i < 150; ++i) {
    HeatGraph::Edge edge{node(random), node(random)};
    edges.push_back(edge);
    matrix[edge.second][edge.first] += 1;
    degree[edge.first] += 1;
  }
  std::vector<double> heat(kNodes), expected(kNodes);
  for (double &value : heat)
    value = std::uniform_real_distribution<double>(0, 100)(random);
  for (size_t v = 0; v < kNodes; ++v) {
    expected[v] = 0.9 * heat[v];
    for (size_t u = 0; u < kNodes; ++u)
      if (matrix[v][u] != 0)
        expected[v] += (1 - 0.9) * matrix[v][u] * heat[u] / degree[u];
  }
  std::vector<double> found = step(HeatGraph(kNodes, edges), 0.9, heat);
  for (size_t v = 0; v < kNodes; ++v)
    EXPECT_NEAR(found[v], expected[v], 1e-12);
}

TEST(SpreadHeatTest, StopsAtTheToleranceOrTheLimit) {
  HeatGraph graph(1, Edges{});
  HeatResult limited = spreadHeat(graph, 0.5, std::vector<double>{16}, 3, 0);
  EXPECT_EQ(limited.steps, 3u);
  EXPECT_THAT(limited.heat, ElementsAre(2));
  EXPECT_EQ(limited.lastChange, 2);
  HeatResult settled = spreadHeat(graph, 0.5, std::vector<double>{16}, 100, 4);
  EXPECT_EQ(settled.steps, 2u);
  EXPECT_THAT(settled.heat, ElementsAre(4));
  HeatResult none = spreadHeat(graph, 0.5, std::vector<double>{16}, 0, 0);
  EXPECT_EQ(none.steps, 0u);
  EXPECT_THAT(none.heat, ElementsAre(16));
}

TEST(SpreadHeatTest, TakesAnEmptyGraph) {
  HeatResult result = spreadHeat(HeatGraph(), 0.9, {}, 5, 0);
  EXPECT_TRUE(result.heat.empty());
}

} // namespace
