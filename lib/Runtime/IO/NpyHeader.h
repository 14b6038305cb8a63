//===- NpyHeader.h - What the header of an NPY file says --------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_IO_NPYHEADER_H
#define ANNEAL_LIB_RUNTIME_IO_NPYHEADER_H

#include "anneal/Runtime/Tensor.h"

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace anneal::runtime {

/// Type and layout of the array that follows the header.
struct NpyHeader {
  plan::DType dtype = plan::DType::F32;
  bool bigEndian = false;
  /// The first dimension varies fastest in memory.
  bool fortranOrder = false;
  Dims dims;
};

/// Reads the Python dictionary that NumPy writes: the keys 'descr', 'fortran_order' and 'shape',
/// each once, in any order, and white space after it. Errors: InvalidArgument that says what is
/// wrong, without a file name.
absl::StatusOr<NpyHeader> parseNpyHeader(absl::string_view text);

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_IO_NPYHEADER_H
