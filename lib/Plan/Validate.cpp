//===- Validate.cpp - Is a plan well formed? ------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Plan/Validate.h"

#include "ValidateCode.h"

namespace anneal::plan {

namespace {

Problem validateConstant(const Constant &constant, const Module &module) {
  if (!isValid(constant.dtype))
    return "a type that does not exist";
  int64_t bytes = static_cast<int64_t>(sizeOf(constant.dtype));
  for (int64_t size : constant.dims)
    if (size < 0 || __builtin_mul_overflow(bytes, size, &bytes))
      return "sizes that no tensor can have";
  if (constant.initResult < 0)
    return std::nullopt;
  if (module.initFunction < 0)
    return "computed by an init function that does not exist";
  const std::vector<Param> &results =
      module.functions[static_cast<size_t>(module.initFunction)].results;
  if (static_cast<size_t>(constant.initResult) >= results.size())
    return "computed by a result that does not exist";
  const Param &result = results[static_cast<size_t>(constant.initResult)];
  if (result.isScalar || result.dtype != constant.dtype ||
      result.dims.size() != constant.dims.size())
    return "computed by a result of another type";
  return std::nullopt;
}

/// The init function has no arguments and reads no constants that it computes itself.
Problem validateInit(const Module &module) {
  const Function &init = module.functions[static_cast<size_t>(module.initFunction)];
  if (!init.arguments.empty())
    return "the init function has arguments";
  for (const MemRef &memref : init.memrefs)
    if (memref.base.kind == Base::Kind::Constant &&
        module.constants[memref.base.index].initResult >= 0)
      return "the init function reads what it computes";
  return std::nullopt;
}

} // namespace

std::optional<std::string> validate(const Module &module) {
  if (module.initFunction >= static_cast<int64_t>(module.functions.size()))
    return "the init function does not exist";
  for (size_t i = 0; i < module.constants.size(); ++i)
    if (Problem problem = validateConstant(module.constants[i], module))
      return textOf("constant #", i, ": ", *problem);
  for (const Unit &unit : module.units)
    if (Problem problem = validateUnit(unit, module))
      return problem;
  for (const Function &function : module.functions)
    if (Problem problem = validateFunction(function, module))
      return problem;
  return module.initFunction >= 0 ? validateInit(module) : std::nullopt;
}

} // namespace anneal::plan
