//===- File.h - Whole files --------------------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_IO_FILE_H
#define ANNEAL_RUNTIME_IO_FILE_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include <string>

namespace anneal::runtime {

/// The whole contents. Errors: NotFound, PermissionDenied, ... with the path and the system's
/// reason.
absl::StatusOr<std::string> readFile(const std::string &path);

/// Whether `path` can be read, without opening it (a pipe can be opened once only). Errors: as
/// readFile.
absl::Status checkReadable(const std::string &path);

/// Whether writeFile may work, without writing anything. Errors: as writeFile.
absl::Status checkWritable(const std::string &path);

/// Writes the pieces one after the other to a temporary file beside `path` and renames it, so that
/// `path` is never half written. Errors: with the path and the system's reason; `path` is then as
/// before.
absl::Status writeFile(const std::string &path, absl::Span<const absl::string_view> pieces);

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_IO_FILE_H
