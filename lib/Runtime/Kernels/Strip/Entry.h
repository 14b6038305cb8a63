//===- Entry.h - Entries of each instruction set ----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the code of each instruction set offers to StripOps.cpp, in a namespace of its own.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_KERNELS_STRIP_ENTRY_H
#define ANNEAL_LIB_RUNTIME_KERNELS_STRIP_ENTRY_H

#include "anneal/Runtime/Kernels/StripOps.h"

#define ANNEAL_STRIP_ENTRIES(isa)                                                                  \
  namespace anneal::runtime::strip::isa {                                                          \
  /** `instr` with Index replaced by I64; see runtime::findStripOp. */                             \
  StripFn findOp(const plan::Instr &instr, unsigned mask);                                         \
  /** See runtime::findCompareSelect. */                                                           \
  StripFn findCompareSelect(plan::Opcode compare, plan::DType type, bool first, unsigned mask);    \
  bool findReduce(plan::Opcode combiner, plan::DType type, RowReduceFns &fns);                     \
  StripMoves findMoves(size_t elementSize);                                                        \
  }

ANNEAL_STRIP_ENTRIES(portable)
ANNEAL_STRIP_ENTRIES(avx2)
ANNEAL_STRIP_ENTRIES(avx512)

#undef ANNEAL_STRIP_ENTRIES

#endif // ANNEAL_LIB_RUNTIME_KERNELS_STRIP_ENTRY_H
