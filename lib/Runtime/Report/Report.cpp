//===- Report.cpp - What a program did, as JSON ---------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Report.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>
#include <vector>

namespace anneal::runtime {
namespace {

using Json = nlohmann::ordered_json;

Json unitsOf(const ProgramStats &stats, double peakGflops) {
  Json units = Json::array();
  for (const UnitStats &unit : stats.units) {
    double us = std::chrono::duration<double, std::micro>(unit.time).count();
    double gflops = us > 0 ? unit.timedFlops / us * 1e-3 : 0;
    units.push_back(
        {{"name", unit.name},
         {"kind", unit.kind},
         {"calls", unit.calls},
         {"tier", "interpreter"},
         {"us_per_call", unit.timedCalls ? us / static_cast<double>(unit.timedCalls) : 0},
         {"gflops", gflops},
         {"pct_peak", peakGflops > 0 ? Json(100 * gflops / peakGflops) : Json()},
         {"promotions", Json::array()}});
  }
  return units;
}

/// Resident memory of this process, MB (2^20 bytes).
double residentMb() {
  std::ifstream statm("/proc/self/statm");
  double total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

} // namespace

std::string reportJson(const Program &program, const ReportOptions &options) {
  ProgramStats stats = program.stats();
  Json entries = Json::array();
  for (const auto &function : program.functions())
    entries.push_back(std::string(function->name()));
  Json report = {{"version", options.version},
                 {"model", options.model},
                 {"entries", std::move(entries)},
                 {"host",
                  {{"cpu", cpuName()},
                   {"features", cpuFeatures()},
                   {"cores", usableCores()},
                   {"threads", options.threads}}},
                 {"units", unitsOf(stats, options.peakGflops)},
                 {"memory",
                  {{"rss_mb", residentMb()},
                   {"constants_bytes", stats.constantBytes + stats.derivedBytes},
                   {"workspace_bytes", stats.workspacePeakBytes},
                   {"pool_bytes_in_use", stats.poolBytesInUse},
                   {"pool_bytes_idle", stats.poolBytesIdle}}},
                 {"instances",
                  {{"made", stats.instancesMade},
                   {"dropped", stats.instancesDropped},
                   {"now", stats.instances}}}};
  return report.dump(1, ' ', false, Json::error_handler_t::replace);
}

std::string cpuName() {
  std::ifstream cpuInfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuInfo, line);) {
    size_t colon = line.find(':');
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos)
      return std::string(absl::StripAsciiWhitespace(line.substr(colon + 1)));
  }
  return "unknown";
}

std::string cpuFeatures() {
  std::vector<absl::string_view> features;
#define ANNEAL_FEATURE(name)                                                                       \
  if (__builtin_cpu_supports(name))                                                                \
  features.push_back(name)
  ANNEAL_FEATURE("avx2");
  ANNEAL_FEATURE("fma");
  ANNEAL_FEATURE("avx512f");
  ANNEAL_FEATURE("avx512bw");
  ANNEAL_FEATURE("avx512dq");
  ANNEAL_FEATURE("avx512vl");
  ANNEAL_FEATURE("avx512vnni");
  ANNEAL_FEATURE("avx512bf16");
#undef ANNEAL_FEATURE
  return absl::StrJoin(features, " ");
}

} // namespace anneal::runtime
