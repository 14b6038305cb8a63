//===- CodeSlot.cpp - Where callers find a unit's code --------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Code/CodeSlot.h"

#include <utility>

namespace anneal::runtime {

const UnitCode *CodeSlot::load(const Epochs::Guard &guard) const {
  for (;;) {
    const UnitCode *code = current.load(std::memory_order_seq_cst);
    if (guard.covers())
      return code;
  }
}

void CodeSlot::install(std::unique_ptr<UnitCode> code) {
  if (code)
    code->since = Epochs::now();
  std::unique_ptr<UnitCode> old(current.exchange(code.release(), std::memory_order_seq_cst));
  if (!old)
    return;
  uint64_t since = old->since;
  epochs.retire(std::move(old), since);
}

} // namespace anneal::runtime
