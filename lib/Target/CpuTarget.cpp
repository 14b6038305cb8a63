//===- CpuTarget.cpp - Processors that code is made for -------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Target/CpuTarget.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;

namespace anneal::target {

/// Images have no file format: one triple stands for all systems that call by the System V ABI.
static constexpr char kTriple[] = "x86_64-unknown-linux-gnu";

Expected<CpuTarget> CpuTarget::get(StringRef name) {
  CpuTarget target;
  target.triple = kTriple;
  if (name == "host") {
#if defined(__x86_64__)
    CpuFeatures host = hostCpuFeatures();
    target.level = levelOf(host);
    target.extra = host.without(featuresOf(target.level));
    // Without the whole of AVX-512 that v4 names, what LLVM makes of the rest is little tested.
    if (target.level < CpuLevel::V4)
      target.extra = target.extra.without(avx512Features());
    target.tuneCpu = sys::getHostCPUName().str();
    return target;
#else
    return createStringError("target 'host': this is not an x86-64 processor");
#endif
  }
  std::string known = "host";
  for (unsigned i = 0; i < kNumCpuLevels; ++i) {
    StringRef level = anneal::name(CpuLevel(i));
    if (name == level) {
      target.level = CpuLevel(i);
      return target;
    }
    known += ", " + level.str();
  }
  return createStringError("unknown target '" + name + "'; there are " + known);
}

CpuFeatures CpuTarget::features() const { return featuresOf(level).with(extra); }

std::string CpuTarget::featureString() const {
  std::string text;
  for (unsigned i = 0; i < kNumCpuFeatures; ++i)
    if (extra.contains(CpuFeature(i)))
      text += (text.empty() ? "+" : ",+") + std::string(anneal::name(CpuFeature(i)));
  return text;
}

std::string CpuTarget::text() const {
  return join(
      ArrayRef<std::string>{triple, std::string(anneal::name(level)), featureString(), tuneCpu},
      ";");
}

} // namespace anneal::target
