//===- TensorOpLowerings.h - Tensor ops by simpler ones ---------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function makes, at the insertion point of `builder`, what computes the same as `op`, and
// returns its value; null if it leaves `op` alone. None touches `op`.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_TRANSFORMS_TENSOROPLOWERINGS_H
#define ANNEAL_LIB_TRANSFORMS_TENSOROPLOWERINGS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace anneal {

/// An `insert_slice` for each operand into one empty tensor; asserts that their other sizes agree.
mlir::Value lowerConcat(mlir::OpBuilder &builder, mlir::tensor::ConcatOp op);

/// A generic over the result, its body the region of `op`.
mlir::Value lowerGenerate(mlir::OpBuilder &builder, mlir::tensor::GenerateOp op);

/// A generic over the result that reads one element for each.
mlir::Value lowerGather(mlir::OpBuilder &builder, mlir::tensor::GatherOp op);

/// Loops over the coordinates, in order, that insert a slice each.
mlir::Value lowerScatter(mlir::OpBuilder &builder, mlir::tensor::ScatterOp op);

/// A fill.
mlir::Value lowerSplat(mlir::OpBuilder &builder, mlir::tensor::SplatOp op);

/// A constant where all elements are; a fill where they are one; else an insert for each.
mlir::Value lowerFromElements(mlir::OpBuilder &builder, mlir::tensor::FromElementsOp op);

/// An element-wise `arith.bitcast`, where the element types admit it.
mlir::Value lowerBitcast(mlir::OpBuilder &builder, mlir::tensor::BitcastOp op);

/// A padding whose value depends on the position: everything computed, the source inserted.
mlir::Value lowerPad(mlir::OpBuilder &builder, mlir::tensor::PadOp op);

/// The size in a dimension that is known at run time only: chosen among all sizes; asserts that it
/// is one of them.
mlir::Value lowerDim(mlir::OpBuilder &builder, mlir::tensor::DimOp op);

/// Asserts that tiles without padding divide the source.
void checkPack(mlir::OpBuilder &builder, mlir::linalg::PackOp op);

/// A slice of a `concat` that lies in one operand: a slice of that operand.
mlir::Value sliceOfConcat(mlir::OpBuilder &builder, mlir::tensor::ExtractSliceOp op);

} // namespace anneal

#endif // ANNEAL_LIB_TRANSFORMS_TENSOROPLOWERINGS_H
