//===- Functions.cpp - Signatures and calls -------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include "absl/strings/str_cat.h"

#include <chrono>
#include <cstring>

using namespace anneal;
using namespace anneal::capi;
using runtime::Tensor;
using runtime::Value;

static_assert(ANNEAL_DYNAMIC == plan::kDynamic);

static std::vector<AnnealSignature> signaturesOf(const std::vector<plan::Param> &params) {
  std::vector<AnnealSignature> signatures;
  for (const plan::Param &param : params)
    signatures.push_back({param.name.c_str(), static_cast<AnnealDType>(param.dtype), param.isScalar,
                          param.dims.size(), param.dims.data()});
  return signatures;
}

AnnealFunction::AnnealFunction(std::shared_ptr<ProgramState> program,
                               const runtime::Function &function)
    : Handle{kMagic}, program(std::move(program)), function(&function), name(function.name()),
      arguments(function.arguments().begin(), function.arguments().end()),
      results(function.results().begin(), function.results().end()),
      argumentSignatures(signaturesOf(arguments)), resultSignatures(signaturesOf(results)) {}

const char *annealFunctionName(const AnnealFunction *function) {
  return isAlive(function) ? function->name.c_str() : "";
}
size_t annealFunctionNumArguments(const AnnealFunction *function) {
  return isAlive(function) ? function->arguments.size() : 0;
}
size_t annealFunctionNumResults(const AnnealFunction *function) {
  return isAlive(function) ? function->results.size() : 0;
}
const AnnealSignature *annealFunctionArgument(const AnnealFunction *function, size_t index) {
  return isAlive(function) && index < function->arguments.size()
             ? &function->argumentSignatures[index]
             : nullptr;
}
const AnnealSignature *annealFunctionResult(const AnnealFunction *function, size_t index) {
  return isAlive(function) && index < function->results.size() ? &function->resultSignatures[index]
                                                               : nullptr;
}

