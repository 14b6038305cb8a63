//===- InstalledCode.cpp - A code image that can be called ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Code/InstalledCode.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <utility>

namespace anneal::runtime {

namespace {

#if defined(__x86_64__)
constexpr absl::string_view kArchitecture = "x86_64";
#else
constexpr absl::string_view kArchitecture = "another architecture";
#endif

/// Asking the processor takes microseconds under a hypervisor.
CpuFeatures thisProcessor() {
  static const CpuFeatures features = hostCpuFeatures();
  return features;
}

} // namespace

absl::Status checkRunnable(const plan::CodeImage &image, CpuFeatures host) {
  if (image.architecture != kArchitecture)
    return absl::FailedPreconditionError(absl::StrCat("the code is for ", image.architecture,
                                                      ", this process runs on ", kArchitecture));
  if (image.abiVersion != ANNEAL_UNIT_ABI_VERSION)
    return absl::FailedPreconditionError(
        absl::StrCat("the code was compiled for version ", image.abiVersion,
                     " of the unit ABI, this runtime has version ", ANNEAL_UNIT_ABI_VERSION));
  CpuFeatures needed;
  std::string unknown;
  if (!parseCpuFeatures(image.features, needed, unknown))
    return absl::FailedPreconditionError(absl::StrCat(
        "the code needs the processor feature '", unknown, "', which this runtime does not know"));
  if (!host.containsAll(needed))
    return absl::FailedPreconditionError(absl::StrCat(
        "the code needs processor features that are missing here: ", toText(needed.without(host))));
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const InstalledCode>>
InstalledCode::install(const plan::CodeImage &image, std::shared_ptr<CodeSlabs> slabs,
                       const InstallOptions &options) {
  if (std::optional<std::string> problem = plan::validate(image))
    return absl::InvalidArgumentError("the code image is not valid: " + *problem);
  if (absl::Status status = checkRunnable(image, thisProcessor()); !status.ok())
    return status;
  std::shared_ptr<InstalledCode> code(new InstalledCode(std::move(slabs), options));
  code->bytes = image.bytes.size();
  code->info.textSize = image.textSize;
  code->info.alignment = image.alignment;
  code->info.entries = image.entries;
  code->info.internals = image.internals;
  absl::StatusOr<const void *> place = code->slabs->place(image.bytes, image.alignment);
  if (!place.ok())
    return place.status();
  code->start = static_cast<const char *>(*place);
  code->tellObservers();
  return code;
}

InstalledCode::~InstalledCode() {
  if (!start)
    return;
  for (const std::shared_ptr<CodeObserver> &observer : options.observers)
    observer->codeRemoved(start);
  slabs->release(start);
}

void InstalledCode::tellObservers() const {
  if (options.observers.empty())
    return;
  std::vector<NamedCode> functions;
  for (const auto *symbols : {&info.entries, &info.internals})
    for (const plan::CodeSymbol &symbol : *symbols) {
      std::string name =
          options.tier.empty() ? symbol.name : absl::StrCat(symbol.name, "@", options.tier);
      functions.push_back(
          {std::move(name), start + symbol.offset, std::max<size_t>(1, symbol.size)});
    }
  for (const std::shared_ptr<CodeObserver> &observer : options.observers)
    observer->codeInstalled({start, info.textSize, functions});
}

const void *InstalledCode::entry(absl::string_view name) const {
  const plan::CodeSymbol *symbol = info.findEntry({name.data(), name.size()});
  return symbol ? start + symbol->offset : nullptr;
}

AnnealUnitFn InstalledCode::unit(absl::string_view name) const {
  return reinterpret_cast<AnnealUnitFn>(reinterpret_cast<uintptr_t>(entry(name)));
}

absl::StatusOr<std::shared_ptr<const InstalledCode>> InstalledCode::copy() const {
  std::shared_ptr<InstalledCode> code(new InstalledCode(slabs, options));
  code->info = info;
  code->bytes = bytes;
  absl::StatusOr<const void *> place = slabs->place({start, bytes}, info.alignment);
  if (!place.ok())
    return place.status();
  code->start = static_cast<const char *>(*place);
  code->tellObservers();
  return code;
}

} // namespace anneal::runtime
