//===- Program.cpp - Running a plan ---------------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Program.h"

#include "ForeignFunctions.h"
#include "FunctionImpl.h"

#include "anneal/Plan/Validate.h"
#include "anneal/Runtime/Kernels/Isa.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <mutex>

namespace anneal::runtime {

UnitCounters *CounterRegistry::take() {
  std::lock_guard<std::mutex> lock(mutex);
  if (unused.empty()) {
    sets.push_back(std::make_unique<UnitCounters[]>(numUnits));
    return sets.back().get();
  }
  UnitCounters *counters = unused.back();
  unused.pop_back();
  return counters;
}

void CounterRegistry::giveBack(UnitCounters *counters) {
  std::lock_guard<std::mutex> lock(mutex);
  unused.push_back(counters);
}

/// What is behind Program. The module does not move, since everything refers to it.
class ProgramImpl {
public:
  ProgramImpl(plan::Module module, ProgramOptions options)
      : module(std::move(module)), options(std::move(options)) {}

  absl::Status prepare();
  absl::Status evaluateConstants();
  absl::StatusOr<std::unique_ptr<FunctionImpl>> makeFunction(const plan::Function &function);

  const plan::Module module;
  const ProgramOptions options;
  std::unique_ptr<ProgramShared> shared;
  std::vector<std::unique_ptr<Function>> functions;
  /// Signatures of functions without a plan. They do not move.
  std::vector<std::unique_ptr<plan::Function>> foreign;
};

absl::StatusOr<std::unique_ptr<FunctionImpl>>
ProgramImpl::makeFunction(const plan::Function &function) {
  absl::StatusOr<std::unique_ptr<FunctionCode>> code =
      FunctionCode::create(function, module, detectIsa());
  if (!code.ok())
    return code.status();
  return std::make_unique<FunctionImpl>(*std::move(code), *shared,
                                        std::max<size_t>(16, options.maxInstances));
}

absl::Status ProgramImpl::prepare() {
  if (std::optional<std::string> problem = plan::validate(module))
    return absl::InvalidArgumentError(absl::StrCat("the plan is not well formed: ", *problem));
  absl::StatusOr<std::unique_ptr<ConstantStore>> constants =
      ConstantStore::create(module.constants);
  if (!constants.ok())
    return constants.status();
  shared = std::make_unique<ProgramShared>(module, *std::move(constants), options.pool);
  return evaluateConstants();
}

/// Runs the init function and gives the computed constants their values.
absl::Status ProgramImpl::evaluateConstants() {
  if (module.initFunction < 0)
    return absl::OkStatus();
  const plan::Function &init = module.functions[static_cast<size_t>(module.initFunction)];
  absl::StatusOr<std::unique_ptr<FunctionImpl>> function = makeFunction(init);
  if (!function.ok())
    return function.status();
  std::vector<Value> results(init.results.size());
  // Memory of their own: they stay for as long as the program.
  for (const plan::Constant &constant : module.constants) {
    if (constant.initResult < 0)
      continue;
    Value &result = results[static_cast<size_t>(constant.initResult)];
    if (!result.isEmpty())
      continue;
    absl::StatusOr<Tensor> tensor = Tensor::allocate(constant.dtype, constant.dims);
    if (!tensor.ok())
      return tensor.status();
    result = *std::move(tensor);
  }
  if (absl::Status status = (*function)->call({}, absl::MakeSpan(results), {}); !status.ok())
    return absl::Status(status.code(),
                        absl::StrCat("while computing constants: ", status.message()));
  for (uint32_t i = 0; i < module.constants.size(); ++i) {
    if (module.constants[i].initResult < 0)
      continue;
    const Value &value = results[static_cast<size_t>(module.constants[i].initResult)];
    if (value.tensor().dims() != absl::MakeConstSpan(module.constants[i].dims))
      return absl::InvalidArgumentError(
          absl::StrCat("constant #", i, " was computed as a ", value.typeString()));
    if (absl::Status status = shared->constants->setComputed(i, value.tensor()); !status.ok())
      return status;
  }
  function->reset();
  shared->memory->trim();
  return absl::OkStatus();
}

Function::Function(std::unique_ptr<FunctionImpl> impl) : impl(std::move(impl)) {}
Function::~Function() = default;

absl::string_view Function::name() const { return impl->functionCode().function.name; }

absl::Span<const plan::Param> Function::arguments() const {
  return impl->functionCode().function.arguments;
}

absl::Span<const plan::Param> Function::results() const {
  return impl->functionCode().function.results;
}

size_t Function::numUnitCalls() const { return impl->functionCode().invokes.size(); }

absl::Status Function::call(absl::Span<const Value> inputs, absl::Span<Value> outputs,
                            const CallOptions &options) const {
  return impl->call(inputs, outputs, options);
}

absl::StatusOr<std::vector<Value>> Function::call(absl::Span<const Value> inputs,
                                                  const CallOptions &options) const {
  std::vector<Value> outputs(results().size());
  if (absl::Status status = impl->call(inputs, absl::MakeSpan(outputs), options); !status.ok())
    return status;
  return outputs;
}

Program::Program(std::unique_ptr<ProgramImpl> impl) : impl(std::move(impl)) {}
Program::~Program() = default;

absl::StatusOr<std::unique_ptr<Program>> Program::create(plan::Module module,
                                                         ProgramOptions options) {
  auto impl = std::make_unique<ProgramImpl>(std::move(module), std::move(options));
  if (absl::Status status = impl->prepare(); !status.ok())
    return status;
  for (const plan::Function &function : impl->module.functions) {
    if (!function.isPublic)
      continue;
    absl::StatusOr<std::unique_ptr<FunctionImpl>> made = impl->makeFunction(function);
    if (!made.ok())
      return made.status();
    impl->functions.push_back(std::unique_ptr<Function>(new Function(*std::move(made))));
  }
  for (uint32_t i = 0; i < impl->module.foreign.size(); ++i) {
    impl->foreign.push_back(foreignSignature(impl->module.foreign[i]));
    absl::StatusOr<std::unique_ptr<FunctionImpl>> made = impl->makeFunction(*impl->foreign.back());
    if (!made.ok())
      return made.status();
    (*made)->setForeign(foreignCode(impl->options.foreign, impl->module, i));
    impl->functions.push_back(std::unique_ptr<Function>(new Function(*std::move(made))));
  }
  impl->shared->timeEvery = impl->options.timeEvery;
  impl->shared->listener = impl->options.listener;
  return std::unique_ptr<Program>(new Program(std::move(impl)));
}

absl::StatusOr<const Function *> Program::function(absl::string_view name) const {
  for (const std::unique_ptr<Function> &function : impl->functions)
    if (function->name() == name)
      return function.get();
  std::string names = absl::StrJoin(
      impl->functions, ", ", [](std::string *text, const std::unique_ptr<Function> &function) {
        absl::StrAppend(text, "'", function->name(), "'");
      });
  return absl::NotFoundError(absl::StrCat("there is no function '", name, "'; ",
                                          names.empty() ? "the module has no public functions"
                                                        : absl::StrCat("there is ", names)));
}

absl::Span<const std::unique_ptr<Function>> Program::functions() const { return impl->functions; }
const plan::Module &Program::module() const { return impl->module; }
const ConstantStore &Program::constants() const { return *impl->shared->constants; }
CodeSlot &Program::codeSlot(uint32_t unit) const { return *impl->shared->slots[unit]; }
Epochs &Program::epochs() const { return impl->shared->epochs; }
std::vector<ShapeClassStats> Program::shapeClasses() const {
  return impl->shared->shapes.classes();
}
void Program::trim() const { impl->shared->memory->trim(); }

ProgramStats Program::stats() const {
  const ProgramShared &shared = *impl->shared;
  ProgramStats stats;
  for (const std::unique_ptr<Function> &function : impl->functions) {
    const InstanceTable &instances = function->impl->instances();
    stats.instances += instances.numInstances();
    stats.instancesMade += instances.numMade();
    stats.instancesDropped += instances.numDropped();
  }
  stats.boundUnits = shared.binds.numForms();
  stats.workspacePeakBytes = shared.workspacePeak.load();
  stats.poolBytesInUse = shared.memory->bytesInUse();
  stats.poolBytesIdle = shared.memory->bytesIdle();
  stats.poolPeakBytes = shared.memory->peakBytesInUse();
  stats.constantBytes = shared.constants->totalBytes();
  stats.derivedBytes = shared.constants->derived().sizeInBytes();
  for (const plan::Unit &unit : impl->module.units) {
    UnitStats unitStats;
    unitStats.name = unit.name;
    size_t kernel = unit.anchor >= 0 ? static_cast<size_t>(unit.anchor) : 0;
    if (unit.isLoop)
      unitStats.kind = "scf.for";
    else if (!unit.kernels.empty())
      unitStats.kind = unit.kernels[kernel].opName;
    stats.units.push_back(std::move(unitStats));
  }
  shared.counters.forEach([&](const UnitCounters *counters) {
    for (size_t u = 0; u < stats.units.size(); ++u) {
      UnitStats &unit = stats.units[u];
      unit.calls += counters[u].calls.load(std::memory_order_relaxed);
      unit.timedCalls += counters[u].timedCalls.load(std::memory_order_relaxed);
      unit.time +=
          std::chrono::nanoseconds(counters[u].nanoseconds.load(std::memory_order_relaxed));
      unit.timedFlops += counters[u].timedFlops.load(std::memory_order_relaxed);
      unit.timedBytes += counters[u].timedBytes.load(std::memory_order_relaxed);
    }
  });
  return stats;
}

} // namespace anneal::runtime
