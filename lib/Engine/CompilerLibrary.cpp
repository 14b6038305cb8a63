//===- CompilerLibrary.cpp - Opens the compiler half ----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerLibrary.h"

#include "absl/strings/str_cat.h"

#include <dlfcn.h>
#include <filesystem>

namespace anneal::engine {
namespace {

constexpr char kLibraryName[] = "libAnnealCompiler.so";
constexpr char kWorkbenchName[] = "libAnnealWorkbench.so";

/// Beside the binary that holds this code: as in an install tree (bin/../lib) and in a build tree.
std::string libraryBesideThisBinary(const std::string &name) {
  Dl_info info;
  if (!::dladdr(reinterpret_cast<void *>(&openCompilerLibrary), &info) || !info.dli_fname)
    return "";
  std::error_code error;
  std::filesystem::path self = std::filesystem::canonical(info.dli_fname, error);
  if (error)
    return "";
  for (const char *folder : {".", "../lib"}) {
    std::filesystem::path candidate = self.parent_path() / folder / name;
    if (std::filesystem::exists(candidate, error))
      return candidate.lexically_normal().string();
  }
  return "";
}

} // namespace

std::string findLibrary(const std::string &name, const std::string &sibling) {
  std::string found = libraryBesideThisBinary(name);
  if (!sibling.empty())
    found = (std::filesystem::path(sibling).parent_path() / name).string();
  return found.empty() ? name : found;
}

absl::StatusOr<const void *> openTable(const std::string &path, const char *function,
                                       uint32_t version, const char *what, bool isGlobal) {
  void *handle = ::dlopen(path.c_str(), RTLD_LAZY | (isGlobal ? RTLD_GLOBAL : RTLD_LOCAL));
  if (!handle)
    return absl::NotFoundError(absl::StrCat("cannot open ", what, ": ", ::dlerror()));
  auto getTable = reinterpret_cast<const uint32_t *(*)()>(::dlsym(handle, function));
  const uint32_t *table = getTable ? getTable() : nullptr;
  if (table && *table == version)
    return table;
  std::string found = table ? absl::StrCat("has version ", *table) : "has no version that is known";
  return absl::FailedPreconditionError(absl::StrCat(
      "'", path, "', taken for ", what, ", ", found, " of the interface between it and ",
      "the engine, which has version ", version, "; install both from one build"));
}

absl::StatusOr<const compiler::CompilerApi *> openCompilerLibrary(const std::string &path,
                                                                  CompilerVariant variant) {
  bool isWorkbench = variant == CompilerVariant::Workbench;
  std::string chosen = path.empty() ? findLibrary(kLibraryName, "") : path;
  if (isWorkbench)
    chosen = findLibrary(kWorkbenchName, path);
  auto table = openTable(chosen, "annealGetCompilerApi", compiler::kCompilerApiVersion,
                         isWorkbench ? "the compiler library that takes other pipelines"
                                     : "the compiler library",
                         isWorkbench);
  if (!table.ok())
    return table.status();
  return static_cast<const compiler::CompilerApi *>(*table);
}

} // namespace anneal::engine
