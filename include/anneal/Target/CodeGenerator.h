//===- CodeGenerator.h - From LLVM IR to a code image -----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's code generator writes an object file in memory; its sections are laid out in one
// position-independent image and the relative references between them resolved (DESIGN.md D3).
// There is no JIT session and no dynamic linker: what could not be resolved here is refused, by
// name.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TARGET_CODEGENERATOR_H
#define ANNEAL_TARGET_CODEGENERATOR_H

#include "anneal/Plan/CodeImage.h"
#include "anneal/Target/CpuTarget.h"

#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace anneal::target {

/// Makes code images for one target.
///
/// Not thread-safe, since LLVM's target machines are not: each compile thread owns a generator of
/// its own and keeps it, because the first image of a level costs milliseconds (REQUIREMENTS.md P1)
/// and later ones reuse its target machine and passes. Nothing is shared between generators.
class CodeGenerator {
public:
  /// The error says what of the target LLVM does not know.
  static llvm::Expected<std::unique_ptr<CodeGenerator>> create(const CpuTarget &target);
  ~CodeGenerator();
  CodeGenerator(const CodeGenerator &) = delete;
  CodeGenerator &operator=(const CodeGenerator &) = delete;

  const CpuTarget &target() const;

  /// The machine of a level, for passes that ask about costs; made at its first use. Belongs to the
  /// generator.
  llvm::TargetMachine &machine(llvm::CodeGenOptLevel level);

  /// Compiles a module. The same module, target and level give the same bytes.
  ///
  /// Entries of the image are the functions defined with external linkage and default visibility;
  /// calling convention and signature are the caller's affair. The module is changed: it gets this
  /// target's triple and data layout, its functions lose attributes that name another processor or
  /// ask for unwind tables. No optimisation passes run but those of code generation; at level None
  /// hardly any of these, but registers are allocated for whole functions there too.
  ///
  /// `memcpy`, `memmove` and `memset`, which LLVM calls for its intrinsics, are linked into the
  /// image when needed. Everything else that would keep the image from being moved is an error that
  /// names the culprit: another undefined symbol and the function that wants it (`fmaf`, `expf`, a
  /// half-precision conversion that the target lacks), an absolute address, a writable or
  /// thread-local variable, constructors, exception tables, a use of the global offset table that
  /// can't be turned into a relative one. Errors that LLVM reports itself come back in the same
  /// way.
  llvm::Expected<plan::CodeImage> emit(llvm::Module &module, llvm::CodeGenOptLevel level);

private:
  struct Impl;
  explicit CodeGenerator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace anneal::target

#endif // ANNEAL_TARGET_CODEGENERATOR_H
