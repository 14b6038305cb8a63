//===- JitAttrs.h - Attributes of the jit dialect ------------- -*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_IR_JITATTRS_H
#define ANNEAL_IR_JITATTRS_H

#include "anneal/Support/ShapeBucket.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

#include <optional>

namespace anneal::jit {

/// The sizes of one dimension that something is for: one size, a bucket, or any.
class DimBucket {
public:
  enum class Kind : uint8_t { Size, Bucket, Any };

  /// One size, not negative.
  static DimBucket size(int64_t size);
  /// Bucket `index` of a step. The bucket of size 0 is that size.
  static DimBucket bucket(BucketIndex index, BucketStep step);
  /// Any size.
  static DimBucket any();

  Kind getKind() const { return kind; }
  /// REQUIRES: getKind() == Kind::Size.
  int64_t getSize() const { return value; }
  /// REQUIRES: getKind() == Kind::Bucket.
  BucketIndex getIndex() const { return static_cast<BucketIndex>(value); }
  /// REQUIRES: getKind() == Kind::Bucket.
  BucketStep getStep() const { return step; }

  bool isAny() const { return kind == Kind::Any; }

  /// Whether a size, not negative, belongs here.
  bool contains(int64_t size) const;
  /// The smallest and the largest size here, of those that a dimension can have (63 bits); nothing
  /// if there is none.
  std::optional<SizeRange> getSizes() const;
  /// Whether some size belongs both here and there.
  bool intersects(const DimBucket &other) const;
  /// Whether each size that belongs there belongs here.
  bool covers(const DimBucket &other) const;

  bool operator==(const DimBucket &) const = default;
  friend llvm::hash_code hash_value(const DimBucket &dim);

private:
  DimBucket(Kind kind, int64_t value, BucketStep step) : kind(kind), value(value), step(step) {}

  Kind kind;
  int64_t value;
  BucketStep step;
};

} // namespace anneal::jit

#include "anneal/IR/JitEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "anneal/IR/JitAttrs.h.inc"

#endif // ANNEAL_IR_JITATTRS_H
