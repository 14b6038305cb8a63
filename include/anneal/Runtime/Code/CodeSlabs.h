//===- CodeSlabs.h - Executable memory --------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory for code images (DESIGN.md D3). No address is ever writable and executable at once (W^X).
// A slab is by default one piece of shared memory that is mapped twice, to be written through one
// view and run through the other:
//
//   * Code beside that which is being written keeps running, so that images are packed closely, and
//     placing one costs no change of the page tables. One mapping whose pages change from writable
//     to executable takes two mprotect calls an image, measured at 20 us and with a busy second
//     thread 50 us, against 2 us and 5 us for the barrier that is needed here (see place).
//   * The second view is made by mremap of shared anonymous memory: perf looks into its map of
//   symbols
//     only for memory without a file. Where a process may not add PROT_EXEC to a mapping (systemd's
//     MemoryDenyWriteExecute), a memfd is mapped twice instead.
//   * Where neither works, slabs are single mappings and images get whole pages.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_CODE_CODESLABS_H
#define ANNEAL_RUNTIME_CODE_CODESLABS_H

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <cstddef>
#include <memory>

namespace anneal::runtime {

/// How code memory is mapped.
enum class CodeMapping {
  /// TwoViews where the system allows it, else OneView.
  Automatic,
  /// A writable and an executable view of the same memory.
  TwoViews,
  /// Pages that are first writable, then executable.
  OneView
};

struct CodeSlabOptions {
  /// Memory is taken from the system in pieces of this size; a larger image gets a slab of its own.
  size_t slabBytes = size_t(1) << 20;
  /// Most that is taken in all.
  size_t limitBytes = size_t(256) << 20;
  CodeMapping mapping = CodeMapping::Automatic;
};

struct CodeSlabStatistics {
  /// Taken from the system.
  size_t allocatedBytes = 0;
  /// Sum of the sizes of the images that are there.
  size_t liveBytes = 0;
  size_t numSlabs = 0;
  size_t numImages = 0;

  /// REQUIREMENTS.md C7: 1 - liveBytes / allocatedBytes; 0 of nothing.
  double fragmentation() const {
    return allocatedBytes == 0 ? 0.0 : 1.0 - double(liveBytes) / double(allocatedBytes);
  }
};

/// Places images in executable memory: best fit in the free ranges of all slabs. A slab that
/// becomes empty goes back to the system, but for one.
///
/// Thread-safe; one lock, held while an image is copied. A child of fork() may run the code that it
/// inherited and place code of its own. So that neither process changes what the other runs, memory
/// that both share is not written again by either.
class CodeSlabs {
public:
  /// Sizes are rounded up to pages. The error is FailedPrecondition if the system allows no
  /// executable memory of the kind that is asked for.
  static absl::StatusOr<std::shared_ptr<CodeSlabs>> create(const CodeSlabOptions &options = {});
  /// REQUIRES: everything placed has been released.
  ~CodeSlabs();
  CodeSlabs(const CodeSlabs &) = delete;
  CodeSlabs &operator=(const CodeSlabs &) = delete;

  /// Copies `code` to executable memory, aligned to a power of two of at most a page. The address
  /// stays valid until it is released. When this returns, every thread that comes to know the
  /// address sees the new instructions, even where others were before: processors are made to drop
  /// what they fetched ahead (membarrier). Errors: ResourceExhausted when the limit or the system's
  /// memory does not suffice.
  absl::StatusOr<const void *> place(absl::string_view code, size_t alignment);

  /// Frees what `place` returned. No thread may be in that code or come to it (Epochs.h). Where
  /// slabs have two views, the memory is filled with instructions that trap.
  void release(const void *code);

  /// No more code goes into the slabs of today; each goes back to the system when it is empty. For
  /// moving what lives into fresh slabs (REQUIREMENTS.md C7): call this, then copy each image
  /// (InstalledCode::copy), install the copy and retire the original.
  void startFreshSlabs();

  CodeSlabStatistics statistics() const;
  /// TwoViews or OneView.
  CodeMapping mapping() const;

private:
  struct Impl;
  explicit CodeSlabs(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_CODE_CODESLABS_H
