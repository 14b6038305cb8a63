//===- ForeignFunctions.cpp - Functions without a plan ===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForeignFunctions.h"

#include "absl/strings/str_cat.h"

namespace anneal::runtime {
namespace {

class NoCode final : public ForeignCode {
public:
  explicit NoCode(const plan::ForeignFunction &function) : function(function) {}
  absl::Status call(absl::Span<const Value>, absl::Span<Value>) override {
    return absl::FailedPreconditionError(absl::StrCat("function '", function.name,
                                                      "' has no plan (", function.reason,
                                                      "); call it through the engine"));
  }

private:
  const plan::ForeignFunction &function;
};

} // namespace

std::unique_ptr<plan::Function> foreignSignature(const plan::ForeignFunction &function) {
  auto signature = std::make_unique<plan::Function>();
  signature->name = function.name;
  signature->arguments = function.arguments;
  signature->results = function.results;
  // What tensor parameters refer to.
  signature->memrefs.emplace_back();
  return signature;
}

std::shared_ptr<ForeignCode> foreignCode(const ForeignCodeMaker &maker, const plan::Module &module,
                                         uint32_t index) {
  if (maker)
    return maker(module, index);
  return std::make_shared<NoCode>(module.foreign[index]);
}

} // namespace anneal::runtime
