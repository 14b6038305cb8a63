//===- JitVariantOps.td - jit.variant and jit.guard ------- -*- tablegen -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by JitOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_IR_JITVARIANTOPS_TD
#define ANNEAL_IR_JITVARIANTOPS_TD

//===----------------------------------------------------------------------===//
// jit.variant
//===----------------------------------------------------------------------===//

def Jit_VariantOp : Jit_Op<"variant", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "One specialisation of a unit with its guard (S2)";
  let description = [{
    States that the unit `code` computes what the generic `unit` does wherever the guard holds: for
    each argument a `#jit.shape_bucket`, or `any` for a scalar and for a tensor that may have any
    sizes. `code` is an ordinary `jit.unit`, so that every pass and tier works on it as on any other.
    The operation is an entry of a table, at the level of the units; calls name the generic unit.
    `jit-specialize-shapes` makes such entries, `jit-insert-guards` lets calls look for one that fits
    (docs/Shapes.md).

    The arguments of `code` are those of `unit`, one by one, and may know more of their sizes; what
    they know beyond the generic ones, the guard demands. `code` has no effects that `unit` hasn't,
    and reads no destination that `unit` only writes. Guards of one unit are different, and each can
    hold: every dimension is left a size that the argument's type allows.

    Example:

    ```mlir
    jit.unit private @scale(%a: tensor<?x4xf32>, %s: f32, %out: tensor<?x4xf32>)
        -> tensor<?x4xf32> {...}
    jit.unit private @scale.8(%a: tensor<8x4xf32>, %s: f32, %out: tensor<8x4xf32>)
        -> tensor<8x4xf32> {...}
    jit.variant @scale.8 of @scale when (<[8, 4]>, any, <[8, 4]>)
    ```
  }];

  // Each element of the guard is a ShapeBucketAttr, or a UnitAttr for `any`.
  let arguments = (ins FlatSymbolRefAttr:$code, FlatSymbolRefAttr:$unit, ArrayAttr:$guard);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;

  let builders = [OpBuilder<(ins "UnitOp":$code, "UnitOp":$unit,
                                 "::llvm::ArrayRef<ShapeBucketAttr>":$constraints)>];

  let extraClassDeclaration = [{
    /// What the guard demands of an argument; null for `any`.
    ShapeBucketAttr getConstraint(unsigned argument) {
      return ::llvm::dyn_cast<ShapeBucketAttr>(getGuard()[argument]);
    }
    /// What the guard demands of each argument.
    ::llvm::SmallVector<ShapeBucketAttr> getConstraints() {
      return ::llvm::map_to_vector(getGuard(), [](::mlir::Attribute constraint) {
        return ::llvm::dyn_cast<ShapeBucketAttr>(constraint);
      });
    }
    /// The unit that holds for all sizes; null if the symbol names none.
    UnitOp getGenericUnit();
    /// The unit that is called where the guard holds; null if the symbol names none.
    UnitOp getCodeUnit();
  }];
}

//===----------------------------------------------------------------------===//
// jit.guard
//===----------------------------------------------------------------------===//

def Jit_GuardOp : Jit_Op<"guard", [
    Pure, DeclareOpInterfaceMethods<BufferizableOpInterface, [
        "bufferizesToMemoryRead", "bufferizesToMemoryWrite", "getAliasingValues", "bufferize"]>]> {
  let summary = "Whether values have the sizes that a piece of code is for (S2)";
  let description = [{
    True if each operand, a tensor or a memref, has a shape that lies in the `#jit.shape_bucket` behind
    it. It reads sizes only, never elements. The branch that it decides is an ordinary `scf.if`, so a
    call whose guard fails goes on to the next variant or to the generic unit and is never lost.
    `jit-lower-guards` makes comparisons of sizes of it.

    A guard that cannot hold is refused: where a static size lies outside of its bucket, or two
    buckets of one dimension have no size in common. One that cannot hold because of a cast, or of a
    guard around it, is no error, since rewrites make such guards in branches that aren't taken.

    Canonicalisation looks through casts, drops operands of which nothing is asked that isn't known,
    and folds what is decided: by types, by the guard itself, or by guards in whose branch it stands.

    Example:

    ```mlir
    %ok = jit.guard %a in <[8, 4]>, %o in <[exp2(3 ... 4), ?]> : tensor<?x4xf32>, tensor<?x?xf32>
    %r = scf.if %ok -> (tensor<?x4xf32>) {
      ...
    }
    ```
  }];

  let arguments = (ins Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$operands,
                       TypedArrayAttrBase<Jit_ShapeBucketAttr,
                                          "a #jit.shape_bucket for each operand">:$buckets);
  let results = (outs I1:$result);
  let hasCanonicalizer = 1;
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
  let hasVerifier = 1;

  let builders = [OpBuilder<(ins "::mlir::ValueRange":$operands,
                                 "::llvm::ArrayRef<ShapeBucketAttr>":$buckets)>];
  let skipDefaultBuilders = 1;

  let extraClassDeclaration = [{
    /// Whether a guard may hold, as far as types and equal operands tell. The verifier refuses one
    /// that can't. REQUIRES: operands and buckets of equal ranks.
    static bool canHold(::mlir::ValueRange operands, ::llvm::ArrayRef<ShapeBucketAttr> buckets);
    /// Whether it holds for all shapes of these types.
    static bool alwaysHolds(::mlir::TypeRange types, ::llvm::ArrayRef<ShapeBucketAttr> buckets);

    /// The bucket that an operand's shape is to lie in.
    ShapeBucketAttr getBucket(unsigned operand) {
      return ::llvm::cast<ShapeBucketAttr>(getBuckets()[operand]);
    }
  }];
}

#endif // ANNEAL_IR_JITVARIANTOPS_TD
