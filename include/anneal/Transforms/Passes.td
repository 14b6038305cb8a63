//===- Passes.td - Passes that normalise programs ----------*- tablegen -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TRANSFORMS_PASSES
#define ANNEAL_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def SimplifyShapes : Pass<"jit-simplify-shapes", "::mlir::func::FuncOp"> {
  let summary = "Give every size one name";
  let description = [{
    **What.** One walk in program order over the scalars that shapes are computed with:
    - `tensor.dim` of a value that an op here made becomes the size that it was made with; sizes of
      loop-carried tensors that no iteration changes become those of the initial value;
    - integer ranges (a size is never negative) decide comparisons, minima, maxima and selects;
    - arithmetic on 64-bit integers cast from indices is done on indices;
    - `(x * c) / c` is `x`; operations fold; equal operations become one;
    - after `cf.assert` of `a == b` the later of the two is replaced by the earlier, after an assert
      of a bound the range is known; an assert that is known to hold is removed.

    Two sizes that are equal are then nearly always one SSA value, which is all that the passes after
    this one look for.

    Before:
    ```mlir
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %i = arith.index_cast %n : index to i64
    %neg = arith.cmpi slt, %i, %c0_i64 : i64
    %m = arith.select %neg, %c1, %n : index
    %e = tensor.empty(%m) : tensor<?xf32>
    ```
    After:
    ```mlir
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %e = tensor.empty(%n) : tensor<?xf32>
    ```

    **Needs and leaves.** Nothing; tensors are not touched. Dead operations stay for `cse` or
    `canonicalize`.

    **Limits.** Indices have 64 bits and no dimension of a tensor reaches 2^47; the caller of a program
    refuses others. Loops other than `scf.for` are walked, but nothing is known of what they carry.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def ResolveReshape : Pass<"jit-resolve-reshape", "::mlir::func::FuncOp"> {
  let summary = "Turn tensor.reshape into collapse_shape and expand_shape";
  let description = [{
    **What.** `tensor.reshape` of known rank becomes a `tensor.collapse_shape`, a
    `tensor.expand_shape`, or one after the other. The new sizes come from the result type and, where
    that leaves them open, from the shape operand: elements of a `tensor.from_elements`, of a constant,
    or else extracted. Source and target dimensions are matched from the left in the finest groups
    whose products are the same constants times the same values. What cannot be matched so becomes
    one group, and a `cf.assert` compares the numbers of elements at run time.

    Before:
    ```mlir
    %shape = tensor.from_elements %b, %s, %c12_i64, %c32_i64 : tensor<4xi64>
    %r = tensor.reshape %x(%shape) : (tensor<?x?x384xf32>, tensor<4xi64>) -> tensor<?x?x12x32xf32>
    ```
    After (`%b`, `%s` being the sizes of `%x`):
    ```mlir
    %r = tensor.expand_shape %x [[0], [1], [2, 3]] output_shape [%b, %s, 12, 32]
        : tensor<?x?x384xf32> into tensor<?x?x12x32xf32>
    ```

    **Needs and leaves.** `jit-simplify-shapes` before it makes equal sizes equal values.

    **Limits.** A result of unknown rank is left alone.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FoldBroadcastMatmul : Pass<"jit-fold-broadcast-matmul", "::mlir::func::FuncOp"> {
  let summary = "Multiply by a matrix once, not once for each batch";
  let description = [{
    **What.** A `linalg.batch_matmul` whose right operand is one matrix, broadcast along the batch,
    becomes one `linalg.matmul` over the rows of all batches. A broadcast left operand is read
    through the op's indexing maps. The broadcast may be a `linalg.broadcast`, a copying
    `linalg.generic` (also one that transposes), seen through `tensor.collapse_shape`, or a batch of
    static size one.

    Before:
    ```mlir
    %w3 = linalg.broadcast ins(%w : tensor<384x384xf32>) outs(%e : tensor<?x384x384xf32>)
        dimensions = [0]
    %y = linalg.batch_matmul ins(%x, %w3 : tensor<?x?x384xf32>, tensor<?x384x384xf32>)
        outs(%z : tensor<?x?x384xf32>) -> tensor<?x?x384xf32>
    ```
    After:
    ```mlir
    %x2 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x384xf32> into tensor<?x384xf32>
    %y2 = linalg.matmul ins(%x2, %w : tensor<?x384xf32>, tensor<384x384xf32>)
        outs(%z2 : tensor<?x384xf32>) -> tensor<?x384xf32>
    %y = tensor.expand_shape %y2 [[0, 1], [2]] output_shape [%b, %m, 384]
        : tensor<?x384xf32> into tensor<?x?x384xf32>
    ```

    **Needs and leaves.** Each output is still one chain over the same products in the same order. The
    broadcast is left for dead code elimination.

    **Limits.** Contractions other than `linalg.batch_matmul` are left alone.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def DropDeadResults : Pass<"jit-drop-dead-results", "::mlir::func::FuncOp"> {
  let summary = "Drop results of linalg.generic that nobody reads";
  let description = [{
    **What.** A `linalg.generic` of several results loses those that have no use, with their part of
    the body, unless another result or a `cf.assert` in the body depends on them.

    Before (`%r#1`, the position of the maximum, is not read):
    ```mlir
    %r:2 = linalg.generic {...} ins(%x : tensor<4x8xf32>) outs(%m, %i : tensor<4xf32>, tensor<4xi64>) {
    ^bb0(%in: f32, %max: f32, %at: i64):
      %0 = linalg.index 1 : index
      %1 = arith.index_cast %0 : index to i64
      %2 = arith.maximumf %in, %max : f32
      %3 = arith.cmpf ogt, %in, %max : f32
      %4 = arith.select %3, %1, %at : i64
      linalg.yield %2, %4 : f32, i64
    } -> (tensor<4xf32>, tensor<4xi64>)
    ```
    After:
    ```mlir
    %r = linalg.generic {...} ins(%x : tensor<4x8xf32>) outs(%m : tensor<4xf32>) {
    ^bb0(%in: f32, %max: f32):
      %2 = arith.maximumf %in, %max : f32
      linalg.yield %2 : f32
    } -> tensor<4xf32>
    ```

    **Needs and leaves.** The results that stay keep their order of accumulation.

    **Limits.** A result whose operand alone gives the size of a loop stays.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

#endif // ANNEAL_TRANSFORMS_PASSES
