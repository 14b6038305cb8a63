//===- IndexKernels.cpp - Choice of the instruction set -------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexKernels.h"

namespace anneal::runtime::interpreter {

namespace portable {
extern const IndexKernels kIndexKernels;
}
namespace avx2 {
extern const IndexKernels kIndexKernels;
}
namespace avx512 {
extern const IndexKernels kIndexKernels;
}

const IndexKernels &findIndexKernels(Isa isa) {
  switch (isa) {
  case Isa::Portable:
    return portable::kIndexKernels;
  case Isa::Avx2:
    return avx2::kIndexKernels;
  case Isa::Avx512:
    return avx512::kIndexKernels;
  }
  return portable::kIndexKernels;
}

} // namespace anneal::runtime::interpreter
