//===- VectorValues.h - Values of bodies as vectors -------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How compiled code holds the values of a body: `index` as i64, f16 and bf16 as f32 that is rounded
// to what they can represent, all else as it is; in vectors of a fixed number of elements.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_VECTORVALUES_H
#define ANNEAL_LIB_CONVERSION_VECTORVALUES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"

namespace anneal {

/// Makes vectors of `width` elements, and constants, each once in a function.
class VectorValues {
public:
  /// Constants are placed at the begin of `entry`.
  VectorValues(mlir::Block *entry, unsigned width) : entry(entry), width(width) {}

  unsigned getWidth() const { return width; }
  mlir::VectorType vectorOf(mlir::Type element) const {
    return mlir::VectorType::get({static_cast<int64_t>(width)}, element);
  }
  /// The vector that holds values of element type `type`.
  mlir::VectorType held(mlir::Type type) const;
  /// The vector that they are in memory.
  mlir::VectorType stored(mlir::Type type) const;

  /// `value` (of the held element type of `type`) in all elements; `value` is an attribute of
  /// `type`.
  mlir::Value splat(mlir::TypedAttr value);
  /// A constant of an LLVM type, vector or scalar.
  mlir::Value constant(mlir::TypedAttr value);
  mlir::Value constantInt(mlir::Type type, int64_t value);
  mlir::Value constantFloat(mlir::Type type, double value);

  /// From a scalar.
  mlir::Value broadcast(mlir::OpBuilder &builder, mlir::Location location, mlir::Value scalar);
  /// From what is in memory, vector or scalar.
  mlir::Value load(mlir::OpBuilder &builder, mlir::Location location, mlir::Type type,
                   mlir::Value raw);
  mlir::Value store(mlir::OpBuilder &builder, mlir::Location location, mlir::Type type,
                    mlir::Value value);
  /// An f32 as the nearest value of `type`, f16 or bf16; of other types, as it is.
  mlir::Value roundTo(mlir::OpBuilder &builder, mlir::Location location, mlir::Type type,
                      mlir::Value value);
  /// An f64 as an f32 such that roundTo gives what one rounding would have given.
  mlir::Value roundToOdd(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value);

private:
  mlir::Value roundToBf16(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value);

  mlir::Block *entry;
  unsigned width;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
};

/// i64 for `index`, f32 for f16 and bf16, else `type`.
mlir::Type heldElement(mlir::Type type);
/// i8 for i1, i16 for f16 and bf16, i64 for `index`, else `type`.
mlir::Type storedElement(mlir::Type type);
/// Bytes of an element in memory.
unsigned elementBytes(mlir::Type type);
bool isHalf(mlir::Type type);
/// `type` with another element type: a vector of the same size, or the element type itself.
mlir::Type withElement(mlir::Type type, mlir::Type element);

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_VECTORVALUES_H
