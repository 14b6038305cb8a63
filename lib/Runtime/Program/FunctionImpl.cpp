//===- FunctionImpl.cpp - A function that can be called -------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionImpl.h"

#include "CallMemory.h"
#include "FloatState.h"

#include "anneal/Support/Counted.h"

#include "absl/strings/str_cat.h"

namespace anneal::runtime {

namespace {

/// "argument #1 ('mask')".
std::string argumentName(const plan::Param &argument, size_t index) {
  if (argument.name.empty())
    return absl::StrCat("argument #", index);
  return absl::StrCat("argument #", index, " ('", argument.name, "')");
}

std::string paramTypeString(const plan::Param &param) {
  std::string_view dtype = plan::name(param.dtype);
  return param.isScalar ? std::string(dtype) : tensorTypeString(param.dtype, param.dims);
}

bool fits(const Value &value, const plan::Param &param) {
  if (param.isScalar)
    return value.isScalar() && value.scalar().dtype == param.dtype;
  if (!value.isTensor() || value.tensor().dtype() != param.dtype ||
      value.tensor().rank() != param.dims.size())
    return false;
  for (size_t d = 0; d < param.dims.size(); ++d)
    if (param.dims[d] != plan::kDynamic && param.dims[d] != value.tensor().dims()[d])
      return false;
  return true;
}

/// Names the first argument that is missing, or the first input for which there is none.
absl::Status wrongCount(const plan::Function &function, size_t numInputs) {
  size_t wanted = function.arguments.size();
  std::string what = absl::StrCat("there is no argument #", wanted);
  if (numInputs < wanted) {
    const plan::Param &missing = function.arguments[numInputs];
    what = absl::StrCat(argumentName(missing, numInputs), ", ", paramTypeString(missing),
                        ", is missing");
  }
  return absl::InvalidArgumentError(absl::StrCat("function '", function.name, "' takes ",
                                                 counted(wanted, "input"), ", not ", numInputs,
                                                 ": ", what));
}

/// A context on loan from an instance.
class ContextLoan {
public:
  explicit ContextLoan(const Instance &instance)
      : instance(instance), context(instance.takeContext()) {}
  ~ContextLoan() {
    context->end();
    instance.giveBack(context);
  }
  ContextLoan(const ContextLoan &) = delete;
  ContextLoan &operator=(const ContextLoan &) = delete;
  Context &operator*() const { return *context; }
  Context *operator->() const { return context; }

private:
  const Instance &instance;
  Context *context;
};

} // namespace

absl::Status FunctionImpl::checkInputs(absl::Span<const Value> inputs) const {
  const plan::Function &function = code->function;
  if (inputs.size() != function.arguments.size())
    return wrongCount(function, inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const plan::Param &argument = function.arguments[i];
    if (!fits(inputs[i], argument))
      return absl::InvalidArgumentError(absl::StrCat(argumentName(argument, i), ": expected ",
                                                     paramTypeString(argument), ", got ",
                                                     inputs[i].typeString()));
    if (argument.isScalar)
      continue;
    const Tensor &tensor = inputs[i].tensor();
    absl::StatusOr<int64_t> elements = checkedNumElements(tensor.dtype(), tensor.dims());
    if (!elements.ok())
      return absl::Status(elements.status().code(), absl::StrCat(argumentName(argument, i), ": ",
                                                                 elements.status().message()));
    if (*elements != 0 && !tensor.data())
      return absl::InvalidArgumentError(
          absl::StrCat(argumentName(argument, i), ": a tensor without data"));
  }
  return absl::OkStatus();
}

absl::StatusOr<InstanceUse> FunctionImpl::findInstance(absl::Span<const Value> inputs,
                                                       CallStats *stats) {
  uint64_t hash = Instance::hashOf(*code, inputs);
  if (InstanceUse use = table.find(hash, inputs); use.get())
    return use;
  auto start = std::chrono::steady_clock::now();
  bool isNew = false;
  absl::StatusOr<InstanceUse> use = table.findOrBuild(hash, inputs, [&] {
    isNew = true;
    return Instance::build(*code, shared, inputs);
  });
  if (stats) {
    stats->newInstance = isNew;
    stats->instanceTime = std::chrono::steady_clock::now() - start;
  }
  return use;
}

absl::Status FunctionImpl::call(absl::Span<const Value> inputs, absl::Span<Value> outputs,
                                const CallOptions &options) {
  absl::Status status = run(inputs, outputs, options);
  if (shared.listener)
    shared.listener->callEnded();
  return status;
}

absl::Status FunctionImpl::run(absl::Span<const Value> inputs, absl::Span<Value> outputs,
                               const CallOptions &options) {
  if (options.stats)
    *options.stats = {};
  if (absl::Status status = checkInputs(inputs); !status.ok())
    return status;
  if (outputs.size() != code->function.results.size())
    return absl::InvalidArgumentError(absl::StrCat("function '", code->function.name, "' has ",
                                                   counted(code->function.results.size(), "result"),
                                                   ", not ", outputs.size()));
  if (foreign) {
    if (options.stats)
      options.stats->unitCalls = 1;
    return options.mustStop() ? absl::CancelledError("the call was cancelled")
                              : foreign->call(inputs, outputs);
  }
  FloatStateScope floatState;
  absl::StatusOr<InstanceUse> instance = findInstance(inputs, options.stats);
  if (!instance.ok())
    return instance.status();
  if (options.stats)
    options.stats->workspaceBytes = (*instance)->workspaceBytes;

  ContextLoan context(*instance->get());
  CallMemory memory(*context, inputs, outputs);
  if (absl::Status status = memory.place(); !status.ok())
    return status;
  if (absl::Status status = context->begin(); !status.ok())
    return status;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].isScalar())
      context->registers[code->function.arguments[i].scalar] = inputs[i].scalar().bits;
  Epochs::Guard guard;
  Execution execution(*context, options, guard);
  absl::Status status = execution.run();
  if (options.stats)
    options.stats->unitCalls = execution.unitCalls();
  return status.ok() ? memory.finish(execution) : status;
}

} // namespace anneal::runtime
