//===- PlanModule.cpp - From a source to a plan ---------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanModule.h"

#include "AlignedCopies.h"
#include "CompileDump.h"
#include "Diagnostics.h"
#include "ForeignFunctions.h"
#include "Loader.h"
#include "Refusals.h"
#include "UnitIrWriter.h"

#include "anneal/Conversion/Passes.h"
#include "anneal/Conversion/PlanBuilder.h"
#include "anneal/Pipelines/Pipelines.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <chrono>

using namespace mlir;

namespace anneal::compiler {

namespace {
/// Measures one stage.
class StageTimer {
public:
  explicit StageTimer(double &milliseconds) : milliseconds(milliseconds) {}
  ~StageTimer() {
    std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
    milliseconds += spent.count();
  }

private:
  double &milliseconds;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

/// One run from a source to a plan.
class Planner {
public:
  Planner(const Source &source, const PlanOptions &options, PlanResult &result)
      : source(source), options(options), result(result) {}

  void run() {
    std::shared_ptr<llvm::SourceMgr> buffer = openSource(source, result);
    if (!buffer)
      return;
    while (attempt(buffer)) {
    }
    // Of what can't be called at all, what the ordinary route said stands first.
    if (!result.ok)
      result.diagnostics.insert(result.diagnostics.begin(), refused.begin(), refused.end());
  }

private:
  /// Plans the module. True if the ordinary route refused it, and another attempt does without it
  /// where it failed.
  bool attempt(std::shared_ptr<llvm::SourceMgr> buffer) {
    auto started = std::chrono::steady_clock::now();
    DialectRegistry registry;
    registerDialects(registry);
    // Its types can be elements of vectors and buffers, which those of an unknown dialect can't.
    if (options.acceptUnknownDialects)
      registry.insert<LLVM::LLVMDialect>();
    auto context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
    context->printOpOnDiagnostic(false);
    OwningOpRef<ModuleOp> module = plan(buffer, *context, started);
    if (result.ok)
      result.unitIr =
          std::make_shared<UnitIrWriter>(std::move(context), std::move(module), std::move(buffer));
    else
      module = nullptr;
    return hasRefused && noteRefusal(buffer, *context);
  }

  /// The functions in which the first error is become foreign, or all if it is not known which
  /// these are. False if that is no way out.
  bool noteRefusal(const std::shared_ptr<llvm::SourceMgr> &buffer, MLIRContext &context) {
    // Each attempt brings one more out.
    constexpr int kMostAttempts = 16;
    Refusal refusal = refusalIn(result.diagnostics);
    bool isNoted = ++numAttempts < kMostAttempts && note(buffer, context);
    if (!isNoted && (refusal.isHopeless || refusal.reason.empty() || !refusals.all.empty()))
      return false;
    if (!isNoted)
      refusals.all = refusal.reason;
    if (!refusal.isHopeless)
      llvm::append_range(refused, result.diagnostics);
    result.diagnostics.clear();
    result.module = {};
    hasRefused = false;
    return true;
  }

  bool note(const std::shared_ptr<llvm::SourceMgr> &buffer, MLIRContext &context) {
    std::vector<std::string> ignored;
    DiagnosticCollector collector(&context, ignored);
    AlignedCopies copies(*buffer->getMemoryBuffer(buffer->getMainFileID()));
    OwningOpRef<ModuleOp> module =
        parseSource(buffer, &context, copies, options.acceptUnknownDialects);
    return module && refusals.note(*module, result.diagnostics);
  }

  /// The module as planned.
  OwningOpRef<ModuleOp> plan(const std::shared_ptr<llvm::SourceMgr> &buffer, MLIRContext &context,
                             std::chrono::steady_clock::time_point started) {
    DiagnosticCollector collector(&context, result.diagnostics);
    AlignedCopies copies(*buffer->getMemoryBuffer(buffer->getMainFileID()));
    OwningOpRef<ModuleOp> module =
        parseSource(buffer, &context, copies, options.acceptUnknownDialects);
    result.times.parse =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started)
            .count();
    result.hasUnknownDialects = !module && namesUnknownDialect(result.diagnostics);
    if (!module || !hasFunction(*module))
      return module;
    if (failed(splitForeignFunctions(*module, *buffer, options.acceptUnknownDialects, result.module,
                                     refusals)))
      return module;
    bool allForeign = !result.module.foreign.empty() && !hasPublicFunction(*module);
    if (allForeign)
      finish();
    else if (runStages(*module))
      build(*module, buffer, copies);
    hasRefused = !result.ok && canDump;
    return module;
  }

