//===- HeatStep.cpp - Heat that spreads over a graph ----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Support/HeatStep.h"

#include <algorithm>
#include <cmath>

namespace anneal {

HeatGraph::HeatGraph(size_t numNodes, std::span<const Edge> edges)
    : rowStarts(numNodes + 1), predecessors(edges.size()), outDegrees(numNodes) {
  for (const auto &[from, to] : edges) {
    ++outDegrees[from];
    ++rowStarts[to + 1];
  }
  for (size_t node = 0; node < numNodes; ++node)
    rowStarts[node + 1] += rowStarts[node];
  std::vector<size_t> next(rowStarts.begin(), rowStarts.end() - 1);
  for (const auto &[from, to] : edges)
    predecessors[next[to]++] = from;
}

double stepHeat(const HeatGraph &graph, double alpha, std::span<const double> heat,
                std::span<double> next, std::span<const double> injected) {
  double largestChange = 0;
  for (HeatGraph::Node node = 0; node < graph.getNumNodes(); ++node) {
    double received = 0;
    for (HeatGraph::Node from : graph.getPredecessors(node))
      received += heat[from] / graph.getOutDegree(from);
    next[node] = alpha * heat[node] + (1 - alpha) * received;
    if (!injected.empty())
      next[node] += injected[node];
    largestChange = std::max(largestChange, std::fabs(next[node] - heat[node]));
  }
  return largestChange;
}

HeatResult spreadHeat(const HeatGraph &graph, double alpha, std::span<const double> initial,
                      unsigned maxSteps, double tolerance) {
  HeatResult result;
  result.heat.assign(initial.begin(), initial.end());
  std::vector<double> next(initial.size());
  while (result.steps < maxSteps) {
    result.lastChange = stepHeat(graph, alpha, result.heat, next);
    result.heat.swap(next);
    ++result.steps;
    if (result.lastChange <= tolerance)
      break;
  }
  return result;
}

} // namespace anneal
