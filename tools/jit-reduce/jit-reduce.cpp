//===- jit-reduce.cpp - Make a module that shows a failure smaller --------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-reduce with the jit dialect and this project's passes: passes that try smaller modules and
// keep those that a program of the user's still finds interesting.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Upstream.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Reducer/Passes.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/ParseUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace anneal;

static constexpr llvm::StringLiteral kToolName = "jit-reduce";

static constexpr llvm::StringLiteral kExamples = R"(
EXAMPLES:

  A script that is given the name of a module and exits with 1 where the module is still interesting, for
  instance because a pass still fails on it:
    #!/bin/sh
    jit-opt "$1" --jit-normalize 2>&1 | grep -q 'has no plan' && exit 1
    exit 0

  Leave out operations for as long as it is:
    jit-reduce model.mlir --reduction-tree='traversal-mode=0 test=./check.sh' -o small.mlir

  Have another pass make the module smaller first, where the module stays interesting:
    jit-reduce model.mlir -o small.mlir \
        --opt-reduction-pass='opt-pass=symbol-dce test=./check.sh' \
        --reduction-tree='traversal-mode=0 test=./check.sh'

  With passes of one's own:
    jit-reduce units.mlir --load-pass-plugin=./MyPass.so -o small.mlir \
        --opt-reduction-pass='opt-pass=my-pass test=./check.sh'

Exit code: 0 if the result was written, 1 if that failed, 2 if the command line is wrong.
)";

/// What stands in the braces that `text` begins with.
static StringRef inBraces(StringRef text) {
  size_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '{';
    depth -= text[i] == '}';
    if (depth == 0)
      return i == 0 ? "" : text.slice(1, i);
  }
  return "";
}

/// The value of "test=" among the options of a reduction, "opt-pass={a b} test=./check.sh"; empty
/// if there is none.
static StringRef programIn(StringRef options) {
  for (StringRef rest = options.ltrim(); !rest.empty(); rest = rest.ltrim()) {
    auto [name, value] = rest.split('=');
    bool isBraced = value.starts_with("{");
    StringRef text = isBraced ? inBraces(value) : value.take_until(llvm::isSpace);
    if (name == "test")
      return text;
    rest = value.drop_front(std::min(value.size(), text.size() + (isBraced ? 2 : 0)));
  }
  return "";
}

/// What is wrong with a program that judges modules; empty if nothing is.
static std::string checkProgram(StringRef program) {
  if (program.empty())
    return "no program judges the modules; give test=FILE";
  if (std::error_code error = llvm::sys::fs::access(program, llvm::sys::fs::AccessMode::Exist))
    return ("cannot run '" + program + "': " + error.message()).str();
  if (!llvm::sys::fs::can_execute(program))
    return ("cannot run '" + program + "': it is no program; chmod +x makes a script one").str();
  return "";
}

/// Checks what the reducer takes on trust: a program that can't be run is a fatal error of its.
static std::string checkReductions(PassManager &pm) {
  if (pm.size() == 0)
    return "nothing says how to reduce; give --reduction-tree, --opt-reduction-pass or "
           "--pass-pipeline";
  std::string pipeline;
  llvm::raw_string_ostream os(pipeline);
  pm.printAsTextualPipeline(os);
  for (StringRef name : {"reduction-tree", "opt-reduction-pass"}) {
    StringRef rest = pipeline;
    for (size_t at = rest.find(name); at != StringRef::npos; at = rest.find(name)) {
      rest = rest.drop_front(at + name.size());
      if (std::string wrong = checkProgram(programIn(inBraces(rest))); !wrong.empty())
        return (name + ": " + wrong).str();
    }
  }
  return "";
}

/// Runs the passes. What they say of modules that they try and that turn out wrong is kept back,
/// unless they fail.
static LogicalResult runQuietly(PassManager &pm, Operation *op) {
  std::vector<Diagnostic> said;
  LogicalResult result = success();
  {
    ScopedDiagnosticHandler keep(op->getContext(), [&](Diagnostic &one) {
      if (one.getSeverity() != DiagnosticSeverity::Error)
        return failure();
      said.push_back(std::move(one));
      return success();
    });
    result = pm.run(op);
  }
  if (failed(result))
    for (Diagnostic &one : said)
      op->getContext()->getDiagEngine().emit(std::move(one));
  return result;
}

static ExitCode reduce(StringRef input, StringRef output, bool explicitModule,
                       DialectRegistry &registry, PassPipelineCLParser &pipeline) {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  PassManager pm(&context, explicitModule ? PassManager::getAnyOpAnchorName()
                                          : StringRef(ModuleOp::getOperationName()));
  context.printOpOnDiagnostic(false);
  std::string wrong;
  auto report = [&](const Twine &message) {
    wrong = message.str();
    return failure();
  };
  if (failed(pipeline.addToPipeline(pm, report)))
    return fail(kToolName, WrongUsage, wrong);
  if (std::string error = checkReductions(pm); !error.empty())
    return fail(kToolName, WrongUsage, error);
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(input, &message);
  if (!buffer)
    return fail(kToolName, FailedRun, message);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(*sources, &context);
  OwningOpRef<Operation *> module = parseSourceFileForTool(sources, &context, !explicitModule);
  if (!module || failed(runQuietly(pm, *module)))
    return FailedRun;
  return writeOutput(kToolName, output, [&](raw_ostream &os) {
    module->print(os);
    os << "\n";
    return success();
  });
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  setVersion(kToolName);
  llvm::cl::extrahelp examples(kExamples);
  llvm::cl::OptionCategory category("jit-reduce options");
  llvm::cl::opt<std::string> input(llvm::cl::Positional, llvm::cl::desc("<input file>"),
                                   llvm::cl::init("-"), llvm::cl::cat(category));
  llvm::cl::opt<std::string> output("o", llvm::cl::desc("Where to write the result"),
                                    llvm::cl::value_desc("filename"), llvm::cl::init("-"),
                                    llvm::cl::cat(category));
  llvm::cl::opt<bool> explicitModule("no-implicit-module",
                                     llvm::cl::desc("The input's operation need not be a module"),
                                     llvm::cl::cat(category));
  llvm::cl::list<std::string> plugins("load-pass-plugin",
                                      llvm::cl::desc("Load passes from a plugin library"),
                                      llvm::cl::value_desc("library"), llvm::cl::cat(category));
  if (!loadPlugins(kToolName, argc, argv))
    return FailedRun;

  DialectRegistry registry;
  registerToolDialects(registry);
  registerToolPasses();
  registerReducerPasses();
  PassPipelineCLParser pipeline("", "Passes that reduce");
  if (!parseCommandLine(kToolName, argc, argv, "Makes a module that shows a failure smaller\n"))
    return WrongUsage;
  return reduce(input, output, explicitModule, registry, pipeline);
}
