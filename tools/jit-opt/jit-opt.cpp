//===- jit-opt.cpp - mlir-opt with the jit dialect and its passes ---------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The command line is mlir-opt's (CLI.md); what is added here is the list of dialects and passes,
// help by example, the version, and exit codes: 1 for a failed run, 2 for wrong usage.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "PrintTiers.h"
#include "Upstream.h"

#include "anneal/Pipelines/Tiers.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"

using namespace mlir;
using anneal::ExitCode, anneal::Success, anneal::FailedRun, anneal::WrongUsage;

namespace {
constexpr llvm::StringLiteral kToolName = "jit-opt";

constexpr llvm::StringLiteral kExamples = R"(
EXAMPLES:

  Check a module and print it again, as text or as bytecode:
    jit-opt model.mlir
    jit-opt model.mlir --emit-bytecode -o model.mlirbc

  Run one pass, or a few in order, and look at the result:
    jit-opt model.mlir --canonicalize --cse
    jit-opt model.mlirbc --symbol-dce --mlir-elide-elementsattrs-if-larger=16

  See what the engine makes of a model, stage by stage: normal form, units and their calls, memory,
  and the plan that is run:
    jit-opt model.mlirbc --jit-normalize
    jit-opt model.mlirbc --jit-normalize --jit-form-units
    jit-opt model.mlirbc --jit-normalize --jit-form-units --jit-bufferize-host
    jit-opt model.mlirbc --jit-normalize --jit-form-units --jit-bufferize-host --jit-print-plan -o /dev/null

  The same down to code, each stage a program of its own; one unit alone; the tier's pipeline as text,
  which --pass-pipeline takes again and `jit-run --tier-pipeline` puts in the tier's place:
    jit-opt model.mlirbc --jit-normalize | jit-opt --jit-form-units | jit-opt --jit-tier-baseline
    jit-opt units.mlir --jit-extract-unit=unit=main.matmul_0 --jit-tier-baseline
    jit-opt --print-tier-pipeline=baseline
    jit-opt --print-tiers > tiers.json

  What operations cost, what decides how long a call takes, what could run together, where heat goes:
    jit-opt model.mlirbc --jit-normalize --jit-print-op-cost='function=main dims=arg0:1x32' -o /dev/null
    jit-opt units.mlir --jit-print-critical-path='function=main dims=arg0:1x32 budget-us=1000' -o /dev/null
    jit-opt model.mlirbc --jit-normalize --jit-fusion-candidates -o /dev/null
    jit-opt units.mlir --jit-propagate-heat=profile=report.json

  What sizes follow from, which operands are mostly zero; what a profile says about modes and tiers:
    jit-opt model.mlirbc --jit-print-shape-class -o /dev/null
    jit-opt model.mlirbc --jit-normalize --jit-print-sparsity -o /dev/null
    jit-opt units.mlir --jit-annotate-profile=profile=report.json --jit-select-mode --jit-assign-tiers

  Run a pipeline with options and with passes on each function:
    jit-opt model.mlir --pass-pipeline='builtin.module(inline,func.func(cse,canonicalize{max-iterations=3}))'

  See what each pass changes, and how long it takes:
    jit-opt model.mlir --canonicalize --cse --mlir-print-ir-after-all --mlir-print-ir-after-change
    jit-opt model.mlir --canonicalize --cse --mlir-timing

  Reproduce a failure elsewhere (writes the IR and the pipeline to one file, then runs it):
    jit-opt model.mlir --one-shot-bufferize --mlir-pass-pipeline-crash-reproducer=crash.mlir
    jit-opt crash.mlir --run-reproducer

  Use passes or dialects of one's own:
    jit-opt model.mlir --load-pass-plugin=MyPasses.so --pass-pipeline='builtin.module(my-pass)'

  What there is:
    jit-opt --show-dialects
    jit-opt --list-passes

Exit code: 0 if everything asked for was done, 1 if it failed, 2 if the command line is wrong.
)";

