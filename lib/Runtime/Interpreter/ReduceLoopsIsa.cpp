//===- ReduceLoopsIsa.cpp - Vector code of reductions, for each ISA -------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneVectors.h"
#include "ReduceLoops.h"

#include <type_traits>

namespace anneal::runtime::interpreter::ANNEAL_ISA_NAMESPACE {

namespace {

/// Vectors, rows or single chains that are worked on at once to hide the latency of the combiner.
inline constexpr size_t kVectors = 4;
inline constexpr size_t kRows = 4;
inline constexpr size_t kScalars = 8;

// Combiners, on values and on vectors of them.
template <class T> struct Add {
  static constexpr T identity = std::is_floating_point_v<T> ? -T(0) : T(0);
  template <class V> static V apply(V a, V b) { return a + b; }
};
template <class T> struct Mul {
  static constexpr T identity = 1;
  template <class V> static V apply(V a, V b) { return a * b; }
};
/// Integers of the signedness of T.
template <class T, bool IsMax> struct IntExtremum {
  static constexpr T lowest =
      std::is_signed_v<T> ? static_cast<T>(std::make_unsigned_t<T>(1) << (sizeof(T) * 8 - 1))
                          : T(0);
  static constexpr T identity = IsMax ? lowest : static_cast<T>(~lowest);
  template <class V> static V apply(V a, V b) { return IsMax ? (a > b ? a : b) : (a < b ? a : b); }
};
/// -0 below +0; NaN if either is NaN (KeepsNaN), or if both are.
template <class T, bool IsMax, bool KeepsNaN> struct FloatExtremum {
  using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  static constexpr T identity =
      KeepsNaN ? (IsMax ? -T(__builtin_inff()) : T(__builtin_inff())) : T(__builtin_nanf(""));
  static T apply(T a, T b) { return choose<Bits>(a, b); }
  template <class V> static V apply(V a, V b) { return choose<decltype(a == b)>(a, b); }

private:
  template <class I, class V> static V choose(V a, V b) {
    I x = __builtin_bit_cast(I, a), y = __builtin_bit_cast(I, b);
    V equal = __builtin_bit_cast(V, IsMax ? I(x & y) : I(x | y));
    V r = IsMax ? (a > b ? a : b) : (a < b ? a : b); // b if either is NaN
    r = a == b ? equal : r;
    return KeepsNaN ? (a != a ? a : r) : (b != b ? a : r);
  }
};

template <class T, class Op> void addToLanes(RowLanes<T> &lanes, const T *p) {
#pragma GCC unroll 8
  for (size_t k = 0; k < RowLanes<T>::kCount; ++k)
    lanes.v[k] = Op::apply(lanes.v[k], loadVector<T>(p + k * VectorOf<T>::kCount));
}

template <class T, class Op, size_t Rows>
void reduceRows(T *out, const T *src, int64_t rowStride, size_t n) {
  RowLanes<T> lanes[kRows] = {RowLanes<T>(Op::identity), RowLanes<T>(Op::identity),
                              RowLanes<T>(Op::identity), RowLanes<T>(Op::identity)};
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
#pragma GCC unroll 8
    for (size_t r = 0; r < Rows; ++r)
      addToLanes<T, Op>(lanes[r], src + static_cast<int64_t>(r) * rowStride + i);
  for (size_t r = 0; r < Rows; ++r) {
    if (i < n) {
      T tail[kLanes];
      for (size_t l = 0; l < kLanes; ++l)
        tail[l] = Op::identity;
      memcpy(tail, src + static_cast<int64_t>(r) * rowStride + i, (n - i) * sizeof(T));
      addToLanes<T, Op>(lanes[r], tail);
    }
    out[r] = lanes[r].template tree<Op>();
  }
}

template <class T, class Op>
void rows(void *out, const void *src, int64_t rowStride, size_t numRows, size_t n) {
  T *to = static_cast<T *>(out);
  const T *from = static_cast<const T *>(src);
  for (; numRows >= kRows; numRows -= kRows, to += kRows, from += kRows * rowStride)
    reduceRows<T, Op, kRows>(to, from, rowStride, n);
  for (; numRows > 0; --numRows, ++to, from += rowStride)
    reduceRows<T, Op, 1>(to, from, rowStride, n);
}

/// Elements src[0], src[Stride], ... for a Stride of 1 or 2, `n` of them (a whole vector at most).
template <class T, int Stride> Vector<T> loadStrided(const T *src, size_t n) {
  constexpr size_t count = VectorOf<T>::kCount;
  if constexpr (Stride == 1)
    return n == count ? loadVector<T>(src) : loadPart<T>(src, n);
  // The element after the last one used may lie outside: the second load begins one earlier.
  const T *second = src + count - 1;
  Vector<T> low, high;
  if (n == count) {
    low = loadVector<T>(src);
    high = loadVector<T>(second);
  } else {
    size_t used = 2 * n - 1;
    low = loadPart<T>(src, used < count ? used : count);
    high = loadPart<T>(second, used < count ? 0 : used - (count - 1));
  }
  return everyOther(low, high, std::make_index_sequence<count>());
}

/// Calls `step(pointer)` for every step of the chains, in order.
template <class T, class Fn> void forEachStep(const T *src, const ChainSteps &steps, Fn step) {
  for (size_t o = 0; o < steps.numOffsets; ++o) {
    const T *p = src + steps.offsets[o];
    for (size_t k = 0; k < steps.innerCount; ++k, p += steps.innerStride)
      step(p);
  }
}

/// Chains in `Vectors` vectors, of which the last one holds `last` chains.
template <class T, class Op, int Stride, size_t Vectors, bool IsPart>
void vectorChains(T *acc, const T *src, const ChainSteps &steps, size_t last) {
  constexpr size_t count = VectorOf<T>::kCount;
  Vector<T> sum[Vectors];
#pragma GCC unroll 8
  for (size_t k = 0; k < Vectors; ++k)
    sum[k] = IsPart && k + 1 == Vectors ? loadPart<T>(acc + k * count, last)
                                        : loadVector<T>(acc + k * count);
  forEachStep(src, steps, [&](const T *p) {
#pragma GCC unroll 8
    for (size_t k = 0; k < Vectors; ++k)
      sum[k] = Op::apply(sum[k], loadStrided<T, Stride>(p + k * count * Stride,
                                                        IsPart && k + 1 == Vectors ? last : count));
  });
#pragma GCC unroll 8
  for (size_t k = 0; k < Vectors; ++k) {
    if (IsPart && k + 1 == Vectors)
      storePart<T>(acc + k * count, sum[k], last);
    else
      memcpy(acc + k * count, &sum[k], sizeof(sum[k]));
  }
}

template <class T, class Op, size_t Chains>
void scalarChains(T *acc, const T *src, int64_t stride, const ChainSteps &steps) {
  T sum[Chains];
  memcpy(sum, acc, sizeof(sum));
  forEachStep(src, steps, [&](const T *p) {
#pragma GCC unroll 8
    for (size_t k = 0; k < Chains; ++k)
      sum[k] = Op::apply(sum[k], p[static_cast<int64_t>(k) * stride]);
  });
  memcpy(acc, sum, sizeof(sum));
}

template <class T, class Op, int Stride>
void manyVectorChains(T *acc, const T *src, size_t n, const ChainSteps &steps) {
  constexpr size_t count = VectorOf<T>::kCount;
  size_t i = 0;
  for (; i + kVectors * count <= n; i += kVectors * count)
    vectorChains<T, Op, Stride, kVectors, false>(acc + i, src + i * Stride, steps, count);
  size_t left = n - i, last = (left + count - 1) % count + 1;
  acc += i;
  src += i * Stride;
  switch ((left + count - 1) / count) {
  case 1:
    return vectorChains<T, Op, Stride, 1, true>(acc, src, steps, last);
  case 2:
    return vectorChains<T, Op, Stride, 2, true>(acc, src, steps, last);
  case 3:
    return vectorChains<T, Op, Stride, 3, true>(acc, src, steps, last);
  case 4:
    return vectorChains<T, Op, Stride, 4, true>(acc, src, steps, last);
  default:
    return;
  }
}

template <class T, class Op>
void chains(void *accumulators, const void *source, int64_t stride, size_t n,
            const ChainSteps &steps) {
  T *acc = static_cast<T *>(accumulators);
  const T *src = static_cast<const T *>(source);
  if (stride == 1)
    return manyVectorChains<T, Op, 1>(acc, src, n, steps);
  if (stride == 2)
    return manyVectorChains<T, Op, 2>(acc, src, n, steps);
  size_t i = 0;
  for (; i + kScalars <= n; i += kScalars)
    scalarChains<T, Op, kScalars>(acc + i, src + static_cast<int64_t>(i) * stride, stride, steps);
  if (n - i >= 4) {
    scalarChains<T, Op, 4>(acc + i, src + static_cast<int64_t>(i) * stride, stride, steps);
    i += 4;
  }
  for (; i < n; ++i)
    scalarChains<T, Op, 1>(acc + i, src + static_cast<int64_t>(i) * stride, stride, steps);
}

template <class T, class Op> bool set(ReduceLoops &loops) {
  loops = {rows<T, Op>, chains<T, Op>};
  return true;
}

template <class T> bool findFloat(plan::Opcode combiner, ReduceLoops &loops) {
  switch (combiner) {
  case plan::Opcode::AddF:
    return set<T, Add<T>>(loops);
  case plan::Opcode::MulF:
    return set<T, Mul<T>>(loops);
  case plan::Opcode::MaximumF:
    return set<T, FloatExtremum<T, true, true>>(loops);
  case plan::Opcode::MinimumF:
    return set<T, FloatExtremum<T, false, true>>(loops);
  case plan::Opcode::MaxNumF:
    return set<T, FloatExtremum<T, true, false>>(loops);
  case plan::Opcode::MinNumF:
    return set<T, FloatExtremum<T, false, false>>(loops);
  default:
    return false;
  }
}

template <class T> bool findInt(plan::Opcode combiner, ReduceLoops &loops) {
  using Unsigned = std::make_unsigned_t<T>;
  switch (combiner) {
  case plan::Opcode::AddI:
    return set<Unsigned, Add<Unsigned>>(loops);
  case plan::Opcode::MaxSI:
    return set<T, IntExtremum<T, true>>(loops);
  case plan::Opcode::MinSI:
    return set<T, IntExtremum<T, false>>(loops);
  case plan::Opcode::MaxUI:
    return set<Unsigned, IntExtremum<Unsigned, true>>(loops);
  case plan::Opcode::MinUI:
    return set<Unsigned, IntExtremum<Unsigned, false>>(loops);
  default:
    return false;
  }
}

} // namespace

bool findLoops(plan::Opcode combiner, plan::DType type, ReduceLoops &loops);

bool findLoops(plan::Opcode combiner, plan::DType type, ReduceLoops &loops) {
  switch (type) {
  case plan::DType::F32:
    return findFloat<float>(combiner, loops);
  case plan::DType::F64:
    return findFloat<double>(combiner, loops);
  case plan::DType::I32:
    return findInt<int32_t>(combiner, loops);
  case plan::DType::I64:
  case plan::DType::Index:
    return findInt<int64_t>(combiner, loops);
  default:
    return false;
  }
}

} // namespace anneal::runtime::interpreter::ANNEAL_ISA_NAMESPACE
