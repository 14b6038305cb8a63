//===- Report.h - What a program did, as JSON -------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CAPI_REPORT_H
#define ANNEAL_LIB_CAPI_REPORT_H

#include "anneal/Runtime/Program.h"

#include <nlohmann/json.hpp>
#include <string>

namespace anneal::capi {

using Json = nlohmann::ordered_json;

/// What the runtime half knows, with the keys of `jit-run --report`: version, model, entries, host,
/// units (name, kind, calls, tier, us_per_call, gflops), memory, instances.
Json runtimeReport(const std::string &model, const runtime::Program &program, unsigned threads);

} // namespace anneal::capi

#endif // ANNEAL_LIB_CAPI_REPORT_H
