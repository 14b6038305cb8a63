//===- CpuFeatures.h - What code asks of a processor ------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler half states in each code image which features it needs, the runtime half compares
// them with the processor's before it installs the image (REQUIREMENTS.md C5), without LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_SUPPORT_CPUFEATURES_H
#define ANNEAL_SUPPORT_CPUFEATURES_H

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace anneal {

/// Features beyond plain x86-64 that generated code may use.
enum class CpuFeature : uint8_t {
#define X(Name, text, leaf, subleaf, reg, bit, state) Name,
#include "anneal/Support/CpuFeatures.def"
};

inline constexpr unsigned kNumCpuFeatures = 0
#define X(Name, text, leaf, subleaf, reg, bit, state) +1
#include "anneal/Support/CpuFeatures.def"
    ;

/// LLVM's spelling: "avx2", "sse4.1", ...
std::string_view name(CpuFeature feature);

/// A set of features.
class CpuFeatures {
public:
  constexpr CpuFeatures() = default;
  constexpr CpuFeatures(std::initializer_list<CpuFeature> features) {
    for (CpuFeature feature : features)
      insert(feature);
  }

  constexpr void insert(CpuFeature feature) { bits |= bitOf(feature); }
  constexpr bool contains(CpuFeature feature) const { return bits & bitOf(feature); }
  /// Whether each of `others` is here too.
  constexpr bool containsAll(CpuFeatures others) const { return (others.bits & ~bits) == 0; }
  constexpr bool isEmpty() const { return bits == 0; }
  /// Those that are not in `others`.
  constexpr CpuFeatures without(CpuFeatures others) const {
    CpuFeatures rest;
    rest.bits = bits & ~others.bits;
    return rest;
  }
  /// Those that are here or in `others`.
  constexpr CpuFeatures with(CpuFeatures others) const {
    CpuFeatures both;
    both.bits = bits | others.bits;
    return both;
  }
  bool operator==(const CpuFeatures &) const = default;

private:
  static_assert(kNumCpuFeatures <= 64);
  static constexpr uint64_t bitOf(CpuFeature feature) { return uint64_t(1) << unsigned(feature); }

  uint64_t bits = 0;
};

/// The names, separated by commas, in the order of the enum; "" for none.
std::string toText(CpuFeatures features);

/// Reads what toText writes, in any order. Returns false at a name that it does not know, which
/// `unknown` then holds: such code was made by a newer version.
bool parseCpuFeatures(std::string_view text, CpuFeatures &features, std::string &unknown);

/// Features of the processor that this runs on, as far as the operating system saves the registers
/// that they use. Empty on other architectures than x86-64.
CpuFeatures hostCpuFeatures();

/// Those that work on the 512-bit registers or their masks.
CpuFeatures avx512Features();

/// The levels of the x86-64 psABI: "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", each a superset
/// of those before it.
enum class CpuLevel : uint8_t { Base, V2, V3, V4 };

inline constexpr unsigned kNumCpuLevels = 4;

std::string_view name(CpuLevel level);

/// What a level has beyond plain x86-64.
CpuFeatures featuresOf(CpuLevel level);

/// The highest level that a processor with these features has.
CpuLevel levelOf(CpuFeatures features);

} // namespace anneal

#endif // ANNEAL_SUPPORT_CPUFEATURES_H
