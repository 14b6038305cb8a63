//===- HeatStep.h - Heat that spreads over a graph --------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REQUIREMENTS.md H3, the one place where it is computed: the compile-time analysis and the
// run-time tick both call this.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_SUPPORT_HEATSTEP_H
#define ANNEAL_SUPPORT_HEATSTEP_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace anneal {

/// A directed graph, kept by the predecessors of each node (compressed rows). Parallel edges count
/// each. Immutable: many threads may read it at once.
class HeatGraph {
public:
  using Node = uint32_t;
  using Edge = std::pair<Node, Node>;

  HeatGraph() = default;
  /// `edges`, from first to second. REQUIRES: each end is less than `numNodes`.
  HeatGraph(size_t numNodes, std::span<const Edge> edges);

  size_t getNumNodes() const { return outDegrees.size(); }
  size_t getNumEdges() const { return predecessors.size(); }
  /// Where edges into `node` come from, in the order in which the edges were given.
  std::span<const Node> getPredecessors(Node node) const {
    return std::span(predecessors).subspan(rowStarts[node], rowStarts[node + 1] - rowStarts[node]);
  }
  /// Edges that leave `node`.
  uint32_t getOutDegree(Node node) const { return outDegrees[node]; }

private:
  std::vector<size_t> rowStarts{0};
  std::vector<Node> predecessors;
  std::vector<uint32_t> outDegrees;
};

/// The share of its own heat that a node keeps in a step.
inline constexpr double kDefaultHeatAlpha = 0.9;

/// One step: next[v] = alpha heat[v] + (1 - alpha) sum over edges (u, v) of heat[u] / outdegree(u),
/// plus injected[v], what was counted since the last step (empty: nothing). All of it reads the
/// heat of time t (Jacobi). A node without predecessors decays; of one without successors the share
/// (1 - alpha) is lost. Sums go in the order of the edges: the same input gives the same bits.
/// Returns the largest |next[v] - heat[v]|.
/// REQUIRES: 0 <= alpha <= 1; `heat` and `next` have a value for each node and don't overlap.
double stepHeat(const HeatGraph &graph, double alpha, std::span<const double> heat,
                std::span<double> next, std::span<const double> injected = {});

/// What came of `spreadHeat`.
struct HeatResult {
  std::vector<double> heat;
  unsigned steps = 0;
  /// The largest change in the last step; 0 if there was none.
  double lastChange = 0;
};

/// Steps from `initial` until the largest change is at most `tolerance`, but at most `maxSteps`.
/// Nothing is injected.
HeatResult spreadHeat(const HeatGraph &graph, double alpha, std::span<const double> initial,
                      unsigned maxSteps, double tolerance);

} // namespace anneal

#endif // ANNEAL_SUPPORT_HEATSTEP_H
