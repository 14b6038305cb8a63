//===- CommandLine.cpp - What the command lines of tools share ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;

namespace anneal {

ExitCode fail(StringRef tool, ExitCode code, const Twine &message) {
  llvm::errs() << tool << ": error: " << message << "\n";
  return code;
}

void setVersion(StringRef tool) {
  llvm::cl::SetVersionPrinter([tool](raw_ostream &os) {
    SmallVector<std::string> enabled;
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      if (feature.getValue())
        enabled.push_back(feature.getKey().str());
    llvm::sort(enabled);
    os << tool << " (Anneal) " << ANNEAL_VERSION << "\n"
       << "LLVM " << LLVM_VERSION_STRING << "\n"
       << "Target: " << llvm::sys::getProcessTriple() << "\n"
       << "CPU: " << llvm::sys::getHostCPUName() << " (" << llvm::join(enabled, " ") << ")\n";
  });
}

bool parseCommandLine(StringRef tool, int argc, char **argv, StringRef overview) {
  std::string text;
  llvm::raw_string_ostream errors(text);
  if (llvm::cl::ParseCommandLineOptions(argc, argv, overview, &errors))
    return true;
  std::string prefix = (llvm::sys::path::filename(argv[0]) + ": ").str();
  StringRef message(text);
  message.consume_front(prefix);
  fail(tool, WrongUsage, message.trim());
  return false;
}

/// What came of writing to `os`: success, or a message about `path`.
static ExitCode finish(StringRef tool, llvm::raw_fd_ostream &os, StringRef path) {
  os.flush();
  std::error_code error = os.error();
  if (!error)
    return Success;
  os.clear_error();
  return fail(tool, FailedRun, "cannot write '" + path + "': " + error.message());
}

ExitCode writeOutput(StringRef tool, StringRef path,
                     function_ref<LogicalResult(raw_ostream &)> write) {
  if (path == "-")
    return failed(write(llvm::outs())) ? FailedRun : finish(tool, llvm::outs(), path);
  if (llvm::sys::fs::exists(path) && !llvm::sys::fs::is_regular_file(path)) {
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    if (error)
      return fail(tool, FailedRun, "cannot open output file '" + path + "': " + error.message());
    return failed(write(os)) ? FailedRun : finish(tool, os, path);
  }
  auto file = llvm::sys::fs::TempFile::create(path + ".%%%%%%%%.tmp");
  if (!file)
    return fail(tool, FailedRun,
                "cannot open output file '" + path + "': " + llvm::toString(file.takeError()));
  ExitCode code = Success;
  {
    llvm::raw_fd_ostream os(file->FD, /*shouldClose=*/false);
    code = failed(write(os)) ? FailedRun : finish(tool, os, path);
  }
  if (code == Success) {
    if (llvm::Error error = file->keep(path))
      return fail(tool, FailedRun,
                  "cannot write '" + path + "': " + llvm::toString(std::move(error)));
    return Success;
  }
  llvm::consumeError(file->discard());
  return code;
}

/// Values of an option, "--name=value" or "--name value", also with one dash.
static std::vector<std::string> valuesOf(ArrayRef<char *> arguments, StringRef name) {
  std::vector<std::string> values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (argument == "--")
      break;
    if (!argument.consume_front("-"))
      continue;
    argument.consume_front("-");
    if (!argument.consume_front(name))
      continue;
    if (argument.consume_front("="))
      values.push_back(argument.str());
    else if (argument.empty() && i + 1 < arguments.size())
      values.push_back(arguments[++i]);
  }
  return values;
}

bool loadPlugins(StringRef tool, int argc, char **argv) {
  ArrayRef<char *> arguments = ArrayRef(argv, argc).drop_front();
  for (const std::string &path : valuesOf(arguments, "load-dialect-plugin")) {
    if (llvm::Error error = DialectPlugin::load(path).takeError()) {
      fail(tool, FailedRun,
           "cannot load dialect plugin '" + path + "': " + llvm::toString(std::move(error)));
      return false;
    }
  }
  for (const std::string &path : valuesOf(arguments, "load-pass-plugin")) {
    auto plugin = PassPlugin::load(path);
    if (!plugin) {
      fail(tool, FailedRun,
           "cannot load pass plugin '" + path + "': " + llvm::toString(plugin.takeError()));
      return false;
    }
    plugin->registerPassRegistryCallbacks();
  }
  return true;
}

} // namespace anneal
