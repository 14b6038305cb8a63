//===- Interrupt.h - Ctrl-C in a run -----------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TOOLS_JIT_RUN_INTERRUPT_H
#define ANNEAL_TOOLS_JIT_RUN_INTERRUPT_H

#include <atomic>

namespace anneal::jitrun {

/// Exit status after Ctrl-C or SIGTERM.
constexpr int kInterrupted = 130;

/// From here on Ctrl-C and SIGTERM end the process with `kInterrupted`: at once where no calls run,
/// else soon, through the flag. Files appear whole or not at all, so nothing is left half written.
void installInterruptHandler();

/// Says whether calls run, which notice the flag by themselves. When they have ended, files are
/// written for as long as it takes, unless Ctrl-C comes once more.
void setCallsRun(bool run);

/// Set by Ctrl-C while calls run.
const std::atomic<bool> &interruptFlag();

} // namespace anneal::jitrun

#endif // ANNEAL_TOOLS_JIT_RUN_INTERRUPT_H
