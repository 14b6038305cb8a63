//===- Diagnostics.cpp - Messages of MLIR as plain text -------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace anneal::compiler {

static StringRef nameOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  return "error";
}

std::string prefixOf(Location location) {
  std::string prefix;
  location->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    llvm::raw_string_ostream os(prefix);
    os << file.getFilename().strref();
    if (file.getLine() > 0)
      os << ":" << file.getLine() << ":" << file.getColumn();
    os << ": ";
    return WalkResult::interrupt();
  });
  return prefix;
}

static std::string textOf(const Diagnostic &diagnostic) {
  return prefixOf(diagnostic.getLocation()) + nameOf(diagnostic.getSeverity()).str() + ": " +
         diagnostic.str();
}

DiagnosticCollector::DiagnosticCollector(MLIRContext *context, std::vector<std::string> &messages)
    : handler(context, [&messages](Diagnostic &diagnostic) {
        messages.push_back(textOf(diagnostic));
        for (Diagnostic &note : diagnostic.getNotes())
          messages.push_back(textOf(note));
        return success();
      }) {}

} // namespace anneal::compiler
