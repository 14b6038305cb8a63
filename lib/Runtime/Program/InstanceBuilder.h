//===- InstanceBuilder.h - Making a plan instance ---------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_PROGRAM_INSTANCEBUILDER_H
#define ANNEAL_LIB_RUNTIME_PROGRAM_INSTANCEBUILDER_H

#include "Instance.h"

#include <memory>
#include <vector>

namespace anneal::runtime {

/// The stages of Instance::build, in order. Used once, by one thread.
class InstanceBuilder {
public:
  InstanceBuilder(const FunctionCode &code, ProgramShared &shared)
      : instance(new Instance(code, shared)), code(code), function(code.function), shared(shared) {}

  absl::StatusOr<std::unique_ptr<Instance>> build(absl::Span<const Value> inputs);

private:
  void setInputs(absl::Span<const Value> inputs);
  void copyShapes();
  void sizeAllocs();
  absl::StatusOr<size_t> bytesOf(uint32_t memref) const;
  size_t bytesBehind(const plan::Base &base) const;
  absl::Status checkPlace(uint32_t memref);
  void checkMemRefs();
  void collectBroken(const BlockCode &block);
  /// A call that stands for its class.
  struct ClassCall {
    const InvokeCode *invoke = nullptr;
    BindRequest request;
    /// Index among the forms that are asked for.
    uint32_t form = 0;
    absl::Status status;
  };

  std::vector<ClassCall> collectCalls();
  void getForms(absl::Span<ClassCall> calls);
  absl::Status bindUnits();
  bool mayBind(const InvokeCode &invoke) const;
  void addBindTensor(uint32_t memref);
  absl::Status layOutWorkspace();
  void placeViews();
  absl::Status firstCertainError() const;
  void breakStep(const plan::Step &step, absl::Status status);

  std::unique_ptr<Instance> instance;
  const FunctionCode &code;
  const plan::Function &function;
  ProgramShared &shared;
  std::vector<size_t> argumentBytes, resultBytes, allocBytes;
  /// Memrefs with sizes, reach or place that cannot be, and why.
  absl::flat_hash_map<uint32_t, absl::Status> brokenMemRefs;
  /// What requests point into.
  std::vector<BindTensor> bindTensors;
  std::vector<uint64_t> unitScalars;
};

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_PROGRAM_INSTANCEBUILDER_H
