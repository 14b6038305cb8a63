//===- CodeSpace.h - Code memory of an engine -------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_ENGINE_CODESPACE_H
#define ANNEAL_LIB_ENGINE_CODESPACE_H

#include "anneal/Plan/CodeImage.h"
#include "anneal/Runtime/Code/CodeObserver.h"
#include "anneal/Runtime/Code/CodeSlabs.h"
#include "anneal/Runtime/Code/CodeSlot.h"
#include "anneal/Support/Tier.h"

#include "absl/status/statusor.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace anneal::engine {

/// Where the compiled code of all models of an engine lies. Memory is first taken when there is
/// code.
///
/// Thread-safe. What `load` gives out keeps its memory alive by itself.
class CodeSpace {
public:
  explicit CodeSpace(size_t limitBytes,
                     std::vector<std::shared_ptr<runtime::CodeObserver>> observers = {})
      : limitBytes(limitBytes), observers(std::move(observers)) {}

  /// Places an image whose entry "unit" is the code of a unit. Observers see the unit's own name.
  /// Errors: ResourceExhausted if there is no memory left; FailedPrecondition, InvalidArgument if
  /// the image cannot run here.
  absl::StatusOr<std::unique_ptr<runtime::UnitCode>> load(plan::CodeImage image,
                                                          const std::string &unit, Tier tier);

  runtime::CodeSlabStatistics statistics() const;

private:
  absl::StatusOr<std::shared_ptr<runtime::CodeSlabs>> slabsForUse();

  const size_t limitBytes;
  const std::vector<std::shared_ptr<runtime::CodeObserver>> observers;
  /// Guards making `slabs`.
  mutable std::mutex mutex;
  std::shared_ptr<runtime::CodeSlabs> slabs;
};

} // namespace anneal::engine

#endif // ANNEAL_LIB_ENGINE_CODESPACE_H
