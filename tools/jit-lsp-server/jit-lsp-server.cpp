//===- jit-lsp-server.cpp - MLIR in editors, with the jit dialect ---------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-lsp-server with the jit dialect: errors as one types, definitions and uses, what a name is.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Upstream.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace anneal;

static constexpr llvm::StringLiteral kToolName = "jit-lsp-server";

static constexpr llvm::StringLiteral kExamples = R"(
EXAMPLES:

  Editors start it and speak the Language Server Protocol with it on standard input and output.
    VS Code, extension "MLIR", in settings.json:
      "mlir.server_path": "/path/to/jit-lsp-server"
    Neovim:
      vim.lsp.start({ name = "anneal", cmd = { "jit-lsp-server" }, root_dir = vim.fn.getcwd() })

  See what is said:
    jit-lsp-server --log=verbose 2> server.log

Exit code: 0 after an orderly end, 1 if the client broke off, 2 if the command line is wrong.
)";

/// MLIR's server reads the command line itself and would end with 1 where it is wrong.
static bool isCommandLineValid(ArrayRef<char *> arguments) {
  static constexpr llvm::StringLiteral known[] = {
      "color",       "h",        "help", "help-hidden", "help-list", "help-list-hidden",
      "input-style", "lit-test", "log",  "pretty",      "version"};
  for (StringRef argument : arguments) {
    StringRef name = argument;
    name.consume_front("-");
    name.consume_front("-");
    name = name.split('=').first;
    if (argument.starts_with("-") && llvm::is_contained(known, name))
      continue;
    fail(kToolName, WrongUsage,
         "unknown argument '" + argument + "'; there is --" +
             llvm::join(llvm::ArrayRef(known).drop_front(6), ", --"));
    return false;
  }
  return true;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  setVersion(kToolName);
  llvm::cl::extrahelp examples(kExamples);
  if (!isCommandLineValid(llvm::ArrayRef(argv, argc).drop_front()))
    return WrongUsage;
  DialectRegistry registry;
  registerToolDialects(registry);
  return failed(MlirLspServerMain(argc, argv, registry)) ? FailedRun : Success;
}
