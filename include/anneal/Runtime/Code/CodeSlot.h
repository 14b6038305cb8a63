//===- CodeSlot.h - Where callers find a unit's code ------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_CODE_CODESLOT_H
#define ANNEAL_RUNTIME_CODE_CODESLOT_H

#include "anneal-c/UnitAbi.h"
#include "anneal/Runtime/Code/Epochs.h"

#include <atomic>
#include <memory>

namespace anneal::runtime {

/// Code of a unit, ready to be called: `fn(frame)` with `frame.code = data`.
struct UnitCode {
  AnnealUnitFn fn = nullptr;
  const void *data = nullptr;
  /// Keeps alive what the two point to, an InstalledCode for example.
  std::shared_ptr<const void> owner;
  /// Set by CodeSlot::install: the epoch in which it was published.
  uint64_t since = 0;
};

/// The best installed code of a unit: one atomic pointer.
///
/// Thread-safe. A call loads the pointer under a guard and may use what it found until the guard
/// ends, whatever is installed meanwhile. Code that is replaced is retired and freed by the slot's
/// epochs (REQUIREMENTS.md C8).
class CodeSlot {
public:
  /// `epochs` outlives the slot.
  explicit CodeSlot(Epochs &epochs) : epochs(epochs) {}
  /// Retires the code. REQUIRES: no thread loads from the slot any more; calls that began may go
  /// on.
  ~CodeSlot() { install(nullptr); }
  CodeSlot(const CodeSlot &) = delete;
  CodeSlot &operator=(const CodeSlot &) = delete;

  /// The code of the moment; null if none is installed. Valid until the guard ends. Takes no lock.
  const UnitCode *load(const Epochs::Guard &guard) const;

  /// Makes `code` the unit's; null: none. Calls that begin after this use it.
  void install(std::unique_ptr<UnitCode> code);

private:
  Epochs &epochs;
  std::atomic<UnitCode *> current{nullptr};
};

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_CODE_CODESLOT_H
