//===- CpuTarget.h - Processors that code is made for -----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TARGET_CPUTARGET_H
#define ANNEAL_TARGET_CPUTARGET_H

#include "anneal/Support/CpuFeatures.h"

#include "llvm/Support/Error.h"

#include <string>

namespace anneal::target {

/// A processor as LLVM is told of it. Plain data.
struct CpuTarget {
  /// "x86_64-unknown-linux-gnu".
  std::string triple;
  /// The level of x86-64 that code may use; its name is also LLVM's CPU.
  CpuLevel level = CpuLevel::Base;
  /// Further features, of which all code for this target says that it needs them.
  CpuFeatures extra;
  /// LLVM's name of the processor whose timing code is laid out for; empty: none in particular.
  std::string tuneCpu;

  /// A target by name: "host", or a level ("x86-64" ... "x86-64-v4") with its features alone.
  /// "host" is the best level of this processor with what else it has of
  /// anneal/Support/CpuFeatures.def. The error names what is unknown and what there is, or that the
  /// host is no x86-64.
  static llvm::Expected<CpuTarget> get(llvm::StringRef name);

  /// All that code for this target needs of a processor.
  CpuFeatures features() const;

  /// The extra features as LLVM reads them: "+avx512vnni,+gfni".
  std::string featureString() const;

  /// Everything here in one line, for cache keys (REQUIREMENTS.md C1): equal texts, equal code.
  std::string text() const;
};

} // namespace anneal::target

#endif // ANNEAL_TARGET_CPUTARGET_H
