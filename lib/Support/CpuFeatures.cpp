//===- CpuFeatures.cpp - What code asks of a processor --------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Support/CpuFeatures.h"

#include <algorithm>
#include <array>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace anneal {

namespace {

enum Register : uint8_t { Eax, Ebx, Ecx, Edx };
/// Which registers the operating system has to save.
enum class State : uint8_t { Sse, Avx, Avx512 };

struct FeatureInfo {
  std::string_view name;
  uint32_t leaf, subleaf;
  Register reg;
  unsigned bit;
  State state;
};

constexpr FeatureInfo kFeatures[] = {
#define X(Name, text, leaf, subleaf, reg, bit, state) {text, leaf, subleaf, reg, bit, State::state},
#include "anneal/Support/CpuFeatures.def"
};

#if defined(__x86_64__)
/// Bits of XCR0 for each State.
constexpr uint64_t kStateBits[] = {0, 0x6, 0xe6};

/// What CPUID says. Each leaf is read once: under a hypervisor that takes microseconds.
class Cpuid {
public:
  Cpuid() {
    read(basic, 1, 0);
    read(extended, 0x80000001, 0);
    read(structured, 7, 0);
    // EAX of leaf 7 is the number of its last subleaf.
    if (structured[Eax] >= 1)
      read(structured1, 7, 1);
  }

  bool has(const FeatureInfo &info) const { return registers(info)[info.reg] >> info.bit & 1; }

  /// XCR0: the registers that the operating system saves.
  uint64_t savedState() const {
    constexpr uint32_t kOsxsave = 1u << 27;
    if (!(basic[Ecx] & kOsxsave))
      return 0;
    uint32_t low, high;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return uint64_t(high) << 32 | low;
  }

private:
  using Registers = std::array<uint32_t, 4>;

  /// Leaves `regs` zero where the processor does not have the leaf.
  static void read(Registers &regs, uint32_t leaf, uint32_t subleaf) {
    __get_cpuid_count(leaf, subleaf, &regs[Eax], &regs[Ebx], &regs[Ecx], &regs[Edx]);
  }
  const Registers &registers(const FeatureInfo &info) const {
    if (info.leaf == 7)
      return info.subleaf == 1 ? structured1 : structured;
    return info.leaf == 1 ? basic : extended;
  }

  Registers basic{}, extended{}, structured{}, structured1{};
};
#endif

} // namespace

std::string_view name(CpuFeature feature) { return kFeatures[unsigned(feature)].name; }

std::string toText(CpuFeatures features) {
  std::string text;
  for (unsigned i = 0; i < kNumCpuFeatures; ++i)
    if (features.contains(CpuFeature(i))) {
      if (!text.empty())
        text += ',';
      text += kFeatures[i].name;
    }
  return text;
}

bool parseCpuFeatures(std::string_view text, CpuFeatures &features, std::string &unknown) {
  features = {};
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    unsigned index = 0;
    while (index < kNumCpuFeatures && kFeatures[index].name != word)
      ++index;
    if (index == kNumCpuFeatures) {
      unknown = word;
      return false;
    }
    features.insert(CpuFeature(index));
  }
  return true;
}

CpuFeatures hostCpuFeatures() {
  CpuFeatures features;
#if defined(__x86_64__)
  Cpuid cpuid;
  uint64_t saved = cpuid.savedState();
  for (unsigned i = 0; i < kNumCpuFeatures; ++i) {
    uint64_t needed = kStateBits[unsigned(kFeatures[i].state)];
    if ((saved & needed) == needed && cpuid.has(kFeatures[i]))
      features.insert(CpuFeature(i));
  }
#endif
  return features;
}

CpuFeatures avx512Features() {
  CpuFeatures features;
  for (unsigned i = 0; i < kNumCpuFeatures; ++i)
    if (kFeatures[i].state == State::Avx512)
      features.insert(CpuFeature(i));
  return features;
}

std::string_view name(CpuLevel level) {
  constexpr std::string_view kNames[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
  return kNames[unsigned(level)];
}

CpuFeatures featuresOf(CpuLevel level) {
  using enum CpuFeature;
  CpuFeatures features;
  auto add = [&](std::initializer_list<CpuFeature> more) {
    for (CpuFeature feature : more)
      features.insert(feature);
  };
  if (level >= CpuLevel::V2)
    add({Sse3, Ssse3, Cx16, Sse41, Sse42, Popcnt, Sahf});
  if (level >= CpuLevel::V3)
    add({Movbe, Lzcnt, Bmi, Bmi2, Avx, F16c, Fma, Avx2});
  if (level >= CpuLevel::V4)
    add({Avx512f, Avx512dq, Avx512cd, Avx512bw, Avx512vl});
  return features;
}

CpuLevel levelOf(CpuFeatures features) {
  CpuLevel best = CpuLevel::Base;
  for (unsigned i = 1; i < kNumCpuLevels; ++i)
    if (features.containsAll(featuresOf(CpuLevel(i))))
      best = CpuLevel(i);
  return best;
}

} // namespace anneal
