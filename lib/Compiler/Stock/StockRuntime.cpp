//===- StockRuntime.cpp - What compiled whole functions call ===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StockRuntime.h"

#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace anneal::compiler::stock {
namespace {

/// The call that runs on a thread.
struct Call {
  std::jmp_buf onFailure;
  std::unordered_set<void *> memory;
  /// The last line that was put: the message of an assert, if abort follows.
  std::string line;
  bool hasLine = false;
  std::string error;

  ~Call() {
    for (void *block : memory)
      std::free(block);
  }
  void flushLine() {
    if (hasLine)
      std::puts(line.c_str());
    hasLine = false;
  }
};

thread_local Call *current = nullptr;

[[noreturn]] void fail() { std::longjmp(current->onFailure, 1); }

void *keep(void *block, size_t size) {
  if (!block) {
    current->error = "out of memory: a buffer of " + std::to_string(size) + " bytes";
    fail();
  }
  current->memory.insert(block);
  return block;
}

extern "C" void *annealStockMalloc(size_t size) { return keep(std::malloc(size ? size : 1), size); }

extern "C" void *annealStockAlignedAlloc(size_t alignment, size_t size) {
  return keep(std::aligned_alloc(alignment, size ? size : alignment), size);
}

/// What the call did not allocate, or has freed, is left alone.
extern "C" void annealStockFree(void *block) {
  if (current->memory.erase(block))
    std::free(block);
}

extern "C" int annealStockPuts(const char *text) {
  current->flushLine();
  current->line = text;
  current->hasLine = true;
  return 0;
}

extern "C" void annealStockAbort() {
  current->error = current->hasLine ? current->line : "the program called abort";
  // Generated checks begin so.
  constexpr std::string_view kPrefix = "ERROR: ";
  if (current->error.starts_with(kPrefix))
    current->error.erase(0, kPrefix.size());
  current->hasLine = false;
  fail();
}

const RuntimeSymbol kSymbols[] = {
    {"malloc", reinterpret_cast<void *>(annealStockMalloc)},
    {"aligned_alloc", reinterpret_cast<void *>(annealStockAlignedAlloc)},
    {"free", reinterpret_cast<void *>(annealStockFree)},
    {"puts", reinterpret_cast<void *>(annealStockPuts)},
    {"abort", reinterpret_cast<void *>(annealStockAbort)},
};

/// No object with a destructor lives here, since longjmp passes none.
bool callFunction(Call &call, void (*function)(void **), void **arguments) {
  if (setjmp(call.onFailure) != 0)
    return false;
  function(arguments);
  return true;
}

} // namespace

std::span<const RuntimeSymbol> runtimeSymbols() { return kSymbols; }

bool runGuarded(void (*function)(void **), void **arguments,
                const std::function<void()> &readResults, std::string &error) {
  Call call;
  Call *outer = std::exchange(current, &call);
  bool ok = callFunction(call, function, arguments);
  current = outer;
  call.flushLine();
  if (ok) {
    readResults();
  } else {
    // What was printed comes before what is said of the failure.
    std::fflush(stdout);
    error = call.error;
  }
  return ok;
}

} // namespace anneal::compiler::stock
