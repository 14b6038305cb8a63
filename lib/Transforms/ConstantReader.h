//===- ConstantReader.h - Elements of constants -----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Questions about the elements of constant tensors, be they written out or in a resource blob. The
// answer is no where the elements cannot be read.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_TRANSFORMS_CONSTANTREADER_H
#define ANNEAL_LIB_TRANSFORMS_CONSTANTREADER_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace anneal {

/// Whether `tensor` is a constant whose elements, in row-major order, begin 0, 1, 2, ... and are
/// `count` in number.
bool isIota(mlir::Value tensor, int64_t count);

/// Whether `tensor` is a constant of floats none of which is infinite or NaN.
bool isFinite(mlir::Value tensor);

/// Calls `visit` with the bits of each element of a constant tensor of integers or floats, in
/// row-major order, until it returns false. False where the elements cannot be read: then nothing
/// was visited.
bool visitElements(mlir::Value tensor, llvm::function_ref<bool(uint64_t)> visit);

} // namespace anneal

#endif // ANNEAL_LIB_TRANSFORMS_CONSTANTREADER_H
