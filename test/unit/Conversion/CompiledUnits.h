//===- CompiledUnits.h - Units compiled at tier baseline --------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One `jit.unit` given as text becomes both a plan::Unit, for the interpreter, and machine code,
// and both run on the same tensors.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TEST_UNIT_CONVERSION_COMPILEDUNITS_H
#define ANNEAL_TEST_UNIT_CONVERSION_COMPILEDUNITS_H

#include "Reference.h"

#include "anneal/Plan/CodeImage.h"
#include "anneal/Runtime/Code/InstalledCode.h"

#include "llvm/Support/CodeGen.h"

#include <memory>
#include <string>
#include <vector>

namespace anneal::test {

/// A target and how code is made for it.
struct CompileSetup {
  std::string target = "host";
  unsigned vectorWidth = 16;
  llvm::CodeGenOptLevel level = llvm::CodeGenOptLevel::None;
};

/// Setups whose code this processor can run: vectors of 16 (AVX-512) and of 8 (AVX2).
std::vector<CompileSetup> runnableSetups();

/// A unit in both forms.
struct CompiledUnit {
  plan::Unit unit;
  plan::CodeImage image;
  std::shared_ptr<const runtime::InstalledCode> code;
  /// By number of the structured operation; null where it has none.
  std::vector<AnnealBoxFn> bodies;
  /// Remarks about operations without code.
  std::string remarks;
  /// Milliseconds to the LLVM dialect, to LLVM IR, to the image.
  double lowerMs = 0, translateMs = 0, emitMs = 0;
  /// Name of the unit.
  std::string name;
};

/// Compiles units, one after the other, in a context that stays.
class UnitCompiler {
public:
  explicit UnitCompiler(const CompileSetup &setup);
  ~UnitCompiler();

  /// The only unit in `text`; fails the test if it can't be had.
  std::unique_ptr<CompiledUnit> compile(const std::string &text);
  /// All units in a module.
  std::vector<std::unique_ptr<CompiledUnit>> compileAll(const std::string &text);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// Runs the compiled unit on tensors (inputs, then outputs). `numBoxes`, if not null, becomes the
/// number of calls of its bodies.
runtime::test::RunResult runCompiled(const CompiledUnit &compiled,
                                     std::vector<runtime::test::TestTensor> &tensors,
                                     const std::vector<uint64_t> &scalars = {},
                                     unsigned numThreads = 1, int *numBoxes = nullptr);
/// Runs the interpreter.
runtime::test::RunResult runInterpreted(const CompiledUnit &compiled,
                                        std::vector<runtime::test::TestTensor> &tensors,
                                        const std::vector<uint64_t> &scalars = {});

/// Runs both and expects the same status and the same bits in all tensors. Returns the number of
/// calls of bodies.
int expectSameBits(const CompiledUnit &compiled,
                   const std::vector<runtime::test::TestTensor> &tensors,
                   const std::vector<uint64_t> &scalars = {}, unsigned numThreads = 1);

} // namespace anneal::test

#endif // ANNEAL_TEST_UNIT_CONVERSION_COMPILEDUNITS_H
