//===- Slab.cpp - One piece of executable memory --------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Slab.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace anneal::runtime {

namespace {

/// Images begin and end at whole cache lines, so that a write to one never touches a line that
/// another thread runs.
constexpr size_t kLine = 64;
/// int3: traps.
constexpr int kTrap = 0xcc;

/// Two views of the same memory, or nulls.
struct Views {
  char *writable = nullptr;
  char *executable = nullptr;
};

char *mapOrNull(size_t size, int protection, int flags, int file) {
  void *memory = mmap(nullptr, size, protection, flags, file, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<char *>(memory);
}

void unmap(char *memory, size_t size) {
  if (memory)
    munmap(memory, size);
}

/// Shared memory without a file, its second view made by a move that leaves the first in place.
Views mapAnonymousTwice(size_t size) {
  Views views;
  views.writable = mapOrNull(size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1);
  if (!views.writable)
    return {};
  void *second = mremap(views.writable, 0, size, MREMAP_MAYMOVE);
  if (second != MAP_FAILED && mprotect(second, size, PROT_READ | PROT_EXEC) == 0) {
    views.executable = static_cast<char *>(second);
    return views;
  }
  int error = errno;
  if (second != MAP_FAILED)
    unmap(static_cast<char *>(second), size);
  unmap(views.writable, size);
  errno = error;
  return {};
}

/// A memory file, mapped executable from the start.
Views mapFileTwice(size_t size) {
  int file = memfd_create("anneal-code", MFD_CLOEXEC);
  if (file < 0)
    return {};
  Views views;
  if (ftruncate(file, static_cast<off_t>(size)) == 0) {
    views.writable = mapOrNull(size, PROT_READ | PROT_WRITE, MAP_SHARED, file);
    if (views.writable)
      views.executable = mapOrNull(size, PROT_READ | PROT_EXEC, MAP_SHARED, file);
  }
  int error = errno;
  close(file);
  if (!views.executable) {
    unmap(views.writable, size);
    views = {};
  }
  errno = error;
  return views;
}

size_t pageSize() {
  static const size_t size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

absl::Status failure(absl::string_view what, size_t size) {
  int error = errno;
  std::string text =
      absl::StrCat("code memory: cannot ", what, " ", size, " bytes: ", std::strerror(error));
  return error == ENOMEM ? absl::ResourceExhaustedError(text) : absl::FailedPreconditionError(text);
}

} // namespace

absl::Status Slab::map() {
  if (mapping == CodeMapping::OneView) {
    executable = mapOrNull(bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    return executable ? absl::OkStatus() : failure("map", bytes);
  }
  Views views = mapAnonymousTwice(bytes);
  if (!views.executable)
    views = mapFileTwice(bytes);
  if (!views.executable)
    return failure("map twice", bytes);
  executable = views.executable;
  writable = views.writable;
  // A child of fork() cannot write into memory whose code its parent runs.
  madvise(writable, bytes, MADV_DONTFORK);
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Slab>> Slab::create(size_t size, CodeMapping mapping) {
  std::unique_ptr<Slab> slab(new Slab(size, mapping));
  if (absl::Status status = slab->map(); !status.ok())
    return status;
  return slab;
}

Slab::~Slab() {
  unmap(writable, bytes);
  unmap(executable, bytes);
}

size_t Slab::rounded(size_t size) const {
  // With one view, a page that is being written can't be run.
  size_t unit = mapping == CodeMapping::OneView ? pageSize() : kLine;
  return (size + unit - 1) / unit * unit;
}

std::optional<size_t> Slab::bestFit(size_t size, size_t alignment) const {
  if (isClosed)
    return std::nullopt;
  return ranges.bestFit(rounded(size), alignment);
}

absl::Status Slab::write(size_t offset, absl::string_view code) {
  size_t size = rounded(code.size());
  char *to = (writable ? writable : executable) + offset;
  if (!writable && mprotect(to, size, PROT_READ | PROT_WRITE) != 0)
    return failure("write", size);
  std::memcpy(to, code.data(), code.size());
  std::memset(to + code.size(), kTrap, size - code.size());
  if (!writable && mprotect(to, size, PROT_READ | PROT_EXEC) != 0)
    return failure("make executable", size);
  return absl::OkStatus();
}

absl::StatusOr<Slab::Placed> Slab::place(absl::string_view code, size_t alignment) {
  size_t size = rounded(code.size());
  size_t offset = *ranges.allocate(size, alignment);
  if (absl::Status status = write(offset, code); !status.ok()) {
    ranges.release(offset, size);
    return status;
  }
  images.emplace(offset, code.size());
  live += code.size();
  bool isReused = offset < usedEnd;
  usedEnd = std::max(usedEnd, offset + size);
  return Placed{executable + offset, isReused};
}

void Slab::release(const char *address) {
  auto image = images.find(static_cast<size_t>(address - executable));
  auto [offset, size] = *image;
  images.erase(image);
  live -= size;
  if (writable && !isShared)
    std::memset(writable + offset, kTrap, size);
  ranges.release(offset, rounded(size));
}

void Slab::shareWithChild() {
  // Private pages are copied by whoever writes first.
  if (mapping == CodeMapping::OneView)
    return;
  isClosed = true;
  isShared = true;
}

void Slab::becomeChild() {
  shareWithChild();
  writable = nullptr;
}

} // namespace anneal::runtime
