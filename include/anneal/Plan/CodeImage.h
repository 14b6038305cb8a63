//===- CodeImage.h - Compiled code as plain data ----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The artifact of a compile (DESIGN.md D3): one flat image that runs at any address of its
// alignment. It has no external symbols, no relocations, no constructors and no writable data;
// loading it is a copy, and so is moving it. The compiler half makes it (anneal/Target), the
// runtime half installs it (anneal/Runtime/Code), caches keep it.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_PLAN_CODEIMAGE_H
#define ANNEAL_PLAN_CODEIMAGE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace anneal::plan {

/// Version of CodeImage and of its serialised form.
inline constexpr uint32_t kCodeImageVersion = 1;

/// Largest alignment of an image: a page.
inline constexpr uint64_t kMaxCodeAlignment = 4096;

/// A function in an image.
struct CodeSymbol {
  std::string name;
  /// From the start of the image.
  uint64_t offset = 0;
  /// In bytes; 0 if unknown.
  uint64_t size = 0;

  bool operator==(const CodeSymbol &) const = default;
};

/// Machine code. Instructions first, then the read-only data that they refer to.
struct CodeImage {
  std::string bytes;
  /// Bytes of instructions; what follows is data.
  uint64_t textSize = 0;
  /// Alignment that the first byte needs, a power of two of at most kMaxCodeAlignment.
  uint64_t alignment = 16;
  /// Functions to call from outside, sorted by name, each name once.
  std::vector<CodeSymbol> entries;
  /// Functions that only the image itself calls, in the order of their places: for profilers and
  /// debuggers.
  std::vector<CodeSymbol> internals;
  /// "x86_64".
  std::string architecture;
  /// Processor features beyond the plain architecture that the code uses, as
  /// anneal/Support/CpuFeatures.h writes them.
  std::string features;
  /// ANNEAL_UNIT_ABI_VERSION of anneal-c/UnitAbi.h that the code was compiled against.
  uint32_t abiVersion = 0;

  bool operator==(const CodeImage &) const = default;

  /// The entry of that name; null if there is none. REQUIRES: the image is valid.
  const CodeSymbol *findEntry(std::string_view name) const;
};

/// Checks what the runtime relies on: sizes, alignment, sorted entries inside the text. Returns
/// what is wrong, or nothing. It cannot tell code from noise: whoever stores an image keeps a
/// checksum.
std::optional<std::string> validate(const CodeImage &image);

/// An image as bytes: for caches and files. The same image gives the same bytes.
std::string serialize(const CodeImage &image);

/// Reads what serialize wrote; else a message that says what is wrong: no image, another version,
/// truncated, not valid.
std::variant<CodeImage, std::string> parseCodeImage(std::string_view bytes);

} // namespace anneal::plan

#endif // ANNEAL_PLAN_CODEIMAGE_H
