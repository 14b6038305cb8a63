//===- ValidateCode.h - Checks of byte code ---------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_PLAN_VALIDATECODE_H
#define ANNEAL_LIB_PLAN_VALIDATECODE_H

#include "anneal/Plan/Plan.h"

#include <optional>
#include <string>

namespace anneal::plan {

/// What is wrong, or nothing.
using Problem = std::optional<std::string>;

/// "a", "b", ... put together; numbers as decimals.
template <typename... Parts> std::string textOf(const Parts &...parts) {
  std::string text;
  auto append = [&](const auto &part) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(part)>>)
      text += std::to_string(part);
    else
      text += part;
  };
  (append(parts), ...);
  return text;
}

inline bool isValid(DType type) { return static_cast<unsigned>(type) < kNumDTypes; }

/// `Index` and `I64` hold the same values.
inline bool areCompatible(DType a, DType b) {
  auto plain = [](DType type) { return type == DType::Index ? DType::I64 : type; };
  return plain(a) == plain(b);
}

/// Code to check: registers, instructions and what surrounds them.
struct CodeView {
  const std::vector<DType> &regTypes;
  const std::vector<Instr> &instrs;
  const std::vector<Reg> &extra;
  const Module &module;
  /// Of a body; null for the scalars of a function.
  const Kernel *kernel = nullptr;
  const Unit *unit = nullptr;

  bool isReg(Reg reg) const { return reg < regTypes.size(); }
};

/// Checks the instruction at `index`, whose jumps must stay in [begin, end].
Problem validateInstr(const CodeView &code, size_t index, size_t begin, size_t end);

Problem validateUnit(const Unit &unit, const Module &module);
Problem validateFunction(const Function &function, const Module &module);

} // namespace anneal::plan

#endif // ANNEAL_LIB_PLAN_VALIDATECODE_H
