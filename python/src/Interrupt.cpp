//===- Interrupt.cpp - Ctrl-C during a call -------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interrupt.h"

#include <atomic>
#include <csignal>
#include <sys/syscall.h>
#include <unistd.h>

namespace anneal::python {
namespace {

/// Never destroyed: a handler may be using it on any thread, at any time.
AnnealCancelToken *theToken() {
  static AnnealCancelToken *token = [] {
    AnnealCancelToken *made = nullptr;
    annealFailureDestroy(annealCancelTokenCreate(&made));
    return made;
  }();
  return token;
}

std::atomic<AnnealCancelToken *> running{nullptr};
/// Written before the handler that reads it is installed.
struct sigaction previous;

void onInterrupt(int signal, siginfo_t *info, void *context) {
  if (AnnealCancelToken *token = running.load())
    annealCancelTokenRequest(token);
  if (previous.sa_flags & SA_SIGINFO)
    previous.sa_sigaction(signal, info, context);
  else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
    previous.sa_handler(signal);
}

bool isMainThread() {
  thread_local const bool isMain = ::getpid() == ::syscall(SYS_gettid);
  return isMain;
}

/// Puts the handler before the one that is there; false where there is none to run afterwards.
bool install() {
  struct sigaction now;
  if (::sigaction(SIGINT, nullptr, &now) != 0)
    return false;
  if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == onInterrupt)
    return true;
  if (!(now.sa_flags & SA_SIGINFO) && (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN))
    return false;
  previous = now;
  struct sigaction ours = now;
  ours.sa_flags |= SA_SIGINFO;
  ours.sa_sigaction = onInterrupt;
  return ::sigaction(SIGINT, &ours, nullptr) == 0;
}

} // namespace

InterruptScope::InterruptScope() {
  if (!isMainThread() || running.load() || !install())
    return;
  active = theToken();
  annealCancelTokenReset(active);
  running = active;
}

InterruptScope::~InterruptScope() {
  if (active)
    running = nullptr;
}

} // namespace anneal::python
