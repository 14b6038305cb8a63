//===- KernelFacts.h - What of a kernel depends on no sizes -----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A unit is bound anew for each set of sizes that comes along. What binding would find out again
// and again from structure alone is found out once, here.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_INTERPRETER_KERNELFACTS_H
#define ANNEAL_LIB_RUNTIME_INTERPRETER_KERNELFACTS_H

#include "BodyInfo.h"
#include "StripCode.h"

#include "anneal/Plan/Unit.h"
#include "anneal/Runtime/Interpreter/BoundUnit.h"
#include "anneal/Runtime/Kernels/Contraction.h"

#include "absl/types/optional.h"

#include <memory>
#include <vector>

namespace anneal::runtime::interpreter {

/// Immutable but for the strip codes; thread-safe. The kernel must outlive it.
class KernelFacts {
public:
  explicit KernelFacts(const plan::Kernel &kernel);

  const plan::Kernel &kernel;
  BodyInfo info;
  /// All loops are parallel.
  bool isMap = false;
  /// There is one output, and the body hands on an operand, a scalar or a constant.
  bool isCopy = false;
  /// The kernel is a contraction; which of its inputs have a parallel dimension that the other
  /// lacks (x, y); the order of its sums.
  absl::optional<ContractionBody> contraction;
  bool hasM = false, hasN = false;
  ReductionOrder order = ReductionOrder::Chain;
  /// Some index expression mixes two iteration dimensions (pooling, convolution).
  bool isWindowed = false;
  /// How each output is reduced; empty unless all are by known combiners.
  std::vector<Combiner> combiners;
  /// Time of the computation of what is yielded, as estimateCost says.
  double yieldCost = 0;
  /// Of each operand, of each of its dimensions: plainDimension.
  std::vector<absl::InlinedVector<int32_t, 6>> plainDims;
  /// The body's strip code.
  StripCodes codes;

  /// Registers that the computation of `results` and the asserts read, one flag each.
  absl::InlinedVector<bool, 32> read(absl::Span<const plan::Reg> results) const;
  /// Time of the computation of `results` for one element in nanoseconds.
  double cost(absl::Span<const plan::Reg> results) const;

private:
  bool areYields(absl::Span<const plan::Reg> results) const;

  absl::InlinedVector<bool, 32> yieldRead;
};

/// The facts of all kernels of a unit.
class UnitFactsImpl final : public UnitFacts {
public:
  explicit UnitFactsImpl(const plan::Unit &unit);

  const plan::Unit &unit() const override { return theUnit; }
  /// Of kernel `k` as it stands.
  const KernelFacts &plain(size_t k) const { return *kernels[k].plain; }
  /// Of kernel `k` with inputs behind maps that are not linear gathered by its body; the same as
  /// plain() where there are none.
  const KernelFacts &linear(size_t k) const {
    return kernels[k].linear ? *kernels[k].linear : *kernels[k].plain;
  }

private:
  struct Entry {
    std::unique_ptr<KernelFacts> plain;
    std::unique_ptr<plan::Kernel> gathered;
    std::unique_ptr<KernelFacts> linear;
  };

  const plan::Unit &theUnit;
  std::vector<Entry> kernels;
};

} // namespace anneal::runtime::interpreter

#endif // ANNEAL_LIB_RUNTIME_INTERPRETER_KERNELFACTS_H
