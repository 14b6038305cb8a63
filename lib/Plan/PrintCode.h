//===- PrintCode.h - Byte code as text --------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_PLAN_PRINTCODE_H
#define ANNEAL_LIB_PLAN_PRINTCODE_H

#include "anneal/Plan/Plan.h"

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace anneal::plan {

/// How a register is written: "%3", or the value of one that holds a constant.
using RegText = std::function<std::string(Reg)>;

/// "%3".
std::string registerText(Reg reg);

/// A value of `type` whose bits are `bits`: "7", "-1", "0.5", "true".
std::string valueText(DType type, uint64_t bits);

/// "%4:i1 = CmpISlt i64 %2, %3", without the end of the line.
void printInstr(const Instr &instr, const std::vector<Reg> &extra, const Module &module,
                const RegText &text, std::ostream &os);

/// " at \"file:line:col\"" if the location is known.
void printLocation(uint32_t location, const Module &module, std::ostream &os);

/// "a, b, c".
template <typename Range, typename Print>
void printList(const Range &range, std::ostream &os, const Print &print) {
  const char *separator = "";
  for (const auto &element : range) {
    os << separator;
    print(element);
    separator = ", ";
  }
}

} // namespace anneal::plan

#endif // ANNEAL_LIB_PLAN_PRINTCODE_H