ExitCode fail(ExitCode code, const Twine &message) {
  return anneal::fail(kToolName, code, message);
}

/// What LLVM means by a fatal error, such as a pass nested in an operation that it does not run on.
void onFatalError(void *code, const char *message, bool) {
  std::_Exit(fail(*static_cast<ExitCode *>(code), message));
}

/// Whether the passes asked for exist and take their options, found out before the input is read.
bool isPipelineValid(const MlirOptMainConfig &config) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler handler(&context, [](Diagnostic &diagnostic) {
    fail(WrongUsage, diagnostic.str());
    return success();
  });
  PassManager passManager(&context);
  ExitCode code = WrongUsage;
  llvm::ScopedFatalErrorHandler fatalErrors(onFatalError, &code);
  return succeeded(config.setupPassPipeline(passManager));
}

ExitCode printText(StringRef text) {
  return anneal::writeOutput(kToolName, "-", [&](raw_ostream &os) {
    os << text << "\n";
    return success();
  });
}

ExitCode printTierPipeline(StringRef tier) {
  std::optional<std::string> text = anneal::tierPipelineText(tier);
  if (!text)
    return fail(WrongUsage, "--print-tier-pipeline: " + anneal::unknownTierMessage(tier));
  return printText(*text);
}

/// Runs the passes on one input file.
ExitCode processFile(StringRef input, StringRef output, DialectRegistry &registry,
                     const MlirOptMainConfig &config) {
  if (input == "-" && llvm::sys::Process::FileDescriptorIsDisplayed(fileno(stdin)))
    llvm::errs() << kToolName << ": reading from the terminal; ctrl-d ends the input\n";
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(input, &message);
  if (!buffer)
    return fail(FailedRun, message);
  return anneal::writeOutput(kToolName, output, [&](raw_ostream &os) {
    return MlirOptMain(os, std::move(buffer), registry, config);
  });
}
} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  anneal::setVersion(kToolName);
  llvm::cl::extrahelp examples(kExamples);
  llvm::cl::opt<std::string> input(llvm::cl::Positional, llvm::cl::desc("<input file>"),
                                   llvm::cl::init("-"));
  llvm::cl::opt<std::string> output("o", llvm::cl::desc("Where to write the result"),
                                    llvm::cl::value_desc("filename"), llvm::cl::init("-"));

  llvm::cl::opt<std::string> tierToPrint(
      "print-tier-pipeline", llvm::cl::value_desc("tier"),
      llvm::cl::desc("Print the pass pipeline of a tier (baseline, stock) and stop"));
  llvm::cl::opt<bool> printTiers(
      "print-tiers",
      llvm::cl::desc("Print all tiers as JSON, as jit-run --tier-file reads it, and stop"));

  DialectRegistry registry;
  if (!anneal::loadPlugins(kToolName, argc, argv))
    return FailedRun;
  anneal::registerToolDialects(registry);
  anneal::registerToolPasses();

  std::string header = registerCLIOptions(
      "Reads a module in MLIR's text or bytecode, runs passes on it, writes the result", registry);
  if (!anneal::parseCommandLine(kToolName, argc, argv, header))
    return WrongUsage;
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects()) {
    for (StringRef name : registry.getDialectNames())
      llvm::outs() << name << "\n";
    return Success;
  }
  if (config.shouldListPasses()) {
    printRegisteredPasses();
    return Success;
  }
  if (printTiers)
    return printText(anneal::tiersJson());
  if (tierToPrint.getNumOccurrences())
    return printTierPipeline(tierToPrint);
  // A pipeline for another top-level operation, or one that is to be printed, is built once only.
  bool buildsOnce = config.shouldUseExplicitModule() || config.shouldDumpPassPipeline();
  if (!buildsOnce && !isPipelineValid(config))
    return WrongUsage;
  ExitCode code = FailedRun;
  llvm::ScopedFatalErrorHandler fatalErrors(onFatalError, &code);
  return processFile(input, output, registry, config);
}
