//===- FunctionImpl.h - A function that can be called -----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_PROGRAM_FUNCTIONIMPL_H
#define ANNEAL_LIB_RUNTIME_PROGRAM_FUNCTIONIMPL_H

#include "InstanceTable.h"

#include "anneal/Runtime/Program.h"

#include <memory>

namespace anneal::runtime {

/// What is behind Function. Thread-safe.
class FunctionImpl {
public:
  /// All arguments must outlive this.
  FunctionImpl(std::unique_ptr<FunctionCode> code, ProgramShared &shared, size_t maxInstances)
      : code(std::move(code)), shared(shared), table(maxInstances) {}

  /// Calls run this instead of a plan.
  void setForeign(std::shared_ptr<ForeignCode> callee) { foreign = std::move(callee); }

  absl::Status call(absl::Span<const Value> inputs, absl::Span<Value> outputs,
                    const CallOptions &options);

  const FunctionCode &functionCode() const { return *code; }
  const InstanceTable &instances() const { return table; }

private:
  absl::Status run(absl::Span<const Value> inputs, absl::Span<Value> outputs,
                   const CallOptions &options);
  absl::Status checkInputs(absl::Span<const Value> inputs) const;
  absl::StatusOr<InstanceUse> findInstance(absl::Span<const Value> inputs, CallStats *stats);

  std::unique_ptr<FunctionCode> code;
  ProgramShared &shared;
  InstanceTable table;
  /// Null for a function that has a plan.
  std::shared_ptr<ForeignCode> foreign;
};

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_PROGRAM_FUNCTIONIMPL_H
