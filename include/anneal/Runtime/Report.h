//===- Report.h - What a program did, as JSON -------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_REPORT_H
#define ANNEAL_RUNTIME_REPORT_H

#include "anneal/Runtime/Program.h"

#include <string>

namespace anneal::runtime {

/// What a report says that the program doesn't know.
struct ReportOptions {
  /// Of Anneal.
  std::string version;
  /// File name, or what stands for it.
  std::string model;
  /// That execute.
  unsigned threads = 0;
  /// Of the machine, for the units' `pct_peak`; 0: not measured.
  double peakGflops = 0;
};

/// One JSON object with those keys of `jit-run --report` that the runtime half knows: version,
/// model, entries, host, units (at tier "interpreter"), memory, instances. Thread-safe.
std::string reportJson(const Program &program, const ReportOptions &options);

/// Name of this machine's processor, "unknown" where the system does not tell.
std::string cpuName();
/// Instruction sets beyond the base that kernels use here: "avx2 fma f16c avx512f ...".
std::string cpuFeatures();

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_REPORT_H
