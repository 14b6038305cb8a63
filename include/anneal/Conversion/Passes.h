//===- Passes.h - From normalised programs to plans -------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that form units and bufferise what is around them (DESIGN.md §2). Passes.td says of each
// what it does and what it leaves; buildPlan (PlanBuilder.h) takes it from there.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_CONVERSION_PASSES_H
#define ANNEAL_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

#include <memory>
#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace anneal {

/// What jit-specialize-shapes makes of a shape that a profile has: its sizes, or their buckets.
enum class ShapeMode { Exact, Bucket };

#define GEN_PASS_DECL
#include "anneal/Conversion/Passes.h.inc"

/// Options of `--jit-form-units`.
struct FormUnitsOptions : mlir::PassPipelineOptions<FormUnitsOptions> {};

/// Adds to `pm`, which runs on `builtin.module`, what cuts functions into units: regions around
/// what should run together, and units of them.
void populateFormUnitsPipeline(mlir::OpPassManager &pm, const FormUnitsOptions &options);

/// Options of `--jit-bufferize-host`.
struct BufferizeHostOptions : mlir::PassPipelineOptions<BufferizeHostOptions> {};

/// Adds to `pm`, which runs on `builtin.module`, what turns the tensors of functions (not those in
/// units) into buffers.
void populateBufferizeHostPipeline(mlir::OpPassManager &pm, const BufferizeHostOptions &options);

/// Makes every pass of Passes.td, and the pipelines `jit-form-units` and `jit-bufferize-host`,
/// known to the global registry (`jit-opt`, textual pipelines).
void registerConversionPasses();

} // namespace anneal

#endif // ANNEAL_CONVERSION_PASSES_H
