//===- CodeTesting.h - Code images made by hand -----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TEST_RUNTIME_CODE_CODETESTING_H
#define ANNEAL_TEST_RUNTIME_CODE_CODETESTING_H

#include "anneal/Plan/CodeImage.h"
#include "anneal/Runtime/Code/CodeSlabs.h"

#include <cstdint>
#include <string>
#include <vector>

namespace anneal::runtime::test {

/// Machine code of a function without arguments that returns `value`, which it reads from data
/// behind the code. `size`: bytes in all, at least 24.
std::string constantCode(int32_t value, size_t size = 24);

/// The same as an image with the entry "get".
plan::CodeImage constantImage(int32_t value, size_t size = 24);

/// Calls such code.
int32_t callConstant(const void *code);

/// A line of /proc/self/maps.
struct MappedRange {
  uintptr_t begin, end;
  /// "r-xp".
  std::string access;
};
std::vector<MappedRange> mappedRanges();

/// How the page of an address is mapped: "r-xs"; "" if it is not.
std::string accessOf(const void *address);

} // namespace anneal::runtime::test

#endif // ANNEAL_TEST_RUNTIME_CODE_CODETESTING_H
