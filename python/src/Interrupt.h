//===- Interrupt.h - Ctrl-C during a call -----------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_PYTHON_INTERRUPT_H
#define ANNEAL_PYTHON_INTERRUPT_H

#include "anneal-c/anneal.h"

namespace anneal::python {

/// Lets SIGINT end a call on the main thread, where Python's own handler only takes a note.
///
/// While Python handles SIGINT, its handler is replaced by one that ends the call, if there is one,
/// and then runs the one before. Made and destroyed with the GIL, by the thread that calls.
class InterruptScope {
public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope &) = delete;
  InterruptScope &operator=(const InterruptScope &) = delete;

  /// For the call; null where SIGINT is none of this thread's business.
  AnnealCancelToken *token() const { return active; }

private:
  AnnealCancelToken *active = nullptr;
};

} // namespace anneal::python

#endif // ANNEAL_PYTHON_INTERRUPT_H
