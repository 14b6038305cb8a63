//===- Instance.cpp - A function for one set of input sizes ---------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instance.h"

#include "Context.h"
#include "InstanceBuilder.h"

#include "absl/strings/str_cat.h"

namespace anneal::runtime {

namespace {

/// A reach that no memory has room for.
constexpr int64_t kBeyondMemory = INT64_MAX / 8;

/// One step of a multiplicative hash.
uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

/// Calls `visit(value)` with the sizes of tensor inputs and the values of scalar inputs that are
/// keys, in the order of Instance::key.
template <typename Visit>
void forEachKeyPart(const plan::Function &function, absl::Span<const Value> inputs,
                    const Visit &visit) {
  for (const Value &input : inputs)
    if (input.isTensor())
      for (int64_t size : input.tensor().dims())
        visit(size);
  for (plan::Reg key : function.keyScalars)
    for (size_t i = 0; i < inputs.size(); ++i)
      if (function.arguments[i].isScalar && function.arguments[i].scalar == key)
        visit(static_cast<int64_t>(inputs[i].scalar().bits));
}

} // namespace

absl::Status computeReach(TensorLayout &layout, plan::DType dtype) {
  layout.low = 0;
  layout.high = kBeyondMemory;
  __int128 low = 0, high = 0;
  bool isEmpty = false;
  for (size_t d = 0; d < layout.sizes.size(); ++d) {
    if (layout.sizes[d] < 0)
      return absl::InvalidArgumentError(
          absl::StrCat("a tensor cannot have the size ", layout.sizes[d], " in a dimension"));
    isEmpty |= layout.sizes[d] == 0;
    __int128 span = static_cast<__int128>(layout.sizes[d] - 1) * layout.strides[d];
    (span < 0 ? low : high) += span;
  }
  if (isEmpty) {
    layout.high = -1;
    return absl::OkStatus();
  }
  if (low < -kBeyondMemory || high > kBeyondMemory)
    return absl::ResourceExhaustedError(
        absl::StrCat(tensorTypeString(dtype, layout.sizes), " is larger than the address space"));
  layout.low = static_cast<int64_t>(low);
  layout.high = static_cast<int64_t>(high);
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Instance>>
Instance::build(const FunctionCode &code, ProgramShared &shared, absl::Span<const Value> inputs) {
  return InstanceBuilder(code, shared).build(inputs);
}

Instance::~Instance() {
  for (std::atomic<Context *> &place : idle)
    delete place.load(std::memory_order_acquire);
}

bool Instance::matches(absl::Span<const Value> inputs) const {
  size_t at = 0;
  bool equal = true;
  forEachKeyPart(code.function, inputs, [&](int64_t part) {
    equal = equal && at < key.size() && key[at] == part;
    ++at;
  });
  return equal && at == key.size();
}

uint64_t Instance::hashOf(const FunctionCode &code, absl::Span<const Value> inputs) {
  uint64_t hash = 0x243F6A8885A308D3u;
  forEachKeyPart(code.function, inputs,
                 [&](int64_t part) { hash = mix(hash, static_cast<uint64_t>(part)); });
  return hash ^ (hash >> 32);
}

Context *Instance::takeContext() const {
  for (std::atomic<Context *> &place : idle)
    if (place.load(std::memory_order_relaxed))
      if (Context *context = place.exchange(nullptr, std::memory_order_acquire))
        return context;
  return new Context(*this);
}

void Instance::giveBack(Context *context) const {
  for (std::atomic<Context *> &place : idle) {
    Context *expected = nullptr;
    if (!place.load(std::memory_order_relaxed) &&
        place.compare_exchange_strong(expected, context, std::memory_order_release))
      return;
  }
  delete context;
}

} // namespace anneal::runtime
