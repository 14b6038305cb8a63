//===- DerivedConstants.h - Packed forms of constants -----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_DERIVEDCONSTANTS_H
#define ANNEAL_RUNTIME_DERIVEDCONSTANTS_H

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace anneal::runtime {

/// Constants in another layout (packed for a micro-kernel, transposed), built once, shared by all
/// units, shapes and tiers of a program (DESIGN.md D1). Keyed by (constant, layout): `constant` is
/// the number of a constant or a part of one (BindTensor::constant), `layout` a text that names the
/// layout and its parameters in full.
///
/// Thread-safe. Entries live as long as this object; pointers stay valid that long.
class DerivedConstants {
public:
  DerivedConstants();
  ~DerivedConstants();
  DerivedConstants(const DerivedConstants &) = delete;
  DerivedConstants &operator=(const DerivedConstants &) = delete;

  /// The derived form, `bytes` long and aligned to 64. If it does not exist, one caller makes it
  /// with `fill` while others that want the same one wait. Null when out of memory.
  const void *getOrCreate(uint32_t constant, absl::string_view layout, size_t bytes,
                          absl::FunctionRef<void(void *memory)> fill);

  /// Bytes held.
  size_t sizeInBytes() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_DERIVEDCONSTANTS_H
