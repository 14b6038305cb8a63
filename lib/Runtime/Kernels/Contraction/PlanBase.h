//===- PlanBase.h - What every kind of plan offers --------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_PLANBASE_H
#define ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_PLANBASE_H

#include "Shape.h"

namespace anneal::runtime::contraction {

/// A plan of some kind. Immutable once made.
class PlanBase {
public:
  virtual ~PlanBase() = default;

  /// As ContractionPlan's.
  virtual void pack(int operand, const void *source, void *packed) const = 0;
  virtual void run(int64_t begin, int64_t end, const ContractionOperands &operands, char *scratch,
                   const TileHooks &hooks) const = 0;
  virtual std::string describe() const = 0;

  int64_t numTiles() const { return tiles; }
  size_t scratchBytes() const { return scratch; }
  const ConstantPacking &packing(int operand) const { return packings[operand]; }
  int64_t multiplyAdds() const { return products; }

protected:
  int64_t tiles = 0;
  size_t scratch = 0;
  int64_t products = 0;
  std::array<ConstantPacking, 2> packings;
};

/// Plans for a problem with outputs. The first is general for ReductionOrder::Chain, the second for
/// Lanes16. The others are for kinds of the first's problems and return null for all that they
/// don't fit: where there is a dimension along which all operands are contiguous, and where a
/// window slides over one input that has all of the outputs' own dimensions.
std::unique_ptr<PlanBase> makeGemmPlan(const Shape &shape);
std::unique_ptr<PlanBase> makeLanesPlan(const Shape &shape);
std::unique_ptr<PlanBase> makeBatchPlan(const Shape &shape);
std::unique_ptr<PlanBase> makeWindowPlan(const Shape &shape);

/// Bytes rounded up to a cache line.
constexpr int64_t alignUp(int64_t bytes) { return (bytes + 63) & ~int64_t(63); }

constexpr int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

} // namespace anneal::runtime::contraction

#endif // ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_PLANBASE_H
