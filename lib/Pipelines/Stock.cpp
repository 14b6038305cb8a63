//===- Stock.cpp - From whole functions to the LLVM dialect ===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Pipelines/Pipelines.h"
#include "anneal/Pipelines/StockPrepare.h"

#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

/// Down to structured operations on tensors, vectors and buffers.
static constexpr char kToBuffers[] =
    "jit-stock-prepare,"
    "func.func(tosa-optional-decompositions,canonicalize,tosa-infer-shapes,"
    "tosa-make-broadcastable,tosa-to-linalg-named,canonicalize,tosa-make-broadcastable,"
    "tosa-to-linalg,tosa-to-tensor,tosa-to-arith{include-apply-rescale=true},tosa-to-scf),"
    "func.func(convert-shape-constraints),convert-shape-to-std,"
    "func.func(lower-vector-mask),convert-elementwise-to-linalg,convert-tensor-to-linalg,"
    "one-shot-bufferize{bufferize-function-boundaries=true "
    "function-boundary-type-conversion=identity-layout-map allow-return-allocs-from-loops=true}";

/// Frees what is not needed any more, where the program doesn't do so itself.
static constexpr char kDeallocate[] = "buffer-deallocation-pipeline";

static constexpr char kToLlvm[] =
    "convert-bufferization-to-memref,expand-realloc,generate-runtime-verification,canonicalize,cse,"
    "func.func(convert-linalg-to-loops,convert-vector-to-scf),lower-affine,"
    "func.func(memref-expand),convert-scf-to-cf,expand-strided-metadata,lower-affine,"
    "func.func(arith-expand),convert-complex-to-standard,canonicalize,cse,"
    "func.func(lower-vector-multi-reduction,convert-vector-to-scf),convert-scf-to-cf,"
    "convert-vector-to-llvm{enable-x86vector=true},finalize-memref-to-llvm,convert-math-to-llvm,"
    "convert-math-to-libm,"
    "convert-complex-to-llvm,convert-index-to-llvm,convert-ub-to-llvm,convert-arith-to-llvm,"
    "convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts";

void anneal::registerStockPasses() {
  registerAllPasses();
  PassRegistration<StockPreparePass>();
}

LogicalResult anneal::addStockPipeline(OpPassManager &pm, bool deallocate) {
  if (failed(parsePassPipeline(kToBuffers, pm)) ||
      (deallocate && failed(parsePassPipeline(kDeallocate, pm))))
    return failure();
  return parsePassPipeline(kToLlvm, pm);
}

LogicalResult anneal::addStockSparsePipeline(OpPassManager &pm) {
  return parsePassPipeline("jit-stock-prepare,sparsifier{enable-runtime-library=true}", pm);
}

void anneal::registerStockPipeline() {
  registerStockPasses();
  PassPipelineRegistration<StockOptions>(
      "jit-tier-stock", "Compile whole functions to the LLVM dialect by MLIR's own lowerings",
      [](OpPassManager &pm, const StockOptions &options) {
        if (failed(addStockPipeline(pm, options.deallocate)))
          llvm::report_fatal_error("jit-tier-stock: a pass of MLIR is missing");
      });
}
