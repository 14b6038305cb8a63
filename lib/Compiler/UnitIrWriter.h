//===- UnitIrWriter.h - The IR of a plan's units, for later -----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_COMPILER_UNITIRWRITER_H
#define ANNEAL_LIB_COMPILER_UNITIRWRITER_H

#include "anneal/Compiler/CompilerApi.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace anneal::compiler {

/// Takes a planned module apart on a thread of its own: writes its units as bytecode, then destroys
/// module and context, which nobody has to wait for either.
class UnitIrWriter final : public UnitIr {
public:
  /// `source`: memory that attributes of the module refer to.
  UnitIrWriter(std::unique_ptr<mlir::MLIRContext> context, mlir::OwningOpRef<mlir::ModuleOp> module,
               std::shared_ptr<const void> source);
  ~UnitIrWriter() override;

  const std::string &bytecode() override;

private:
  void work();

  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::shared_ptr<const void> source;
  std::string bytes;
  /// Guards joining `worker`; `bytes` is complete once it is joined.
  std::mutex mutex;
  std::thread worker;
};

} // namespace anneal::compiler

#endif // ANNEAL_LIB_COMPILER_UNITIRWRITER_H
