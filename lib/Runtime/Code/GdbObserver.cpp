//===- GdbObserver.cpp - Names of code for GDB ----------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GdbJit.h"
#include "SymbolFile.h"

#include "anneal/Runtime/Code/CodeObserver.h"

#include "absl/container/flat_hash_map.h"

#include <mutex>

extern "C" {

/// The version is set before main, since a debugger may look at it first.
jit_descriptor __jit_debug_descriptor = {1, JIT_NOACTION, nullptr, nullptr};

__attribute__((noinline, used)) void __jit_debug_register_code() {
  // Neither folded with another empty function nor left out at a call.
  asm volatile("" ::: "memory");
}
}

namespace anneal::runtime {

namespace {

/// Of all observers: there is one list in the process.
std::mutex &listMutex() {
  static auto *mutex = new std::mutex;
  return *mutex;
}

struct Entry {
  jit_code_entry link{};
  std::string symbolFile;
};

/// REQUIRES: the lock.
void announce(jit_code_entry *entry, jit_actions_t action) {
  __jit_debug_descriptor.relevant_entry = entry;
  __jit_debug_descriptor.action_flag = action;
  __jit_debug_register_code();
  __jit_debug_descriptor.action_flag = JIT_NOACTION;
  __jit_debug_descriptor.relevant_entry = nullptr;
}

class GdbObserver final : public CodeObserver {
public:
  void codeInstalled(const CodePlace &code) override;
  void codeRemoved(const char *start) override;

private:
  /// Under the lock of the list.
  absl::flat_hash_map<const char *, std::unique_ptr<Entry>> entries;
};

void GdbObserver::codeInstalled(const CodePlace &code) {
  auto entry = std::make_unique<Entry>();
  entry->symbolFile = makeSymbolFile(code);
  entry->link.symfile_addr = entry->symbolFile.data();
  entry->link.symfile_size = entry->symbolFile.size();
  std::lock_guard<std::mutex> lock(listMutex());
  jit_code_entry *first = __jit_debug_descriptor.first_entry;
  entry->link.next_entry = first;
  if (first)
    first->prev_entry = &entry->link;
  __jit_debug_descriptor.first_entry = &entry->link;
  announce(&entry->link, JIT_REGISTER_FN);
  entries[code.start] = std::move(entry);
}

void GdbObserver::codeRemoved(const char *start) {
  std::lock_guard<std::mutex> lock(listMutex());
  auto found = entries.find(start);
  if (found == entries.end())
    return;
  jit_code_entry &link = found->second->link;
  (link.prev_entry ? link.prev_entry->next_entry : __jit_debug_descriptor.first_entry) =
      link.next_entry;
  if (link.next_entry)
    link.next_entry->prev_entry = link.prev_entry;
  announce(&link, JIT_UNREGISTER_FN);
  entries.erase(found);
}

} // namespace

std::shared_ptr<CodeObserver> makeGdbObserver() { return std::make_shared<GdbObserver>(); }

} // namespace anneal::runtime
