//===- AlignedCopies.cpp - Constants moved to where they can be read ------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AlignedCopies.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace anneal::compiler {

/// A cache line, which is also the widest vector.
static constexpr size_t kAlignment = 64;
/// Memory comes in huge pages where the system has them: clearing small ones on demand would take
/// longer than copying.
static constexpr size_t kHugePage = size_t(2) << 20;

AlignedCopies::~AlignedCopies() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  changed.notify_all();
  if (worker.joinable())
    worker.join();
}

/// Address space for as many bytes as the source has, and what alignment may take: no constant is
/// smaller than a line. Memory is only taken where it is written.
bool AlignedCopies::reserve() {
  size_t size = llvm::alignTo(2 * source.getBufferSize(), kHugePage) + kHugePage;
  void *memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  ::madvise(memory, size, MADV_HUGEPAGE);
  region = std::shared_ptr<char>(static_cast<char *>(memory),
                                 [size](char *start) { ::munmap(start, size); });
  regionSize = size;
  regionUsed = llvm::alignTo(reinterpret_cast<uintptr_t>(memory), kHugePage) -
               reinterpret_cast<uintptr_t>(memory);
  return true;
}

void AlignedCopies::start(llvm::ArrayRef<char> bytes) {
  if (bytes.size() < kAlignment || (!region && !reserve()) ||
      bytes.size() > regionSize - regionUsed)
    return;
  auto [known, isNew] = numbers.try_emplace(bytes.data(), copies.size());
  if (!isNew)
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    copies.push_back({bytes, region.get() + regionUsed});
    if (!worker.joinable())
      worker = std::thread([this] { work(); });
  }
  changed.notify_all();
  regionUsed = std::min(regionSize,
                        static_cast<size_t>(llvm::alignTo(regionUsed + bytes.size(), kAlignment)));
}

std::shared_ptr<const void> AlignedCopies::find(llvm::ArrayRef<char> bytes) {
  auto known = numbers.find(bytes.data());
  if (known == numbers.end())
    return nullptr;
  std::unique_lock<std::mutex> lock(mutex);
  const Copy &copy = copies[known->second];
  if (copy.from.size() != bytes.size())
    return nullptr;
  changed.wait(lock, [&] { return numDone > known->second; });
  return std::shared_ptr<const void>(region, copy.to);
}

void AlignedCopies::work() {
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    changed.wait(lock, [&] { return stopping || numDone < copies.size(); });
    if (stopping)
      return;
    Copy copy = copies[numDone];
    lock.unlock();
    for (size_t at = 0; at < copy.from.size(); at += kHugePage)
      copyPart(copy.from.data() + at, copy.to + at, std::min(kHugePage, copy.from.size() - at));
    lock.lock();
    ++numDone;
    changed.notify_all();
  }
}

/// Pages of a mapped file are mapped at once and not kept mapped: nobody reads them again.
void AlignedCopies::copyPart(const char *from, char *to, size_t size) const {
  if (source.getBufferKind() != llvm::MemoryBuffer::MemoryBuffer_MMap) {
    std::memcpy(to, from, size);
    return;
  }
  static const auto pageSize = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  uintptr_t begin = llvm::alignDown(reinterpret_cast<uintptr_t>(from), pageSize);
  uintptr_t end = llvm::alignTo(reinterpret_cast<uintptr_t>(from) + size, pageSize);
  auto *pages = reinterpret_cast<void *>(begin);
#ifdef MADV_POPULATE_READ
  ::madvise(pages, end - begin, MADV_POPULATE_READ);
#endif
  std::memcpy(to, from, size);
  ::madvise(pages, end - begin, MADV_DONTNEED);
}

} // namespace anneal::compiler
