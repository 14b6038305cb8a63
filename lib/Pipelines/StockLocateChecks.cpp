//===- StockLocateChecks.cpp - Messages of checks -------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Pipelines/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;

namespace anneal {
#define GEN_PASS_DEF_STOCKLOCATECHECKS
#include "anneal/Pipelines/Passes.h.inc"

/// "file:line:col: error: ", or nothing where the place is unknown.
static std::string prefixOf(Location location) {
  std::string prefix;
  location->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    llvm::raw_string_ostream(prefix) << file.getFilename().strref() << ":" << file.getLine() << ":"
                                     << file.getColumn() << ": error: ";
    return WalkResult::interrupt();
  });
  return prefix;
}

/// The name in the text of an operation, in whichever form it was printed.
static StringRef nameIn(StringRef text) {
  if (text.starts_with("%"))
    text = text.split(" = ").second;
  text.consume_front("\"");
  return text.take_until([](char c) { return c == ' ' || c == '"' || c == '('; });
}

/// What `generate-runtime-verification` has to say, in one line; other messages come with "assert
/// failed".
static std::string textOf(StringRef message) {
  if (!message.consume_front("ERROR: Runtime op verification failed\n"))
    return ("assert failed: " + message).str();
  auto [op, rest] = message.split("\n^ ");
  StringRef problem = rest.take_until([](char c) { return c == '\n'; });
  return (problem + ": '" + nameIn(op) + "'").str();
}

namespace {
struct StockLocateChecks : impl::StockLocateChecksBase<StockLocateChecks> {
  void runOnOperation() override {
    getOperation().walk(
        [](cf::AssertOp op) { op.setMsg(prefixOf(op.getLoc()) + textOf(op.getMsg())); });
  }
};
} // namespace

} // namespace anneal
