//===- FatalErrors.cpp - LLVM's fatal errors as messages ------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FatalErrors.h"

#include "llvm/Support/ErrorHandling.h"

#include <csetjmp>
#include <mutex>
#include <new>

namespace anneal::compiler {
namespace {

/// Where a fatal error of LLVM on this thread goes on, and what it said.
struct FatalError {
  std::jmp_buf leave;
  std::string message;
};

thread_local FatalError *fatalError = nullptr;

void onFatalError(void *, const char *message, bool) {
  if (!fatalError)
    return;
  fatalError->message = message;
  std::longjmp(fatalError->leave, 1);
}

/// False if LLVM met a fatal error, or had no memory.
bool runTrapped(FatalError &error, llvm::function_ref<void()> work) {
  if (setjmp(error.leave) != 0)
    return false;
  try {
    work();
    return true;
  } catch (const std::bad_alloc &) {
    error.message = "out of memory";
    return false;
  }
}

} // namespace

std::optional<std::string> trapFatalErrors(llvm::function_ref<void()> work) {
  // The handler is there for the whole process.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  llvm::ScopedFatalErrorHandler handler(onFatalError);
  FatalError error;
  fatalError = &error;
  bool hasEnded = runTrapped(error, work);
  fatalError = nullptr;
  return hasEnded ? std::nullopt : std::optional(error.message);
}

} // namespace anneal::compiler
