//===- EventLog.cpp - What the tiering of a model does, in words ----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Tiering/TieringEvents.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

#include <nlohmann/json.hpp>

namespace anneal::runtime {

using Json = nlohmann::ordered_json;
using Kind = TieringEventKind;

absl::string_view name(Kind kind) {
  switch (kind) {
  case Kind::Stay:
    return "stay";
  case Kind::Promote:
    return "promote";
  case Kind::Demote:
    return "demote";
  case Kind::Pin:
    return "pin";
  case Kind::Drop:
    return "drop";
  case Kind::Cancel:
    return "cancel";
  case Kind::CompileBegin:
    return "compile-begin";
  case Kind::CompileEnd:
    return "compile-end";
  case Kind::CompileFail:
    return "compile-fail";
  case Kind::CompileGiveUp:
    return "compile-give-up";
  case Kind::Install:
    return "install";
  case Kind::Remove:
    return "remove";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// EventLog
//===----------------------------------------------------------------------===//

void EventLog::noteEvent(const TieringEvent &event) {
  std::lock_guard<std::mutex> lock(mutex);
  kept.add(event);
}

void EventLog::noteTick(const TieringTick &tick) {
  if (!keepsTicks)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  keptTicks.add(tick);
}

std::vector<TieringEvent> EventLog::events() const {
  std::lock_guard<std::mutex> lock(mutex);
  return kept.entries();
}

std::vector<TieringTick> EventLog::ticks() const {
  std::lock_guard<std::mutex> lock(mutex);
  return keptTicks.entries();
}

uint64_t EventLog::numDroppedEvents() const {
  std::lock_guard<std::mutex> lock(mutex);
  return kept.numDropped();
}

uint64_t EventLog::numDroppedTicks() const {
  std::lock_guard<std::mutex> lock(mutex);
  return keptTicks.numDropped();
}

//===----------------------------------------------------------------------===//
// As JSON and as text
//===----------------------------------------------------------------------===//

namespace {

Json jsonOf(const TieringEvent &event) {
  Json terms = Json::object();
  for (const Term &term : event.terms)
    terms[std::string(term.name)] = term.value;
  Json json = {{"seq", event.number},
               {"at_ms", event.atMs},
               {"at_call", event.atCall},
               {"tick", event.tick},
               {"unit", event.unit},
               {"kind", event.unitKind},
               {"event", std::string(name(event.kind))},
               {"from", event.from ? Json(anneal::name(*event.from)) : Json()},
               {"to", anneal::name(event.to)},
               {"reason", std::string(runtime::text(event.reason))},
               {"terms", terms},
               {"repeats", event.repeats}};
  bool isOfCompile = event.endsCompile() || event.kind == Kind::Install;
  json["compile_ms"] = isOfCompile ? Json(event.compileMs) : Json();
  json["code_bytes"] = isOfCompile ? Json(event.codeBytes) : Json();
  json["detail"] = event.detail;
  return json;
}

/// "compiled at baseline in 3.2 ms: 1234 bytes of code".
std::string compileText(const TieringEvent &event) {
  std::string text =
      absl::StrFormat("compiled at %s in %.1f ms", tierName(event.to), event.compileMs);
  if (event.codeBytes > 0)
    return absl::StrCat(text, ": ", event.codeBytes, " bytes of code");
  return event.reason == Reason::NothingToCompile
             ? absl::StrCat(text, ": ", runtime::text(event.reason))
             : text;
}

std::string decisionText(const TieringEvent &event) {
  bool moves = event.kind == Kind::Promote || event.kind == Kind::Demote;
  std::string text =
      absl::StrCat(event.kind == Kind::Drop ? "stay" : name(event.kind), moves ? " to " : " at ",
                   tierName(event.to), ": ", runtime::text(event.reason));
  auto format = [](std::string *out, const Term &term) {
    absl::StrAppendFormat(out, "%s = %.4g", term.name, term.value);
  };
  if (!event.terms.empty())
    absl::StrAppend(&text, " (", absl::StrJoin(event.terms, ", ", format), ")");
  return text;
}

} // namespace

std::string toText(const TieringEvent &event) {
  absl::string_view to = tierName(event.to);
  switch (event.kind) {
  case Kind::Cancel:
    return absl::StrCat("is not to be compiled at ", to, " any more");
  case Kind::CompileBegin:
    return absl::StrCat("the compile at ", to, " begins: ", runtime::text(event.reason));
  case Kind::CompileEnd:
    return compileText(event);
  case Kind::CompileFail:
  case Kind::CompileGiveUp:
    return absl::StrFormat("the compile at %s ends after %.1f ms: %s", to, event.compileMs,
                           runtime::text(event.reason));
  case Kind::Install:
    return absl::StrCat("calls run the code of ", to);
  case Kind::Remove:
    return absl::StrCat("calls run ", to, " again");
  default:
    return decisionText(event);
  }
}

std::string decisionLog(const EventLog &log) {
  std::string text;
  uint64_t last = 0;
  for (const TieringEvent &event : log.events()) {
    if (event.number != last + 1)
      text += Json({{"event", "dropped"}, {"count", event.number - last - 1}}).dump() + "\n";
    text += jsonOf(event).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    last = event.number;
  }
  return text;
}

} // namespace anneal::runtime
