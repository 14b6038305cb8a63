//===- PerfMap.cpp - Names of code for perf -------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Code/CodeObserver.h"

#include "absl/strings/str_cat.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace anneal::runtime {

namespace {

class PerfMap final : public CodeObserver {
public:
  explicit PerfMap(int file) : file(file) {}
  ~PerfMap() override { close(file); }

  void codeInstalled(const CodePlace &code) override;
  void codeRemoved(const char *start) override {}

private:
  int file;
};

void PerfMap::codeInstalled(const CodePlace &code) {
  std::string lines;
  for (const NamedCode &function : code.functions) {
    std::string name = function.name;
    for (char &c : name)
      if (c == '\n' || c == '\r')
        c = ' ';
    absl::StrAppend(&lines, absl::Hex(reinterpret_cast<uintptr_t>(function.start)), " ",
                    absl::Hex(function.size), " ", name, "\n");
  }
  // One write to a file that is open for appending: lines of several threads do not mix.
  ssize_t written;
  do
    written = write(file, lines.data(), lines.size());
  while (written < 0 && errno == EINTR);
}

} // namespace

absl::StatusOr<std::shared_ptr<CodeObserver>> openPerfMap(const std::string &path) {
  std::string name = path.empty() ? absl::StrCat("/tmp/perf-", getpid(), ".map") : path;
  // Not through a link that somebody else may have put into /tmp.
  int file = open(name.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (file < 0)
    return absl::ErrnoToStatus(errno, absl::StrCat("perf map '", name, "': cannot be opened"));
  return std::make_shared<PerfMap>(file);
}

} // namespace anneal::runtime
