//===- Tiers.cpp - The tiers and their pipelines as text ------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Pipelines/Tiers.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace anneal {
namespace {

constexpr StringLiteral kTierNames[] = {"baseline", "stock"};

/// Stock: down to structured operations on tensors, vectors and buffers.
constexpr char kToBuffers[] =
    "func.func(jit-stock-tensor-ops),jit-stock-prepare,"
    "func.func(tosa-optional-decompositions,canonicalize,tosa-infer-shapes,"
    "tosa-make-broadcastable,tosa-to-linalg-named,canonicalize,tosa-make-broadcastable,"
    "tosa-to-linalg,tosa-to-tensor,tosa-to-arith{include-apply-rescale=true},tosa-to-scf),"
    "func.func(convert-shape-constraints),convert-shape-to-std,"
    // Again: TOSA gives more of them, and `canonicalize` makes choices between tensors of branches.
    "func.func(lower-vector-mask,jit-stock-tensor-ops),convert-elementwise-to-linalg,"
    "convert-tensor-to-linalg,jit-stock-check-tensors,"
    "one-shot-bufferize{bufferize-function-boundaries=true "
    "function-boundary-type-conversion=identity-layout-map allow-return-allocs-from-loops=true}";

/// Frees what is not needed any more, where the program doesn't do so itself.
constexpr char kDeallocate[] = "buffer-deallocation-pipeline";

constexpr char kToLlvm[] =
    "convert-bufferization-to-memref,expand-realloc,generate-runtime-verification,jit-stock-locate-"
    "checks,"
    "canonicalize,cse,"
    "jit-stock-expand-shapes,"
    "func.func(convert-linalg-to-loops,convert-vector-to-scf),lower-affine,"
    "func.func(memref-expand),convert-scf-to-cf,expand-strided-metadata,lower-affine,"
    "func.func(arith-expand),convert-complex-to-standard,canonicalize,cse,"
    "func.func(lower-vector-multi-reduction,convert-vector-to-scf),convert-scf-to-cf,"
    "convert-vector-to-llvm{enable-x86vector=true},finalize-memref-to-llvm,convert-math-to-llvm,"
    "convert-math-to-libm,"
    "convert-complex-to-llvm,convert-index-to-llvm,convert-ub-to-llvm,convert-arith-to-llvm,"
    "convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts";

std::string onModule(const Twine &passes) { return ("builtin.module(" + passes + ")").str(); }

} // namespace

ArrayRef<StringRef> tierNames() {
  static const StringRef names[] = {kTierNames[0], kTierNames[1]};
  return names;
}

std::string unknownTierMessage(StringRef name) {
  std::string there = "; there is " + llvm::join(tierNames(), ", ");
  if (name == "interpreter")
    return "tier 'interpreter' compiles nothing and has no pipeline" + there;
  return ("there is no tier '" + name + "' with a pipeline").str() + there;
}

unsigned vectorWidthOf(CpuLevel level) { return level >= CpuLevel::V4 ? 16 : 8; }

std::string baselinePipeline(unsigned vectorWidth) {
  return onModule(
      "jit-lower-unit-bodies{masked-memory=" + Twine(vectorWidth >= 16 ? "true" : "false") +
      " vector-width=" + Twine(vectorWidth) +
      "},jit-expand-math,convert-to-llvm{filter-dialects=arith,math},"
      "jit-hoist-vector-constants");
}

std::string stockPipeline(bool deallocate) {
  return onModule(Twine(kToBuffers) + "," + (deallocate ? Twine(kDeallocate) + "," : Twine()) +
                  kToLlvm);
}

std::string stockSparsePipeline() {
  return onModule(
      "jit-stock-prepare,jit-stock-locate-checks,sparsifier{enable-runtime-library=true}");
}

std::optional<TierSpec> tierSpec(StringRef name, CpuLevel level) {
  TierSpec spec;
  spec.name = name.str();
  if (name == "baseline") {
    // No optimisations: LLVM takes two thirds of a compile as it is, and units are vector code.
    spec.pipeline = baselinePipeline(vectorWidthOf(level));
    spec.llvmLevel = 0;
  } else if (name == "stock") {
    spec.pipeline = stockPipeline(/*deallocate=*/true);
    spec.llvmLevel = 2;
  } else {
    return std::nullopt;
  }
  return spec;
}

/// The passes between "builtin.module(" and ")"; without those, all of it.
static StringRef passesOf(StringRef text) {
  text = text.trim();
  StringRef passes = text;
  return passes.consume_front("builtin.module(") && passes.consume_back(")") ? passes : text;
}

std::string anchoredPipeline(StringRef text) { return onModule(passesOf(text)); }

LogicalResult parseTierPipeline(StringRef text, OpPassManager &pm, std::string &error) {
  StringRef passes = passesOf(text);
  if (passes.trim().empty()) {
    error = "it has no pass";
    return failure();
  }
  llvm::raw_string_ostream errors(error);
  LogicalResult parsed = parsePassPipeline(passes, pm, errors);
  error = StringRef(error).trim().str();
  return parsed;
}

} // namespace anneal
