//===- ReduceLoops.cpp - Choice of the instruction set --------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReduceLoops.h"

namespace anneal::runtime::interpreter {

#define ANNEAL_REDUCE_ENTRIES(isa)                                                                 \
  namespace isa {                                                                                  \
  bool findLoops(plan::Opcode combiner, plan::DType type, ReduceLoops &loops);                     \
  bool findProducts(plan::DType type, ProductLoops &loops);                                        \
  }
ANNEAL_REDUCE_ENTRIES(portable)
ANNEAL_REDUCE_ENTRIES(avx2)
ANNEAL_REDUCE_ENTRIES(avx512)
#undef ANNEAL_REDUCE_ENTRIES

bool findReduceLoops(plan::Opcode combiner, plan::DType type, Isa isa, ReduceLoops &loops) {
  switch (isa) {
  case Isa::Portable:
    return portable::findLoops(combiner, type, loops);
  case Isa::Avx2:
    return avx2::findLoops(combiner, type, loops);
  case Isa::Avx512:
    return avx512::findLoops(combiner, type, loops);
  }
  return false;
}

bool findProductLoops(plan::DType type, Isa isa, ProductLoops &loops) {
  switch (isa) {
  case Isa::Portable:
    return portable::findProducts(type, loops);
  case Isa::Avx2:
    return avx2::findProducts(type, loops);
  case Isa::Avx512:
    return avx512::findProducts(type, loops);
  }
  return false;
}

} // namespace anneal::runtime::interpreter
