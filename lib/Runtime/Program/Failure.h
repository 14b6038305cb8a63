//===- Failure.h - Errors of a call -----------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_PROGRAM_FAILURE_H
#define ANNEAL_LIB_RUNTIME_PROGRAM_FAILURE_H

#include "anneal-c/UnitAbi.h"
#include "anneal/Plan/Plan.h"
#include "anneal/Runtime/Program.h"

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace anneal::runtime {

/// Where something went wrong.
struct FailurePlace {
  const plan::Module &module;
  /// Index into the module's locations; 0: unknown.
  uint32_t location = 0;
  /// Null outside units.
  const plan::Unit *unit = nullptr;
};

/// "TEXT (unit 'u', at file:line:col)", as much of it as is known.
absl::Status failureAt(absl::StatusCode code, absl::string_view text, const FailurePlace &place);

/// What a unit reported.
absl::Status unitFailure(const AnnealError &error, const plan::Module &module,
                         const plan::Unit &unit);

/// An index outside a dimension.
absl::Status indexFailure(int64_t index, int64_t dim, int64_t size, const FailurePlace &place);

/// A failed instruction of scalar code; `values` are those of a, b, c and the first further source.
absl::Status scalarFailure(const plan::Instr &instr, const int64_t *values,
                           const FailurePlace &place);

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_PROGRAM_FAILURE_H
