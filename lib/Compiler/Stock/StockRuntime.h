//===- StockRuntime.h - What compiled whole functions call -*- C++ -*- ===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_COMPILER_STOCK_STOCKRUNTIME_H
#define ANNEAL_LIB_COMPILER_STOCK_STOCKRUNTIME_H

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace anneal::compiler::stock {

/// A function that takes the place of one of the C library in compiled code.
struct RuntimeSymbol {
  const char *name;
  void *address;
};

/// malloc and free, which keep account of the call's memory; puts and abort, by which MLIR lowers
/// asserts: the call ends, not the process.
std::span<const RuntimeSymbol> runtimeSymbols();

/// Calls `function(arguments)` on this thread with those. Then, if nothing failed, `readResults`;
/// then frees all memory that the call has left. False, with a message, after a failure.
bool runGuarded(void (*function)(void **), void **arguments,
                const std::function<void()> &readResults, std::string &error);

} // namespace anneal::compiler::stock

#endif // ANNEAL_LIB_COMPILER_STOCK_STOCKRUNTIME_H
