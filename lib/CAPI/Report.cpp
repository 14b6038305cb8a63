//===- Report.cpp - What a program did, as JSON ---------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

namespace anneal::capi {

Json runtimeReport(const std::string &model, const runtime::Program &program, unsigned threads) {
  runtime::ProgramStats stats = program.stats();
  Json entries = Json::array();
  for (const auto &function : program.functions())
    entries.push_back(std::string(function->name()));
  Json units = Json::array();
  for (const runtime::UnitStats &unit : stats.units) {
    double us = std::chrono::duration<double, std::micro>(unit.time).count();
    units.push_back({{"name", unit.name},
                     {"kind", unit.kind},
                     {"calls", unit.calls},
                     {"tier", "interpreter"},
                     {"us_per_call", unit.timedCalls ? us / double(unit.timedCalls) : 0},
                     {"gflops", us > 0 ? unit.timedFlops / us * 1e-3 : 0}});
  }
  return {{"version", ANNEAL_VERSION},
          {"model", model},
          {"entries", std::move(entries)},
          {"host", {{"cores", runtime::usableCores()}, {"threads", threads}}},
          {"units", std::move(units)},
          {"memory",
           {{"constants_bytes", stats.constantBytes + stats.derivedBytes},
            {"workspace_bytes", stats.workspacePeakBytes},
            {"pool_bytes_in_use", stats.poolBytesInUse},
            {"pool_bytes_idle", stats.poolBytesIdle}}},
          {"instances",
           {{"made", stats.instancesMade},
            {"dropped", stats.instancesDropped},
            {"now", stats.instances}}}};
}

} // namespace anneal::capi
