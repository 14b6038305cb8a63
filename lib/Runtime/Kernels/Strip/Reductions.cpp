//===- Reductions.cpp - Reduction of rows in 16 lanes ---------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Entry.h"
#include "Loops.h"

#include <cstdint>
#include <type_traits>
#include <utility>

namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE {
namespace {

inline constexpr size_t kNativeBytes = ANNEAL_ISA == 2 ? 64 : ANNEAL_ISA == 1 ? 32 : 16;

/// The 16 lanes of elements T, in as many vectors as it takes.
template <class T> struct Lanes {
  static constexpr size_t kBytes = kRowLanes * sizeof(T);
  static constexpr size_t kVector = kBytes < kNativeBytes ? kBytes : kNativeBytes;
  static constexpr size_t kCount = kBytes / kVector;
  typedef T Vector __attribute__((vector_size(kVector)));
  Vector v[kCount];

  void load(const T *p) { loadEach(p, kAll); }
  void store(T *p) const { storeEach(p, kAll); }
  template <class Op> void combine(const Lanes &other) { combineEach<Op>(other, kAll); }

private:
  // Pack expansions, not loops, and each vector by itself, so that the vectors become registers.
  static constexpr auto kAll = std::make_index_sequence<kCount>();
  static constexpr size_t kStep = kVector / sizeof(T);
  template <size_t... K> void loadEach(const T *p, std::index_sequence<K...>) {
    (memcpy(&v[K], p + K * kStep, kVector), ...);
  }
  template <size_t... K> void storeEach(T *p, std::index_sequence<K...>) const {
    (memcpy(p + K * kStep, &v[K], kVector), ...);
  }
  template <class Op, size_t... K> void combineEach(const Lanes &other, std::index_sequence<K...>) {
    ((v[K] = Op::apply(v[K], other.v[K])), ...);
  }
};

// Combiners, on values and on vectors (a comparison of vectors gives an integer vector).
template <class To, class From> To castBits(From x) { return __builtin_bit_cast(To, x); }

#define ANNEAL_COMBINER(Name, Associative, Identity, Expression)                                   \
  template <class T> struct Name {                                                                 \
    static constexpr bool kAssociative = Associative;                                              \
    static T identity() { return static_cast<T>(Identity); }                                       \
    template <class V> static V apply(V a, V b) { return V(Expression); }                          \
  }
ANNEAL_COMBINER(Add, std::is_integral_v<T>, -T(0), a + b);
ANNEAL_COMBINER(Mul, std::is_integral_v<T>, 1, a *b);
ANNEAL_COMBINER(And, true, ~T(0), a &b);
ANNEAL_COMBINER(Or, true, 0, a | b);
ANNEAL_COMBINER(XOr, true, 0, a ^ b);
/// Of I1, whose lanes are 0 or 1.
ANNEAL_COMBINER(AndBit, true, 1, a &b);
template <class T>
inline constexpr T kLowest =
    std::is_signed_v<T> ? static_cast<T>(std::make_unsigned_t<T>(1) << (sizeof(T) * 8 - 1)) : T(0);
ANNEAL_COMBINER(Max, true, kLowest<T>, a > b ? a : b);
ANNEAL_COMBINER(Min, true, static_cast<T>(~kLowest<T>), a < b ? a : b);
#undef ANNEAL_COMBINER

/// MaximumF, MinimumF, MaxNumF, MinNumF as in ScalarFloat.h. Associative but for the payload of
/// NaN.
template <class T, bool IsMax, bool KeepsNaN> struct Extremum {
  static constexpr bool kAssociative = true;
  static T identity() {
    return KeepsNaN ? (IsMax ? -T(__builtin_inff()) : T(__builtin_inff())) : T(__builtin_nanf(""));
  }
  static T apply(T a, T b) {
    return choose<std::conditional_t<sizeof(T) == 4, int32_t, int64_t>>(a, b);
  }
  template <class V> static V apply(V a, V b) { return choose<decltype(a == b)>(a, b); }

private:
  template <class I, class V> static V choose(V a, V b) {
    V equal = IsMax ? castBits<V>(castBits<I>(a) & castBits<I>(b))
                    : castBits<V>(castBits<I>(a) | castBits<I>(b));
    V r = IsMax ? (a > b ? a : b) : (a < b ? a : b); // b if either is NaN
    r = a == b ? equal : r;
    return KeepsNaN ? (a != a ? a : r) : (b != b ? a : r);
  }
};
template <class T> using MaximumOf = Extremum<T, true, true>;
template <class T> using MinimumOf = Extremum<T, false, true>;
template <class T> using MaxNumOf = Extremum<T, true, false>;
template <class T> using MinNumOf = Extremum<T, false, false>;

template <class T, class Op> void init(void *lanes) {
  fill(static_cast<T *>(lanes), Op::identity(), kRowLanes);
}

/// A combiner that is not associative has one chain for each lane; others have several, for speed.
template <class T, class Op> void accumulate(void *lanes, const void *x, size_t n) {
  constexpr size_t chains = Op::kAssociative ? 4 : 1;
  const T *p = static_cast<const T *>(x);
  T identities[kRowLanes];
  init<T, Op>(identities);
  Lanes<T> sum[chains], next;
  sum[0].load(static_cast<const T *>(lanes));
#pragma GCC unroll 4
  for (size_t c = 1; c < chains; ++c)
    sum[c].load(identities);
  size_t i = 0;
  for (; i + chains * kRowLanes <= n; i += chains * kRowLanes)
#pragma GCC unroll 4
    for (size_t c = 0; c < chains; ++c) {
      next.load(p + i + c * kRowLanes);
      sum[c].template combine<Op>(next);
    }
#pragma GCC unroll 4
  for (size_t c = 1; c < chains; ++c)
    sum[0].template combine<Op>(sum[c]);
  for (; i + kRowLanes <= n; i += kRowLanes) {
    next.load(p + i);
    sum[0].template combine<Op>(next);
  }
  if (i < n) {
    memcpy(identities, p + i, (n - i) * sizeof(T));
    next.load(identities);
    sum[0].template combine<Op>(next);
  }
  sum[0].store(static_cast<T *>(lanes));
}

template <class T, class Op> T combined(const void *lanes) {
  T x[kRowLanes];
  memcpy(x, lanes, sizeof(x));
  for (size_t half = kRowLanes / 2; half > 0; half /= 2)
    for (size_t l = 0; l < half; ++l)
      x[l] = Op::apply(x[l], x[l + half]);
  return x[0];
}

template <class T, class Op> void finish(const void *lanes, void *out) {
  *static_cast<T *>(out) = combined<T, Op>(lanes);
}

// F16 and BF16, in f32 lanes.
template <DType Type, class Op> void accumulateHalf(void *lanes, const void *x, size_t n) {
  alignas(64) float wide[kChunk];
  const uint16_t *p = static_cast<const uint16_t *>(x);
  for (size_t done = 0; done < n; done += kChunk) {
    size_t count = n - done < kChunk ? n - done : kChunk;
    widenHalf(Type, wide, p + done, count);
    accumulate<float, Op>(lanes, wide, count);
  }
}

template <DType Type, class Op> void finishHalf(const void *lanes, void *out) {
  float result = combined<float, Op>(lanes);
  narrowHalf(Type, static_cast<uint16_t *>(out), &result, 1);
}

template <class T, class Op> bool set(RowReduceFns &fns) {
  fns = {init<T, Op>, accumulate<T, Op>, finish<T, Op>};
  return true;
}

template <template <class> class Op> bool setFloat(DType type, RowReduceFns &fns) {
  switch (type) {
  case DType::F16:
    fns = {init<float, Op<float>>, accumulateHalf<DType::F16, Op<float>>,
           finishHalf<DType::F16, Op<float>>};
    return true;
  case DType::BF16:
    fns = {init<float, Op<float>>, accumulateHalf<DType::BF16, Op<float>>,
           finishHalf<DType::BF16, Op<float>>};
    return true;
  case DType::F32:
    return set<float, Op<float>>(fns);
  case DType::F64:
    return set<double, Op<double>>(fns);
  default:
    return false;
  }
}

template <template <class> class Op, bool IsSigned> bool setInt(DType type, RowReduceFns &fns) {
  switch (type) {
  case DType::I8: {
    using T = std::conditional_t<IsSigned, int8_t, uint8_t>;
    return set<T, Op<T>>(fns);
  }
  case DType::I16: {
    using T = std::conditional_t<IsSigned, int16_t, uint16_t>;
    return set<T, Op<T>>(fns);
  }
  case DType::I32: {
    using T = std::conditional_t<IsSigned, int32_t, uint32_t>;
    return set<T, Op<T>>(fns);
  }
  case DType::I64: {
    using T = std::conditional_t<IsSigned, int64_t, uint64_t>;
    return set<T, Op<T>>(fns);
  }
  default:
    return false;
  }
}

/// I1: sums modulo 2; signed values are 0 and -1.
bool setBit(Opcode combiner, RowReduceFns &fns) {
  switch (combiner) {
  case Opcode::AddI:
  case Opcode::XOrI:
    return set<uint8_t, XOr<uint8_t>>(fns);
  case Opcode::MulI:
  case Opcode::AndI:
  case Opcode::MaxSI:
  case Opcode::MinUI:
    return set<uint8_t, AndBit<uint8_t>>(fns);
  case Opcode::OrI:
  case Opcode::MinSI:
  case Opcode::MaxUI:
    return set<uint8_t, Or<uint8_t>>(fns);
  default:
    return false;
  }
}

} // namespace

bool findReduce(Opcode combiner, DType type, RowReduceFns &fns) {
  if (type == DType::I1)
    return setBit(combiner, fns);
  switch (combiner) {
  case Opcode::AddF:
    return setFloat<Add>(type, fns);
  case Opcode::MulF:
    return setFloat<Mul>(type, fns);
  case Opcode::MaximumF:
    return setFloat<MaximumOf>(type, fns);
  case Opcode::MinimumF:
    return setFloat<MinimumOf>(type, fns);
  case Opcode::MaxNumF:
    return setFloat<MaxNumOf>(type, fns);
  case Opcode::MinNumF:
    return setFloat<MinNumOf>(type, fns);
  case Opcode::AddI:
    return setInt<Add, false>(type, fns);
  case Opcode::MulI:
    return setInt<Mul, false>(type, fns);
  case Opcode::AndI:
    return setInt<And, false>(type, fns);
  case Opcode::OrI:
    return setInt<Or, false>(type, fns);
  case Opcode::XOrI:
    return setInt<XOr, false>(type, fns);
  case Opcode::MaxSI:
    return setInt<Max, true>(type, fns);
  case Opcode::MaxUI:
    return setInt<Max, false>(type, fns);
  case Opcode::MinSI:
    return setInt<Min, true>(type, fns);
  case Opcode::MinUI:
    return setInt<Min, false>(type, fns);
  default:
    return false;
  }
}

} // namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE
