//===- BaselineCompiler.cpp - From a unit's IR to its image ---------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BaselineCompiler.h"

#include "Diagnostics.h"

#include "anneal/IR/JitDialect.h"
#include "anneal/IR/JitOps.h"
#include "anneal/Pipelines/Pipelines.h"
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

/// Name of the entry in every image.
constexpr StringLiteral kEntry = "unit";
/// What a function's name begins with that is the code of a body.
constexpr StringLiteral kBodyPrefix = "unit.body.";

class BaselineCompiler final : public UnitCompiler {
public:
  bool open(const std::string &unitIr, const UnitCompileOptions &options, std::string &error);
  void compile(const std::string &unit, Tier tier, UnitCompileResult &result) override;

private:
  OwningOpRef<ModuleOp> extract(const std::string &unit);
  void emit(ModuleOp module, UnitCompileResult &result);

  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> units;
  std::unique_ptr<SymbolTable> symbols;
  std::unique_ptr<PassManager> pipeline;
  std::unique_ptr<target::CodeGenerator> generator;
};

bool BaselineCompiler::open(const std::string &unitIr, const UnitCompileOptions &options,
                            std::string &error) {
  auto target = target::CpuTarget::get(options.target);
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
  // Only what units are made of and what they become: each dialect costs time when it is loaded.
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, jit::JitDialect,
                  linalg::LinalgDialect, math::MathDialect, scf::SCFDialect, tensor::TensorDialect,
                  vector::VectorDialect, LLVM::LLVMDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerBaselineDialects(registry);
  context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->printOpOnDiagnostic(false);
  std::vector<std::string> messages;
  DiagnosticCollector collector(context.get(), messages);
  units = parseSourceString<ModuleOp>(unitIr, context.get());
  if (!units) {
    error = messages.empty() ? "the IR of the units can't be read" : messages.front();
    return false;
  }
  symbols = std::make_unique<SymbolTable>(*units);
  pipeline = std::make_unique<PassManager>(context.get());
  pipeline->enableVerifier(false);
  BaselineOptions baseline;
  baseline.vectorWidth = target->level >= CpuLevel::V4 ? 16 : 8;
  populateBaselinePipeline(*pipeline, baseline);
  return true;
}

/// The unit in a module of its own, named as the entry.
OwningOpRef<ModuleOp> BaselineCompiler::extract(const std::string &unit) {
  auto op = symbols->lookup<jit::UnitOp>(unit);
  if (!op)
    return nullptr;
  OwningOpRef<ModuleOp> module = ModuleOp::create(op->getLoc());
  Operation *copy = op->clone();
  SymbolTable::setSymbolName(copy, kEntry);
  module->getBody()->push_back(copy);
  return module;
}

void BaselineCompiler::emit(ModuleOp module, UnitCompileResult &result) {
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(module, llvmContext, kEntry, /*disableVerification=*/true);
  if (!code)
    return;
  for (llvm::Function &function : *code)
    if (!function.isDeclaration() && function.getName() != kEntry)
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  llvm::Expected<plan::CodeImage> image = generator->emit(*code, llvm::CodeGenOptLevel::None);
  if (!image) {
    result.diagnostics.push_back("error: " + llvm::toString(image.takeError()));
    return;
  }
  result.image = std::move(*image);
  result.ok = true;
}

void BaselineCompiler::compile(const std::string &unit, Tier tier, UnitCompileResult &result) {
  DiagnosticCollector collector(context.get(), result.diagnostics);
  OwningOpRef<ModuleOp> module = extract(unit);
  if (tier != Tier::Baseline || !module) {
    result.diagnostics.push_back("error: there is no IR of unit '" + unit + "' for tier '" +
                                 std::string(name(tier)) + "'");
    return;
  }
  if (failed(pipeline->run(*module)))
    return;
  for (auto function : module->getOps<LLVM::LLVMFuncOp>())
    result.numBodies += function.getName().starts_with(kBodyPrefix);
  if (result.numBodies == 0)
    result.ok = true;
  else
    emit(*module, result);
}

} // namespace

std::unique_ptr<UnitCompiler>
makeUnitCompiler(const std::string &unitIr, const UnitCompileOptions &options, std::string &error) {
  auto compiler = std::make_unique<BaselineCompiler>();
  if (!compiler->open(unitIr, options, error))
    return nullptr;
  return compiler;
}

} // namespace anneal::compiler
