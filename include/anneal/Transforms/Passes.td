//===- Passes.td - Passes that normalise programs ----------*- tablegen -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TRANSFORMS_PASSES
#define ANNEAL_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def LowerInputs : Pass<"jit-lower-inputs", "::mlir::ModuleOp"> {
  let summary = "Lower the dialects that imports may hold to linalg, tensor, arith, math and scf";
  let description = [{
    **What.** A scan finds what the module holds; only then the upstream conversions run, each where
    there is something for it:
    - a constant in the `output_shape` of a `tensor.expand_shape` goes into its type;
    - `tosa` to linalg, tensor, arith and scf; an op without a lowering is an error that names it;
    - `shape` to tensor and arith, its constraints to `cf.assert`;
    - loads of immutable `ml_program.global`s become constants, and private globals without a use go;
    - branches between blocks become `scf.if`, `scf.while`, `scf.for`; blocks that nothing reaches go;
    - `arith` and `math` on whole tensors become `linalg.generic`.

    Before:
    ```mlir
    %0 = tosa.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
    After:
    ```mlir
    %e = tensor.empty() : tensor<4xf32>
    %0 = linalg.generic {...} ins(%a, %b : ...) outs(%e : tensor<4xf32>) {
    ^bb0(%x: f32, %y: f32, %out: f32):
      %1 = arith.addf %x, %y : f32
      linalg.yield %1 : f32
    } -> tensor<4xf32>
    ```

    **Needs and leaves.** Module-wide. Mutable globals are left.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
    "::mlir::index::IndexDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::ub::UBDialect"
  ];
}

def InlineCalls : Pass<"jit-inline-calls", "::mlir::ModuleOp"> {
  let summary = "Inline calls between the functions of a module";
  let description = [{
    **What.** Every `func.call` of a function with a body is replaced by that body, callees first;
    then private functions that nothing refers to go. Calls of one block each: `jit-lower-inputs`
    comes before.

    Before:
    ```mlir
    func.func private @twice(%x: f32) -> f32 {
      %0 = arith.addf %x, %x : f32
      return %0 : f32
    }
    func.func @main(%x: f32) -> f32 {
      %0 = func.call @twice(%x) : (f32) -> f32
      return %0 : f32
    }
    ```
    After:
    ```mlir
    func.func @main(%x: f32) -> f32 {
      %0 = arith.addf %x, %x : f32
      return %0 : f32
    }
    ```

    **Limits.** Recursion is an error. Calls of functions without a body stay.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def LowerParallelLoops : Pass<"jit-lower-parallel-loops", "::mlir::func::FuncOp"> {
  let summary = "Turn scf.forall and scf.parallel into scf.for";
  let description = [{
    **What.** The parallelism of a program here is that of its units; loops around them run in order.
    `scf.forall` becomes a nest of `scf.for` that carries its shared outputs; the inserts of
    `scf.forall.in_parallel` are done at the end of each iteration. What the body reads of a shared
    output is its value before the loop, so that no iteration sees another. `scf.parallel` becomes
    a nest that carries its reductions, combined in the order of iterations.

    Before:
    ```mlir
    %r = scf.forall (%i) in (4) shared_outs(%o = %init) -> (tensor<4xf32>) {
      ...
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
      }
    }
    ```
    After:
    ```mlir
    %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%o = %init) -> (tensor<4xf32>) {
      ...
      %n = tensor.insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
      scf.yield %n : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def LowerScalars : Pass<"jit-lower-scalars", "::mlir::func::FuncOp"> {
  let summary = "Lower scalars to the plain operations of arith";
  let description = [{
    **What.** `affine.apply`, `affine.min`, `affine.max`, `affine.linearize_index` and
    `affine.delinearize_index` become arith operations on indices; so do all operations of the
    `index` dialect, with 64 bits. `affine.for`, `affine.if` and `affine.parallel` become their scf
    counterparts. `arith.truncf` with another rounding mode than to nearest even becomes one to
    nearest even and a correction of the last place; `arith.scaling_extf` and
    `arith.scaling_truncf` become conversions and arithmetic on the bits of the scale.

    Before:
    ```mlir
    %0 = affine.apply affine_map<()[s0, s1] -> (s0 * s1)>()[%a, %b]
    %1 = index.maxs %0, %c
    ```
    After:
    ```mlir
    %0 = arith.muli %a, %b overflow<nsw> : index
    %1 = arith.maxsi %0, %c : index
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def LowerTensorOps : Pass<"jit-lower-tensor-ops", "::mlir::func::FuncOp"> {
  let summary = "Say with few tensor and linalg ops what many say";
  let description = [{
    **What.** What is left of tensor afterwards: `empty`, `dim`, `cast`, `extract`, `insert`,
    `extract_slice`, `insert_slice`, `expand_shape`, `collapse_shape`, `reshape`, and `pad` by one
    value.
    - `tensor.concat` becomes inserts into one `tensor.empty`; a slice of it that lies in one operand
      becomes a slice of that operand;
    - `tensor.generate`, `tensor.gather`, `tensor.bitcast`, and `tensor.pad` by a value that depends on
      the position, become generics; `tensor.scatter` becomes a loop over the coordinates;
    - `tensor.splat` becomes a fill; `tensor.from_elements` a constant, a fill, or inserts;
    - `tensor.dim` of a dimension known at run time only, or of one that the tensor has not, becomes
      selects behind a `cf.assert`;
    - `arith.select` between whole tensors by one condition becomes `scf.if`;
    - `linalg.softmax`, Winograd transforms, `linalg.pack` and `linalg.unpack` become structured ops;
      packing with tiles whose sizes are known at run time only, a generic that reads element by
      element.

    Before:
    ```mlir
    %0 = tensor.concat dim(0) %a, %b : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
    ```
    After:
    ```mlir
    %e = tensor.empty() : tensor<5x4xf32>
    %1 = tensor.insert_slice %a into %e[0, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<5x4xf32>
    %0 = tensor.insert_slice %b into %1[2, 0] [3, 4] [1, 1] : tensor<3x4xf32> into tensor<5x4xf32>
    ```

    **Needs and leaves.** `jit-resolve-reshape` before it: a shape made of elements is looked at there.

    **Limits.** A `linalg.pack` whose destination has no rank is an error.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SimplifyShapes : Pass<"jit-simplify-shapes", "::mlir::func::FuncOp"> {
  let summary = "Give every size one name";
  let description = [{
    **What.** One walk in program order over the scalars that shapes are computed with:
    - `tensor.dim` of a value that an op here made becomes the size that it was made with; sizes of
      loop-carried tensors that no iteration changes become those of the initial value;
    - integer ranges (a size is never negative) decide comparisons, minima, maxima and selects;
    - arithmetic on 64-bit integers cast from indices is done on indices;
    - `(x * c) / c` is `x`, `(x + c) + d` is `x + (c + d)`; operations fold; equal operations become one;
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
    one group, and a `cf.assert` compares the numbers of elements at run time; so does all that comes
    before it where that may be empty, for the numbers say nothing then. A tensor that is known to have
    no elements becomes a `tensor.empty`.

    Before:
    ```mlir
    %b = tensor.dim %x, %c0 : tensor<?x?x384xf32>
    %s = tensor.dim %x, %c1 : tensor<?x?x384xf32>
    %b64 = arith.index_cast %b : index to i64
    %s64 = arith.index_cast %s : index to i64
    %shape = tensor.from_elements %b64, %s64, %c12_i64, %c32_i64 : tensor<4xi64>
    %r = tensor.reshape %x(%shape) : (tensor<?x?x384xf32>, tensor<4xi64>) -> tensor<?x?x12x32xf32>
    ```
    After, with `--canonicalize` behind it:
    ```mlir
    %b = tensor.dim %x, %c0 : tensor<?x?x384xf32>
    %s = tensor.dim %x, %c1 : tensor<?x?x384xf32>
    %r = tensor.expand_shape %x [[0], [1], [2, 3]] output_shape [%b, %s, 12, 32]
        : tensor<?x?x384xf32> into tensor<?x?x12x32xf32>
    ```

    **Needs and leaves.** `jit-simplify-shapes` before it makes equal sizes equal values.

    **Limits.** A result of unknown rank is left alone.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SplitTransposedConv : Pass<"jit-split-transposed-conv", "::mlir::func::FuncOp"> {
  let summary = "Compute transposed convolutions without the zeros between inputs";
  let description = [{
    **What.** Importers write a transposed convolution as a convolution of stride 1 over its input
    with zeros put in between: `tensor.insert_slice` with strides s into a `linalg.fill` of zero. Most
    products of it are with such a zero. The outputs of phase r, r+s, r+2s... see the same taps of
    the filter, every s-th, and are a convolution of the input itself. Where all phases see windows of
    one size at one place (2x2 taps at stride 2, say) they become one `linalg.generic` with a loop for
    the phases; else one for each phase, inserted into the result with strides.

    Before (two taps, stride 2):
    ```mlir
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x11xf32>) -> tensor<1x8x11xf32>
    %i = tensor.insert_slice %x into %z[0, 0, 1] [1, 8, 5] [1, 1, 2]
        : tensor<1x8x5xf32> into tensor<1x8x11xf32>
    %y = linalg.conv_1d_ncw_fcw ins(%i, %f : tensor<1x8x11xf32>, tensor<4x8x2xf32>)
        outs(%o : tensor<1x4x10xf32>) -> tensor<1x4x10xf32>
    ```
    After; %g has the taps by phase, %f[:, :, 1] and %f[:, :, 0], and is a constant if %f is one:
    ```mlir
    ...
    %p = linalg.generic {indexing_maps = [
        affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d2 + d4)>,
        affine_map<(d0, d1, d2, d3, d4, d5) -> (d5, d1, d3, d4)>,
        affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d5)>],
        iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "parallel"]}
        ins(%x, %g : tensor<1x8x5xf32>, tensor<2x4x8x1xf32>) outs(%s : tensor<1x4x5x2xf32>) {
      ...
    } -> tensor<1x4x5x2xf32>
    %y = tensor.collapse_shape %p [[0], [1], [2, 3]] : tensor<1x4x5x2xf32> into tensor<1x4x10xf32>
    ```

    **Needs and leaves.** Any layout and number of spatial dimensions, named or generic, also
    depthwise. That the sizes fit (the zeros end a known number of elements after the last input) is
    proved by polynomials of sizes.

    **Numbers.** Products with the zeros in between are left out; what remains is added in the same
    order. Results differ only in the sign of a zero, and where a weight is infinite or not a number
    but only ever meets such a zero.

    **Limits.** Filters of static window, windows without stride and dilation, zeros by `linalg.fill`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
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
    After, with `--cse` behind it:
    ```mlir
    %x2 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x384xf32> into tensor<?x384xf32>
    %b = tensor.dim %z, %c0 : tensor<?x?x384xf32>
    %m = tensor.dim %z, %c1 : tensor<?x?x384xf32>
    %z2 = tensor.collapse_shape %z [[0, 1], [2]] : tensor<?x?x384xf32> into tensor<?x384xf32>
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

def FoldViews : Pass<"jit-fold-views", "::mlir::func::FuncOp"> {
  let summary = "Remove views that show all, and reshapes of constants";
  let description = [{
    **What.** A `tensor.extract_slice` of all of its source becomes the source; a `tensor.insert_slice`
    over all of its destination becomes what is inserted; a `tensor.pad` by nothing goes; casts of
    casts are one cast; an `expand_shape` or `collapse_shape` of a constant is a constant with the
    same bytes (a resource keeps its blob); reshapes in a row are one.

    Before:
    ```mlir
    func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %x, %c0 : tensor<?xf32>
      %0 = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
      return %0 : tensor<?xf32>
    }
    ```
    After, with `--cse` behind it:
    ```mlir
    func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
      return %x : tensor<?xf32>
    }
    ```

    **Needs and leaves.** `jit-simplify-shapes` before it makes equal sizes equal values.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def RaiseBroadcastGather : Pass<"jit-raise-broadcast-gather", "::mlir::func::FuncOp"> {
  let summary = "Read broadcast tensors as operands, not element by element";
  let description = [{
    **What.** A `tensor.extract` in the body of a `linalg.generic` becomes an operand of it, if each
    index is a constant inside the dimension or a loop counter whose loop is as long as the dimension.
    `select(size == 1, 0, counter)`, the way in which a broadcast along a dimension known at run time
    arrives, is the counter if `size` is the number of iterations: where that is one, the counter is
    zero anyway.

    Before:
    ```mlir
    %b = tensor.dim %x, %c0 : tensor<?x?x1xf32>
    %s = tensor.dim %x, %c1 : tensor<?x?x1xf32>
    %e = tensor.empty(%b, %s) : tensor<?x?x384xf32>
    %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], ...}
        outs(%e : tensor<?x?x384xf32>) {
    ^bb0(%out: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %c = arith.cmpi eq, %b, %c1 : index
      %i0 = arith.select %c, %c0, %i : index
      %v = tensor.extract %x[%i0, %j, %c0] : tensor<?x?x1xf32>
      linalg.yield %v : f32
    } -> tensor<?x?x384xf32>
    ```
    After, with `--canonicalize` behind it:
    ```mlir
    %b = tensor.dim %x, %c0 : tensor<?x?x1xf32>
    %s = tensor.dim %x, %c1 : tensor<?x?x1xf32>
    %e = tensor.empty(%b, %s) : tensor<?x?x384xf32>
    %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, 0)>,
                                          affine_map<(d0, d1, d2) -> (d0, d1, d2)>], ...}
        ins(%x : tensor<?x?x1xf32>) outs(%e : tensor<?x?x384xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x?x384xf32>
    ```

    **Needs and leaves.** `jit-simplify-shapes` before it makes equal sizes equal values. Gathers whose
    indices are data, such as an embedding's rows, stay, and so do all that are not proven in bounds.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def RaiseOneHot : Pass<"jit-raise-one-hot", "::mlir::func::FuncOp"> {
  let summary = "Gather rows of a table instead of multiplying by one-hot vectors";
  let description = [{
    **What.** A `linalg.matmul` of a one-hot matrix (element-wise ops that compare a label with the
    number of the class) with a constant table becomes a gather of the table's rows; a label that is
    no class gives a row of zeros.

    Before:
    ```mlir
    %iota = arith.constant dense<[[0, 1, 2]]> : tensor<1x3xi32>
    %hot = linalg.generic {...} ins(%label, %iota : tensor<?x1xi32>, tensor<1x3xi32>) outs(%e : ...) {
    ^bb0(%l: i32, %k: i32, %out: f32):
      %0 = arith.cmpi eq, %l, %k : i32
      %1 = arith.uitofp %0 : i1 to f32
      linalg.yield %1 : f32
    } -> tensor<?x3xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%o : tensor<?x2xf32>) -> tensor<?x2xf32>
    %r = linalg.matmul ins(%hot, %table : tensor<?x3xf32>, tensor<3x2xf32>) outs(%zeros : ...) -> ...
    ```
    After, with `--cse` behind it:
    ```mlir
    %n = tensor.dim %e, %c0 : tensor<?x3xf32>
    %e2 = tensor.empty(%n) : tensor<?x2xf32>
    %r = linalg.generic {...} ins(%label : tensor<?x1xi32>) outs(%e2 : tensor<?x2xf32>) {
    ^bb0(%l: i32, %out: f32):
      %row = arith.index_castui %l : i32 to index
      %inside = arith.cmpi ult, %row, %c3 : index
      %safe = arith.select %inside, %row, %c0 : index
      %column = linalg.index 1 : index
      %v = tensor.extract %table[%safe, %column] : tensor<3x2xf32>
      %sum = arith.addf %v, %zero : f32
      %0 = arith.select %inside, %sum, %zero : f32
      linalg.yield %0 : f32
    } -> tensor<?x2xf32>
    ```

    **Needs and leaves.** The bits of the sum of products: the accumulator starts at +0, every other
    product is a zero, and the table's elements are checked to be finite.

    **Limits.** Constants whose elements cannot be read here, tables of integers, accumulators that
    start elsewhere, and one-hot operands on the right are left alone.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PrintSparsity : Pass<"jit-print-sparsity", "::mlir::ModuleOp"> {
  let summary = "Print which tensors are one-hot, zero-stuffed, triangular or mostly zero";
  let description = [{
    **What.** Prints, to standard output, the tensors of each function and unit of which it is known by the way in which
    they are made that most of their elements are zero, and the operands that read them: one-hot (a label compared with the
    number of a class; a one written into zeros), zero-stuffed (a strided slice written into zeros, as deconvolutions
    do), diagonal or triangular (a comparison of the last two loop counters), and constants, whose elements are read.
    docs/analyses/Sparsity.md has the rules, and what could be made of it.

    For
    ```mlir
    func.func @f(%x: tensor<1x4x4xf32>) -> tensor<1x8x8xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<1x8x8xf32>
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x8xf32>) -> tensor<1x8x8xf32>
      %s = tensor.insert_slice %x into %z[0, 0, 0] [1, 4, 4] [1, 2, 2] : tensor<1x4x4xf32> into tensor<1x8x8xf32>
      %r = math.absf %s : tensor<1x8x8xf32>
      return %r : tensor<1x8x8xf32>
    }
    ```
    it prints
    ```
    func.func @f
      %inserted_slice = tensor.insert_slice: zero-stuffed, density 0.25 (written into zeros with strides 1x2x2)
        operand #0 of 'math.absf'
    ```

    **Options.**
    - `max-density=0.25`: the largest share of elements that aren't zero with which a constant, or what is scattered,
      is mostly zero.
    - `annotate`: print nothing; put `jit.sparsity`, a list of `{result, kind, dim, density, why}`, on the operations.

    **Needs and leaves.** Any module. All but that attribute stays as it is.

    **Limits.** One-hot along the last dimension only. What arguments hold isn't known.
  }];
  let options = [
    Option<"maxDensity", "max-density", "double", "0.25", "Largest share of elements that aren't zero">,
    Option<"annotate", "annotate", "bool", "false", "Put it on operations instead of printing">
  ];
}

def FoldOperands : Pass<"jit-fold-operands", "::mlir::func::FuncOp"> {
  let summary = "Drop operands of structured ops that need not be read";
  let description = [{
    **What.**
    - An input of a `linalg.generic` of which every element is the same (a splat constant, a fill)
      becomes a value that the body uses; an op that only yields such a value is a fill;
    - an input that is read twice in the same way becomes one, one that is not read goes;
    - an output that an element-wise op does not read becomes a `tensor.empty`, so that nothing is
      taken to be updated in place; one that it does read, and that was computed here, becomes an
      input.

    Before:
    ```mlir
    %c = arith.constant dense<2.0> : tensor<f32>
    %0 = linalg.generic {...} ins(%x, %c : tensor<4xf32>, tensor<f32>) outs(%y : tensor<4xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %1 = arith.mulf %a, %b : f32
      linalg.yield %1 : f32
    } -> tensor<4xf32>
    ```
    After:
    ```mlir
    %c = arith.constant 2.0 : f32
    %e = tensor.empty() : tensor<4xf32>
    %0 = linalg.generic {...} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%a: f32, %out: f32):
      %1 = arith.mulf %a, %c : f32
      linalg.yield %1 : f32
    } -> tensor<4xf32>
    ```

    **Limits.** An operand that alone gives the size of a loop stays. Windows of poolings, which are
    there for their shape, are not touched; outputs carried by a loop are not either.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def FoldTransposes : Pass<"jit-fold-transposes", "::mlir::func::FuncOp"> {
  let summary = "Let contractions read and write what would be transposed";
  let description = [{
    **What.** A contraction of one element type whose operand is a transpose, or whose result only a
    transpose reads, becomes a `linalg.contract` that reads and writes by other indexing maps. Batch
    dimensions that were collapsed before it and are expanded behind it are loops of their own then.

    Before:
    ```mlir
    %t = linalg.transpose ins(%x : tensor<2x6x12x32xf32>) outs(%e : ...) permutation = [0, 2, 1, 3]
    %c = tensor.collapse_shape %t [[0, 1], [2], [3]] : ...
    %y = tensor.collapse_shape %z [[0, 1], [2], [3]] : ...
    %m = linalg.batch_matmul ins(%c, %y : tensor<24x6x32xf32>, tensor<24x32x8xf32>) outs(%o : ...) -> ...
    %r = tensor.expand_shape %m [[0, 1], [2], [3]] output_shape [2, 12, 6, 8] : ...
    ```
    After, with `--canonicalize` behind it:
    ```mlir
    %o2 = tensor.expand_shape %o [[0, 1], [2], [3]] output_shape [2, 12, 6, 8] : ...
    %r = linalg.contract
        indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>,
                         affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>,
                         affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>]
        ins(%x, %z : tensor<2x6x12x32xf32>, tensor<2x12x32x8xf32>) outs(%o2 : ...) -> ...
    ```

    **Needs and leaves.** The order of accumulation: the loops that are summed over are not touched.

    **Limits.** Contractions with conversions in their body keep their transposes, and those whose
    result is added to old values keep the transpose behind them.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def SinkReshapes : Pass<"jit-sink-reshapes", "::mlir::func::FuncOp"> {
  let summary = "Move reshapes below the element-wise ops and row reductions that follow them";
  let description = [{
    **What.**
    - An element-wise op or row reduction on an `expand_shape` runs over the dimensions before it, if
      all its operands can be had so; its result is expanded instead. Done along what stands on a
      contraction, so that its epilogue follows it directly, and elsewhere where it costs no new
      reshape of an operand.
    - An element-wise op on a `collapse_shape` of what stands on a contraction runs over the
      dimensions before it; its result is collapsed instead.
    - A reshape that only adds or takes away dimensions of size one goes into the indexing map of
      the op that reads it.

    Before:
    ```mlir
    %1 = linalg.matmul ... -> tensor<?x384xf32>
    %2 = tensor.expand_shape %1 [[0, 1], [2]] output_shape [%b, %s, 384] : ...
    %e = tensor.empty(%b, %s) : tensor<?x?x384xf32>
    %3 = linalg.generic {...} ins(%2, %bias : tensor<?x?x384xf32>, tensor<384xf32>) outs(%e : ...) {
      ...
    } -> tensor<?x?x384xf32>
    ```
    After:
    ```mlir
    %1 = linalg.matmul ... -> tensor<?x384xf32>
    %n = arith.muli %b, %s : index
    %e = tensor.empty(%n) : tensor<?x384xf32>
    %2 = linalg.generic {...} ins(%1, %bias : tensor<?x384xf32>, tensor<384xf32>) outs(%e : ...) {
      ...
    } -> tensor<?x384xf32>
    %3 = tensor.expand_shape %2 [[0, 1], [2]] output_shape [%b, %s, 384] : ...
    ```

    **Needs and leaves.** The order of accumulation: only parallel loops are merged or split.

    **Limits.** Loops whose counters the body reads are neither merged nor split.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FuseElementwise : Pass<"jit-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Make chains of element-wise ops single ops";
  let description = [{
    **What.** Element-wise structured ops (generic or named, transposes and broadcasts among them) are
    fused into the element-wise ops and row reductions that read their results, in time linear in the
    number of ops:
    - an op joins its readers if they are all going to be one op and read it at one place;
    - it is computed in several of them if it only moves elements, or is a few cheap operations on at
      most one tensor of full size;
    - nothing is computed more than once for an element: an op is not fused across a broadcast, unless
      it only moves elements;
    - nothing is fused into a contraction, convolution or pooling; what follows one directly is
      fused into element-wise ops over the same loops alone, so that it stays its epilogue;
    - a product is not fused into a sum, which would then be a contraction and round otherwise;
    - asserts in bodies stay exactly once.

    Before:
    ```mlir
    %1 = linalg.generic {...} ins(%x, %m : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %3 = arith.subf %a, %b : f32
      linalg.yield %3 : f32
    } -> tensor<4x8xf32>
    %2 = linalg.exp ins(%1 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
    After:
    ```mlir
    %2 = linalg.generic {...} ins(%x, %m : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %3 = arith.subf %a, %b : f32
      %4 = math.exp %3 : f32
      linalg.yield %4 : f32
    } -> tensor<4x8xf32>
    ```

    **Options.** `max-body-ops=N`: an op's body grows no larger (256). `max-inputs=N`: it gets no
    more operands (32).

    **Needs and leaves.** `jit-fold-operands` before it; the order of accumulation.
  }];
  let options = [
    Option<"maxBodyOps", "max-body-ops", "unsigned", /*default=*/"256",
           "Most operations in a body that fusing makes">,
    Option<"maxInputs", "max-inputs", "unsigned", /*default=*/"32",
           "Most inputs of an op that fusing makes">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def MergeContractions : Pass<"jit-merge-contractions", "::mlir::func::FuncOp"> {
  let summary = "Multiply by the matrices of all gates at once";
  let description = [{
    **What.** Products in the body of a loop of one matrix with several constant ones (the gates of a
    recurrent cell) become one product with all of them side by side. Each result is a slice of it.

    Before, with constants `%wa` and `%wb`:
    ```mlir
    %zeros = linalg.fill ins(%zero : f32) outs(%o : tensor<1x4xf32>) -> tensor<1x4xf32>
    %r = scf.for %t = %c0 to %n step %c1 iter_args(%h = %init) -> (tensor<1x8xf32>) {
      %a = linalg.matmul ins(%h, %wa : tensor<1x8xf32>, tensor<8x4xf32>) outs(%zeros : ...) -> ...
      %b = linalg.matmul ins(%h, %wb : tensor<1x8xf32>, tensor<8x4xf32>) outs(%zeros : ...) -> ...
      %next = tensor.concat dim(1) %a, %b : ...
      scf.yield %next : tensor<1x8xf32>
    }
    ```
    After, with `--cse` behind it; `jit-outline-constants` brings `%w` before the first call:
    ```mlir
    %e = tensor.empty() : tensor<8x8xf32>
    %w1 = tensor.insert_slice %wa into %e[0, 0] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x8xf32>
    %w = tensor.insert_slice %wb into %w1[0, 4] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x8xf32>
    %r = scf.for %t = %c0 to %n step %c1 iter_args(%h = %init) -> (tensor<1x8xf32>) {
      %e2 = tensor.empty() : tensor<1x8xf32>
      %zeros2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1x8xf32>) -> tensor<1x8xf32>
      %ab = linalg.matmul ins(%h, %w : tensor<1x8xf32>, tensor<8x8xf32>) outs(%zeros2 : ...) -> ...
      %a = tensor.extract_slice %ab[0, 0] [1, 4] [1, 1] : tensor<1x8xf32> to tensor<1x4xf32>
      %b = tensor.extract_slice %ab[0, 4] [1, 4] [1, 1] : tensor<1x8xf32> to tensor<1x4xf32>
      %next = tensor.concat dim(1) %a, %b : ...
      scf.yield %next : tensor<1x8xf32>
    }
    ```

    **Needs and leaves.** The bits of each element: its products are added in the same order.

    **Limits.** `linalg.matmul` with accumulators that start at one scalar, and matrices that follow
    from constants alone; outside of loops nothing is merged, since there a product with its own
    epilogue is worth more.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def HoistIndexMath : Pass<"jit-hoist-index-math", "::mlir::func::FuncOp"> {
  let summary = "Compute what depends on one loop once for each of its iterations";
  let description = [{
    **What.** In the body of a `linalg.generic` of several loops, what is computed of one loop's counter
    alone (and of values from outside) is the same for all iterations of the other loops. Where it is
    more than one operation it goes into a tensor of that loop's size, made before, and the body reads
    it through a map. A resize reads its source at positions like
    `min(max(floor(y / scale), 0), size - 1)`: what is left of that in its body is one element of a
    table for each dimension.

    Before:
    ```mlir
    %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x?xf32>) {
    ^bb0(%o: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %t = arith.divui %j, %c2 : index
      %k = arith.minui %t, %last : index
      %v = tensor.extract %x[%i, %k] : tensor<4x?xf32>
      linalg.yield %v : f32
    } -> tensor<4x?xf32>
    ```
    After:
    ```mlir
    ...
    %table = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>],
        iterator_types = ["parallel"]} outs(%te : tensor<?xindex>) {
    ^bb0(%p: index):
      %a = linalg.index 0 : index
      %b = arith.divui %a, %c2 : index
      %c = arith.minui %b, %last : index
      linalg.yield %c : index
    } -> tensor<?xindex>
    %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>,
        affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%table : tensor<?xindex>) outs(%e : tensor<4x?xf32>) {
    ^bb0(%d: index, %p: f32):
      %m = linalg.index 0 : index
      %w = tensor.extract %x[%m, %d] : tensor<4x?xf32>
      linalg.yield %w : f32
    } -> tensor<4x?xf32>
    ```

    **Needs and leaves.** The values are the same: the same operations on the same operands.

    **Limits.** Operations of `arith` and `math` without effects, loops whose size an operand has as a
    dimension of its own.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def HoistContractions : Pass<"jit-hoist-contractions", "::mlir::func::FuncOp"> {
  let summary = "Multiply all steps of a sequence before the loop over it";
  let description = [{
    **What.** A product in a loop over a sequence, of one step of it with a matrix that stays the same
    (the input projection of a recurrent cell), becomes one product of the whole sequence before the
    loop, of which each iteration reads its rows.

    Before:
    ```mlir
    %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
    %n = tensor.dim %x, %c0 : tensor<?x8xf32>
    %r = scf.for %t = %c0 to %n step %c1 iter_args(%h = %init) -> (tensor<1x4xf32>) {
      %row = tensor.extract_slice %x[%t, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<1x8xf32>
      %a = linalg.matmul ins(%row, %w : tensor<1x8xf32>, tensor<8x4xf32>)
          outs(%zeros : tensor<1x4xf32>) -> tensor<1x4xf32>
      ...
    }
    ```
    After, with `--cse` behind it:
    ```mlir
    %n = tensor.dim %x, %c0 : tensor<?x8xf32>
    %e2 = tensor.empty(%n) : tensor<?x4xf32>
    %zeros2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x4xf32>) -> tensor<?x4xf32>
    %all = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>)
        outs(%zeros2 : tensor<?x4xf32>) -> tensor<?x4xf32>
    %r = scf.for %t = %c0 to %n step %c1 iter_args(%h = %init) -> (tensor<1x4xf32>) {
      %a = tensor.extract_slice %all[%t, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<1x4xf32>
      ...
    }
    ```

    **Options.**
    - `max-growth=8`: how many times as long as a step its product may be, since all products are kept.

    **Needs and leaves.** The bits of each element. Which step an iteration takes doesn't matter, so
    backward cells are hoisted too.

    **Limits.** Loops that run once for each step; steps along the first dimension; `linalg.matmul`
    with accumulators that start at one scalar.
  }];
  let options = [
    Option<"maxGrowth", "max-growth", "int64_t", "8",
           "Largest ratio of the columns of the product to those of the sequence">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def OutlineConstants : Pass<"jit-outline-constants", "::mlir::ModuleOp"> {
  let summary = "Compute once, at load, what depends on constants alone";
  let description = [{
    **What.** Pure operations of a function's entry block that depend on constants alone (scales of a
    batch normalisation, transposed or sliced weights) move into a private function `@__jit_init`
    without arguments, which is called at the start of each function that needs its results. There
    is one for the module; who runs the program evaluates it once.

    Before:
    ```mlir
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %v = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %e = tensor.empty() : tensor<2xf32>
      %s = linalg.rsqrt ins(%v : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
      %y = linalg.mul ins(%x, %s : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
    ```
    After:
    ```mlir
    func.func private @__jit_init() -> tensor<2xf32> {
      %v = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %e = tensor.empty() : tensor<2xf32>
      %s = linalg.rsqrt ins(%v : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
      return %s : tensor<2xf32>
    }
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %s = func.call @__jit_init() : () -> tensor<2xf32>
      %e = tensor.empty() : tensor<2xf32>
      %y = linalg.mul ins(%x, %s : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
    ```

    **Options.** `max-growth=N`: a result larger than N times what it is computed from stays where it is
    (2), unless it is of at most `free-bytes=N` bytes (65536).

    **Needs and leaves.** `loop-invariant-code-motion` before it brings such operations out of loops.
    Fills, `tensor.empty`, broadcasts and reshapes are not results of `@__jit_init`: they are cheaper
    to have where they are used.

    **Limits.** A module that has `@__jit_init` already is left alone.
  }];
  let options = [
    Option<"maxGrowth", "max-growth", "int64_t", /*default=*/"2",
           "Most bytes of a result for each byte of operands">,
    Option<"freeBytes", "free-bytes", "int64_t", /*default=*/"65536",
           "Results of no more bytes may grow as they like">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

#endif // ANNEAL_TRANSFORMS_PASSES
