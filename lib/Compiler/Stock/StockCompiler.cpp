//===- StockCompiler.cpp - Whole functions by MLIR's own passes ===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StockCompiler.h"

#include "CompileDump.h"
#include "Diagnostics.h"
#include "FatalErrors.h"
#include "StockModule.h"
#include "StockRuntime.h"
#include "TierSettings.h"

#include "anneal/Pipelines/Passes.h"
#include "anneal/Pipelines/Pipelines.h"
#include "anneal/Pipelines/Tiers.h"
#include "anneal/Pipelines/WholeFunctions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"

#include <dlfcn.h>
#include <mutex>

using namespace mlir;

namespace anneal::compiler::stock {
namespace {

/// The libraries of functions that programs may declare.
constexpr const char *kRunnerLibraries[] = {"libmlir_c_runner_utils.so", "libmlir_runner_utils.so"};

void initializeOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    registerStockPasses();
  });
}

/// A context in which everything of MLIR can be read.
class Session {
public:
  explicit Session(std::vector<std::string> &diagnostics)
      : context(registry(), MLIRContext::Threading::DISABLED), collector(&context, diagnostics) {
    context.printOpOnDiagnostic(false);
  }

  OwningOpRef<ModuleOp> parse(const std::string &bytes, const std::string &name) {
    auto sources = std::make_shared<llvm::SourceMgr>();
    sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(bytes, name), llvm::SMLoc());
    return parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  }

private:
  static DialectRegistry registry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registerAllExtensions(registry);
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    return registry;
  }

  MLIRContext context;
  DiagnosticCollector collector;
};

