//===- WorkbenchApi.cpp - The compiler half with all passes ---------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BaselineCompiler.h"
#include "PlanModule.h"
#include "TierSettings.h"

#include "anneal/Pipelines/Pipelines.h"
#include "anneal/Pipelines/Tiers.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Config/llvm-config.h"

#include <dlfcn.h>
#include <mutex>

using namespace mlir;
using namespace anneal::compiler;

static void registerPasses() {
  static std::once_flag once;
  std::call_once(once, [] {
    anneal::registerStockPipeline();
    anneal::registerTierPasses();
  });
}

static void registerDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
}

/// Has one plugin make its passes known; what is wrong, empty if nothing is. All of its symbols are
/// looked up first: one that is missing would end the process later.
static std::string loadPlugin(const std::string &path) {
  std::string prefix = "cannot load pass plugin '" + path + "': ";
  if (path.empty())
    return prefix + "the name of a shared library is missing";
  if (!::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
    return prefix + ::dlerror();
  auto plugin = PassPlugin::load(path);
  if (!plugin)
    return prefix + llvm::toString(plugin.takeError());
  plugin->registerPassRegistryCallbacks();
  return "";
}

static bool loadPlugins(const std::vector<std::string> &paths, std::string &error) {
  static std::mutex mutex;
  static llvm::StringSet<> loaded;
  std::lock_guard<std::mutex> lock(mutex);
  for (const std::string &path : paths) {
    if (loaded.contains(path))
      continue;
    error = loadPlugin(path);
    if (!error.empty())
      return false;
    loaded.insert(path);
  }
  return true;
}

static constexpr Toolbox kAllPasses = {registerPasses, registerDialects, loadPlugins};

static constexpr CompilerApi kApi = {
    kCompilerApiVersion, LLVM_VERSION_STRING, planModule,
    [](const std::string &unitIr, const UnitCompileOptions &options, std::string &error) {
      return makeUnitCompiler(unitIr, options, kAllPasses, error);
    },
    [](const UnitCompileOptions &options, std::string &error) {
      return checkTiers(options, kAllPasses, error);
    }};

extern "C" __attribute__((visibility("default"))) const CompilerApi *annealGetCompilerApi() {
  return &kApi;
}
