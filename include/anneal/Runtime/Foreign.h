//===- Foreign.h - Functions without a plan -*- C++ -*- ===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_FOREIGN_H
#define ANNEAL_RUNTIME_FOREIGN_H

#include "anneal/Runtime/Tensor.h"

#include "absl/status/status.h"
#include "absl/types/span.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace anneal::plan {
struct Module;
} // namespace anneal::plan

namespace anneal::runtime {

/// The code of a function that has no plan (plan::Module::foreign). Thread-safe.
class ForeignCode {
public:
  virtual ~ForeignCode() = default;
  /// `inputs` fit the function's arguments, `outputs` are as many as its results: as for
  /// Function::call.
  virtual absl::Status call(absl::Span<const Value> inputs, absl::Span<Value> outputs) = 0;
};

/// Gives the code of `module.foreign[index]`; the module outlives it.
using ForeignCodeMaker =
    std::function<std::shared_ptr<ForeignCode>(const plan::Module &module, uint32_t index)>;

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_FOREIGN_H
