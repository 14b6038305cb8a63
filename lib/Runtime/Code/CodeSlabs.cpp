//===- CodeSlabs.cpp - Executable memory ----------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Code/CodeSlabs.h"

#include "Barriers.h"
#include "ForkHooks.h"
#include "Slab.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <mutex>
#include <unistd.h>
#include <utility>
#include <vector>

namespace anneal::runtime {

static size_t roundToPages(size_t size) {
  size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (size + page - 1) / page * page;
}

struct CodeSlabs::Impl final : ForkAware {
  explicit Impl(const CodeSlabOptions &options) : options(options) { addForkHooks(*this); }
  ~Impl() { removeForkHooks(*this); }

  void beforeFork() override { mutex.lock(); }
  void afterForkInParent() override {
    for (const std::unique_ptr<Slab> &slab : slabs)
      slab->shareWithChild();
    mutex.unlock();
  }
  void afterForkInChild() override {
    for (const std::unique_ptr<Slab> &slab : slabs)
      slab->becomeChild();
    mutex.unlock();
  }

  absl::StatusOr<Slab *> slabFor(size_t size, size_t alignment);
  absl::StatusOr<Slab *> addSlab(size_t size);
  size_t allocatedBytes() const;
  void dropEmptySlabs(size_t keep);

  CodeSlabOptions options;
  mutable std::mutex mutex;
  /// The oldest first: what fits in several fills them first.
  std::vector<std::unique_ptr<Slab>> slabs;
};

size_t CodeSlabs::Impl::allocatedBytes() const {
  size_t bytes = 0;
  for (const std::unique_ptr<Slab> &slab : slabs)
    bytes += slab->size();
  return bytes;
}

/// Gives empty slabs back to the system, but for `keep` of those that code may go into.
void CodeSlabs::Impl::dropEmptySlabs(size_t keep) {
  auto isDropped = [&](const std::unique_ptr<Slab> &slab) {
    if (!slab->isEmpty())
      return false;
    if (keep > 0 && slab->size() == options.slabBytes && slab->bestFit(1, 1)) {
      --keep;
      return false;
    }
    return true;
  };
  slabs.erase(std::remove_if(slabs.begin(), slabs.end(), isDropped), slabs.end());
}

absl::StatusOr<Slab *> CodeSlabs::Impl::addSlab(size_t size) {
  size_t wanted = roundToPages(size);
  if (allocatedBytes() + std::max(wanted, options.slabBytes) > options.limitBytes)
    dropEmptySlabs(/*keep=*/0);
  size_t allocated = allocatedBytes();
  size_t left = options.limitBytes - std::min(options.limitBytes, allocated);
  if (wanted > left)
    return absl::ResourceExhaustedError(absl::StrCat("out of code memory: ", size,
                                                     " bytes wanted, ", allocated, " of ",
                                                     options.limitBytes, " bytes in use"));
  absl::StatusOr<std::unique_ptr<Slab>> slab =
      Slab::create(std::max(wanted, std::min(options.slabBytes, left)), options.mapping);
  if (!slab.ok())
    return slab.status();
  slabs.push_back(*std::move(slab));
  return slabs.back().get();
}

absl::StatusOr<Slab *> CodeSlabs::Impl::slabFor(size_t size, size_t alignment) {
  Slab *best = nullptr;
  size_t smallest = SIZE_MAX;
  for (const std::unique_ptr<Slab> &slab : slabs)
    if (std::optional<size_t> fit = slab->bestFit(size, alignment); fit && *fit < smallest) {
      best = slab.get();
      smallest = *fit;
    }
  if (best)
    return best;
  return addSlab(size);
}

CodeSlabs::CodeSlabs(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
CodeSlabs::~CodeSlabs() = default;

absl::StatusOr<std::shared_ptr<CodeSlabs>> CodeSlabs::create(const CodeSlabOptions &options) {
  CodeSlabOptions rounded = options;
  rounded.slabBytes = roundToPages(std::max<size_t>(1, options.slabBytes));
  rounded.limitBytes = roundToPages(options.limitBytes);
  // A page tells whether the system allows it.
  auto works = [](CodeMapping mapping) { return Slab::create(roundToPages(1), mapping).status(); };
  if (rounded.mapping == CodeMapping::Automatic)
    rounded.mapping =
        works(CodeMapping::TwoViews).ok() ? CodeMapping::TwoViews : CodeMapping::OneView;
  if (absl::Status status = works(rounded.mapping); !status.ok())
    return status;
  return std::shared_ptr<CodeSlabs>(new CodeSlabs(std::make_unique<Impl>(rounded)));
}

absl::StatusOr<const void *> CodeSlabs::place(absl::string_view code, size_t alignment) {
  if (code.empty())
    return absl::InvalidArgumentError("code memory: an image without code");
  absl::StatusOr<Slab::Placed> placed;
  {
    std::lock_guard<std::mutex> lock(impl->mutex);
    absl::StatusOr<Slab *> slab = impl->slabFor(code.size(), alignment);
    if (!slab.ok())
      return slab.status();
    placed = (*slab)->place(code, alignment);
  }
  if (!placed.ok())
    return placed.status();
  if (placed->isReused)
    instructionBarrier();
  return placed->address;
}

void CodeSlabs::release(const void *code) {
  auto address = static_cast<const char *>(code);
  std::lock_guard<std::mutex> lock(impl->mutex);
  for (const std::unique_ptr<Slab> &slab : impl->slabs)
    if (slab->contains(address)) {
      slab->release(address);
      if (slab->isEmpty())
        impl->dropEmptySlabs(/*keep=*/1);
      return;
    }
}

void CodeSlabs::startFreshSlabs() {
  std::lock_guard<std::mutex> lock(impl->mutex);
  for (const std::unique_ptr<Slab> &slab : impl->slabs)
    slab->close();
  impl->dropEmptySlabs(/*keep=*/0);
}

CodeSlabStatistics CodeSlabs::statistics() const {
  std::lock_guard<std::mutex> lock(impl->mutex);
  CodeSlabStatistics statistics;
  statistics.allocatedBytes = impl->allocatedBytes();
  statistics.numSlabs = impl->slabs.size();
  for (const std::unique_ptr<Slab> &slab : impl->slabs) {
    statistics.liveBytes += slab->liveBytes();
    statistics.numImages += slab->numImages();
  }
  return statistics;
}

CodeMapping CodeSlabs::mapping() const { return impl->options.mapping; }

} // namespace anneal::runtime
