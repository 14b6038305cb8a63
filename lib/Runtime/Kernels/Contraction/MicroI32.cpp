//===- MicroI32.cpp - Register tiles of i32 -------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IsaParts.h"

#include "MicroKernel.h"

namespace anneal::runtime::contraction::ANNEAL_ISA_NAMESPACE {

void fillMicroI32(MicroKernels &table) {
  static constexpr MicroKernels kernels = makeMicroKernels<uint32_t>();
  table = kernels;
}

} // namespace anneal::runtime::contraction::ANNEAL_ISA_NAMESPACE
