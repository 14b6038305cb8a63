//===- Contraction.h - Ahead-of-time contraction kernels --------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One engine for every contraction and convolution: any operation whose body is `c + a * b` and
// whose operands are reached through linear maps. An operand's element at iteration point (i...) is
// at `base + sum_d i_d * stride_d`, so a windowed access `oh * s + kh * d` is two dimensions with a
// stride each, a broadcast is a stride of zero, and matmul, batch_matmul, convolutions of every
// layout, depthwise and grouped ones, dot and outer products differ only in their numbers.
//
// Use: describe the operation for one set of shapes (ContractionProblem), build a ContractionPlan,
// pack what is constant (ConstantPacking), then run the plan's tiles from as many threads as there
// are:
//
//   auto plan = ContractionPlan::create(problem, detectIsa());
//   operands.packedA = derived.getOrCreate(constant, plan->packing(A).layout,
//   plan->packing(A).bytes, ...); pool.parallelFor(plan->numTiles(), 1, [&](begin, end, worker) {
//     plan->run(begin, end, operands, scratch + worker * plan->scratchBytes(), hooks);
//   });
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_KERNELS_CONTRACTION_H
#define ANNEAL_RUNTIME_KERNELS_CONTRACTION_H

#include "anneal/Plan/DType.h"
#include "anneal/Runtime/Kernels/Isa.h"

#include "absl/status/statusor.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace anneal::runtime {

namespace contraction {
class PlanBase;
} // namespace contraction

/// The order in which the products of one output are added (DESIGN.md D4). The caller reads it off
/// the indexing maps, never off sizes.
enum class ReductionOrder : uint8_t {
  /// One chain of fused multiply-adds in ascending lexicographic order of the reduction dimensions,
  /// starting from the initial value. For operations in whose maps each of the inputs has a
  /// parallel
  /// dimension that the other lacks, and for every windowed access (convolutions, depthwise ones
  /// too).
  Chain,
  /// Products are dealt to 16 lanes, product p of the flattened reduction to lane p mod 16; a lane
  /// is a
  /// chain that starts from -0.0; then lanes are added in the tree (l, l + 8), (l, l + 4), (l, l +
  /// 2),
  /// (l, l + 1), and the result is the initial value + the sum. For matrix-vector products and
  /// dots.
  Lanes16
};

/// One dimension of the iteration space; strides are in elements of the operand, zero where the
/// operand does not depend on the dimension.
struct ContractionDim {
  int64_t size = 1;
  int64_t strideA = 0;
  int64_t strideB = 0;
  int64_t strideC = 0;
  /// Only with InitKind::Tensor.
  int64_t strideInit = 0;
};

/// One axis of an operand that is surrounded by padding: position x of the axis, counted from the
/// first element that exists, is `sum_d coefficient_d * i_d - low`. The strides of the operand in
/// ContractionDim have the axis already in them: strideA_d = sum over axes (coefficient_d * stride
/// of the axis).
struct PaddedAxis {
  /// Elements that exist; x outside [0, size) reads the padding value.
  int64_t size = 0;
  /// Positions of padding before the first element (may be negative: a cut).
  int64_t low = 0;
  /// Elements between neighbours along the axis.
  int64_t stride = 0;
  /// One for each parallel dimension of the problem, then one for each reduction dimension.
  std::vector<int64_t> coefficients;
};

/// Padding that is fused into the reads of an operand; padding counts as values. The operand's
/// pointer is that of the element at x = 0 of every axis.
struct OperandPadding {
  /// Axes that can leave their bounds; empty where there is no padding.
  std::vector<PaddedAxis> axes;
  /// Bits of the padding value, in the operand's type.
  uint64_t valueBits = 0;
};

/// What stands in C before the first product is added.
enum class InitKind : uint8_t {
  /// The constant `initBits`, in C's type. C is not read.
  Value,
  /// The element of `ContractionOperands::init` at sum_d i_d * strideInit_d, of C's type: a bias
  /// that is
  /// broadcast, or C itself (accumulate onto what stands there) when given C's pointer and strides.
  Tensor,
  /// What TileHooks::init wrote into the tile.
  Hook
};

/// A contraction for one set of shapes.
///
/// Element types: A and B are converted to C's type as `arith` would (extsi or extui by the
/// unsigned flags, extf, truncf, trunci, sitofp, uitofp); f16 and bf16 then widen to f32. Sums are
/// kept in f32 for C in {f16, bf16, f32}, and round to C's type once, at the end; in f64 for f64;
/// integers wrap.
struct ContractionProblem {
  plan::DType a = plan::DType::F32;
  plan::DType b = plan::DType::F32;
  plan::DType c = plan::DType::F32;
  bool unsignedA = false;
  bool unsignedB = false;
  ReductionOrder order = ReductionOrder::Chain;

