//===- IsaParts.h - Parts of the table of an instruction set ----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each source fills its part of IsaKernels.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_ISAPARTS_H
#define ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_ISAPARTS_H

#include "KernelTable.h"

namespace anneal::runtime::contraction::ANNEAL_ISA_NAMESPACE {

void fillMicroF32(MicroKernels &table);
void fillMicroF64(MicroKernels &table);
void fillMicroI32(MicroKernels &table);
void fillMicroI64(MicroKernels &table);
/// `pack`, `plane` and `unpack`.
void fillPack(IsaKernels &table);
/// `lanes`.
void fillLanes(IsaKernels &table);
/// `batch`.
void fillBatch(IsaKernels &table);
/// `window`.
void fillWindow(IsaKernels &table);
void fillChannelWindow(IsaKernels &table);

} // namespace anneal::runtime::contraction::ANNEAL_ISA_NAMESPACE

#endif // ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_ISAPARTS_H
