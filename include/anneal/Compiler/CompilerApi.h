//===- CompilerApi.h - How the engine calls the compiler half ---*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler half is the shared library libAnnealCompiler.so. It exports one symbol,
// `annealGetCompilerApi`, and is opened when it is first needed. This header is all that the engine
// sees of it: plain data, no MLIR and no LLVM. Both are built together, so C++ types may cross.
//
// libAnnealWorkbench.so is the same on the shared libraries of MLIR and LLVM: with all of MLIR's
// passes and with those of plugins. It is opened in the other's place where a pipeline is replaced.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_COMPILER_COMPILERAPI_H
#define ANNEAL_COMPILER_COMPILERAPI_H

#include "anneal/Plan/CodeImage.h"
#include "anneal/Plan/Plan.h"
#include "anneal/Support/Tier.h"
#include "anneal/Support/TierSpec.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace anneal::compiler {

/// Changes whenever a struct below or a plan struct changes.
inline constexpr uint32_t kCompilerApiVersion = 5;

/// A module to plan: a file, or text or bytecode in memory.
struct Source {
  /// File name; also what messages call the source. With `bytes`, only the latter.
  std::string name;
  const std::string *bytes = nullptr;
};

struct PlanOptions {
  /// Folder that gets the module after each stage (`1-normalize.mlir`, ...), and where a pass fails
  /// or crashes a reproducer (`1-normalize.crash.mlir`); empty: none.
  std::string dumpDirectory;
  /// Functions with operations of dialects that are not known here become foreign. The source is
  /// what StockApi::read gave.
  bool acceptUnknownDialects = false;
};

/// Milliseconds spent in each stage.
struct PlanTimes {
  double parse = 0;
  double normalize = 0;
  double form = 0;
  double bufferize = 0;
  double build = 0;
};

/// The IR of a plan's units: one module with all `jit.unit`s, as MLIR bytecode. A thread of its own
/// writes it while the program already answers. Thread-safe.
class UnitIr {
public:
  virtual ~UnitIr() = default;
  /// Waits until it is written.
  virtual const std::string &bytecode() = 0;
};

struct UnitCompileOptions {
  /// "host", or a level of x86-64 (anneal/Target/CpuTarget.h).
  std::string target = "host";
  /// What is put in the place of tiers' own pipelines and options, at most one for each.
  std::vector<TierOverride> tiers;
  /// Paths of MLIR pass plugins whose passes pipelines may name. Only libAnnealWorkbench.so takes
  /// any.
  std::vector<std::string> passPlugins;
  /// Folder that gets, for each compile, the IR that goes in and the module that comes out, with
  /// the line for `jit-opt` that does the same, and a reproducer where a pass fails or crashes;
  /// empty: none. Files are named UNIT.TIER.in.mlir, UNIT.TIER.out.mlir, UNIT.TIER.sh and
  /// UNIT.TIER.crash.mlir.
  std::string dumpDirectory;
  /// File name of the model, for that line; empty: not known.
  std::string model;
};

/// Milliseconds that a pass took, on all that it ran on.
struct PassTime {
  std::string name;
  double ms = 0;
};

/// What became of a unit. The same IR, tier and target give the same bytes.
struct UnitCompileResult {
  bool ok = false;
  /// Entry "unit" is an AnnealUnitFn.
  plan::CodeImage image;
  /// Operations of the unit that got code of their own; 0: nothing to gain, and no image.
  uint32_t numBodies = 0;
  /// Errors; remarks that say why an operation got no code.
  std::vector<std::string> diagnostics;
  /// In the order in which they first ran; behind the passes what LLVM did, as
  /// "translate-to-llvm-ir" and "llvm-code-generation".
  std::vector<PassTime> passes;
};

/// Compiles the units of one plan. Not thread-safe: a compile thread has one of its own, and keeps
/// it, since the first compile of a context is dear.
class UnitCompiler {
public:
  virtual ~UnitCompiler() = default;
  /// `unit`: its name in the plan.
  virtual void compile(const std::string &unit, Tier tier, UnitCompileResult &result) = 0;
};

/// What became of a source.
struct PlanResult {
  bool ok = false;
  /// The source could not be opened (the message says why), as opposed to being wrong.
  bool notFound = false;
  /// The source names a dialect that is not known here; the stock library may know it.
  bool hasUnknownDialects = false;
  plan::Module module;
  std::shared_ptr<UnitIr> unitIr;
  PlanTimes times;
  /// "file:line:col: error: ..." and warnings, in order; without a place: "error: ...".
  std::vector<std::string> diagnostics;
};

struct CompilerApi {
  uint32_t version;
  /// "22.1.8".
  const char *llvmVersion;
  /// Reads, normalises, forms units and plans. Thread-safe; nothing of it outlives the call but
  /// what the result owns.
  void (*planModule)(const Source &source, const PlanOptions &options, PlanResult &result);
  /// A compiler of the units whose IR this is; null, with a message, if it or the target can't be
  /// used. Thread-safe.
  std::unique_ptr<UnitCompiler> (*makeUnitCompiler)(const std::string &unitIr,
                                                    const UnitCompileOptions &options,
                                                    std::string &error);
  /// Whether the tiers and plugins of these options can be used; if not, `error` names the tier and
  /// shows the place in its pipeline. Thread-safe.
  bool (*checkTiers)(const UnitCompileOptions &options, std::string &error);
};

using GetCompilerApiFn = const CompilerApi *(*)();

} // namespace anneal::compiler

/// The table. Of a library of another version only `version` may be read, which comes first in all.
extern "C" const anneal::compiler::CompilerApi *annealGetCompilerApi();

#endif // ANNEAL_COMPILER_COMPILERAPI_H
