//===- Tiers.h - The tiers and their pipelines as text ----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tier that compiles is a TierSpec. What the engine runs, what `jit-opt --print-tier-pipeline`
// prints and what `--jit-tier-baseline` adds is the same text.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_PIPELINES_TIERS_H
#define ANNEAL_PIPELINES_TIERS_H

#include "anneal/Support/CpuFeatures.h"
#include "anneal/Support/TierSpec.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace anneal {

/// Tiers that have a pipeline: `baseline` for units, `stock` for functions that units can't
/// express.
llvm::ArrayRef<llvm::StringRef> tierNames();

/// The tier as it is unless it is replaced, for a processor of that level; empty if there is none
/// of that name.
std::optional<TierSpec> tierSpec(llvm::StringRef name, CpuLevel level);

/// "there is no tier 'x' ...; there is baseline, stock".
std::string unknownTierMessage(llvm::StringRef name);

/// Baseline's pipeline. `vectorWidth`: elements, 8 or 16.
std::string baselinePipeline(unsigned vectorWidth);
/// Elements of a vector on a processor of that level.
unsigned vectorWidthOf(CpuLevel level);

/// Stock's pipeline. `deallocate`: buffers are freed, for programs that free none themselves.
std::string stockPipeline(bool deallocate);
/// That for modules with operations of `sparse_tensor`: MLIR's sparsifier, with the storage of its
/// runner library.
std::string stockSparsePipeline();

/// Adds the passes of a pipeline to `pm`, which runs on a module: "builtin.module(a,b)", or its
/// passes alone, "a,b". The passes are those of the registry. On failure `error` says what is wrong
/// and where, and `pm` is not to be run.
mlir::LogicalResult parseTierPipeline(llvm::StringRef text, mlir::OpPassManager &pm,
                                      std::string &error);

/// Such a pipeline as --pass-pipeline takes it, "builtin.module(a,b)".
std::string anchoredPipeline(llvm::StringRef text);

/// Makes the passes that baseline's pipeline names, and the others of this project but for
/// stock's, known to the registry, with the pipelines `jit-normalize`, `jit-bufferize-host` and
/// `jit-tier-baseline`. Thread-safe; more than once is once.
void registerTierPasses();

} // namespace anneal

#endif // ANNEAL_PIPELINES_TIERS_H
