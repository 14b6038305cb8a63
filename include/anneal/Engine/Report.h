//===- Report.h - What a model did, as JSON ---------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_ENGINE_REPORT_H
#define ANNEAL_ENGINE_REPORT_H

#include "anneal/Engine/Engine.h"

#include <string>

namespace anneal::engine {

/// What a report says that the model doesn't know.
struct ReportOptions {
  /// File name, or what stands for it.
  std::string model;
  /// That execute.
  unsigned threads = 0;
  /// Of the machine, for the units' `pct_peak`; 0: not measured.
  double peakGflops = 0;
};

/// One JSON object with the keys of `jit-run --report` but for those on single calls: what
/// runtime::reportJson has, and load times, warnings, tiers, promotions and last decisions of
/// units, functions that were compiled whole, compiles, overhead, memory of code and compiler.
/// Thread-safe.
std::string reportJson(const Model &model, const ReportOptions &options);

} // namespace anneal::engine

#endif // ANNEAL_ENGINE_REPORT_H
