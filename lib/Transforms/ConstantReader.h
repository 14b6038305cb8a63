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

namespace anneal {

/// Whether `tensor` is a constant whose elements, in row-major order, begin 0, 1, 2, ... and are
/// `count` in number.
bool isIota(mlir::Value tensor, int64_t count);

/// Whether `tensor` is a constant of floats none of which is infinite or NaN.
bool isFinite(mlir::Value tensor);

} // namespace anneal

#endif // ANNEAL_LIB_TRANSFORMS_CONSTANTREADER_H
