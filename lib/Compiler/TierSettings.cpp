//===- TierSettings.cpp - A tier with what replaces its own ---------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TierSettings.h"

#include "FatalErrors.h"

#include "anneal/Pipelines/Tiers.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CrashRecoveryContext.h"

#include <mutex>

using namespace mlir;

namespace anneal::compiler {
namespace {

/// Option of code generation: an attribute of LLVM's functions.
struct CodegenOption {
  StringRef name;
  SmallVector<StringRef, 3> values;
};

ArrayRef<CodegenOption> codegenOptions() {
  static const CodegenOption options[] = {{"frame-pointer", {"none", "non-leaf", "all"}},
                                          {"prefer-vector-width", {"128", "256", "512"}}};
  return options;
}

constexpr unsigned kHighestLlvmLevel = 3;

/// What is wrong with an option of code generation; empty if nothing is.
std::string checkCodegenOption(StringRef name, StringRef value) {
  std::string known;
  for (const CodegenOption &option : codegenOptions()) {
    known += (known.empty() ? "" : ", ") + option.name.str();
    if (option.name != name)
      continue;
    if (llvm::is_contained(option.values, value))
      return "";
    return ("option '" + name + "' of code generation takes " + llvm::join(option.values, ", ") +
            ", not '" + value + "'")
        .str();
  }
  return ("there is no option '" + name + "' of code generation; there is " + known).str();
}

/// What is wrong with what replaces a tier's own, but for the pipeline; empty if nothing is.
std::string checkOverride(const TierOverride &given) {
  if (!llvm::is_contained(tierNames(), given.name))
    return unknownTierMessage(given.name);
  std::string tier = "tier '" + given.name + "': ";
  if (given.llvmLevel && *given.llvmLevel > kHighestLlvmLevel)
    return tier + "LLVM's level is " + std::to_string(*given.llvmLevel) + ", it goes from 0 to " +
           std::to_string(kHighestLlvmLevel);
  for (const auto &[name, value] : given.codegen)
    if (std::string wrong = checkCodegenOption(name, value); !wrong.empty())
      return tier + wrong;
  return "";
}

/// What is wrong with a pipeline; empty if nothing is. A pass that is nested in an operation that
/// it does not run on is a fatal error of MLIR's, which does not say where.
std::string checkPipeline(const std::string &text, MLIRContext &context) {
  struct Parse {
    explicit Parse(MLIRContext &context) : pm(&context, ModuleOp::getOperationName()) {}
    PassManager pm;
    std::string error;
    bool ok = false;
  };
  auto *parse = new Parse(context);
  std::optional<std::string> fatal = trapFatalErrors(
      [&] { parse->ok = succeeded(parseTierPipeline(text, parse->pm, parse->error)); });
  if (fatal)
    return *fatal + ", in\n" + text;
  std::unique_ptr<Parse> owner(parse);
  return owner->ok ? "" : owner->error;
}

/// While one lives, a signal that says that a program is broken goes to LLVM's recovery; then those
/// that had them before have them again.
class CrashHandlers {
public:
  CrashHandlers() {
    std::lock_guard<std::mutex> lock(mutex());
    if (users()++ == 0)
      llvm::CrashRecoveryContext::Enable();
  }
  ~CrashHandlers() {
    std::lock_guard<std::mutex> lock(mutex());
    if (--users() == 0)
      llvm::CrashRecoveryContext::Disable();
  }
  CrashHandlers(const CrashHandlers &) = delete;
  CrashHandlers &operator=(const CrashHandlers &) = delete;

private:
  static std::mutex &mutex() {
    static std::mutex mutex;
    return mutex;
  }
  static int &users() {
    static int users = 0;
    return users;
  }
};

} // namespace

TierSettings settingsOf(StringRef tier, CpuLevel level,
                        const std::vector<TierOverride> &overrides) {
  TierSettings settings{*tierSpec(tier, level)};
  for (const TierOverride &given : overrides) {
    if (given.name != tier)
      continue;
    settings.isReplaced = given.pipeline.has_value();
    if (given.pipeline)
      settings.spec.pipeline = anchoredPipeline(*given.pipeline);
    settings.spec.llvmLevel = given.llvmLevel.value_or(settings.spec.llvmLevel);
    for (const auto &[name, value] : given.codegen)
      settings.spec.codegen[name] = value;
  }
  return settings;
}

LogicalResult runPipeline(PassManager &pipeline, ModuleOp module, const TierSettings &settings,
                          RunningPass &running, std::vector<std::string> &diagnostics) {
  size_t before = diagnostics.size();
  LogicalResult ran = failure();
  if (!settings.isReplaced && settings.spec.name != "stock") {
    ran = pipeline.run(module);
  } else {
    CrashHandlers handlers;
    llvm::CrashRecoveryContext recovery;
    (void)recovery.RunSafely([&] { ran = pipeline.run(module); });
  }
  // Where reproducers are kept MLIR has caught the crash, and said no more than that a pass failed.
  std::string crashed = running.takeUnfinished();
  if (!crashed.empty())
    diagnostics.insert(diagnostics.begin() + before,
                       "error: pass '" + crashed + "' of tier '" + settings.spec.name +
                           "' crashed; --dump-ir keeps what it crashes on");
  return ran;
}

bool checkTiers(const UnitCompileOptions &options, const Toolbox &toolbox, std::string &error) {
  toolbox.registerPasses();
  if (!toolbox.loadPlugins(options.passPlugins, error))
    return false;
  llvm::StringSet<> seen;
  MLIRContext context(MLIRContext::Threading::DISABLED);
  for (const TierOverride &given : options.tiers) {
    error = checkOverride(given);
    if (error.empty() && !seen.insert(given.name).second)
      error = "tier '" + given.name + "' is replaced twice";
    if (!error.empty())
      return false;
    if (!given.pipeline)
      continue;
    if (std::string wrong = checkPipeline(*given.pipeline, context); !wrong.empty()) {
      error = "the pipeline of tier '" + given.name + "' is illegal: " + wrong;
      return false;
    }
  }
  return true;
}

void applyCodegenOptions(const CodegenOptions &options, llvm::Module &module) {
  for (const auto &[name, value] : options)
    for (llvm::Function &function : module)
      if (!function.isDeclaration())
        function.addFnAttr(name, value);
}

} // namespace anneal::compiler
