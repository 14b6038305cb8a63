//===- ScalarCode.h - Running the scalars of a function ---------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_PROGRAM_SCALARCODE_H
#define ANNEAL_LIB_RUNTIME_PROGRAM_SCALARCODE_H

#include "anneal/Plan/Plan.h"
#include "anneal/Runtime/Kernels/StripOps.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include <cstdint>
#include <vector>

namespace anneal::runtime {

/// The scalar code of a function, ready to run. Every operation is the strip operation of the same
/// name on a strip of one value, so that host scalars and bodies have the same bits; the integer
/// operations that shape computations consist of are done in line. Immutable, thread-safe.
class ScalarCode {
public:
  /// REQUIRES: a valid function, which must outlive this. Error: an operation that does not exist
  /// on its types (Unimplemented).
  static absl::StatusOr<ScalarCode> create(const plan::Function &function,
                                           const plan::Module &module, Isa isa);

  /// Runs instructions [begin, end) on the registers, which hold values zero-extended to 64 bits.
  /// Errors: a failed assert or check, with the message and location of the program.
  absl::Status run(uint32_t begin, uint32_t end, uint64_t *registers) const;

private:
  ScalarCode(const plan::Function &function, const plan::Module &module)
      : function(&function), module(&module) {}
  absl::Status fail(uint32_t index, const uint64_t *registers) const;

  const plan::Function *function;
  const plan::Module *module;
  /// One for each instruction; null where none is needed.
  std::vector<StripFn> strips;
};

/// The integer in a register, sign-extended from the width of its type.
inline int64_t signedValue(uint64_t bits, plan::DType type) {
  unsigned unused = 64 - plan::bitWidth(type);
  return static_cast<int64_t>(bits << unused) >> unused;
}

/// An integer as a register of `type` holds it.
inline uint64_t registerBits(uint64_t value, plan::DType type) {
  unsigned unused = 64 - plan::bitWidth(type);
  return value << unused >> unused;
}

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_PROGRAM_SCALARCODE_H
