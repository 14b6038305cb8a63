//===- CodeSpace.cpp - Code memory of an engine ---------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeSpace.h"

#include "anneal/Runtime/Code/InstalledCode.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace anneal::engine {

/// What compilers call the code of a unit; internal functions begin with it.
static constexpr char kEntry[] = "unit";

absl::StatusOr<std::shared_ptr<runtime::CodeSlabs>> CodeSpace::slabsForUse() {
  std::lock_guard<std::mutex> lock(mutex);
  if (!slabs) {
    runtime::CodeSlabOptions options;
    options.limitBytes = limitBytes;
    options.slabBytes = std::min(options.slabBytes, limitBytes);
    absl::StatusOr<std::shared_ptr<runtime::CodeSlabs>> made = runtime::CodeSlabs::create(options);
    if (!made.ok())
      return made.status();
    slabs = *std::move(made);
  }
  return slabs;
}

absl::StatusOr<std::unique_ptr<runtime::UnitCode>>
CodeSpace::load(plan::CodeImage image, const std::string &unit, Tier tier) {
  for (auto *symbols : {&image.entries, &image.internals})
    for (plan::CodeSymbol &symbol : *symbols)
      if (absl::StartsWith(symbol.name, kEntry))
        symbol.name.replace(0, sizeof(kEntry) - 1, unit);
  absl::StatusOr<std::shared_ptr<runtime::CodeSlabs>> memory = slabsForUse();
  if (!memory.ok())
    return memory.status();
  auto installed = runtime::InstalledCode::install(image, *std::move(memory),
                                                   {std::string(anneal::name(tier)), observers});
  if (!installed.ok())
    return installed.status();
  auto code = std::make_unique<runtime::UnitCode>();
  code->fn = (*installed)->unit(unit);
  if (!code->fn)
    return absl::InvalidArgumentError(absl::StrCat("the code image has no entry '", kEntry, "'"));
  code->owner = *std::move(installed);
  return code;
}

runtime::CodeSlabStatistics CodeSpace::statistics() const {
  std::lock_guard<std::mutex> lock(mutex);
  return slabs ? slabs->statistics() : runtime::CodeSlabStatistics();
}

} // namespace anneal::engine
