//===- Failure.cpp - Errors of a call -------------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Failure.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

namespace anneal::runtime {

namespace {

std::string messageText(uint64_t message, const plan::Module &module) {
  return message < module.messages.size() ? module.messages[message] : "assertion failed";
}

} // namespace

absl::Status failureAt(absl::StatusCode code, absl::string_view text, const FailurePlace &place) {
  std::string where, location;
  if (place.unit)
    absl::StrAppend(&where, "unit '", place.unit->name, "'");
  if (place.location > 0 && place.location < place.module.locations.size())
    location = place.module.locations[place.location];
  if (!location.empty())
    absl::StrAppend(&where, where.empty() ? "" : ", ", "at ", location);
  if (where.empty())
    return absl::Status(code, text);
  absl::Status status(code, absl::StrCat(text, " (", where, ")"));
  if (place.unit)
    status.SetPayload(kUnitPayload, absl::Cord(place.unit->name));
  if (!location.empty())
    status.SetPayload(kLocationPayload, absl::Cord(location));
  return status;
}

absl::Status indexFailure(int64_t index, int64_t dim, int64_t size, const FailurePlace &place) {
  return failureAt(
      absl::StatusCode::kOutOfRange,
      absl::StrCat("index ", index, " is out of bounds for dimension ", dim, " of size ", size),
      place);
}

absl::Status unitFailure(const AnnealError &error, const plan::Module &module,
                         const plan::Unit &unit) {
  FailurePlace place{module, error.location, &unit};
  switch (error.status) {
  case ANNEAL_ASSERT_FAILED:
    return failureAt(absl::StatusCode::kFailedPrecondition, messageText(error.message, module),
                     place);
  case ANNEAL_OUT_OF_BOUNDS:
    return indexFailure(error.values[0], error.values[1], error.values[2], place);
  case ANNEAL_CANCELLED:
    return failureAt(absl::StatusCode::kCancelled, "the call was cancelled", place);
  default:
    return failureAt(absl::StatusCode::kInternal, "the unit failed without saying why", place);
  }
}

absl::Status scalarFailure(const plan::Instr &instr, const int64_t *values,
                           const FailurePlace &place) {
  switch (instr.op) {
  case plan::Opcode::CheckSlice:
    return failureAt(absl::StatusCode::kOutOfRange,
                     absl::StrCat("slice with offset ", values[0], ", size ", values[1],
                                  " and stride ", values[2], " does not fit a dimension of size ",
                                  values[3]),
                     place);
  case plan::Opcode::CheckEqual:
    return failureAt(
        absl::StatusCode::kFailedPrecondition,
        absl::StrCat(messageText(instr.imm, place.module), ": ", values[0], " and ", values[1]),
        place);
  case plan::Opcode::CheckNonNegative:
    return failureAt(absl::StatusCode::kFailedPrecondition,
                     absl::StrCat(messageText(instr.imm, place.module), ": ", values[0]), place);
  default:
    return failureAt(absl::StatusCode::kFailedPrecondition, messageText(instr.imm, place.module),
                     place);
  }
}

} // namespace anneal::runtime
