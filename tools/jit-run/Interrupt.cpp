//===- Interrupt.cpp - Ctrl-C in a run ------------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interrupt.h"

#include <csignal>
#include <sys/time.h>
#include <unistd.h>

namespace anneal::jitrun {
namespace {

/// Set by Ctrl-C while calls run.
std::atomic<bool> interrupt{false};
/// Whether calls run, so that Ctrl-C is to be noticed by them; else it ends the process.
std::atomic<bool> callsRun{false};

/// Ends the process from a signal handler; nothing is half written, since files appear whole.
void endInterrupted() {
  constexpr char kMessage[] = "jit-run: interrupted\n";
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1);
  ::_exit(kInterrupted);
}

/// The calls that run end soon, unless one of them is in the midst of a long unit.
void onInterrupt(int) {
  if (!callsRun.load(std::memory_order_relaxed) || interrupt.exchange(true))
    endInterrupted();
  constexpr long kPatienceUs = 200000;
  struct itimerval timer = {};
  timer.it_value.tv_usec = kPatienceUs;
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

void onPatienceEnd(int) { endInterrupted(); }

} // namespace

void installInterruptHandler() {
  struct sigaction action = {};
  action.sa_handler = onInterrupt;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = onPatienceEnd;
  ::sigaction(SIGALRM, &action, nullptr);
}

void setCallsRun(bool run) {
  callsRun = run;
  struct itimerval none = {};
  if (!run)
    ::setitimer(ITIMER_REAL, &none, nullptr);
}

const std::atomic<bool> &interruptFlag() { return interrupt; }

} // namespace anneal::jitrun
