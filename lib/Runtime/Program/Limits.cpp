//===- Limits.cpp - Cores and memory that this process may use ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Memory.h"
#include "anneal/Runtime/ThreadPool.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <optional>
#include <sched.h>
#include <string>
#include <thread>
#include <unistd.h>

namespace anneal::runtime {

namespace {

std::optional<std::string> firstLine(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line))
    return std::nullopt;
  return line;
}

std::optional<double> number(absl::string_view text) {
  double value;
  if (!absl::SimpleAtod(text, &value))
    return std::nullopt;
  return value;
}

/// Calls `visit` with the folders of this process's cgroup and its parents: the unified hierarchy
/// for an empty `controller`, else that controller's of cgroup v1. In a container the path that the
/// kernel names may lie outside what is mounted; the root of the mount is then the container's own
/// group.
void forEachCgroup(absl::string_view controller,
                   const std::function<void(const std::string &)> &visit) {
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  while (std::getline(file, line)) {
    std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3)
      continue;
    std::vector<std::string> names = absl::StrSplit(parts[1], ',');
    bool wanted = controller.empty() ? parts[1].empty()
                                     : std::count(names.begin(), names.end(), controller) > 0;
    if (!wanted)
      continue;
    std::string mount =
        controller.empty() ? "/sys/fs/cgroup" : absl::StrCat("/sys/fs/cgroup/", parts[1]);
    std::string path = parts[2] == "/" ? "" : parts[2];
    for (;;) {
      visit(mount + path);
      if (path.empty())
        break;
      path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
    }
  }
}

/// Cores granted by CPU quotas, the least of all levels.
double coresByQuota() {
  double cores = HUGE_VAL;
  forEachCgroup("", [&](const std::string &folder) {
    std::optional<std::string> line = firstLine(folder + "/cpu.max");
    if (!line)
      return;
    std::vector<std::string> parts = absl::StrSplit(*line, ' ', absl::SkipEmpty());
    if (parts.size() != 2)
      return;
    std::optional<double> quota = number(parts[0]), period = number(parts[1]);
    if (quota && period && *period > 0)
      cores = std::min(cores, *quota / *period);
  });
  forEachCgroup("cpu", [&](const std::string &folder) {
    std::optional<std::string> quotaLine = firstLine(folder + "/cpu.cfs_quota_us");
    std::optional<std::string> periodLine = firstLine(folder + "/cpu.cfs_period_us");
    if (!quotaLine || !periodLine)
      return;
    std::optional<double> quota = number(*quotaLine), period = number(*periodLine);
    if (quota && period && *quota > 0 && *period > 0)
      cores = std::min(cores, *quota / *period);
  });
  return cores;
}

} // namespace

unsigned usableCores() {
  unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    cores = static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  // A part of a core is worth a thread of its own.
  double quota = std::ceil(coresByQuota());
  return quota < cores ? std::max(1u, static_cast<unsigned>(quota)) : cores;
}

size_t usableMemory() {
  double bytes =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  auto limitBy = [&](const char *file) {
    return [&bytes, file](const std::string &folder) {
      if (std::optional<std::string> line = firstLine(folder + file))
        if (std::optional<double> limit = number(*line); limit && *limit > 0)
          bytes = std::min(bytes, *limit);
    };
  };
  forEachCgroup("", limitBy("/memory.max"));
  forEachCgroup("memory", limitBy("/memory.limit_in_bytes"));
  return static_cast<size_t>(bytes);
}

} // namespace anneal::runtime