bool contains(ModuleOp module, llvm::function_ref<bool(Operation *)> isWanted) {
  return module
      .walk([&](Operation *op) {
        return isWanted(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the program itself frees memory.
bool frees(ModuleOp module) {
  return contains(module, [](Operation *op) { return hasEffect<MemoryEffects::Free>(op); });
}

/// The pipeline for a module, unless it is replaced.
std::string pipelineFor(ModuleOp module, bool deallocate) {
  bool isSparse = contains(
      module, [](Operation *op) { return op->getName().getDialectNamespace() == "sparse_tensor"; });
  return isSparse ? stockSparsePipeline() : stockPipeline(deallocate && !frees(module));
}

LogicalResult runTier(ModuleOp module, const std::string &entry, const TierSettings &settings,
                      const UnitCompileOptions &options, std::vector<std::string> &diagnostics) {
  PassManager pm(module->getContext(), ModuleOp::getOperationName());
  RunningPass running;
  pm.addInstrumentation(running.instrumentation());
  std::string error;
  if (failed(parseTierPipeline(settings.spec.pipeline, pm, error)))
    return module.emitError() << error;
  if (options.dumpDirectory.empty())
    return runPipeline(pm, module, settings, running, diagnostics);
  CompileDump dump(CompileDump::Subject::Function, options, settings.spec);
  dump.begin(module, entry, diagnostics);
  pm.enableCrashReproducerGeneration(dump.reproducer(), /*genLocalReproducer=*/true);
  if (failed(runPipeline(pm, module, settings, running, diagnostics)))
    return failure();
  dump.end(module, diagnostics);
  return success();
}

OwningOpRef<ModuleOp> lower(Session &session, const std::string &ir, const std::string &entry,
                            TierSettings &settings, bool deallocate,
                            const UnitCompileOptions &options,
                            std::vector<std::string> &diagnostics) {
  OwningOpRef<ModuleOp> module = session.parse(ir, entry);
  if (!module)
    return nullptr;
  PassManager pm((*module)->getContext());
  pm.addPass(createExtractFunction({entry}));
  if (failed(pm.run(*module)))
    return nullptr;
  if (!settings.isReplaced)
    settings.spec.pipeline = pipelineFor(*module, deallocate);
  if (failed(runTier(*module, entry, settings, options, diagnostics)) ||
      failed(checkIsLowered(*module)))
    return nullptr;
  return module;
}

/// Beside this library, as in an install tree, or where MLIR is. Error: names the missing one.
llvm::Expected<std::string> findRunnerLibrary(StringRef name) {
  SmallVector<std::string> folders;
  Dl_info info;
  if (::dladdr(reinterpret_cast<void *>(&compile), &info) && info.dli_fname)
    folders.push_back(llvm::sys::path::parent_path(info.dli_fname).str());
  folders.push_back(ANNEAL_RUNNER_LIBRARIES);
  for (const std::string &folder : folders) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    if (llvm::sys::fs::exists(path))
      return std::string(path);
  }
  return llvm::createStringError("'" + name + "' is neither beside libAnnealStock.so nor in '" +
                                 StringRef(ANNEAL_RUNNER_LIBRARIES) + "'; install mlir-22-tools");
}

class CompiledFunction final : public StockFunction {
public:
  explicit CompiledFunction(std::unique_ptr<ExecutionEngine> engine) : engine(std::move(engine)) {}

  bool run(std::vector<void *> arguments, const std::function<void()> &readResults,
           std::string &error) override {
    return runGuarded(function, arguments.data(), readResults, error);
  }

  llvm::Error find(StringRef entry) {
    auto found = engine->lookupPacked(("_mlir_ciface_" + entry).str());
    if (!found)
      return found.takeError();
    function = *found;
    engine->initialize();
    return llvm::Error::success();
  }

private:
  std::unique_ptr<ExecutionEngine> engine;
  void (*function)(void **) = nullptr;
};

/// Error: names a function without a body that nothing here has. ORC would say it on stderr.
llvm::Error checkSymbols(ModuleOp module, ArrayRef<std::string> libraries) {
  SmallVector<void *> handles = {RTLD_DEFAULT};
  for (const std::string &path : libraries) {
    void *handle = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (!handle)
      return llvm::createStringError(::dlerror());
    handles.push_back(handle);
  }
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    std::string name = function.getName().str();
    bool isKnown =
        !function.isExternal() || StringRef(name).starts_with("llvm.") ||
        llvm::any_of(handles, [&](void *handle) { return ::dlsym(handle, name.c_str()); });
    if (!isKnown)
      return llvm::createStringError("function '" + name +
                                     "' has no body, and it is in no library that programs may "
                                     "call (MLIR's runner utilities, libc, libm)");
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<StockFunction>> generateCode(ModuleOp module, StringRef entry,
                                                            const TierSpec &tier) {
  std::vector<std::string> paths;
  for (const char *name : kRunnerLibraries) {
    auto path = findRunnerLibrary(name);
    if (!path)
      return path.takeError();
    paths.push_back(*path);
  }
  if (llvm::Error error = checkSymbols(module, paths))
    return error;
  std::vector<StringRef> pathRefs(paths.begin(), paths.end());
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  auto machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();
  ExecutionEngineOptions options;
  auto optimise = makeOptimizingTransformer(tier.llvmLevel, /*sizeLevel=*/0, machine->get());
  auto transform = [&](llvm::Module *code) {
    applyCodegenOptions(tier.codegen, *code);
    return optimise(code);
  };
  options.transformer = transform;
  options.jitCodeGenOptLevel = static_cast<llvm::CodeGenOptLevel>(tier.llvmLevel);
  options.sharedLibPaths = pathRefs;
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  auto engine = ExecutionEngine::create(module, options, std::move(*machine));
  if (!engine)
    return engine.takeError();
  (*engine)->registerSymbols([](llvm::orc::MangleAndInterner mangle) {
    llvm::orc::SymbolMap symbols;
    for (const RuntimeSymbol &symbol : runtimeSymbols())
      symbols[mangle(symbol.name)] = {llvm::orc::ExecutorAddr::fromPtr(symbol.address),
                                      llvm::JITSymbolFlags::Exported};
    return symbols;
  });
  auto function = std::make_unique<CompiledFunction>(std::move(*engine));
  if (llvm::Error error = function->find(entry))
    return error;
  return function;
}

} // namespace

bool read(const std::string &bytes, const std::string &name, std::string &text,
          std::vector<std::string> &diagnostics) {
  initializeOnce();
  Session session(diagnostics);
  OwningOpRef<ModuleOp> module = session.parse(bytes, name);
  if (!module)
    return false;
  dropTransformScripts(*module);
  wrapLoweredFunctions(*module);
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().printGenericOpForm().enableDebugInfo());
  return true;
}

static std::unique_ptr<StockFunction> lowerAndGenerate(const std::string &ir,
                                                       const std::string &entry,
                                                       const UnitCompileOptions &options,
                                                       std::vector<std::string> &diagnostics) {
  Session session(diagnostics);
  size_t before = diagnostics.size();
  TierSettings settings = settingsOf("stock", levelOf(hostCpuFeatures()), options.tiers);
  OwningOpRef<ModuleOp> module =
      lower(session, ir, entry, settings, /*deallocate=*/true, options, diagnostics);
  // Where buffers can't be freed early, they are when the call ends.
  if (!module && !settings.isReplaced) {
    diagnostics.resize(before);
    module = lower(session, ir, entry, settings, /*deallocate=*/false, options, diagnostics);
  }
  if (!module)
    return nullptr;
  auto function = generateCode(*module, entry, settings.spec);
  if (!function) {
    diagnostics.push_back(llvm::toString(function.takeError()));
    return nullptr;
  }
  return std::move(*function);
}

std::unique_ptr<StockFunction> compile(const std::string &ir, const std::string &entry,
                                       const UnitCompileOptions &options,
                                       std::vector<std::string> &diagnostics) {
  initializeOnce();
  // What the trapped code writes to outlives it, whichever way it ends.
  struct Outcome {
    std::unique_ptr<StockFunction> function;
    std::vector<std::string> diagnostics;
  };
  auto *outcome = new Outcome;
  std::optional<std::string> fatal = trapFatalErrors(
      [&] { outcome->function = lowerAndGenerate(ir, entry, options, outcome->diagnostics); });
  if (fatal) {
    // The rest of the session refers to its diagnostics and stays.
    diagnostics.push_back("error: LLVM gave up: " + *fatal);
    return nullptr;
  }
  std::unique_ptr<Outcome> owner(outcome);
  diagnostics.insert(diagnostics.end(), owner->diagnostics.begin(), owner->diagnostics.end());
  return std::move(owner->function);
}

} // namespace anneal::compiler::stock
