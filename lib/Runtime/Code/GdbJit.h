//===- GdbJit.h - GDB's JIT interface ---------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and layouts are prescribed ("JIT Compilation Interface" in GDB's manual).
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_CODE_GDBJIT_H
#define ANNEAL_LIB_RUNTIME_CODE_GDBJIT_H

#include <cstdint>

extern "C" {

enum jit_actions_t : uint32_t { JIT_NOACTION = 0, JIT_REGISTER_FN, JIT_UNREGISTER_FN };

struct jit_code_entry {
  jit_code_entry *next_entry;
  jit_code_entry *prev_entry;
  const char *symfile_addr;
  uint64_t symfile_size;
};

struct jit_descriptor {
  uint32_t version;
  uint32_t action_flag;
  jit_code_entry *relevant_entry;
  jit_code_entry *first_entry;
};

/// The list that GDB follows, and the function on which it sets a breakpoint. Hidden
/// (CodeObserver.h).
__attribute__((visibility("hidden"))) extern jit_descriptor __jit_debug_descriptor;
__attribute__((visibility("hidden"))) void __jit_debug_register_code();
}

#endif // ANNEAL_LIB_RUNTIME_CODE_GDBJIT_H
