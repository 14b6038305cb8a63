//===- Requests.h - The calls that are to be made ----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TOOLS_JIT_RUN_REQUESTS_H
#define ANNEAL_TOOLS_JIT_RUN_REQUESTS_H

#include "Options.h"
#include "anneal/Runtime/Program.h"

#include "absl/status/statusor.h"

#include <optional>
#include <string>
#include <vector>

namespace anneal::jitrun {

/// One call: what goes in, what is expected to come out.
struct Request {
  std::vector<runtime::Tensor> inputs;
  /// Empty: nothing to compare with.
  std::vector<runtime::Tensor> expected;
  /// When it arrives, in milliseconds from the start of the play.
  std::optional<double> arrivalMs;
  /// Line of the requests file; 0 for the call that the command line itself describes.
  size_t line = 0;
};

/// What was read, and what is wrong with the line after it: requests before that are kept.
struct Requests {
  std::vector<Request> list;
  /// "FILE:7: ..."; empty if all is well.
  std::string error;
};

/// The call that --input, --inputs-dir, --expected and --expected-dir describe.
absl::StatusOr<Request> requestFromOptions(const Options &options);

/// The calls in a --requests file. File names in it are relative to the working directory or else
/// to the file's own folder.
/// Error: the file can't be read.
absl::StatusOr<Requests> requestsFromFile(const std::string &path, uint64_t seed);

/// Values for the function's arguments: rank-0 tensors become scalars where the function takes a
/// scalar, i64 and index stand for each other. What does not fit is left for the call to refuse.
std::vector<runtime::Value> argumentsFor(const runtime::Function &function,
                                         const std::vector<runtime::Tensor> &inputs);

} // namespace anneal::jitrun

#endif // ANNEAL_TOOLS_JIT_RUN_REQUESTS_H
