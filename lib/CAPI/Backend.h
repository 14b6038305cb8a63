//===- Backend.h - What stands behind the C interface -----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libanneal has the engine behind it (EngineBackend.cpp), libanneal-runtime the runtime half alone
// (RuntimeBackend.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CAPI_BACKEND_H
#define ANNEAL_LIB_CAPI_BACKEND_H

#include "anneal-c/anneal.h"
#include "anneal/Runtime/Program.h"

#include "absl/status/statusor.h"

#include <memory>
#include <string>

namespace anneal::capi {

/// A loaded model. Thread-safe.
class ModelBackend {
public:
  virtual ~ModelBackend() = default;
  virtual const runtime::Program &program() const = 0;
  /// The entry that is meant where none is named. Error: NotFound.
  virtual absl::StatusOr<std::string> defaultEntry() const = 0;
  virtual void waitForCompiles() = 0;
  virtual absl::Status save(const std::string &path) const = 0;
  /// JSON.
  virtual std::string report(const std::string &model) const = 0;
};

/// Loads models. Thread-safe.
class EngineBackend {
public:
  virtual ~EngineBackend() = default;
  virtual unsigned numThreads() const = 0;
  virtual absl::StatusOr<std::unique_ptr<ModelBackend>> load(const std::string &path) = 0;
  virtual absl::StatusOr<std::unique_ptr<ModelBackend>> loadBytes(const std::string &bytes,
                                                                  const std::string &name) = 0;
};

/// Error: InvalidArgument for an option, naming it. `options` is complete.
absl::StatusOr<std::unique_ptr<EngineBackend>> makeBackend(const AnnealEngineOptions &options);

} // namespace anneal::capi

#endif // ANNEAL_LIB_CAPI_BACKEND_H
