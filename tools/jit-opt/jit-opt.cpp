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

#include "anneal/Conversion/Passes.h"
#include "anneal/IR/JitDialect.h"
#include "anneal/Pipelines/Pipelines.h"
#include "anneal/Transforms/Passes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
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

  See what the engine makes of a model, stage by stage: normal form, units and their calls, memory,
  and the plan that is run:
    jit-opt model.mlirbc --jit-normalize
    jit-opt model.mlirbc --jit-normalize --jit-form-units
    jit-opt model.mlirbc --jit-normalize --jit-form-units --jit-bufferize-host
    jit-opt model.mlirbc --jit-normalize --jit-form-units --jit-bufferize-host --jit-print-plan -o /dev/null

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

/// What came of writing to `os`: success, or a message about `path`.
ExitCode finish(llvm::raw_fd_ostream &os, StringRef path) {
  os.flush();
  std::error_code error = os.error();
  if (!error)
    return Success;
  os.clear_error();
  return fail(FailedRun, "cannot write '" + path + "': " + error.message());
}

/// Has `write` write to `path`. A file gets its name when it is whole; what isn't a file (standard
/// output, a pipe, a device) is written to directly.
ExitCode writeOutput(StringRef path, function_ref<LogicalResult(raw_ostream &)> write) {
  if (path == "-")
    return failed(write(llvm::outs())) ? FailedRun : finish(llvm::outs(), path);
  if (llvm::sys::fs::exists(path) && !llvm::sys::fs::is_regular_file(path)) {
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    if (error)
      return fail(FailedRun, "cannot open output file '" + path + "': " + error.message());
    return failed(write(os)) ? FailedRun : finish(os, path);
  }
  auto file = llvm::sys::fs::TempFile::create(path + ".%%%%%%%%.tmp");
  if (!file)
    return fail(FailedRun,
                "cannot open output file '" + path + "': " + llvm::toString(file.takeError()));
  ExitCode code = Success;
  {
    llvm::raw_fd_ostream os(file->FD, /*shouldClose=*/false);
    code = failed(write(os)) ? FailedRun : finish(os, path);
  }
  if (code == Success) {
    if (llvm::Error error = file->keep(path))
      return fail(FailedRun, "cannot write '" + path + "': " + llvm::toString(std::move(error)));
    return Success;
  }
  llvm::consumeError(file->discard());
  return code;
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
  return writeOutput(output, [&](raw_ostream &os) {
    return MlirOptMain(os, std::move(buffer), registry, config);
  });
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
  anneal::registerBaselineDialects(registry);
  anneal::registerUpstreamPasses();
  anneal::registerTransformsPasses();
  anneal::registerConversionPasses();
  anneal::registerPipelines();
  anneal::registerStockPipeline();

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
  // A pipeline for another top-level operation, or one that is to be printed, is built once only.
  bool buildsOnce = config.shouldUseExplicitModule() || config.shouldDumpPassPipeline();
  if (!buildsOnce && !isPipelineValid(config))
    return WrongUsage;
  return processFile(input, output, registry, config);
}
