//===- ValueSpec.h - Input values from a command line ------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_IO_VALUESPEC_H
#define ANNEAL_RUNTIME_IO_VALUESPEC_H

#include "anneal/Runtime/IO/NumpyRandom.h"
#include "anneal/Runtime/Tensor.h"

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <string>

namespace anneal::runtime {

/// The value that a text of CLI.md's --input form stands for:
///
///   @x.npy                        an NPY file
///   2x3xf32=1 2 3 4 5 6           elements (spaces, commas and brackets separate)
///   2x3xf32=0.5                   all elements equal
///   1x32xi64=iota                 0, 1, 2, ...
///   1x32xi64=rand(1000,30000)     NumPy's integers(low, high), for floats uniform(low, high)
///   i64=5                         rank 0
///   2xui8=0 200                   the signless type of the width, whose values are unsigned
///
/// A shaped text always gives a tensor, of rank 0 where it names no sizes. Errors: InvalidArgument
/// that shows the text and says what is wrong, integers that do not fit the type among it; those of
/// readNpy; out of memory.
absl::StatusOr<Tensor> parseValueSpec(absl::string_view text, NumpyRandom &random);

/// Whether the text names a file ("@x.npy"; without '@' where there is no '=').
bool isFileSpec(absl::string_view text);

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_IO_VALUESPEC_H
