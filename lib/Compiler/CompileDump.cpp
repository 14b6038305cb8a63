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

/// A unit's name as jit-extract-unit takes it.
std::string unitOption(StringRef name) {
  std::string text;
  for (char c : name)
    text += llvm::isAlnum(c) || c == '_' || c == '.' || c == '-'
                ? std::string(1, c)
                : "%" + llvm::toHex(StringRef(&c, 1));
  return text;
}

/// Text of one line for a shell's comment.
std::string inComment(std::string text) {
  for (char &c : text)
    c = llvm::isPrint(c) || static_cast<signed char>(c) < 0 ? c : '?';
  return text;
}

/// A path that holds in any folder.
std::string absolute(StringRef path) {
  SmallString<128> whole(path);
  llvm::sys::fs::make_absolute(whole);
  return std::string(whole);
}

/// As `jit-opt` writes a module.
std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
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

/// A shell script; run anywhere, it prints what UNIT.TIER.out.mlir has.
std::string CompileDump::script(StringRef unit) const {
  std::string plugins;
  for (const std::string &plugin : options.passPlugins) {
    // A bare name is looked up along the library path.
    bool isPath = StringRef(plugin).contains('/');
    plugins += " " + quoted("--load-pass-plugin=" + (isPath ? absolute(plugin) : plugin));
  }
  std::string pipeline = plugins + " " + quoted("--pass-pipeline=" + tier.pipeline);
  std::string text = "#!/bin/sh\n# What tier " + tier.name + " makes of this unit.\n";
  if (!options.model.empty())
    text += "# From the model on:\n#   jit-opt " + inComment(quoted(absolute(options.model))) +
            " --jit-normalize | jit-opt --jit-form-units |\n#     jit-opt " +
            quoted("--jit-extract-unit=unit=" + unitOption(unit)) + " | jit-opt" +
            inComment(pipeline) + "\n";
  return text + "cd \"$(dirname \"$0\")\" && exec jit-opt " + quoted("./" + stem + ".in.mlir") +
         pipeline + "\n";
}

void CompileDump::begin(ModuleOp module, StringRef unit, std::vector<std::string> &diagnostics) {
  stem = fileNameOf(unit) + "." + tier.name;
  llvm::sys::fs::remove(path(".out.mlir"));
  llvm::sys::fs::remove(path(".crash.mlir"));
  write(".in.mlir", textOf(module), diagnostics);
  write(".sh", script(unit), diagnostics);
  (void)llvm::sys::fs::setPermissions(path(".sh"), llvm::sys::fs::perms(0755));
}

void CompileDump::end(ModuleOp module, std::vector<std::string> &diagnostics) {
  write(".out.mlir", textOf(module), diagnostics);
}

ReproducerStreamFactory CompileDump::reproducer() {
  return [this](std::string &error) { return openReproducer(path(".crash.mlir"), error); };
}

} // namespace anneal::compiler
