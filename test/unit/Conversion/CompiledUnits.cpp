//===- CompiledUnits.cpp - Units compiled at tier baseline ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledUnits.h"

#include "../../../lib/Conversion/ModuleTables.h"
#include "../../../lib/Conversion/UnitBuilder.h"
#include "anneal/Conversion/Passes.h"
#include "anneal/IR/JitDialect.h"
#include "anneal/IR/JitOps.h"
#include "anneal/Pipelines/Pipelines.h"
#include "anneal/Target/CodeGenerator.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Remark/RemarkStreamer.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include "gtest/gtest.h"

#include <atomic>
#include <chrono>

using namespace mlir;

namespace anneal::test {

using runtime::test::RunOptions;
using runtime::test::RunResult;
using runtime::test::TestTensor;

std::vector<CompileSetup> runnableSetups() {
  std::vector<CompileSetup> setups;
  if (hostCpuFeatures().containsAll(featuresOf(CpuLevel::V4)))
    setups.push_back({"x86-64-v4", 16});
  if (hostCpuFeatures().containsAll(featuresOf(CpuLevel::V3)))
    setups.push_back({"x86-64-v3", 8});
  return setups;
}

struct UnitCompiler::Impl {
  explicit Impl(const CompileSetup &setup);

  std::unique_ptr<CompiledUnit> compile(jit::UnitOp unit);
  void emit(ModuleOp module, CompiledUnit &result);

  CompileSetup setup;
  std::unique_ptr<MLIRContext> context;
  std::unique_ptr<PassManager> pipeline;
  std::unique_ptr<target::CodeGenerator> generator;
  std::shared_ptr<runtime::CodeSlabs> slabs;
  std::string messages;
  std::unique_ptr<ScopedDiagnosticHandler> handler;
};

UnitCompiler::Impl::Impl(const CompileSetup &setup) : setup(setup) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, jit::JitDialect,
                  linalg::LinalgDialect, math::MathDialect, scf::SCFDialect, tensor::TensorDialect,
                  LLVM::LLVMDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerBaselineDialects(registry);
  context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  handler = std::make_unique<ScopedDiagnosticHandler>(context.get(), [this](Diagnostic &message) {
    messages += message.str() + "\n";
    return success();
  });
  remark::RemarkCategories all{".*", std::nullopt, std::nullopt, std::nullopt, std::nullopt};
  EXPECT_TRUE(succeeded(remark::enableOptimizationRemarks(
      *context, nullptr, std::make_unique<remark::RemarkEmittingPolicyAll>(), all,
      /*printAsEmitRemarks=*/true)));
  pipeline = std::make_unique<PassManager>(context.get());
  pipeline->enableVerifier(false);
  BaselineOptions options;
  options.vectorWidth = setup.vectorWidth;
  populateBaselinePipeline(*pipeline, options);
  auto target = target::CpuTarget::get(setup.target);
  EXPECT_TRUE(static_cast<bool>(target));
  auto made = target::CodeGenerator::create(*target);
  EXPECT_TRUE(static_cast<bool>(made));
  generator = std::move(*made);
  slabs = *runtime::CodeSlabs::create();
}

UnitCompiler::UnitCompiler(const CompileSetup &setup) : impl(std::make_unique<Impl>(setup)) {}
UnitCompiler::~UnitCompiler() = default;

namespace {
double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}
} // namespace

void UnitCompiler::Impl::emit(ModuleOp module, CompiledUnit &result) {
  auto start = std::chrono::steady_clock::now();
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(module, llvmContext, result.name);
  ASSERT_NE(code, nullptr) << messages;
  result.translateMs = since(start);
  start = std::chrono::steady_clock::now();
  llvm::Expected<plan::CodeImage> image = generator->emit(*code, setup.level);
  result.emitMs = since(start);
  ASSERT_TRUE(static_cast<bool>(image)) << llvm::toString(image.takeError());
  result.image = std::move(*image);
  auto installed = runtime::InstalledCode::install(result.image, slabs);
  ASSERT_TRUE(installed.ok()) << installed.status();
  result.code = *installed;
}

