//===- Observation.cpp - What is taken down of a run ----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Observation.h"

#include "anneal/Runtime/IO/File.h"

namespace anneal::jitrun {

Observation::Observation(const Options &options) : options(options) {
  if (!options.decisions.empty() || !options.why.empty())
    events = std::make_shared<engine::EventLog>();
}

std::vector<std::shared_ptr<engine::TieringObserver>> Observation::observers() const {
  std::vector<std::shared_ptr<engine::TieringObserver>> result;
  if (events)
    result.push_back(events);
  return result;
}

absl::Status Observation::write() const {
  if (options.decisions.empty())
    return absl::OkStatus();
  return runtime::writeFile(options.decisions, {engine::decisionLog(*events)});
}

} // namespace anneal::jitrun
