//===- BodyInfo.h - What a kernel's body computes ---------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts about the body of a structured operation that do not depend on sizes, and on which the
// numeric rule rests (DESIGN.md D4): which results are reductions by a known combiner, and whether
// the kernel is a contraction.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_INTERPRETER_BODYINFO_H
#define ANNEAL_LIB_RUNTIME_INTERPRETER_BODYINFO_H

#include "anneal/Plan/Unit.h"

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"

#include <cstdint>

namespace anneal::runtime::interpreter {

/// The instruction must be run: it has an effect, or makes a register for which `read` is set.
bool isLive(const plan::Instr &instr, const absl::InlinedVector<bool, 32> &read);

/// Registers of a body that the computation of `results` and the asserts read, one flag each.
absl::InlinedVector<bool, 32> registersRead(const plan::Body &body,
                                            absl::Span<const plan::Reg> results);

/// Uses of registers in a body without branches.
struct BodyInfo {
  explicit BodyInfo(const plan::Body &body);

  /// Instruction that defines a register, or -1 (operands, captured scalars).
  absl::InlinedVector<int32_t, 32> def;
  /// Uses of a register by live instructions and yields.
  absl::InlinedVector<uint32_t, 32> uses;
};

/// The register behind a chain of `Move`.
plan::Reg throughMoves(const plan::Body &body, const BodyInfo &info, plan::Reg reg);

/// How output k of a reduction is made: `yield = combiner(accumulator, value)`, the accumulator
/// being used there alone and `value` not depending on any accumulator.
struct Combiner {
  plan::Opcode op = plan::Opcode::AddF;
  plan::DType type = plan::DType::F32;
  /// Instruction that combines.
  uint32_t instr = 0;
  plan::Reg accumulator = plan::kNoReg;
  plan::Reg value = plan::kNoReg;
};

/// Recognises the combiner of output `output`: AddF, MulF, MaximumF, MinimumF, MaxNumF, MinNumF,
/// AddI, MulI, the integer maxima and minima, AndI, OrI, XOrI. False if there is none.
bool matchCombiner(const plan::Kernel &kernel, const BodyInfo &info, uint32_t output,
                   Combiner &combiner);

/// The combiner gives the same bits in whatever order it is applied.
bool isOrderFree(plan::Opcode combiner);

/// Some index of the operand's map reads iteration dimension `iterDim`.
bool dependsOn(const plan::Operand &operand, size_t iterDim);

/// The iteration dimension that an index expression is, or -1 if it is anything but a plain
/// dimension.
int plainDimension(const plan::IndexExpr &index);

/// `accumulator + x * y`, x and y inputs, each converted at most once.
struct ContractionBody {
  /// Operands of the kernel that are x and y; equal when one input is multiplied by itself.
  uint32_t x = 0, y = 0;
  /// Conversion of each, Move if there is none.
  plan::Opcode convertX = plan::Opcode::Move, convertY = plan::Opcode::Move;
  /// Type of product and sum.
  plan::DType type = plan::DType::F32;
};

/// Recognises a contraction by structure: one output, at most two inputs, linear maps, at least one
/// reduction dimension, an output's map that reads the parallel dimensions and no other, a body
/// `acc + x * y` in any order of operands. Floating-point multiply and add of such a kernel are one
/// FMA.
bool matchContraction(const plan::Kernel &kernel, const BodyInfo &info,
                      ContractionBody &contraction);

} // namespace anneal::runtime::interpreter

#endif // ANNEAL_LIB_RUNTIME_INTERPRETER_BODYINFO_H