std::unique_ptr<CompiledUnit> UnitCompiler::Impl::compile(jit::UnitOp unit) {
  auto result = std::make_unique<CompiledUnit>();
  result->name = unit.getSymName().str();
  plan::Module planned;
  ModuleTables tables(planned, {});
  FailureOr<plan::Unit> built = UnitBuilder(unit, tables).build();
  EXPECT_TRUE(succeeded(built)) << messages;
  if (failed(built))
    return nullptr;
  result->unit = std::move(*built);
  size_t numOps = 0;
  for (Operation &op : unit.getBody().front())
    numOps += isa<linalg::LinalgOp>(op);
  OwningOpRef<ModuleOp> module = ModuleOp::create(unit.getLoc());
  module->getBody()->push_back(unit->clone());
  messages.clear();
  auto start = std::chrono::steady_clock::now();
  bool lowered = succeeded(pipeline->run(*module));
  result->lowerMs = since(start);
  EXPECT_TRUE(lowered) << messages;
  if (!lowered)
    return nullptr;
  result->remarks = messages;
  emit(*module, *result);
  if (!result->code)
    return nullptr;
  for (size_t n = 0; n < numOps; ++n)
    result->bodies.push_back(reinterpret_cast<AnnealBoxFn>(reinterpret_cast<uintptr_t>(
        result->code->entry(result->name + ".body." + std::to_string(n)))));
  return result;
}

std::vector<std::unique_ptr<CompiledUnit>> UnitCompiler::compileAll(const std::string &text) {
  impl->messages.clear();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, impl->context.get());
  EXPECT_TRUE(module) << impl->messages << text;
  std::vector<std::unique_ptr<CompiledUnit>> all;
  if (module)
    for (auto unit : module->getOps<jit::UnitOp>())
      if (auto compiled = impl->compile(unit))
        all.push_back(std::move(compiled));
  return all;
}

std::unique_ptr<CompiledUnit> UnitCompiler::compile(const std::string &text) {
  auto all = compileAll(text);
  EXPECT_EQ(all.size(), 1u) << text;
  return all.empty() ? nullptr : std::move(all.front());
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {

// Functions in place of the bodies, that count their calls.
constexpr unsigned kMostBodies = 8;
std::atomic<int> boxCount;
const std::vector<AnnealBoxFn> *countedBodies;

template <unsigned N> int32_t countedBody(const AnnealBox *box) {
  ++boxCount;
  return (*countedBodies)[N](box);
}
constexpr AnnealBoxFn kCounted[kMostBodies] = {countedBody<0>, countedBody<1>, countedBody<2>,
                                               countedBody<3>, countedBody<4>, countedBody<5>,
                                               countedBody<6>, countedBody<7>};

int32_t runCounted(const AnnealUnitFrame *frame) {
  AnnealBoxFn table[kMostBodies] = {};
  for (size_t n = 0; n < countedBodies->size(); ++n)
    table[n] = (*countedBodies)[n] ? kCounted[n] : nullptr;
  return frame->callbacks->runKernels(frame, table, static_cast<uint32_t>(countedBodies->size()));
}

RunResult run(const CompiledUnit &compiled, std::vector<TestTensor> &tensors,
              const RunOptions &options) {
  runtime::test::UnitBuilder builder;
  builder.unit = compiled.unit;
  builder.tensors = std::move(tensors);
  RunResult result = runtime::test::runUnit(builder, options);
  tensors = std::move(builder.tensors);
  return result;
}

} // namespace

RunResult runCompiled(const CompiledUnit &compiled, std::vector<TestTensor> &tensors,
                      const std::vector<uint64_t> &scalars, unsigned numThreads, int *numBoxes) {
  RunOptions options;
  options.scalars = scalars;
  options.numThreads = numThreads;
  options.code = compiled.code->unit(compiled.name);
  if (numBoxes) {
    EXPECT_LE(compiled.bodies.size(), kMostBodies);
    countedBodies = &compiled.bodies;
    boxCount = 0;
    options.code = runCounted;
  }
  RunResult result = run(compiled, tensors, options);
  if (numBoxes)
    *numBoxes = boxCount;
  return result;
}

RunResult runInterpreted(const CompiledUnit &compiled, std::vector<TestTensor> &tensors,
                         const std::vector<uint64_t> &scalars) {
  RunOptions options;
  options.scalars = scalars;
  return run(compiled, tensors, options);
}

int expectSameBits(const CompiledUnit &compiled, const std::vector<TestTensor> &tensors,
                   const std::vector<uint64_t> &scalars, unsigned numThreads) {
  std::vector<TestTensor> expected = tensors, actual = tensors;
  RunResult interpreted = runInterpreted(compiled, expected, scalars);
  EXPECT_TRUE(interpreted.bindStatus.ok()) << interpreted.bindStatus;
  if (!interpreted.bindStatus.ok())
    return 0;
  int numBoxes = 0;
  RunResult result = runCompiled(compiled, actual, scalars, numThreads, &numBoxes);
  EXPECT_EQ(result.status, interpreted.status);
  if (interpreted.status == ANNEAL_OK) {
    for (size_t t = 0; t < tensors.size(); ++t)
      EXPECT_EQ(runtime::test::difference(actual[t], expected[t]), "") << "tensor #" << t;
  }
  return numBoxes;
}

} // namespace anneal::test
