//===- Isa.cpp - Which instruction sets there are -------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Kernels/Isa.h"

namespace anneal::runtime {

Isa detectIsa() {
  // These builtins also ask the operating system, through XGETBV, whether it saves the registers.
  __builtin_cpu_init();
  bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
            __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi2");
  bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl");
  return v4 ? Isa::Avx512 : v3 ? Isa::Avx2 : Isa::Portable;
}

std::string_view name(Isa isa) {
  switch (isa) {
  case Isa::Portable:
    return "portable";
  case Isa::Avx2:
    return "avx2";
  case Isa::Avx512:
    return "avx512";
  }
  return "";
}

} // namespace anneal::runtime
