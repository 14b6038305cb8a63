//===- Isa.h - Instruction sets of the kernels ------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_KERNELS_ISA_H
#define ANNEAL_RUNTIME_KERNELS_ISA_H

#include <cstdint>
#include <string_view>

namespace anneal::runtime {

/// Instruction sets for which the ahead-of-time kernels are built, each one a superset of those
/// before it. `Portable` is baseline x86-64, `Avx2` x86-64-v3 (AVX2, FMA, F16C, BMI2), `Avx512`
/// x86-64-v4 (AVX-512 F, BW, CD, DQ, VL). All give the same bits.
enum class Isa : uint8_t { Portable, Avx2, Avx512 };

inline constexpr unsigned kNumIsas = 3;

/// The best of the processor and the operating system that this runs on.
Isa detectIsa();

/// "portable", "avx2" or "avx512".
std::string_view name(Isa isa);

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_KERNELS_ISA_H
