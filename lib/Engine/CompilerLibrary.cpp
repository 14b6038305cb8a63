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

absl::StatusOr<const compiler::CompilerApi *> openCompilerLibrary(const std::string &path) {
  std::string chosen = path.empty() ? findLibrary(kLibraryName, "") : path;
  void *handle = ::dlopen(chosen.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!handle)
    return absl::NotFoundError(absl::StrCat("cannot open the compiler library: ", ::dlerror()));
  auto getApi =
      reinterpret_cast<compiler::GetCompilerApiFn>(::dlsym(handle, "annealGetCompilerApi"));
  const compiler::CompilerApi *api = getApi ? getApi(compiler::kCompilerApiVersion) : nullptr;
  if (!api)
    return absl::FailedPreconditionError(
        absl::StrCat("'", chosen, "' is not the compiler library of this version of Anneal"));
  return api;
}

} // namespace anneal::engine
