//===- Counted.h - Numbers of things ----------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_SUPPORT_COUNTED_H
#define ANNEAL_SUPPORT_COUNTED_H

#include <cstdint>
#include <string>

namespace anneal {

/// "1 result", "2 results": for nouns whose plural is made with an s.
inline std::string counted(uint64_t number, const char *noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

} // namespace anneal

#endif // ANNEAL_SUPPORT_COUNTED_H
