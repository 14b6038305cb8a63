//===- Bands.h - Units run part by part -------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention and the like are several contractions with a chain between them, and what one kernel
// makes of one batch element or head only the next one reads, for the same element. Softmax and
// layer norm are chains of that kind without contractions, over rows. Run kernel by kernel, all of
// it goes through memory; run element by element, or some rows at a time, a *band* at a time, it
// stays in a near cache, and bands run in parallel. Results are the same, bit for bit: a band's
// points are computed as they would be among the others.
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
  /// Iterations in one band.
  int64_t group = 1;
  /// Of each of the unit's tensors: the dimension that it runs along (-1: none), and how far one
  /// step of it is, in bytes.
  std::vector<int32_t> dimOf;
  std::vector<int64_t> stepBytes;
};

/// The loops over whose points a unit is run band by band, outermost first.
struct BandPlan {
  /// Only the last one may be run in groups.
  std::vector<BandLoop> loops;
  /// UnitBinding::parts of a band's form.
  std::vector<PartDims> parts;

  int64_t numBands() const;
  /// Iterations of the last loop in one band, and in the last band of all if that has fewer.
  int64_t groupSize() const { return loops.back().group; }
  int64_t restSize() const { return loops.back().count % loops.back().group; }
};

/// How to run the unit in bands, where that pays: there are several kernels, of which none or at
/// least two are contractions, what is between them does not fit a near cache, and loops run over
/// both operands of each contraction and over whatever else the kernels write and read of each
/// other.
absl::optional<BandPlan> planBands(const UnitFactsImpl &facts, const UnitBinding &binding);

/// Forms of one band, for one thread.
struct BandForms {
  std::shared_ptr<const UnitForm> whole;
  /// For BandPlan::restSize(), which is not zero then.
  std::shared_ptr<const UnitForm> rest;
};

/// A form that runs those of a band for all of them, on the threads of `binding`. REQUIRES: with
/// `rest`, no form has derived constants.
std::shared_ptr<const UnitForm> makeBanded(BandForms forms, const BandPlan &plan,
                                           const UnitBinding &binding);

} // namespace anneal::runtime::interpreter

#endif // ANNEAL_LIB_RUNTIME_INTERPRETER_BANDS_H
