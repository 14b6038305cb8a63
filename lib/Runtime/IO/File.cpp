//===- File.cpp - Whole files ---------------------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/IO/File.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace anneal::runtime {
namespace {

absl::Status systemError(absl::string_view what, const std::string &path, int error) {
  return absl::ErrnoToStatus(error, absl::StrCat(what, " '", path, "'"));
}

/// A file descriptor that is closed at the end of the scope.
class Descriptor {
public:
  explicit Descriptor(int fd) : fd(fd) {}
  ~Descriptor() {
    if (fd >= 0)
      ::close(fd);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  int get() const { return fd; }
  /// Closes now; the result of close(2).
  int close() {
    int result = ::close(fd);
    fd = -1;
    return result;
  }

private:
  int fd;
};

bool writeAll(int fd, absl::string_view data) {
  while (!data.empty()) {
    ssize_t written = ::write(fd, data.data(), data.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    data.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

} // namespace

absl::StatusOr<std::string> readFile(const std::string &path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0)
    return systemError("cannot open", path, errno);
  struct stat info;
  if (::fstat(file.get(), &info) < 0)
    return systemError("cannot read", path, errno);
  if (S_ISDIR(info.st_mode))
    return systemError("cannot read", path, EISDIR);

  std::string contents;
  if (S_ISREG(info.st_mode))
    contents.reserve(static_cast<size_t>(info.st_size));
  constexpr size_t kChunk = 1 << 20;
  for (;;) {
    size_t size = contents.size();
    size_t room = contents.capacity() > size ? contents.capacity() - size : kChunk;
    contents.resize(size + room);
    ssize_t got = ::read(file.get(), contents.data() + size, room);
    contents.resize(size + static_cast<size_t>(got > 0 ? got : 0));
    if (got == 0)
      return contents;
    if (got < 0 && errno != EINTR)
      return systemError("cannot read", path, errno);
  }
}

absl::Status checkReadable(const std::string &path) {
  struct stat info;
  if (::stat(path.c_str(), &info) < 0 || ::access(path.c_str(), R_OK) < 0)
    return systemError("cannot open", path, errno);
  if (S_ISDIR(info.st_mode))
    return systemError("cannot read", path, EISDIR);
  return absl::OkStatus();
}

absl::Status checkWritable(const std::string &path) {
  struct stat info;
  bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode))
    return systemError("cannot write", path, EISDIR);
  // A regular file is replaced, which is for its folder to permit.
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  // With the dot something that is no folder is named as such.
  std::string inFolder = folder.empty() ? "." : (folder / ".").string();
  bool isSpecial = exists && !S_ISREG(info.st_mode);
  int access = isSpecial ? ::access(path.c_str(), W_OK) : ::access(inFolder.c_str(), W_OK | X_OK);
  return access == 0 ? absl::OkStatus() : systemError("cannot write", path, errno);
}

absl::Status writeFile(const std::string &path, absl::Span<const absl::string_view> pieces) {
  struct stat info;
  bool isSpecial = ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
  std::string target = isSpecial ? path : absl::StrCat(path, ".XXXXXX");
  Descriptor file(isSpecial ? ::open(path.c_str(), O_WRONLY | O_CLOEXEC)
                            : ::mkstemp(target.data()));
  if (file.get() < 0)
    return systemError("cannot write", path, errno);

  bool ok = true;
  for (absl::string_view piece : pieces)
    ok = ok && writeAll(file.get(), piece);
  int error = ok ? 0 : errno;
  if (isSpecial)
    return ok ? absl::OkStatus() : systemError("cannot write", path, error);

  mode_t mask = ::umask(0);
  ::umask(mask);
  if (ok && (::fchmod(file.get(), 0666 & ~mask) < 0 || file.close() < 0 ||
             ::rename(target.c_str(), path.c_str()) < 0)) {
    ok = false;
    error = errno;
  }
  if (ok)
    return absl::OkStatus();
  ::unlink(target.c_str());
  return systemError("cannot write", path, error);
}

} // namespace anneal::runtime
