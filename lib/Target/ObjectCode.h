//===- ObjectCode.h - What LLVM wrote into an object file -------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_TARGET_OBJECTCODE_H
#define ANNEAL_LIB_TARGET_OBJECTCODE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace anneal::target {

/// The part of an object file that goes into an image. Texts and contents refer to the object's
/// bytes, which have to outlive it.
struct ObjectCode {
  struct Relocation {
    /// From the start of the section.
    uint64_t offset;
    /// An ELF::R_X86_64_* number.
    uint32_t type;
    /// Index among the symbols.
    uint32_t symbol;
    int64_t addend;
  };
  struct Section {
    llvm::StringRef name;
    llvm::StringRef contents;
    uint64_t alignment = 1;
    bool isText = false;
    std::vector<Relocation> relocations;
  };
  static constexpr uint32_t kNoSection = ~uint32_t(0);
  struct Symbol {
    llvm::StringRef name;
    /// kNoSection: undefined, or in a section that is left out.
    uint32_t section = kNoSection;
    uint64_t value = 0;
    uint64_t size = 0;
    bool isUndefined = false;
    bool isFunction = false;
    /// Global with default visibility.
    bool isExported = false;
  };

  std::vector<Section> sections;
  /// As they are numbered in the file.
  std::vector<Symbol> symbols;

  /// Reads an ELF object for x86-64. Left out is what is not loaded and what only unwinding looks
  /// at. An error names sections and symbols that an image cannot have: writable, thread-local,
  /// exceptions, constructors, chosen at load time.
  static llvm::Expected<ObjectCode> read(llvm::StringRef object);

  /// What lies at a place, for messages: "function 'f'", "constant 'c'", "a constant".
  std::string describe(uint32_t section, uint64_t offset) const;
};

} // namespace anneal::target

#endif // ANNEAL_LIB_TARGET_OBJECTCODE_H
