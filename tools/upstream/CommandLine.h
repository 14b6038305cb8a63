//===- CommandLine.h - What the command lines of tools share ----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TOOLS_UPSTREAM_COMMANDLINE_H
#define ANNEAL_TOOLS_UPSTREAM_COMMANDLINE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <string>
#include <vector>

namespace anneal {

/// Exit codes, the same in every tool.
enum ExitCode { Success = 0, FailedRun = 1, WrongUsage = 2 };

/// Prints "TOOL: error: MESSAGE" and gives back the code.
ExitCode fail(llvm::StringRef tool, ExitCode code, const llvm::Twine &message);

/// Has --version print the tool, its version, LLVM's and the machine. `tool` is kept.
void setVersion(llvm::StringRef tool);

/// Reads the command line into LLVM's options. What is wrong with it is reported in the form of all
/// other errors, and false comes back.
bool parseCommandLine(llvm::StringRef tool, int argc, char **argv, llvm::StringRef overview);

/// Has `write` write to `path`. A file gets its name when it is whole; what isn't a file (standard
/// output "-", a pipe, a device) is written to directly.
ExitCode writeOutput(llvm::StringRef tool, llvm::StringRef path,
                     llvm::function_ref<llvm::LogicalResult(llvm::raw_ostream &)> write);

/// Has the pass plugins that the command line names with --load-pass-plugin make their passes
/// known, which become options, so that this comes before the command line is read; and loads the
/// dialect plugins that it names. False, with a message, if one of them can't be used, which MLIR's
/// own reading of these options would pass over.
bool loadPlugins(llvm::StringRef tool, int argc, char **argv);

} // namespace anneal

#endif // ANNEAL_TOOLS_UPSTREAM_COMMANDLINE_H
