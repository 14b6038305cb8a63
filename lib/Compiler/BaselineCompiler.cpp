//===- BaselineCompiler.cpp - From a unit's IR to its image ---------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BaselineCompiler.h"

#include "CompileDump.h"
#include "Diagnostics.h"
#include "PassTimes.h"
#include "TierSettings.h"

#include "anneal/IR/JitDialect.h"
#include "anneal/Pipelines/Passes.h"
#include "anneal/Pipelines/Pipelines.h"
#include "anneal/Pipelines/Tiers.h"
#include "anneal/Target/CodeGenerator.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace anneal::compiler {

namespace {

/// Name of the entry in every image; the unit's own would make images of equal units differ.
constexpr StringLiteral kEntry = "unit";
/// What stands between a unit's name and the number of a body in a function's name.
constexpr StringLiteral kBody = ".body.";

class BaselineCompiler final : public UnitCompiler {
public:
  bool open(const std::string &unitIr, const UnitCompileOptions &options, const Toolbox &toolbox,
            std::string &error);
  void compile(const std::string &unit, Tier tier, UnitCompileResult &result) override;

private:
  bool openTarget(const std::string &name, std::string &error);
  void makeContext(const Toolbox &toolbox);
  bool makePipeline(const UnitCompileOptions &options, std::string &error);
  LogicalResult check(ModuleOp module, StringRef unit) const;
  void lower(ModuleOp module, StringRef unit, UnitCompileResult &result);
  void emit(ModuleOp module, StringRef unit, UnitCompileResult &result);

  TierSettings settings;
  std::optional<CompileDump> dump;
  PassTimes times;
  RunningPass running;
  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> units;
  std::unique_ptr<SymbolTable> symbols;
  std::unique_ptr<PassManager> pipeline;
  std::unique_ptr<target::CodeGenerator> generator;
};

bool BaselineCompiler::openTarget(const std::string &name, std::string &error) {
  auto target = target::CpuTarget::get(name);
  if (!target) {
    error = llvm::toString(target.takeError());
    return false;
  }
  auto made = target::CodeGenerator::create(*target);
  if (!made) {
    error = llvm::toString(made.takeError());
    return false;
  }
  generator = std::move(*made);
  return true;
}

void BaselineCompiler::makeContext(const Toolbox &toolbox) {
  // Only what units are made of and what they become: each dialect costs time when it is loaded.
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, jit::JitDialect,
                  linalg::LinalgDialect, math::MathDialect, scf::SCFDialect, tensor::TensorDialect,
                  vector::VectorDialect, LLVM::LLVMDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerBaselineDialects(registry);
  toolbox.registerDialects(registry);
  context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->printOpOnDiagnostic(false);
}

bool BaselineCompiler::makePipeline(const UnitCompileOptions &options, std::string &error) {
  pipeline = std::make_unique<PassManager>(context.get(), ModuleOp::getOperationName());
  pipeline->enableVerifier(settings.isReplaced);
  pipeline->addInstrumentation(times.instrumentation());
  pipeline->addInstrumentation(running.instrumentation());
  if (failed(parseTierPipeline(settings.spec.pipeline, *pipeline, error)))
    return false;
  if (!options.dumpDirectory.empty()) {
    dump.emplace(CompileDump::Subject::Unit, options, settings.spec);
    pipeline->enableCrashReproducerGeneration(dump->reproducer(), /*genLocalReproducer=*/true);
  }
  return true;
}

bool BaselineCompiler::open(const std::string &unitIr, const UnitCompileOptions &options,
                            const Toolbox &toolbox, std::string &error) {
  toolbox.registerPasses();
  if (!toolbox.loadPlugins(options.passPlugins, error) || !openTarget(options.target, error))
    return false;
  settings = settingsOf(name(Tier::Baseline), generator->target().level, options.tiers);
  makeContext(toolbox);
  std::vector<std::string> messages;
  DiagnosticCollector collector(context.get(), messages);
  units = parseSourceString<ModuleOp>(unitIr, context.get());
  if (!units) {
    error = messages.empty() ? "the IR of the units can't be read" : messages.front();
    return false;
  }
  symbols = std::make_unique<SymbolTable>(*units);
  return makePipeline(options, error);
}

/// Whether a pipeline that is not the tier's own has left what the runtime can call.
LogicalResult BaselineCompiler::check(ModuleOp module, StringRef unit) const {
  WalkResult walk = module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ModuleOp>(op) || isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
      return WalkResult::advance();
    op->emitError() << "the pipeline of tier '" << settings.spec.name << "' leaves '"
                    << op->getName() << "', which is not of the LLVM dialect";
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  auto entry = module.lookupSymbol<LLVM::LLVMFuncOp>(unit);
  auto pointer = LLVM::LLVMPointerType::get(context.get());
  auto type = LLVM::LLVMFunctionType::get(IntegerType::get(context.get(), 32), {pointer});
  if (entry && !entry.isExternal() && entry.getFunctionType() == type)
    return success();
  return module.emitError() << "the pipeline of tier '" << settings.spec.name
                            << "' leaves no function '" << unit << "' of type " << type
                            << ", by which the unit would be called";
}

/// Gives the functions of a unit names that LLVM doesn't take for its own intrinsics. The unit's
/// name now.
StringRef avoidIntrinsics(ModuleOp module, StringRef unit) {
  if (!unit.starts_with("llvm."))
    return unit;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    StringRef rest = function.getName();
    if (function.isExternal() || !rest.consume_front(unit))
      continue;
    auto renamed = StringAttr::get(module.getContext(), kEntry + rest);
    (void)SymbolTable::replaceAllSymbolUses(function, renamed, module);
    function.setName(renamed);
  }
  return kEntry;
}

