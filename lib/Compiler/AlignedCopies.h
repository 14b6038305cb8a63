//===- AlignedCopies.h - Constants moved to where they can be read -*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_COMPILER_ALIGNEDCOPIES_H
#define ANNEAL_LIB_COMPILER_ALIGNEDCOPIES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MemoryBuffer.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace anneal::compiler {

/// Copies of those constants of a source whose elements lie unaligned there, as inline `dense` ones
/// of bytecode mostly do. A thread of its own makes them while the module is being normalised and
/// formed into units: copying 90 MB takes as long as that. The copies share one region of memory,
/// which lives as long as the last of them.
///
/// `start` and `find` are called by one thread; `source` has to outlive this object.
class AlignedCopies {
public:
  explicit AlignedCopies(const llvm::MemoryBuffer &source) : source(source) {}
  /// Stops after the copy in progress.
  ~AlignedCopies();
  AlignedCopies(const AlignedCopies &) = delete;
  AlignedCopies &operator=(const AlignedCopies &) = delete;

  /// Begins to copy these bytes of the source. Without memory for it, nothing happens.
  void start(llvm::ArrayRef<char> bytes);

  /// The copy of these bytes, aligned to 64, once it is complete. Null if none was started.
  std::shared_ptr<const void> find(llvm::ArrayRef<char> bytes);

private:
  struct Copy {
    llvm::ArrayRef<char> from;
    char *to = nullptr;
  };

  bool reserve();
  void work();
  void copyPart(const char *from, char *to, size_t size) const;

  const llvm::MemoryBuffer &source;
  std::shared_ptr<char> region;
  size_t regionSize = 0, regionUsed = 0;
  llvm::DenseMap<const char *, size_t> numbers;

  /// Guards what follows.
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Copy> copies;
  size_t numDone = 0;
  bool stopping = false;
  std::thread worker;
};

} // namespace anneal::compiler

#endif // ANNEAL_LIB_COMPILER_ALIGNEDCOPIES_H