  /// Dimensions of C, in any order; TileHooks see them in this order. Which of them both inputs, A
  /// alone, B alone or neither depend on is read off the strides.
  std::vector<ContractionDim> parallel;
  /// In the operation's own order of reduction iterators, outermost first: the numeric order.
  std::vector<ContractionDim> reduction;

  OperandPadding paddingA;
  OperandPadding paddingB;

  /// The operand is a constant of the program: the plan may ask for it in packed form.
  bool constantA = false;
  bool constantB = false;

  InitKind init = InitKind::Value;
  uint64_t initBits = 0;

  /// C is never whole in memory: a tile stands in the worker's scratch and only TileHooks::finish
  /// sees it. strideC is ignored.
  bool tileBuffer = false;

  /// Threads that tiles are for; 0: some. Results don't depend on it, nor do packed forms.
  unsigned numThreads = 0;
};

/// A box of C that hooks fill or take over: point (p...) of the box, p_d < size[d], is the
/// iteration point begin[d] + p_d of parallel dimension d, and its element of C's type is at `data
/// + sum_d p_d * stride[d]`. Arrays have one entry for each parallel dimension of the problem.
struct ContractionBox {
  void *data = nullptr;
  const int64_t *begin = nullptr;
  const int64_t *size = nullptr;
  const int64_t *stride = nullptr;
};

/// What the caller adds to each tile, while it is in a near cache. A tile is handed over as one or
/// more boxes that do not overlap. Called on the thread that runs the tile.
struct TileHooks {
  using BoxFn = void (*)(void *context, const ContractionBox &box);
  void *context = nullptr;
  /// Writes the initial values of a box. Required with InitKind::Hook, unused otherwise.
  BoxFn init = nullptr;
  /// Takes the finished box. Required with `tileBuffer`, optional otherwise.
  BoxFn finish = nullptr;
};

/// Pointers of one run.
struct ContractionOperands {
  /// First elements (iteration point 0; with padding, the element at x = 0). Unused for an operand
  /// whose packed form is given.
  const void *a = nullptr;
  const void *b = nullptr;
  /// Packed forms, where packing(...).wanted.
  const void *packedA = nullptr;
  const void *packedB = nullptr;
  /// First element of C. Unused with `tileBuffer`.
  void *c = nullptr;
  /// With InitKind::Tensor.
  const void *init = nullptr;
};

enum class ContractionSide : uint8_t { A, B };

/// The packed form of a constant operand.
struct ConstantPacking {
  /// The plan reads the packed form and nothing else of this operand.
  bool wanted = false;
  size_t bytes = 0;
  /// Names the layout and all of its parameters: equal names for one constant mean equal bytes.
  std::string layout;
};

/// A contraction with everything decided that depends on types, sizes and strides: the vector side,
/// direct or packed reads, register tile, cache blocks, tiles. The bits of the result depend on
/// none of these choices, nor on the instruction set.
///
/// Immutable, so many threads may run it at once, each with a scratch of its own.
class ContractionPlan {
public:
  /// Errors: a size below zero, more elements than 63 bits count, padding coefficients that are not
  /// one for each dimension, a parallel dimension without a stride in C (InvalidArgument); element
  /// types that no conversion is defined for (Unimplemented).
  static absl::StatusOr<ContractionPlan> create(const ContractionProblem &problem, Isa isa);

  ContractionPlan(ContractionPlan &&) noexcept;
  ContractionPlan &operator=(ContractionPlan &&) noexcept;
  ~ContractionPlan();

  /// Independent work items of about equal size; zero if C has no elements. Chosen from the problem
  /// alone: enough of them for several threads where the work is worth it.
  int64_t numTiles() const;

  /// Scratch that each worker brings, in bytes, aligned to 64.
  size_t scratchBytes() const;

  /// Whether and how the operand is to be packed; only ever wanted for an operand declared
  /// constant.
  const ConstantPacking &packing(ContractionSide side) const;

  /// Writes the packed form of the operand whose first element is `source` to `packed`
  /// (packing(side).bytes long, aligned to 64).
  void pack(ContractionSide side, const void *source, void *packed) const;

  /// Computes tiles [begin, end).
  void run(int64_t begin, int64_t end, const ContractionOperands &operands, void *scratch,
           const TileHooks &hooks = {}) const;

  /// Multiply-adds of the whole problem.
  int64_t numMultiplyAdds() const;

  /// The choices in words, for reports: "gemm v=n 14x32 kc=384 ...".
  std::string describe() const;

private:
  explicit ContractionPlan(std::unique_ptr<const contraction::PlanBase> impl);
  std::unique_ptr<const contraction::PlanBase> impl;
};

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_KERNELS_CONTRACTION_H
