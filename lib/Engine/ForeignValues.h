//===- ForeignValues.h - Arguments and results of compiled functions -*- C++ -*- ===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_ENGINE_FOREIGNVALUES_H
#define ANNEAL_LIB_ENGINE_FOREIGNVALUES_H

#include "anneal/Plan/Plan.h"
#include "anneal/Runtime/Tensor.h"

#include <deque>
#include <vector>

namespace anneal::engine {

/// The arguments and results of one call as MLIR's C interface wants them: a tensor is a memref
/// descriptor (allocated pointer, aligned pointer, offset, sizes, strides; 64 bits each), numbers
/// are as in memory. Results are a struct to whose memory a pointer is passed first, unless there
/// is one only and it is a number.
class ForeignValues {
public:
  explicit ForeignValues(const plan::ForeignFunction &function);

  /// Tensors that are not dense are copied. Error: out of memory.
  absl::Status setInputs(absl::Span<const runtime::Value> inputs);
  /// For StockFunction::run.
  std::vector<void *> pointers();
  /// Copies the results to the outputs that are given, or into new tensors. Errors: an output of
  /// other sizes, out of memory.
  absl::Status readResults(absl::Span<runtime::Value> outputs) const;

private:
  bool returnsStruct() const;
  absl::Status readTensor(const plan::Param &param, size_t index, const int64_t *descriptor,
                          runtime::Value &output) const;

  const plan::ForeignFunction &function;
  /// They live as long as the call.
  std::vector<runtime::Tensor> tensors;
  /// Descriptors and numbers; addresses stay.
  std::deque<std::vector<int64_t>> arguments;
  std::vector<int64_t> results;
  std::vector<size_t> resultOffsets;
  std::vector<void *> addresses;
  void *resultsAddress = nullptr;
};

} // namespace anneal::engine

#endif // ANNEAL_LIB_ENGINE_FOREIGNVALUES_H
