//===- Interrupt.cpp - Ctrl-C during a call -------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <Python.h>

#include "Interrupt.h"

#include <atomic>
#include <csignal>
#include <ctime>
#include <pthread.h>
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

/// Whether this is the thread on which Python acts on signals; in a child of fork() the one that
/// forked becomes it.
thread_local bool isMainThread = ::getpid() == ::syscall(SYS_gettid);
[[maybe_unused]] const int watchesForks =
    ::pthread_atfork(nullptr, nullptr, [] { isMainThread = true; });

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

/// What was found when the handlers were last looked at. Asking the system takes 1 us, so it is
/// done only when Python has another handler than then, or the coarse clock has gone on (a few
/// milliseconds), for those who change handlers in other ways.
struct LastLook {
  PyObject *handler = nullptr;
  timespec at = {-1, 0};
  bool isInstalled = false;
};
LastLook lastLook;

/// Borrowed; Python's own function, asked through its cached object. Null where that fails.
PyObject *handlerOfPython() {
  static PyObject *getsignal = [] {
    PyObject *module = PyImport_ImportModule("_signal");
    PyObject *function = module ? PyObject_GetAttrString(module, "getsignal") : nullptr;
    Py_XDECREF(module);
    return function;
  }();
  static PyObject *number = PyLong_FromLong(SIGINT);
  PyObject *handler = getsignal && number ? PyObject_CallOneArg(getsignal, number) : nullptr;
  if (!handler)
    PyErr_Clear();
  // The module keeps it while it is the handler.
  Py_XDECREF(handler);
  return handler;
}

bool isInstalled() {
  PyObject *handler = handlerOfPython();
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  bool isSame = handler && handler == lastLook.handler && now.tv_sec == lastLook.at.tv_sec &&
                now.tv_nsec == lastLook.at.tv_nsec;
  if (!isSame) {
    Py_XINCREF(handler);
    Py_XSETREF(lastLook.handler, handler);
    lastLook.at = now;
    lastLook.isInstalled = install();
  }
  return lastLook.isInstalled;
}

} // namespace

InterruptScope::InterruptScope() {
  if (!isMainThread || running.load() || !isInstalled())
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