  static bool hasPublicFunction(ModuleOp module) {
    return llvm::any_of(module.getOps<func::FuncOp>(), [](func::FuncOp function) {
      return function.isPublic() && !function.isExternal();
    });
  }

  static bool hasFunction(ModuleOp module) {
    if (hasPublicFunction(module))
      return true;
    InFlightDiagnostic error = module.emitError();
    error << "this module has no public function with a body";
    if (llvm::any_of(*module.getBody(),
                     [](Operation &op) { return op.getName().getStringRef() == "llvm.func"; }))
      error << "; functions of the LLVM dialect can be called if they take and give numbers only, "
               "which units that a tier has lowered don't";
    return false;
  }

  bool runStages(ModuleOp module) {
    return runStage(module, "1-normalize", result.times.normalize,
                    [](OpPassManager &pm) { populateNormalizePipeline(pm, NormalizeOptions()); }) &&
           runStage(module, "2-form-units", result.times.form,
                    [](OpPassManager &pm) { populateFormUnitsPipeline(pm, FormUnitsOptions()); }) &&
           runStage(module, "3-bufferize-host", result.times.bufferize, [](OpPassManager &pm) {
             populateBufferizeHostPipeline(pm, BufferizeHostOptions());
           });
  }

  bool runStage(ModuleOp module, StringRef name, double &milliseconds,
                llvm::function_ref<void(OpPassManager &)> populate) {
    bool ok;
    {
      StageTimer timer(milliseconds);
      PassManager pm(module.getContext());
      pm.enableVerifier(false);
      if (!options.dumpDirectory.empty())
        keepReproducer(pm, dumpPath(name + ".crash.mlir"));
      populate(pm);
      ok = succeeded(pm.run(module));
    }
    return dump(module, name) && ok;
  }

  void build(ModuleOp module, const std::shared_ptr<llvm::SourceMgr> &buffer,
             AlignedCopies &copies) {
    StageTimer timer(result.times.build);
    ConstantSource constants{buffer, buffer->getMemoryBuffer(buffer->getMainFileID())->getBuffer(),
                             [&](ArrayRef<char> bytes) { return copies.find(bytes); }};
    FailureOr<plan::Module> built = buildPlan(module, constants);
    if (failed(built))
      return;
    built->foreign = std::move(result.module.foreign);
    built->foreignIr = std::move(result.module.foreignIr);
    result.module = std::move(*built);
    finish();
  }

  void finish() {
    if (result.module.name.empty())
      result.module.name = llvm::sys::path::stem(source.name).str();
    result.ok = true;
  }

  /// Path of a file in the folder of dumps, which is made. Where that fails, so does writing the
  /// file.
  std::string dumpPath(const Twine &name) {
    (void)llvm::sys::fs::create_directories(options.dumpDirectory);
    SmallString<128> path(options.dumpDirectory);
    llvm::sys::path::append(path, name);
    return std::string(path);
  }

  /// Has a pass that fails or crashes leave the IR before it, for `jit-opt --run-reproducer`.
  static void keepReproducer(PassManager &pm, const std::string &path) {
    (void)llvm::sys::fs::remove(path);
    pm.enableCrashReproducerGeneration(
        [path](std::string &error) { return openReproducer(path, error); },
        /*genLocalReproducer=*/true);
  }

  /// Large constants are left out: the text is for reading. False, with an error, where the file
  /// can't be written.
  bool dump(ModuleOp module, StringRef stage) {
    if (options.dumpDirectory.empty())
      return true;
    std::string path = dumpPath(stage + ".mlir");
    std::error_code error;
    llvm::raw_fd_ostream file(path, error);
    if (!error) {
      OpPrintingFlags flags;
      flags.elideLargeElementsAttrs(16).elideLargeResourceString(64);
      module.print(file, flags);
      file.close();
      error = file.error();
      file.clear_error();
    }
    if (error)
      result.diagnostics.push_back("error: cannot write '" + path + "': " + error.message());
    canDump = !error;
    return canDump;
  }

  const Source &source;
  const PlanOptions &options;
  PlanResult &result;
  Refusals refusals;
  /// What was said in attempts that failed.
  std::vector<std::string> refused;
  int numAttempts = 0;
  bool hasRefused = false;
  bool canDump = true;
};
} // namespace

void planModule(const Source &source, const PlanOptions &options, PlanResult &result) {
  Planner(source, options, result).run();
  bool hasError = llvm::any_of(result.diagnostics, [](const std::string &text) {
    return text.find("error: ") != std::string::npos;
  });
  if (!result.ok && !hasError)
    result.diagnostics.push_back(source.name + ": error: planning failed");
}

} // namespace anneal::compiler
