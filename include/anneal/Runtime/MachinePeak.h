//===- MachinePeak.h - What this machine can reach ---------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_MACHINEPEAK_H
#define ANNEAL_RUNTIME_MACHINEPEAK_H

namespace anneal::runtime {

/// Measured rates of several threads together.
struct MachinePeak {
  /// f32 fused multiply-adds, two operations each, on independent vector accumulators.
  double gflops = 0;
  /// Streaming reads of memory that no cache holds, GB/s (10^9 bytes).
  double bandwidthGbs = 0;
};

/// Measures both in some 30 ms, on as many threads, but no more than there are usable cores. What
/// else runs on the machine lowers them.
MachinePeak measureMachinePeak(unsigned threads);

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_MACHINEPEAK_H
