//===- Npy.h - NumPy array files ---------------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_IO_NPY_H
#define ANNEAL_RUNTIME_IO_NPY_H

#include "anneal/Runtime/Tensor.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <string>

namespace anneal::runtime {

/// Reads an NPY file (format versions 1 to 3). Big-endian and Fortran-order arrays are converted.
/// Unsigned integers become the signless integer of their width, booleans i1, `|V2` bf16.
/// Errors, each with the path: as readFile; not an NPY file; a damaged header; an element type that
/// no tensor has; shorter or longer than its header says; sizes that overflow; out of memory.
absl::StatusOr<Tensor> readNpy(const std::string &path);

/// The same from bytes in memory; `name` stands for the path in messages.
absl::StatusOr<Tensor> parseNpy(absl::string_view bytes, absl::string_view name);

/// Writes a tensor as NPY version 1, little-endian, C order, whole or not at all. bf16 is `|V2`, i1
/// is bool, index is int64. Errors: as writeFile; out of memory (for a tensor that is not dense).
absl::Status writeNpy(const std::string &path, const Tensor &tensor);

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_IO_NPY_H
