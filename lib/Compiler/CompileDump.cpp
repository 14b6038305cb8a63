//===- CompileDump.cpp - Files that show a compile ------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileDump.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace anneal::compiler {
namespace {

/// Longest part of a unit's name that a file's name gets.
constexpr size_t kLongestName = 120;

/// A file name for a unit: its own name, or where that can't be one, what can and a hash.
std::string fileNameOf(StringRef unit) {
  std::string name;
  for (char c : unit.take_front(kLongestName))
    name += llvm::isAlnum(c) || c == '_' || c == '-' || (c == '.' && !name.empty()) ? c : '_';
  if (name != unit)
    name += "-" + llvm::utohexstr(llvm::xxh3_64bits(unit), /*LowerCase=*/true);
  return name;
}

/// One word of a shell's command line.
std::string quoted(StringRef word) {
  std::string text = "'";
  for (char c : word)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// A name as jit-extract-unit and jit-extract-function take it.
std::string nameOption(StringRef name) {
  std::string text;
  for (char c : name)
    text += llvm::isAlnum(c) || c == '_' || c == '.' || c == '-'
                ? std::string(1, c)
                : "%" + llvm::toHex(StringRef(&c, 1));
  return text;
}

/// A line of a shell's comments.
std::string commentLine(std::string text) {
  for (char &c : text)
    c = llvm::isPrint(c) || static_cast<signed char>(c) < 0 ? c : '?';
  return "#   " + text + "\n";
}

/// A path that holds in any folder.
std::string absolute(StringRef path) {
  SmallString<128> whole(path);
  llvm::sys::fs::make_absolute(whole);
  return std::string(whole);
}

/// As `jit-opt` writes a module; with places, as --mlir-print-debuginfo has it write them.
std::string textOf(ModuleOp module, bool withPlaces = false) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().enableDebugInfo(withPlaces));
  return text + "\n";
}

class FileReproducer final : public ReproducerStream {
public:
  explicit FileReproducer(std::unique_ptr<llvm::ToolOutputFile> file) : file(std::move(file)) {}
  ~FileReproducer() override { file->keep(); }
  StringRef description() override { return file->getFilename(); }
  raw_ostream &os() override { return file->os(); }

private:
  const std::unique_ptr<llvm::ToolOutputFile> file;
};

} // namespace

std::unique_ptr<ReproducerStream> openReproducer(const std::string &path, std::string &error) {
  std::error_code code;
  auto file = std::make_unique<llvm::ToolOutputFile>(path, code, llvm::sys::fs::OF_Text);
  if (!code)
    return std::make_unique<FileReproducer>(std::move(file));
  error = "cannot write '" + path + "': " + code.message();
  return nullptr;
}

std::string CompileDump::path(StringRef kind) const {
  SmallString<128> path(options.dumpDirectory);
  llvm::sys::path::append(path, stem + kind);
  return std::string(path);
}

void CompileDump::write(StringRef kind, StringRef text, std::vector<std::string> &diagnostics) {
  std::string file = path(kind);
  std::error_code made = llvm::sys::fs::create_directories(options.dumpDirectory);
  llvm::Error error =
      made ? llvm::errorCodeToError(made) : llvm::writeToOutput(file, [&](raw_ostream &os) {
        os << text;
        return llvm::Error::success();
      });
  if (error)
    diagnostics.push_back("warning: cannot write '" + file +
                          "': " + llvm::toString(std::move(error)));
}

/// A comment that makes UNIT.TIER.out.mlir of the model.
std::string CompileDump::fromModel(StringRef name, StringRef lastStep) const {
  std::string option = nameOption(name);
  if (subject == Subject::Unit)
    return commentLine("jit-opt " + quoted(absolute(options.model)) +
                       " --jit-normalize | jit-opt --jit-form-units |") +
           commentLine("  jit-opt " + quoted("--jit-extract-unit=unit=" + option) + " | jit-opt" +
                       lastStep.str());
  // The code has messages with places, and these have the model's name as it was given.
  return commentLine("cd " + quoted(absolute("")) + " && jit-opt " + quoted(options.model) + " " +
                     quoted("--jit-extract-function=function=" + option) +
                     " --mlir-print-debuginfo |") +
         commentLine("  jit-opt" + lastStep.str());
}

/// A shell script; run anywhere, it prints what UNIT.TIER.out.mlir has.
std::string CompileDump::script(StringRef name) const {
  std::string lastStep;
  for (const std::string &plugin : options.passPlugins) {
    // A bare name is looked up along the library path.
    bool isPath = StringRef(plugin).contains('/');
    lastStep += " " + quoted("--load-pass-plugin=" + (isPath ? absolute(plugin) : plugin));
  }
  lastStep += " " + quoted("--pass-pipeline=" + tier.pipeline);
  std::string text = "#!/bin/sh\n# What tier " + tier.name + " makes of this " +
                     (subject == Subject::Unit ? "unit" : "function") + ".\n";
  if (!options.model.empty())
    text += "# From the model on:\n" + fromModel(name, lastStep);
  return text + "cd \"$(dirname \"$0\")\" && exec jit-opt " + quoted("./" + stem + ".in.mlir") +
         lastStep + "\n";
}

void CompileDump::begin(ModuleOp module, StringRef name, std::vector<std::string> &diagnostics) {
  stem = fileNameOf(name) + "." + tier.name;
  llvm::sys::fs::remove(path(".out.mlir"));
  llvm::sys::fs::remove(path(".crash.mlir"));
  // Messages in the code of a function have places: they come from there.
  write(".in.mlir", textOf(module, /*withPlaces=*/subject == Subject::Function), diagnostics);
  write(".sh", script(name), diagnostics);
  (void)llvm::sys::fs::setPermissions(path(".sh"), llvm::sys::fs::perms(0755));
}

void CompileDump::end(ModuleOp module, std::vector<std::string> &diagnostics) {
  write(".out.mlir", textOf(module), diagnostics);
}

ReproducerStreamFactory CompileDump::reproducer() {
  return [this](std::string &error) { return openReproducer(path(".crash.mlir"), error); };
}

} // namespace anneal::compiler
