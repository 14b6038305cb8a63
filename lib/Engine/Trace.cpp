//===- Trace.cpp - What happened when, to look at -------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Engine/Trace.h"

#include "anneal/Engine/Version.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <unistd.h>
#include <vector>

namespace anneal::engine {

namespace {

using Json = nlohmann::ordered_json;
using Kind = TieringEventKind;

/// Collects trace events, and writes them in order of time.
class TraceWriter {
public:
  TraceWriter(const EventLog &log, const TraceOptions &options)
      : log(log), options(options), events(log.events()), ticks(log.ticks()) {}

  std::string write();

private:
  /// One event of the file, as text: as JSON values the calls of a long run would take much memory.
  struct Line {
    MachineTime time;
    std::string text;
  };
  static std::string textOf(const Json &json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  void add(MachineTime time, const Json &json) { lines.push_back({time, textOf(json)}); }

  void findRange();
  void makeTracks();
  int compileTrack(int thread);
  void nameTrack(int track, const std::string &name);
  void addCalls();
  void addTicks();
  void addEvents();
  void addUnfinished();

  double microseconds(MachineTime time) const {
    return std::chrono::duration<double, std::micro>(time - first).count();
  }
  void addSpan(int track, const std::string &name, MachineTime begin, MachineTime end, Json args);
  void addInstant(int track, const std::string &name, MachineTime time, Json args);

  const EventLog &log;
  const TraceOptions &options;
  const std::vector<TieringEvent> events;
  const std::vector<TieringTick> ticks;
  const int process = ::getpid();
  /// When the first thing happened, and the last.
  MachineTime first = MachineTime::max();
  MachineTime last = MachineTime::min();

  int tickTrack = 0, installTrack = 0, decisionTrack = 0;
  int numTracks = 0;
  /// By the system's number of the thread.
  std::map<int, int> compileTracks;
  std::vector<Json> names;
  std::vector<Line> lines;
};

void TraceWriter::findRange() {
  auto include = [&](MachineTime begin, MachineTime end) {
    first = std::min(first, begin);
    last = std::max(last, end);
  };
  for (const TracedCall &call : options.calls)
    include(call.begin, call.end);
  for (const TieringEvent &event : events)
    include(event.begin, event.end);
  for (const TieringTick &tick : ticks)
    include(tick.begin, tick.end);
}

void TraceWriter::nameTrack(int track, const std::string &name) {
  names.push_back({{"name", "thread_name"},
                   {"ph", "M"},
                   {"pid", process},
                   {"tid", track},
                   {"args", {{"name", name}}}});
  names.push_back({{"name", "thread_sort_index"},
                   {"ph", "M"},
                   {"pid", process},
                   {"tid", track},
                   {"args", {{"sort_index", track}}}});
}

void TraceWriter::makeTracks() {
  names.push_back({{"name", "process_name"},
                   {"ph", "M"},
                   {"pid", process},
                   {"tid", 0},
                   {"args", {{"name", options.process}}}});
  unsigned numCallers = 0;
  for (const TracedCall &call : options.calls)
    numCallers = std::max(numCallers, call.caller + 1);
  for (unsigned caller = 0; caller < numCallers; ++caller)
    nameTrack(++numTracks, absl::StrCat("caller ", caller + 1));
  nameTrack(decisionTrack = ++numTracks, "decisions");
  nameTrack(tickTrack = ++numTracks, "ticks");
  nameTrack(installTrack = ++numTracks, "installs");
}

int TraceWriter::compileTrack(int thread) {
  auto [found, isNew] = compileTracks.try_emplace(thread, numTracks + 1);
  if (isNew)
    nameTrack(++numTracks,
              absl::StrCat("compiles ", compileTracks.size(), " (thread ", thread, ")"));
  return found->second;
}

void TraceWriter::addSpan(int track, const std::string &name, MachineTime begin, MachineTime end,
                          Json args) {
  add(begin, {{"name", name},
              {"ph", "X"},
              {"pid", process},
              {"tid", track},
              {"ts", microseconds(begin)},
              {"dur", std::chrono::duration<double, std::micro>(end - begin).count()},
              {"args", std::move(args)}});
}

void TraceWriter::addInstant(int track, const std::string &name, MachineTime time, Json args) {
  add(time, {{"name", name},
             {"ph", "i"},
             {"s", "t"},
             {"pid", process},
             {"tid", track},
             {"ts", microseconds(time)},
             {"args", std::move(args)}});
}

void TraceWriter::addCalls() {
  for (const TracedCall &call : options.calls) {
    Json args = {{"number", call.number}};
    if (call.instanceUs > 0)
      args["new_sizes_us"] = call.instanceUs;
    if (call.hasFailed)
      args["failed"] = true;
    addSpan(static_cast<int>(call.caller) + 1, "call", call.begin, call.end, std::move(args));
  }
}

void TraceWriter::addTicks() {
  for (const TieringTick &tick : ticks) {
    addSpan(tickTrack, "tick", tick.begin, tick.end,
            {{"number", tick.number}, {"at_call", tick.atCall}});
    add(tick.end, {{"name", "compiles"},
                   {"ph", "C"},
                   {"pid", process},
                   {"tid", tickTrack},
                   {"ts", microseconds(tick.end)},
                   {"args", {{"waiting", tick.numWaiting}, {"running", tick.numRunning}}}});
  }
}

/// What an event has to say, to be read beside its name.
Json argumentsOf(const TieringEvent &event) {
  Json args = {{"seq", event.number}, {"unit", event.unit}, {"says", toText(event)}};
  for (const runtime::Term &term : event.terms)
    args["terms"][std::string(term.name)] = term.value;
  if (!event.detail.empty())
    args["detail"] = event.detail;
  return args;
}

void TraceWriter::addEvents() {
  for (const TieringEvent &event : events) {
    std::string title = absl::StrCat(name(event.kind), " ", event.unit);
    if (event.endsCompile())
      addSpan(compileTrack(event.thread), event.unit, event.begin, event.end, argumentsOf(event));
    else if (event.kind == Kind::Install || event.kind == Kind::Remove)
      addSpan(installTrack, title, event.begin, event.end, argumentsOf(event));
    else if (event.kind != Kind::CompileBegin)
      addInstant(decisionTrack, title, event.begin, argumentsOf(event));
  }
}

/// Compiles that had begun and not ended when the trace was made.
void TraceWriter::addUnfinished() {
  std::map<std::string, const TieringEvent *> begun;
  for (const TieringEvent &event : events) {
    if (event.kind == Kind::CompileBegin)
      begun[event.unit] = &event;
    if (event.endsCompile())
      begun.erase(event.unit);
  }
  for (const auto &[unit, event] : begun) {
    Json args = argumentsOf(*event);
    args["unfinished"] = true;
    addSpan(compileTrack(event->thread), unit, event->begin, last, std::move(args));
  }
}

std::string TraceWriter::write() {
  findRange();
  makeTracks();
  addCalls();
  addTicks();
  addEvents();
  addUnfinished();
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line &a, const Line &b) { return a.time < b.time; });
  Json other = {{"version", std::string(version())},
                {"dropped_calls", options.droppedCalls},
                {"dropped_events", log.numDroppedEvents()},
                {"dropped_ticks", log.numDroppedTicks()}};
  std::string text = absl::StrCat("{\"displayTimeUnit\":\"ms\",\"otherData\":", other.dump(),
                                  ",\"traceEvents\":[");
  const char *separator = "\n";
  auto append = [&](const std::string &line) {
    absl::StrAppend(&text, separator, line);
    separator = ",\n";
  };
  for (const Json &json : names)
    append(textOf(json));
  for (const Line &line : lines)
    append(line.text);
  return absl::StrCat(text, "\n]}\n");
}

} // namespace

std::string traceJson(const EventLog &log, const TraceOptions &options) {
  return TraceWriter(log, options).write();
}

} // namespace anneal::engine