void BaselineCompiler::emit(ModuleOp module, StringRef unit, UnitCompileResult &result) {
  unit = avoidIntrinsics(module, unit);
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> code = timed(times, "translate-to-llvm-ir", [&] {
    return translateModuleToLLVMIR(module, llvmContext, kEntry,
                                   /*disableVerification=*/!settings.isReplaced);
  });
  if (!code)
    return;
  for (llvm::Function &function : *code) {
    StringRef name = function.getName();
    if (function.isDeclaration())
      continue;
    if (name == unit) {
      function.setName(kEntry);
      continue;
    }
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    if (name.consume_front(unit))
      function.setName(kEntry + name);
  }
  applyCodegenOptions(settings.spec.codegen, *code);
  auto level = static_cast<llvm::CodeGenOptLevel>(settings.spec.llvmLevel);
  llvm::Expected<plan::CodeImage> image =
      timed(times, "llvm-code-generation", [&] { return generator->emit(*code, level); });
  if (!image) {
    result.diagnostics.push_back("error: " + llvm::toString(image.takeError()));
    return;
  }
  result.image = std::move(*image);
  result.ok = true;
}

void BaselineCompiler::lower(ModuleOp module, StringRef unit, UnitCompileResult &result) {
  if (failed(runPipeline(*pipeline, module, settings, running, result.diagnostics)))
    return;
  if (dump)
    dump->end(module, result.diagnostics);
  if (settings.isReplaced && failed(check(module, unit)))
    return;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    result.numBodies += function.getName().starts_with((unit + kBody).str());
  if (result.numBodies == 0)
    result.ok = true;
  else
    emit(module, unit, result);
}

void BaselineCompiler::compile(const std::string &unit, Tier tier, UnitCompileResult &result) {
  DiagnosticCollector collector(context.get(), result.diagnostics);
  auto op = symbols->lookup<jit::UnitOp>(unit);
  if (tier != Tier::Baseline || !op) {
    result.diagnostics.push_back("error: there is no IR of unit '" + unit + "' for tier '" +
                                 std::string(name(tier)) + "'");
    return;
  }
  OwningOpRef<ModuleOp> module = copyAlone(op);
  if (dump)
    dump->begin(*module, unit, result.diagnostics);
  lower(*module, unit, result);
  result.passes = times.take();
}

} // namespace

std::unique_ptr<UnitCompiler> makeUnitCompiler(const std::string &unitIr,
                                               const UnitCompileOptions &options,
                                               const Toolbox &toolbox, std::string &error) {
  auto compiler = std::make_unique<BaselineCompiler>();
  if (!compiler->open(unitIr, options, toolbox, error))
    return nullptr;
  return compiler;
}

} // namespace anneal::compiler
