//===- WorkspaceLayout.h - Places in a call's workspace ---------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_PROGRAM_WORKSPACELAYOUT_H
#define ANNEAL_LIB_RUNTIME_PROGRAM_WORKSPACELAYOUT_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace anneal::runtime {

/// Memory that is needed in the steps [first, last].
struct LiveBuffer {
  size_t bytes = 0;
  uint32_t first = 0;
  uint32_t last = 0;
  /// Set by layOut, a multiple of 64.
  size_t offset = 0;
};

/// Gives each buffer a place such that those that live at the same time don't overlap: largest
/// first, each into the smallest gap that holds it. Returns the bytes of the whole, or nothing if
/// they overflow.
std::optional<size_t> layOut(std::vector<LiveBuffer> &buffers);

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_PROGRAM_WORKSPACELAYOUT_H
