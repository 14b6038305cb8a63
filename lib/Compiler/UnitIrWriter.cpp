//===- UnitIrWriter.cpp - The IR of a plan's units, for later -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitIrWriter.h"

#include "anneal/IR/JitDialect.h"
#include "anneal/IR/JitOps.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "llvm/Support/raw_ostream.h"

#include <sys/resource.h>
#include <unistd.h>

using namespace mlir;

namespace anneal::compiler {

UnitIrWriter::UnitIrWriter(std::unique_ptr<MLIRContext> ownedContext,
                           OwningOpRef<ModuleOp> ownedModule, std::shared_ptr<const void> source)
    : context(std::move(ownedContext)), module(std::move(ownedModule)), source(std::move(source)) {
  worker = std::thread([this] { work(); });
}

UnitIrWriter::~UnitIrWriter() { bytecode(); }

const std::string &UnitIrWriter::bytecode() {
  std::lock_guard<std::mutex> lock(mutex);
  if (worker.joinable())
    worker.join();
  return bytes;
}

void UnitIrWriter::work() {
  // The first calls go first.
  constexpr int kNice = 10;
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNice);
  OwningOpRef<ModuleOp> units = ModuleOp::create(UnknownLoc::get(context.get()));
  for (Operation &op : llvm::make_early_inc_range(*module->getBody()))
    if (isa<jit::UnitOp>(op))
      op.moveBefore(units->getBody(), units->getBody()->end());
  module = nullptr;
  llvm::raw_string_ostream stream(bytes);
  if (failed(writeBytecodeToFile(*units, stream)))
    bytes.clear();
  units = nullptr;
  context = nullptr;
  source = nullptr;
}

} // namespace anneal::compiler
