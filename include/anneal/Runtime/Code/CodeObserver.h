//===- CodeObserver.h - Profilers and debuggers -----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tools outside the process may be told of installed code. Without an observer nothing is
// written anywhere.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_CODE_CODEOBSERVER_H
#define ANNEAL_RUNTIME_CODE_CODEOBSERVER_H

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <cstddef>
#include <memory>
#include <string>

namespace anneal::runtime {

/// A function at its place in memory, named `unit@tier`.
struct NamedCode {
  std::string name;
  const char *start = nullptr;
  /// In bytes, at least 1.
  size_t size = 0;
};

/// One image at its place in memory.
struct CodePlace {
  const char *start = nullptr;
  /// Bytes of instructions.
  size_t textSize = 0;
  absl::Span<const NamedCode> functions;
};

/// Is told when code appears and disappears. Thread-safe. Outlives the code that it was told of,
/// which holds a reference to it.
class CodeObserver {
public:
  virtual ~CodeObserver() = default;
  /// Code is in place, and no thread runs it yet.
  virtual void codeInstalled(const CodePlace &code) = 0;
  /// No thread runs it any more; its memory is about to be used again.
  virtual void codeRemoved(const char *start) = 0;
};

/// Appends a line for each function to a file in the format that `perf report` reads for code
/// without a file: "START SIZE NAME", hexadecimal. `path` empty: /tmp/perf-PID.map, where perf
/// looks. perf knows no removal: of two functions that were at one place it takes the later. The
/// error says why the file cannot be opened; later errors of writing are ignored, since a profile
/// is not worth a call.
absl::StatusOr<std::shared_ptr<CodeObserver>> openPerfMap(const std::string &path = "");

/// Registers code with a debugger that is or will be attached, by GDB's JIT interface: in a list of
/// object files in memory, each here with nothing but a table of symbols.
///
/// The interface consists of two symbols with fixed names, which libLLVM defines and exports as
/// well. Ours are hidden: they serve only the library that they are linked into and are never bound
/// to LLVM's, nor LLVM's to ours, whichever is loaded first. If the two were one, the list would be
/// changed under two locks. GDB looks for the symbols in each loaded file by itself and follows all
/// lists it finds; it has to find them in the symbol table proper, so that a stripped library shows
/// no code. (LLDB follows only the first list it finds.)
std::shared_ptr<CodeObserver> makeGdbObserver();

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_CODE_CODEOBSERVER_H
