//===- Passes.h - Passes around the pipelines -------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that are part of no other layer; Passes.td says of each what it does.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_PIPELINES_PASSES_H
#define ANNEAL_PIPELINES_PASSES_H

#include "anneal/IR/JitDialect.h"
#include "anneal/IR/JitOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/Pass.h"

namespace anneal {

#define GEN_PASS_DECL
#include "anneal/Pipelines/Passes.h.inc"

/// A module with a copy of the unit and nothing else: what a tier's pipeline runs on.
mlir::OwningOpRef<mlir::ModuleOp> copyAlone(jit::UnitOp unit);

} // namespace anneal

#endif // ANNEAL_PIPELINES_PASSES_H
