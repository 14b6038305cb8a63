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

#include "Upstream.h"

#include "anneal/IR/JitDialect.h"
#ifdef JIT_OPT_HAS_AnnealTransforms
#include "anneal/Transforms/Passes.h"
#endif
#ifdef JIT_OPT_HAS_AnnealConversion
#include "anneal/Conversion/Passes.h"
#endif
#ifdef JIT_OPT_HAS_AnnealPipelines
#include "anneal/Pipelines/Pipelines.h"
#endif

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;

namespace {
/// Exit codes, the same in every tool.
enum ExitCode { Success = 0, FailedRun = 1, WrongUsage = 2 };

constexpr llvm::StringLiteral kToolName = "jit-opt";

constexpr llvm::StringLiteral kExamples = R"(
EXAMPLES:

  Check a module and print it again, as text or as bytecode:
    jit-opt model.mlir
    jit-opt model.mlir --emit-bytecode -o model.mlirbc

  Run one pass, or a few in order, and look at the result:
    jit-opt model.mlir --canonicalize --cse
    jit-opt model.mlirbc --symbol-dce --mlir-elide-elementsattrs-if-larger=16

  Run a pipeline with options and with passes on each function:
    jit-opt model.mlir --pass-pipeline='builtin.module(inline,func.func(cse,canonicalize{max-iterations=3}))'

  See what each pass changes, and how long it takes:
    jit-opt model.mlir --canonicalize --cse --mlir-print-ir-after-change
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

void printVersion(llvm::raw_ostream &os) {
  SmallVector<std::string> enabled;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    if (feature.getValue())
      enabled.push_back(feature.getKey().str());
  llvm::sort(enabled);
  os << kToolName << " (Anneal) " << ANNEAL_VERSION << "\n"
     << "LLVM " << LLVM_VERSION_STRING << "\n"
     << "Target: " << llvm::sys::getProcessTriple() << "\n"
     << "CPU: " << llvm::sys::getHostCPUName() << " (" << llvm::join(enabled, " ") << ")\n";
}

ExitCode fail(ExitCode code, const Twine &message) {
  llvm::errs() << kToolName << ": error: " << message << "\n";
  return code;
}

/// Reads the command line into LLVM's options. What is wrong with it is reported in the form of all
/// other errors.
bool parseCommandLine(int argc, char **argv, StringRef header) {
  std::string text;
  llvm::raw_string_ostream errors(text);
  if (llvm::cl::ParseCommandLineOptions(argc, argv, header, &errors))
    return true;
  std::string prefix = (llvm::sys::path::filename(argv[0]) + ": ").str();
  StringRef message(text);
  message.consume_front(prefix);
  fail(WrongUsage, message.trim());
  return false;
}

/// Whether the passes asked for exist and take their options, found out before the input is read.
bool isPipelineValid(const MlirOptMainConfig &config) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler handler(&context, [](Diagnostic &diagnostic) {
    fail(WrongUsage, diagnostic.str());
    return success();
  });
  PassManager passManager(&context);
  return succeeded(config.setupPassPipeline(passManager));
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
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(output, &message);
  if (!file)
    return fail(FailedRun, message);
  if (failed(MlirOptMain(file->os(), std::move(buffer), registry, config)))
    return FailedRun;
  file->os().flush();
  if (std::error_code error = file->os().error()) {
    file->os().clear_error();
    return fail(FailedRun, "cannot write '" + output + "': " + error.message());
  }
  file->keep();
  return Success;
}

void registerOwnPasses() {
#ifdef JIT_OPT_HAS_AnnealTransforms
  anneal::registerTransformsPasses();
#endif
#ifdef JIT_OPT_HAS_AnnealConversion
  anneal::registerConversionPasses();
#endif
#ifdef JIT_OPT_HAS_AnnealPipelines
  anneal::registerPipelines();
#endif
}
} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::SetVersionPrinter(printVersion);
  llvm::cl::extrahelp examples(kExamples);
  llvm::cl::opt<std::string> input(llvm::cl::Positional, llvm::cl::desc("<input file>"),
                                   llvm::cl::init("-"));
  llvm::cl::opt<std::string> output("o", llvm::cl::desc("Where to write the result"),
                                    llvm::cl::value_desc("filename"), llvm::cl::init("-"));

  DialectRegistry registry;
  registry.insert<anneal::jit::JitDialect>();
  anneal::registerUpstreamDialects(registry);
  anneal::registerUpstreamPasses();
  registerOwnPasses();

  std::string header = registerCLIOptions(
      "Reads a module in MLIR's text or bytecode, runs passes on it, writes the result", registry);
  if (!parseCommandLine(argc, argv, header))
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
  if (!config.shouldDumpPassPipeline() && !isPipelineValid(config))
    return WrongUsage;
  return processFile(input, output, registry, config);
}
