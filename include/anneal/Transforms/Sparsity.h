//===- Sparsity.h - Tensors most of whose elements are zero -----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REQUIREMENTS.md, sparse patterns; docs/analyses/Sparsity.md.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TRANSFORMS_SPARSITY_H
#define ANNEAL_TRANSFORMS_SPARSITY_H

#include "mlir/IR/Value.h"

#include <optional>
#include <string>

namespace anneal {

/// Where the elements of a tensor that aren't zero can be.
enum class SparsityKind {
  /// Along one dimension at most one, which is 1.
  OneHot,
  /// At multiples of a stride, with zeros between them.
  ZeroStuffed,
  /// Where the last two indices are equal, or differ by a constant.
  Diagonal,
  /// Where the last index is at most, or at least, the one before (plus a constant).
  LowerTriangular,
  UpperTriangular,
  /// Anywhere, but there are few.
  MostlyZero
};

/// "one-hot", "zero-stuffed", "diagonal", "lower triangular", "upper triangular", "mostly zero".
llvm::StringRef toString(SparsityKind kind);

/// What is known of one tensor.
struct Sparsity {
  SparsityKind kind = SparsityKind::MostlyZero;
  /// One-hot: the dimension along which.
  int64_t dim = -1;
  /// The share of elements that may differ from zero, at most; nothing where sizes aren't known.
  std::optional<double> density;
  /// How it was recognised, in words.
  std::string why;
};

/// Constants with a larger share of elements that differ from zero are not sparse.
inline constexpr double kDefaultMaxDensity = 0.25;

/// Whether most of `tensor` is zero by the way in which it is made, never by a name:
///   * element-wise ops that compare a label with the number of a class;
///   * a constant, whose elements are read (also from resource blobs);
///   * ones scattered, or one inserted, into zeros;
///   * a strided slice of zeros that is written (`insert_slice`), padded with zeros or not;
///   * element-wise ops that choose zero by a comparison of two loop counters.
/// Casts are looked through. Nothing where it isn't known to be. Reads the IR, changes nothing.
std::optional<Sparsity> getSparsity(mlir::Value tensor, double maxDensity = kDefaultMaxDensity);

} // namespace anneal

#endif // ANNEAL_TRANSFORMS_SPARSITY_H
