//===- Names.cpp - Spellings of types and operations ----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Plan/Body.h"
#include "anneal/Plan/Plan.h"

namespace anneal::plan {

std::string_view name(DType type) {
  static constexpr std::string_view names[kNumDTypes] = {"i1",    "i8",  "i16",  "i32", "i64",
                                                         "index", "f16", "bf16", "f32", "f64"};
  return names[static_cast<unsigned>(type)];
}

namespace {
struct OpInfo {
  std::string_view name;
  OpClass opClass;
  unsigned numSources;
};
constexpr OpInfo kOps[] = {
#define ANNEAL_OPCODE(Name, Class, NumSources) {#Name, OpClass::Class, NumSources},
#include "anneal/Plan/Opcodes.def"
};
} // namespace

std::string_view name(Opcode op) { return kOps[static_cast<unsigned>(op)].name; }
OpClass classOf(Opcode op) { return kOps[static_cast<unsigned>(op)].opClass; }
unsigned numSources(Opcode op) { return kOps[static_cast<unsigned>(op)].numSources; }
unsigned numOpcodes() { return sizeof(kOps) / sizeof(kOps[0]); }

} // namespace anneal::plan