namespace {

using Values = absl::InlinedVector<Value, 4>;

/// A tensor of rank 0 as a value of its own.
runtime::Scalar scalarOf(const Tensor &tensor) {
  runtime::Scalar scalar{tensor.dtype(), 0};
  std::memcpy(&scalar.bits, tensor.data(), plan::sizeOf(tensor.dtype()));
  return scalar;
}

absl::StatusOr<Tensor> tensorOf(const Value &value) {
  if (value.isTensor())
    return value.tensor();
  auto tensor = Tensor::allocate(value.scalar().dtype, {});
  if (tensor.ok())
    std::memcpy(tensor->data(), &value.scalar().bits, plan::sizeOf(tensor->dtype()));
  return tensor;
}

bool isIndexLike(plan::DType dtype) {
  return dtype == plan::DType::I64 || dtype == plan::DType::Index;
}

/// The tensor as one of the wanted type where both are 64-bit integers, else itself.
Tensor asWanted(const Tensor &tensor, plan::DType wanted) {
  if (tensor.dtype() == wanted || !isIndexLike(wanted) || !isIndexLike(tensor.dtype()))
    return tensor;
  return Tensor::view(wanted, tensor.dims(), tensor.data(), std::make_shared<Tensor>(tensor),
                      tensor.strides());
}

AnnealFailure *readInputs(const AnnealFunction &function, AnnealTensor *const *inputs, size_t count,
                          Values &values) {
  for (size_t i = 0; i < count; ++i) {
    if (!isAlive(inputs[i]))
      return badHandle(inputs[i], absl::StrCat("input ", i).c_str());
    bool isKnown = i < function.arguments.size();
    bool isScalar = isKnown && function.arguments[i].isScalar;
    const Tensor &given = inputs[i]->tensor;
    Tensor retyped;
    bool isOther = isKnown && given.dtype() != function.arguments[i].dtype;
    if (isOther)
      retyped = asWanted(given, function.arguments[i].dtype);
    const Tensor &tensor = isOther ? retyped : given;
    if (isScalar && tensor.rank() != 0)
      return invalid(absl::StrCat("argument ", i, " of '", function.name, "' is a single ",
                                  plan::name(function.arguments[i].dtype).data(),
                                  ": pass a tensor of rank 0, not ", tensor.typeString()));
    isScalar ? values.push_back(scalarOf(tensor)) : values.push_back(tensor);
  }
  return nullptr;
}

/// Memory for results that the caller has; a single value is copied there afterwards.
AnnealFailure *readOutputs(const AnnealFunction &function, AnnealTensor *const *outputs,
                           size_t count, Values &values) {
  for (size_t i = 0; i < count; ++i) {
    values.emplace_back();
    if (!outputs[i])
      continue;
    if (!isAlive(outputs[i]))
      return badHandle(outputs[i], absl::StrCat("output ", i).c_str());
    if (outputs[i]->isReadOnly)
      return invalid(absl::StrCat("output ", i, " of '", function.name,
                                  "' is read-only, as its DLPack tensor says"));
    const Tensor &tensor = outputs[i]->tensor;
    if (i < function.results.size() && !function.results[i].isScalar)
      values.back() = asWanted(tensor, function.results[i].dtype);
    else if (i >= function.results.size())
      values.back() = tensor;
    else if (tensor.rank() != 0 ||
             asWanted(tensor, function.results[i].dtype).dtype() != function.results[i].dtype)
      return invalid(absl::StrCat("result ", i, " of '", function.name, "' is a single ",
                                  plan::name(function.results[i].dtype).data(),
                                  ", which an output of type ", tensor.typeString(),
                                  " cannot hold"));
  }
  return nullptr;
}

/// Hands the results out, all or none.
AnnealFailure *writeOutputs(const AnnealFunction &function, const Values &values,
                            AnnealTensor **outputs) {
  absl::InlinedVector<std::unique_ptr<AnnealTensor>, 4> made(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (outputs[i])
      continue;
    auto tensor = tensorOf(values[i]);
    if (!tensor.ok())
      return failureOf(tensor.status());
    made[i] = std::make_unique<AnnealTensor>(*std::move(tensor));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (made[i])
      outputs[i] = made[i].release();
    else if (function.results[i].isScalar)
      std::memcpy(outputs[i]->tensor.data(), &values[i].scalar().bits,
                  plan::sizeOf(function.results[i].dtype));
  }
  return nullptr;
}

AnnealFailure *readOptions(const AnnealCallOptions &options, runtime::CallOptions &result) {
  if (options.structSize != sizeof(AnnealCallOptions))
    return invalid("AnnealCallOptions::structSize is not that of this version; begin with "
                   "ANNEAL_CALL_OPTIONS_INIT");
  if (options.cancel) {
    if (!isAlive(options.cancel))
      return badHandle(options.cancel, "the cancel token");
    result.cancel = &options.cancel->isRequested;
  }
  if (options.timeoutNanoseconds == 0)
    return nullptr;
  auto now = std::chrono::steady_clock::now();
  auto most = std::chrono::steady_clock::time_point::max() - now;
  result.deadline = now + std::min<std::chrono::nanoseconds>(
                              std::chrono::nanoseconds(options.timeoutNanoseconds), most);
  return nullptr;
}

} // namespace

AnnealFailure *annealFunctionCall(const AnnealFunction *function, AnnealTensor *const *inputs,
                                  size_t numInputs, AnnealTensor **outputs, size_t numOutputs,
                                  const AnnealCallOptions *options) {
  return guarded([&]() -> AnnealFailure * {
    if (!isAlive(function))
      return badHandle(function, "the function");
    if ((numInputs && !inputs) || (numOutputs && !outputs))
      return invalid("null was given for the inputs or outputs of a call");
    if (function->program->generation != forkGeneration())
      return failureOf(absl::FailedPreconditionError(
          "the engine of this function was made before fork(), and its threads are not in this "
          "process; make an engine here and load the model again"));
    GatePass pass(function->program->gate);
    if (!pass)
      return failureOf(absl::FailedPreconditionError(
          absl::StrCat("'", function->name, "' was called after its engine was destroyed")));
    runtime::CallOptions callOptions;
    if (options)
      if (AnnealFailure *failure = readOptions(*options, callOptions))
        return failure;
    Values inputValues, outputValues;
    if (AnnealFailure *failure = readInputs(*function, inputs, numInputs, inputValues))
      return failure;
    if (AnnealFailure *failure = readOutputs(*function, outputs, numOutputs, outputValues))
      return failure;
    absl::Status status =
        function->function->call(inputValues, absl::MakeSpan(outputValues), callOptions);
    return status.ok() ? writeOutputs(*function, outputValues, outputs) : failureOf(status);
  });
}
