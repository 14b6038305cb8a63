//===- Reduction.h - What reductions have in common -------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numeric rule for reductions that are not contractions (DESIGN.md D4). If every output has a
// known combiner, its sums are kept in the output's type, or in f32 for f16 and bf16, rounded once:
//   * Lanes: the innermost iterator is a reduction and no access is windowed. Value p of the
//   flattened
//     reduction goes to lane p mod 16; the lanes' tree; then combiner(initial value, tree).
//   * Chain: otherwise. combiner(... combiner(initial value, value 0) ..., value n-1).
// The product and sum of a contraction are one fused multiply-add, in the order that Contract.h
// gives. If some output has none, the body itself runs once for each point of the reduction, in
// order.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_INTERPRETER_REDUCTION_H
#define ANNEAL_LIB_RUNTIME_INTERPRETER_REDUCTION_H

#include "Kernels.h"
#include "Nest.h"
#include "ReduceLoops.h"

#include "anneal/Runtime/Kernels/StripOps.h"

namespace anneal::runtime::interpreter {

/// An output with a known combiner.
struct ReducedOutput {
  plan::Opcode op = plan::Opcode::AddF;
  plan::DType type = plan::DType::F32;
  /// Type in which sums are kept, and the bits of the combiner's identity there.
  plan::DType sumType = plan::DType::F32;
  uint64_t identity = 0;
  /// The register that is combined; if `isProduct`, it is multiplied by `factor` in one fused step
  /// (a contraction, DESIGN.md D4).
  plan::Reg value = plan::kNoReg;
  plan::Reg factor = plan::kNoReg;
  bool isProduct = false;
  /// sum = combiner(sum, value), value varying or uniform, of `sumType`.
  StripFn combine = nullptr;
  StripFn combineUniform = nullptr;
  /// sum = value * factor + sum; bit 0 of the index: value is uniform, bit 1: factor is.
  StripFn fuse[4] = {};
  /// Between `type` and `sumType`; null where they are equal.
  StripFn widen = nullptr;
  StripFn narrow = nullptr;
  /// Lanes fed with elements of `type`, and their tree in `sumType`.
  RowReduceFns rows;
  void (*finishRow)(const void *lanes, void *out) = nullptr;
  /// Null functions where there are none.
  ReduceLoops loops;
  ProductLoops products;

  size_t sumSize() const { return plan::sizeOf(sumType); }
};

/// A reduction being bound: parallel loops, ordered for locality, then reduction loops in the order
/// of the operation. The nest's last streams are the outputs.
struct Reduction {
  bool inLanes = false;
  /// Bits do not depend on the order of combining.
  bool isOrderFree = false;
  /// Empty if some output has no known combiner.
  std::vector<ReducedOutput> outputs;
  /// Registers that are combined, then the factor of a product (of one output), or the yields.
  std::vector<plan::Reg> values;
  Nest nest;
  size_t numParallel = 0;

  size_t numReductions() const { return nest.sizes.size() - numParallel; }
  /// Points of the reduction loops.
  int64_t length() const;
};

/// Analyses the kernel. False where a combiner has no code for its type.
bool bindReduction(const KernelBinding &binding, Reduction &reduction);

/// Memory is read along the reduction rather than across it.
bool isAlongRows(const Reduction &reduction);

/// Adds the values of `count` sums to the initial values in memory (`stride` elements apart),
/// rounding once: memory = narrow(combiner(widen(memory), sums)).
void combineIntoMemory(const ReducedOutput &output, char *memory, int64_t stride, const char *sums,
                       size_t count);
/// sums = widen(memory), and back.
void loadSums(const ReducedOutput &output, char *sums, const char *memory, int64_t stride,
              size_t count);
void storeSums(const ReducedOutput &output, char *memory, int64_t stride, const char *sums,
               size_t count);

/// Values along rows of the reduction: known combiners, lanes, or chains for which there is vector
/// code.
KernelPtr bindRowReduction(const KernelBinding &binding, const Reduction &reduction);
/// Chains (or any order) of a plain operand, many at once.
KernelPtr bindChainReduction(const KernelBinding &binding, const Reduction &reduction);
/// Bodies that select, like that of an argmax, for few outputs.
KernelPtr bindSelectReduction(const KernelBinding &binding, const Reduction &reduction);
/// Strips over the parallel loops, one step of the reduction after the other. Fits every reduction.
KernelPtr bindStripReduction(const KernelBinding &binding, const Reduction &reduction);

} // namespace anneal::runtime::interpreter

#endif // ANNEAL_LIB_RUNTIME_INTERPRETER_REDUCTION_H
