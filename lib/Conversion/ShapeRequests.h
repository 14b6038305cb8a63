//===- ShapeRequests.h - Shapes that are worth a variant --------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_SHAPEREQUESTS_H
#define ANNEAL_LIB_CONVERSION_SHAPEREQUESTS_H

#include "ShapeDemands.h"

namespace anneal {

/// How shapes are taken from a profile.
struct RequestOptions {
  /// Shapes that lie in the same buckets are one.
  bool isBucketMode = false;
  /// S1's delta.
  BucketStep step;
  /// S2's theta_spec: the share of all calls that has to be exceeded.
  double threshold = 0;
};

/// A shape of a profile.
struct SeenShape {
  ShapeDemands demands;
  /// How often it was seen, as text.
  std::string evidence;
  /// Why it gets no variant; empty if it is to have one.
  std::string refusal;
};

/// Parses "1/2" or "1"; `problem` says what is wrong with it.
mlir::LogicalResult parseStep(llvm::StringRef text, BucketStep &step, std::string &problem);

/// Parses "[8, 4], any; [exp2(3 ... 4), ?], any": for each shape, divided by semicolons, what is
/// asked of each argument, as in a guard.
mlir::FailureOr<llvm::SmallVector<ShapeDemands>> parseShapes(jit::UnitOp unit, llvm::StringRef text,
                                                             std::string &problem);

/// The profile of a unit if it has shapes; else null.
jit::ProfileAttr profileOf(jit::UnitOp unit);

/// The shapes of a profile, hottest first; of equal ones the one that the profile has first.
llvm::SmallVector<SeenShape> shapesOf(jit::UnitOp unit, jit::ProfileAttr profile,
                                      const RequestOptions &options);

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_SHAPEREQUESTS_H
