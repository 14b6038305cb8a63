//===- Report.cpp - What a model did, as JSON -----------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Engine/Report.h"

#include "anneal/Engine/Version.h"
#include "anneal/Runtime/Report.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace anneal::engine {
namespace {

using Json = nlohmann::ordered_json;

/// M1; what isn't known, or is infinite, is null.
Json payBackOf(const runtime::PayBack &payBack) {
  bool isMeasured = payBack.isMeasured();
  bool isFaster = isMeasured && payBack.savedPerCall() > 0;
  return {{"text", payBack.toText()},
          {"calls", payBack.calls},
          {"break_even_calls", isFaster ? Json(payBack.breakEvenCalls()) : Json()},
          {"is_paid", payBack.isPaid()},
          {"before_us", isMeasured ? Json(payBack.secondsBefore * 1e6) : Json()},
          {"after_us", isMeasured ? Json(payBack.secondsAt * 1e6) : Json()}};
}

Json promotionsOf(const UnitHistory &history) {
  Json promotions = Json::array();
  for (const Promotion &one : history.promotions) {
    promotions.push_back({{"tier", name(one.tier)},
                          {"at_call", one.atCall},
                          {"at_ms", one.atMs},
                          {"compile_ms", one.compileMs},
                          {"reason", one.reason}});
    if (one.payBack)
      promotions.back()["pay_back"] = payBackOf(*one.payBack);
  }
  return promotions;
}

/// What was decided last, by which numbers.
Json decisionOf(const UnitHistory &history) {
  Json terms = Json::object();
  for (const runtime::Term &term : history.decision.terms())
    terms[std::string(term.name)] = term.value;
  Json decision = {{"action", std::string(runtime::name(history.decision.action()))},
                   {"reason", std::string(runtime::text(history.decision.reason()))},
                   {"terms", terms}};
  if (!history.detail.empty())
    decision["detail"] = history.detail;
  return decision;
}

/// Functions that MLIR's own lowering compiled whole, as units; their compiles, each in the first
/// call, are among the others.
void appendForeign(const std::vector<ForeignReport> &functions, Json &report) {
  Json &units = report["units"], &compile = report["compile"];
  for (const ForeignReport &function : functions) {
    double us = std::chrono::duration<double, std::micro>(function.time).count();
    bool compiled = function.compileMs > 0 && !function.failed;
    Json promotions = Json::array();
    if (function.compileMs > 0 || function.failed) {
      compile["jobs"] = compile["jobs"].get<uint64_t>() + 1;
      compile["failed"] = compile["failed"].get<uint64_t>() + function.failed;
      compile["ms"] = compile["ms"].get<double>() + function.compileMs;
      Json &overhead = report["overhead"]["compile"];
      overhead = overhead.get<double>() + function.compileMs;
    }
    if (compiled)
      promotions.push_back({{"tier", "baseline"},
                            {"at_call", 0},
                            {"at_ms", function.compiledAtMs},
                            {"compile_ms", function.compileMs},
                            {"reason", function.reason}});
    units.push_back({{"name", function.name},
                     {"kind", "stock"},
                     {"calls", function.calls},
                     {"tier", compiled ? Json("baseline") : Json()},
                     {"us_per_call", function.calls ? us / static_cast<double>(function.calls) : 0},
                     {"gflops", Json()},
                     {"pct_peak", Json()},
                     {"compile_ms", function.compileMs},
                     {"promotions", promotions}});
  }
}

/// Resident memory of the compiler half's libraries, bytes: what LLVM and MLIR take in this process
/// beside the module itself.
uint64_t compilerBytes() {
  std::ifstream maps("/proc/self/smaps");
  std::string line;
  bool isCompiler = false;
  uint64_t kilobytes = 0;
  while (std::getline(maps, line)) {
    // A mapping begins with its addresses, "from-to ... path"; what follows are fields, "Name:
    // value".
    size_t colon = line.find(':'), dash = line.find('-');
    if (dash < colon) {
      isCompiler = absl::StrContains(line, "libAnnealCompiler") ||
                   absl::StrContains(line, "libAnnealWorkbench") ||
                   absl::StrContains(line, "libMLIR") || absl::StrContains(line, "libLLVM");
      continue;
    }
    uint64_t size = 0;
    if (isCompiler && absl::StartsWith(line, "Rss:") &&
        absl::SimpleAtoi(line.substr(4, line.rfind(' ') - 4), &size))
      kilobytes += size;
  }
  return kilobytes << 10;
}

/// What the passes of all compiles took, and what LLVM did.
Json passesOf(const CompileTotals &totals) {
  Json passes = Json::array();
  for (const PassTotal &pass : totals.passes)
    passes.push_back({{"name", pass.name}, {"ms", pass.ms}});
  return passes;
}

void addTiering(const TieringReport &tiering, Json &report) {
  for (size_t u = 0; u < tiering.units.size(); ++u) {
    Json &unit = report["units"][u];
    unit["tier"] = name(tiering.units[u].tier);
    unit["promotions"] = promotionsOf(tiering.units[u]);
    unit["decision"] = decisionOf(tiering.units[u]);
  }
  report["compile"] = {{"jobs", tiering.compile.jobs},
                       {"ms", tiering.compile.ms},
                       {"failed", tiering.compile.failed},
                       {"cancelled", tiering.compile.cancelled}};
  if (!tiering.compile.passes.empty())
    report["compile"]["passes"] = passesOf(tiering.compile);
  // No cache is asked.
  report["cache"] = {{"memory_hits", 0}, {"disk_hits", 0}, {"remote_hits", 0}, {"misses", 0}};
  report["overhead"] = {{"detect", tiering.overhead.detectMs},
                        {"compile", tiering.overhead.compileMs},
                        {"install", tiering.overhead.installMs},
                        {"deopt", tiering.overhead.deoptMs}};
  report["tiering"] = {{"ticks", tiering.counts.ticks},
                       {"promotions", tiering.counts.promotions},
                       {"rollbacks", tiering.counts.rollbacks},
                       {"dropped", tiering.counts.dropped}};
  report["memory"]["code_bytes"] = tiering.codeBytes;
}

/// P1: what each part of the overhead is of all of it, beside what is typical, and of the time
/// since the model was loaded. Compiling goes on beside the calls, in each compile thread.
void addOverheadShares(double runMs, Json &overhead) {
  struct Part {
    const char *name;
    double typicalLeast, typicalMost;
  };
  constexpr Part kParts[] = {{"detect", 0.05, 0.10},
                             {"compile", 0.70, 0.80},
                             {"install", 0.05, 0.10},
                             {"deopt", 0.05, 0.15}};
  double total = 0;
  for (const Part &part : kParts)
    total += overhead[part.name].get<double>();
  Json shares, typical, ofRun;
  for (const Part &part : kParts) {
    double ms = overhead[part.name].get<double>();
    shares[part.name] = total > 0 ? Json(ms / total) : Json();
    typical[part.name] = {part.typicalLeast, part.typicalMost};
    ofRun[part.name] = runMs > 0 ? Json(ms / runMs) : Json();
  }
  overhead["total"] = total;
  overhead["shares"] = std::move(shares);
  overhead["typical_shares"] = std::move(typical);
  overhead["run"] = runMs;
  overhead["of_run"] = std::move(ofRun);
}

} // namespace

std::string reportJson(const Model &model, const ReportOptions &options) {
  Json report =
      Json::parse(runtime::reportJson(model.program(), {std::string(version()), options.model,
                                                        options.threads, options.peakGflops}));
  const LoadTimes &times = model.times();
  report["load_ms"] = times.open + times.parse;
  report["plan_ms"] = times.plan + times.prepare;
  report["load"] = {{"open_ms", times.open},
                    {"parse_ms", times.parse},
                    {"plan_ms", times.plan},
                    {"prepare_ms", times.prepare}};
  report["warnings"] = model.warnings();
  TieringReport tiering = model.tiering();
  addTiering(tiering, report);
  appendForeign(model.foreign(), report);
  addOverheadShares(tiering.runMs, report["overhead"]);
  report["memory"]["compiler_bytes"] = compilerBytes();
  return report.dump(1, ' ', false, Json::error_handler_t::replace);
}

} // namespace anneal::engine
