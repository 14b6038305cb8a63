//===- FloatState.h - Rounding and denormals of a thread --------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_PROGRAM_FLOATSTATE_H
#define ANNEAL_LIB_RUNTIME_PROGRAM_FLOATSTATE_H

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace anneal::runtime {

/// Round to nearest even, denormals kept, exceptions masked: what the numeric rules (DESIGN.md D4)
/// are stated for.
inline constexpr uint32_t kDefaultFloatState = 0x1F80;

/// Gives the calling thread the default state.
inline void setDefaultFloatState() {
#if defined(__x86_64__)
  _mm_setcsr(kDefaultFloatState);
#endif
}

/// The default state for as long as this object lives; then the caller's again.
class FloatStateScope {
public:
#if defined(__x86_64__)
  FloatStateScope() : saved(_mm_getcsr()) { _mm_setcsr(kDefaultFloatState); }
  ~FloatStateScope() { _mm_setcsr(saved); }
#else
  FloatStateScope() = default;
#endif
  FloatStateScope(const FloatStateScope &) = delete;
  FloatStateScope &operator=(const FloatStateScope &) = delete;

private:
  [[maybe_unused]] uint32_t saved = 0;
};

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_PROGRAM_FLOATSTATE_H
