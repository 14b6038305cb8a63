//===- CompileQueue.cpp - What waits to be compiled ------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Tiering/CompileQueue.h"

#include <algorithm>
#include <utility>

namespace anneal::runtime {

namespace {

/// Whether `a` goes before `b`.
bool goesFirst(const CompileJob &a, const CompileJob &b) {
  return a.gain != b.gain ? a.gain > b.gain : a.unit < b.unit;
}

} // namespace

std::optional<uint32_t> CompileQueue::put(const CompileJob &job) {
  remove(job.unit);
  jobs.push_back(job);
  if (jobs.size() <= capacity)
    return std::nullopt;
  auto last = std::max_element(jobs.begin(), jobs.end(), goesFirst);
  uint32_t unit = last->unit;
  jobs.erase(last);
  return unit;
}

bool CompileQueue::remove(uint32_t unit) {
  return std::erase_if(jobs, [&](const CompileJob &job) { return job.unit == unit; }) > 0;
}

std::optional<CompileJob> CompileQueue::take() {
  auto first = std::min_element(jobs.begin(), jobs.end(), goesFirst);
  if (first == jobs.end())
    return std::nullopt;
  CompileJob job = *first;
  jobs.erase(first);
  return job;
}

size_t CompileQueue::clear() { return std::exchange(jobs, {}).size(); }

bool CompileQueue::contains(uint32_t unit) const {
  return std::any_of(jobs.begin(), jobs.end(),
                     [&](const CompileJob &job) { return job.unit == unit; });
}

} // namespace anneal::runtime
