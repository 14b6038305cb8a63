//===- Pipelines.h - One pass pipeline for each stage -----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stages between a loaded module and a plan (DESIGN.md §2). Each has a struct of options, a
// function that adds its passes, and a name in `jit-opt`; piped one after the other, the named
// pipelines give what the engine compiles.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_PIPELINES_PIPELINES_H
#define ANNEAL_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace anneal {

/// Options of `--jit-normalize`.
struct NormalizeOptions : mlir::PassPipelineOptions<NormalizeOptions> {};

/// Adds the normalisation of a whole module to `pm`, which runs on `builtin.module`.
void populateNormalizePipeline(mlir::OpPassManager &pm, const NormalizeOptions &options);

/// Processors that tier `baseline` makes code for: this one, or a level of x86-64.
enum class BaselineTarget { Host, Base, V2, V3, V4 };

/// Options of `--jit-tier-baseline`.
struct BaselineOptions : mlir::PassPipelineOptions<BaselineOptions> {
  Option<BaselineTarget> target{
      *this, "target", llvm::cl::desc("Processor that the code is for"),
      llvm::cl::values(clEnumValN(BaselineTarget::Host, "host", "this one"),
                       clEnumValN(BaselineTarget::Base, "x86-64", "any"),
                       clEnumValN(BaselineTarget::V2, "x86-64-v2", "with SSE4.2"),
                       clEnumValN(BaselineTarget::V3, "x86-64-v3", "with AVX2"),
                       clEnumValN(BaselineTarget::V4, "x86-64-v4", "with AVX-512")),
      llvm::cl::init(BaselineTarget::Host)};
  Option<unsigned> vectorWidth{
      *this, "vector-width",
      llvm::cl::desc("Elements of a vector: 16 for AVX-512, 8 for AVX2; 0: as the target has it"),
      llvm::cl::init(0)};
};

/// Adds tier `baseline` to `pm`, which runs on a module of units (`builtin.module`): what is left
/// is their code in the LLVM dialect. A pure function of a unit's IR and the options. The context
/// has what registerBaselineDialects adds.
void populateBaselinePipeline(mlir::OpPassManager &pm, const BaselineOptions &options);

/// Adds the dialects and interfaces that tier `baseline` needs beside those of units.
void registerBaselineDialects(mlir::DialectRegistry &registry);

/// Options of `--jit-tier-stock`.
struct StockOptions : mlir::PassPipelineOptions<StockOptions> {
  Option<bool> deallocate{*this, "deallocate",
                          llvm::cl::desc("Free buffers: for programs that free none themselves"),
                          llvm::cl::init(true)};
};

/// Registers the passes of MLIR and of stockPipeline (anneal/Pipelines/Tiers.h); once in a process,
/// before any use.
void registerStockPasses();

/// Makes `--jit-tier-stock` and the passes of MLIR known by name.
void registerStockPipeline();

} // namespace anneal

#endif // ANNEAL_PIPELINES_PIPELINES_H
