//===- InstalledCode.h - A code image that can be called --------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_CODE_INSTALLEDCODE_H
#define ANNEAL_RUNTIME_CODE_INSTALLEDCODE_H

#include "anneal-c/UnitAbi.h"
#include "anneal/Plan/CodeImage.h"
#include "anneal/Runtime/Code/CodeObserver.h"
#include "anneal/Runtime/Code/CodeSlabs.h"
#include "anneal/Support/CpuFeatures.h"

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <memory>
#include <string>
#include <vector>

namespace anneal::runtime {

struct InstallOptions {
  /// Comes after the functions' names in what observers are told: "matmul_3@baseline".
  std::string tier;
  std::vector<std::shared_ptr<CodeObserver>> observers;
};

/// What an image lacks to run on this process' side, as a message that names it; OK if nothing:
/// architecture, version of the unit ABI, processor features of which `host` has not all.
absl::Status checkRunnable(const plan::CodeImage &image, CpuFeatures host);

/// An image in executable memory. It is there from `install` to the destructor, which frees the
/// memory at once: whoever lets other threads call it retires it through Epochs (CodeSlot does, if
/// a UnitCode owns it).
///
/// Immutable, hence thread-safe. Holds references to its slabs and observers.
class InstalledCode {
public:
  /// Errors: FailedPrecondition if checkRunnable fails on this processor; InvalidArgument if the
  /// image is not valid; ResourceExhausted if there is no memory for it.
  static absl::StatusOr<std::shared_ptr<const InstalledCode>>
  install(const plan::CodeImage &image, std::shared_ptr<CodeSlabs> slabs,
          const InstallOptions &options = {});
  ~InstalledCode();
  InstalledCode(const InstalledCode &) = delete;
  InstalledCode &operator=(const InstalledCode &) = delete;

  /// Address of an entry; null if the image has none of that name.
  const void *entry(absl::string_view name) const;
  /// The same as the code of a unit.
  AnnealUnitFn unit(absl::string_view name) const;

  /// Bytes of the image.
  size_t size() const { return bytes; }

  /// The same code at another place (CodeSlabs::startFreshSlabs).
  absl::StatusOr<std::shared_ptr<const InstalledCode>> copy() const;

private:
  InstalledCode(std::shared_ptr<CodeSlabs> slabs, const InstallOptions &options)
      : slabs(std::move(slabs)), options(options) {}

  void tellObservers() const;

  std::shared_ptr<CodeSlabs> slabs;
  InstallOptions options;
  /// The image but for its bytes.
  plan::CodeImage info;
  const char *start = nullptr;
  size_t bytes = 0;
};

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_CODE_INSTALLEDCODE_H
