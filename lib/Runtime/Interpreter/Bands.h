//===- Bands.h - Units run part by part -------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention and the like are several contractions with a chain between them, and what one kernel
// makes of one batch element or head only the next one reads, for the same element. Run kernel by
// kernel, all of it goes through memory; run element by element, a *band* at a time, it stays in a
// near cache, and bands run in parallel. Results are the same, bit for bit: a band's points are
// computed as they would be among the others.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_INTERPRETER_BANDS_H
#define ANNEAL_LIB_RUNTIME_INTERPRETER_BANDS_H

#include "KernelFacts.h"

#include "absl/types/optional.h"

#include <memory>
#include <vector>

namespace anneal::runtime::interpreter {

/// A loop that all kernels of a unit share.
struct BandLoop {
  int64_t count = 0;
  /// Of each of the unit's tensors: the dimension that it runs along (-1: none), and how far one
  /// step of it is, in bytes.
  std::vector<int32_t> dimOf;
  std::vector<int64_t> stepBytes;
};

/// The loops over whose points a unit is run band by band, outermost first.
struct BandPlan {
  std::vector<BandLoop> loops;
  /// Of each tensor the dimensions of the loops, as bits: UnitBinding::onlyOne of a band's form.
  std::vector<uint64_t> dims;

  int64_t numBands() const;
};

/// How to run the unit in bands, where that pays: there are two contractions, what is between them
/// does not fit a near cache, and loops run over both operands of each contraction and over
/// whatever else the kernels write and read of each other.
absl::optional<BandPlan> planBands(const UnitFactsImpl &facts, const UnitBinding &binding);

/// A form that runs `band`, the form of one band for one thread, for all of them, on the threads of
/// `binding`.
std::shared_ptr<const UnitForm> makeBanded(std::shared_ptr<const UnitForm> band,
                                           const BandPlan &plan, const UnitBinding &binding);

} // namespace anneal::runtime::interpreter

#endif // ANNEAL_LIB_RUNTIME_INTERPRETER_BANDS_H
