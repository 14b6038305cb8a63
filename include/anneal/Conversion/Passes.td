//===- Passes.td - Passes from normal form to plans -------*- tablegen -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_CONVERSION_PASSES
#define ANNEAL_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def FormRegions : Pass<"jit-form-regions", "::mlir::func::FuncOp"> {
  let summary = "Put regions around the operations that should run together";
  let description = [{
    **What.** Every structured operation comes into a `jit.region`, of which `jit-outline-units` makes a
    unit. What goes together (DESIGN.md D3):
    - an *anchor*, that is a contraction or convolution by its structure, or another reduction;
    - for contractions and convolutions, a `tensor.pad` by a constant that only the anchor reads;
    - element-wise operations on its result, as long as everything else that they read is there by
      then and only the last one's result is read elsewhere;
    - under the same condition the operations of a *row chain* (softmax, layer norm): element-wise
      operations and reductions over the same rows, that is with a parallel loop in common which
      indexes all of their results and by which they read each other's results. The element-wise
      operations and reductions that a chain alone reads, over its rows, come along;
    - an *attention block*: a contraction with a row chain that reduces (softmax) behind it, and the
      contraction that alone reads the chain, over the same rows and with a batch in common.

    Every other structured operation is in a region of its own; so is a `tensor.pad`. Scalars that a body
    computes from values outside of it are computed before it. `jit-fusion-candidates` says why the rule
    decides as it does.

    Before:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>, %i: tensor<?x4xf32>,
                 %e: tensor<?x4xf32>) -> tensor<?x4xf32> {
      %m = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>)
          outs(%i : tensor<?x4xf32>) -> tensor<?x4xf32>
      %r = linalg.exp ins(%m : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
      return %r : tensor<?x4xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>, %i: tensor<?x4xf32>,
                 %e: tensor<?x4xf32>) -> tensor<?x4xf32> {
      %g = jit.region -> tensor<?x4xf32> {
        %m = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>)
            outs(%i : tensor<?x4xf32>) -> tensor<?x4xf32>
        %r = linalg.exp ins(%m : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
        jit.yield %r : tensor<?x4xf32>
      }
      return %g : tensor<?x4xf32>
    }
    ```

    **Needs and leaves.** Functions on tensors, as `jit-normalize` leaves them. Regions that are there
    already are left alone. Leaves no structured operation outside of regions but the fills and broadcasts
    that only initialise outputs.

    **Limits.** An operation that isn't structured (`linalg.softmax`, `tensor.generate`, ...) is left
    where it is.
  }];
  let dependentDialects = ["::anneal::jit::JitDialect"];
}

def PrintFusionCandidates : Pass<"jit-fusion-candidates", "::mlir::func::FuncOp"> {
  let summary = "Say what could run together, what it saves, and why it does not";
  let description = [{
    **What.** For each structured operation or pad and each operand of it that another one computes: whether
    `jit-form-regions` puts the two into one region and, if not, why (S3: `Compatible`, `NoAlias`, indexing,
    no recomputation). With it the benefit, `BW_saved - Overhead`, as polynomial in the sizes that aren't known:
    `BW_saved = size(intermediate) * (read + write)` in bytes, the write only where nobody else reads the
    value; the overhead are FLOPs done again, at `flops-per-byte` of the machine. Then each group with what it
    saves in all. docs/analyses/FusionCandidates.md lists the reasons.

    For
    ```mlir
    func.func @f(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>, %i: tensor<?x4xf32>,
                 %e: tensor<?x4xf32>) -> tensor<?x4xf32> {
      %m = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>)
          outs(%i : tensor<?x4xf32>) -> tensor<?x4xf32>
      %r = linalg.exp ins(%m : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
      return %r : tensor<?x4xf32>
    }
    ```
    it says at `linalg.exp`
    ```
    remark: fused with 'linalg.matmul', operand #0 of 'linalg.exp': in one unit; benefit 32*d1 bytes; d1 is dim 0 of %arg2
    remark: unit of 2 operations; saves 32*d1 bytes; d1 is dim 0 of %arg2
    ```

    **Options.**
    - `remarks=false`: no remarks.
    - `annotate`: `jit.fusion = [{operand, producer, fused, reason, bytes_saved, flops_repeated, benefit}, ...]` on the
      readers, and the group's number as `jit.fusion_group` on its operations.
    - `flops-per-byte=16`: FLOPs that take as long as moving a byte does.

    **Needs and leaves.** Functions on tensors, as `jit-normalize` leaves them. All but those attributes stays
    as it is.

    **Limits.** A fill or broadcast that initialises an output always comes along, and isn't listed.
  }];
  let options = [
    Option<"remarks", "remarks", "bool", "true", "Say it in remarks">,
    Option<"annotate", "annotate", "bool", "false", "Say it in attributes">,
    Option<"flopsPerByte", "flops-per-byte", "int64_t", "16",
           "FLOPs that take as long as moving one byte; at least 1">
  ];
}

def OutlineUnits : Pass<"jit-outline-units", "::mlir::ModuleOp"> {
  let summary = "Make units of regions";
  let description = [{
    **What.** Makes a `jit.unit` of each `jit.region`, and a `jit.invoke` in its place. The fill or
    broadcast that initialises an output becomes part of the unit. So do scalar constants, and tensors of
    one constant value; other constants, tensors and scalars are the unit's arguments. Temporaries are made
    inside with `tensor.empty`; what results are computed into comes in as destination, marked
    `jit.write_only` where its old contents don't matter. Units that are equal but for names and locations
    are one.

    Before:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>, %n: index) -> tensor<?x4xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty(%n) : tensor<?x4xf32>
      %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
      %g = jit.region -> tensor<?x4xf32> {
        %m = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>)
            outs(%i : tensor<?x4xf32>) -> tensor<?x4xf32>
        %r = linalg.exp ins(%m : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
        jit.yield %r : tensor<?x4xf32>
      }
      return %g : tensor<?x4xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>, %n: index) -> tensor<?x4xf32> {
      %e = tensor.empty(%n) : tensor<?x4xf32>
      %r = jit.invoke @f.matmul_0(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>)
          outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
      return %r : tensor<?x4xf32>
    }
    jit.unit private @f.matmul_0(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>,
                                 %out: tensor<?x4xf32> {jit.write_only}) -> tensor<?x4xf32> {
      %zero = arith.constant 0.0 : f32
      %c0 = arith.constant 0 : index
      %n = tensor.dim %out, %c0 : tensor<?x4xf32>
      %e = tensor.empty(%n) : tensor<?x4xf32>
      %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
      %m = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>)
          outs(%i : tensor<?x4xf32>) -> tensor<?x4xf32>
      %r = linalg.exp ins(%m : tensor<?x4xf32>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
      jit.return %r : tensor<?x4xf32>
    }
    ```

    **Needs and leaves.** Regions of structured operations on tensors and pads by one value; what else is in
    them and follows from values outside is computed before. Equal sizes being one value
    (`jit-simplify-shapes`) makes for fewer units. Names are the function's, the operation's and a number.

    **Limits.** A region that holds anything else is an error, at that operation. A fill or broadcast may be
    in several units.
  }];
  let dependentDialects = ["::anneal::jit::JitDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def OutlineLoops : Pass<"jit-outline-loops", "::mlir::ModuleOp"> {
  let summary = "Make units of loops over units";
  let description = [{
    **What.** A hot loop is a unit itself (DESIGN.md D3): an `scf.for` that calls units and has no effects
    becomes a `jit.unit` that holds the loop, and a `jit.invoke` in its place. What the loop carries are the
    unit's results; what it reads are its inputs.

    Before:
    ```mlir
    func.func @f(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<4xf32>) {
        %e = tensor.empty() : tensor<4xf32>
        %t = jit.invoke @f.tanh_0(%s : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
        scf.yield %t : tensor<4xf32>
      }
      return %r : tensor<4xf32>
    }
    jit.unit private @f.tanh_0(%x: tensor<4xf32>, %out: tensor<4xf32> {jit.write_only}) -> tensor<4xf32> {
      %r = linalg.tanh ins(%x : tensor<4xf32>) outs(%out : tensor<4xf32>) -> tensor<4xf32>
      jit.return %r : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
      %e = tensor.empty() : tensor<4xf32>
      %r = jit.invoke @f.loop_0(%n, %x : index, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
    jit.unit private @f.tanh_0(%x: tensor<4xf32>, %out: tensor<4xf32> {jit.write_only}) -> tensor<4xf32> {
      %r = linalg.tanh ins(%x : tensor<4xf32>) outs(%out : tensor<4xf32>) -> tensor<4xf32>
      jit.return %r : tensor<4xf32>
    }
    jit.unit private @f.loop_0(%n: index, %x: tensor<4xf32>, %out: tensor<4xf32> {jit.write_only})
        -> tensor<4xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<4xf32>) {
        %e = tensor.empty() : tensor<4xf32>
        %t = jit.invoke @f.tanh_0(%s : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
        scf.yield %t : tensor<4xf32>
      }
      jit.return %r : tensor<4xf32>
    }
    ```

    **Needs and leaves.** Functions after `jit-outline-units`. Of nested loops the outermost that can be is
    the unit. Equal units are one.

    **Limits.** Loops that carry scalars, or tensors whose sizes change, that check or print something, or
    whose number of iterations isn't known when they begin (`scf.while`), stay where they are.
  }];
  let dependentDialects = ["::anneal::jit::JitDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def InlineLoops : Pass<"jit-inline-loops", "::mlir::ModuleOp"> {
  let summary = "Put loop units where they are called";
  let description = [{
    **What.** No tier compiles a loop unit as a whole yet: it is run by running its loop, and the units
    that the loop calls. So the plan needs the loop in the function. The unit stays, and the loop says by
    `jit.loop_unit` which it is: it is counted and timed as that unit.

    Before, where `@f.loop_0` is the unit that `jit-outline-loops` shows:
    ```mlir
    func.func @f(%x: tensor<4xf32>, %n: index, %e: tensor<4xf32>) -> tensor<4xf32> {
      %r = jit.invoke @f.loop_0(%n, %x : index, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
    ...
    ```
    After, with the same units:
    ```mlir
    func.func @f(%x: tensor<4xf32>, %n: index, %e: tensor<4xf32>) -> tensor<4xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<4xf32>) {
        %t = tensor.empty() : tensor<4xf32>
        %u = jit.invoke @f.tanh_0(%s : tensor<4xf32>) outs(%t : tensor<4xf32>) -> tensor<4xf32>
        scf.yield %u : tensor<4xf32>
      } {jit.loop_unit = @f.loop_0}
      return %r : tensor<4xf32>
    }
    jit.unit private @f.loop_0...
    ```

    **Needs and leaves.** Any module. Other units and their calls stay.
  }];
  let dependentDialects = ["::anneal::jit::JitDialect", "::mlir::tensor::TensorDialect"];
}

def SpecializeShapes : Pass<"jit-specialize-shapes", "::mlir::ModuleOp"> {
  let summary = "Make copies of units for some shapes";
  let description = [{
    **What.** Makes a copy of a generic unit for a shape, and a `jit.variant` that says for which
    (S2). Sizes that are asked for become static in the types of the copy, and so does what follows
    from them in its body: through structured operations, pads, reshapes, loops and branches. For a
    bucket (S1) the size stays `?`, and the argument carries the `jit.shape_bucket`; a bucket that holds one
    size is that size. What the body ties to a size, such as the rows of a product's result to those of its
    operand, becomes part of the guard. Calls stay as they are: `jit-insert-guards` comes next.

    Before:
    ```mlir
    jit.unit private @neg(%x: tensor<?x4xf32>, %out: tensor<?x4xf32> {jit.write_only}) -> tensor<?x4xf32> {
      %r = linalg.negf ins(%x : tensor<?x4xf32>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
      jit.return %r : tensor<?x4xf32>
    }
    ```
    After `unit=neg shapes="[8, 4], any"`, beside it:
    ```mlir
    ...
    jit.unit private @neg.8x4_8x4(%x: tensor<8x4xf32>, %out: tensor<8x4xf32> {jit.write_only}) -> tensor<8x4xf32> {
      %r = linalg.negf ins(%x : tensor<8x4xf32>) outs(%out : tensor<8x4xf32>) -> tensor<8x4xf32>
      jit.return %r : tensor<8x4xf32>
    }
    jit.variant @neg.8x4_8x4 of @neg when (<[8, 4]>, <[8, 4]>)
    ```

    **Options.**
    - `unit=neg`: this unit alone; without it, every unit with a `jit.profile`.
    - `shapes="[8, 4], any; [exp2(3 ... 4), ?], any"`: these shapes of it, divided by semicolons; of each argument,
      destinations too, what a guard can ask.
    - Without `shapes`, those of the profile whose count is more than `threshold=0.2` of all calls, hottest first.
      `mode=bucket` takes the buckets of these shapes, with the step `delta=1/2`, and adds up the counts of those that share one.
    - `max-variants=4`: no more of one unit, those that are there already included.

    Names are the unit's and the sizes of the arguments that have unknown ones: `@u.8x4_nxe3to4` is for 8 x 4, and
    any size x `exp2(3 ... 4)`.

    **Needs and leaves.** Units as `jit-form-units` leaves them. A variant that is there already isn't made again. Remarks
    (category `jit-specialize-shapes`) say what was made and what wasn't, and why.

    **Limits.** A shape that can't be is an error if it was asked for with `shapes`, and a remark if it stands in the
    profile; so is one more than `max-variants`. Values of scalar arguments aren't specialised. An operation whose canonicalisation
    knows nothing of casts keeps a `tensor.cast` beside it.
  }];
  let options = [
    Option<"unit", "unit", "std::string", [{""}], "The unit to specialise">,
    Option<"shapes", "shapes", "std::string", [{""}], "The shapes to specialise it to">,
    Option<"mode", "mode", "::anneal::ShapeMode", "::anneal::ShapeMode::Exact",
           "What is made of a shape of the profile", [{::llvm::cl::values(
             clEnumValN(::anneal::ShapeMode::Exact, "exact", "its sizes"),
             clEnumValN(::anneal::ShapeMode::Bucket, "bucket", "the buckets of its sizes"))}]>,
    Option<"delta", "delta", "std::string", [{"1"}], "The step of the buckets, such as 1/2">,
    Option<"threshold", "threshold", "double", "0.2", "The share of calls to exceed (theta_spec)">,
    Option<"maxVariants", "max-variants", "unsigned", "4", "Variants of one unit">];
  let dependentDialects = ["::anneal::jit::JitDialect", "::mlir::tensor::TensorDialect"];
}

def InsertGuards : Pass<"jit-insert-guards", "::mlir::ModuleOp"> {
  let summary = "Let calls look for a variant that fits";
  let description = [{
    **What.** A call of a unit with variants (`jit.variant`) becomes a choice: for each variant a `jit.guard` that asks
    whether the operands have its sizes, then a call of its code, else the next one; last comes the call of the generic
    unit as it was. Variants come in the order of the table, but one that is for some of another's shapes before
    that other. Where types decide a guard, there is none: a variant that can't fit is left out (remark), one that always fits
    is called at once.

    Before:
    ```mlir
    ...
    jit.variant @neg.8x4_8x4 of @neg when (<[8, 4]>, <[8, 4]>)
    func.func @f(%x: tensor<?x4xf32>, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
      %r = jit.invoke @neg(%x : tensor<?x4xf32>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
      return %r : tensor<?x4xf32>
    }
    ```
    The body of `@f` after it:
    ```mlir
    %ok = jit.guard %x in <[8, 4]>, %o in <[8, 4]> : tensor<?x4xf32>, tensor<?x4xf32>
    %r = scf.if %ok -> (tensor<?x4xf32>) {
      %x8 = tensor.cast %x : tensor<?x4xf32> to tensor<8x4xf32>
      %o8 = tensor.cast %o : tensor<?x4xf32> to tensor<8x4xf32>
      %v = jit.invoke @neg.8x4_8x4(%x8 : tensor<8x4xf32>) outs(%o8 : tensor<8x4xf32>) -> tensor<8x4xf32>
      %w = tensor.cast %v : tensor<8x4xf32> to tensor<?x4xf32>
      scf.yield %w : tensor<?x4xf32>
    } else {
      %g = jit.invoke @neg(%x : tensor<?x4xf32>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
      scf.yield %g : tensor<?x4xf32>
    }
    ```

    **Needs and leaves.** Calls on tensors or on memrefs, anywhere in functions. All branches compute into the
    call's own destinations. A call in an else branch behind guards isn't asked again whether it fits the variants before
    it, so the pass can run twice, between which variants may be added. Remarks (category `jit-insert-guards`).

    **Limits.** `jit-write-slices-in-place` and `jit-update-loops-in-place` don't look into choices: their copies stay.
  }];
  let dependentDialects = ["::anneal::jit::JitDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def LowerGuards : Pass<"jit-lower-guards", "::mlir::func::FuncOp"> {
  let summary = "Turn guards into comparisons of sizes";
  let description = [{
    **What.** Part of pipeline `jit-bufferize-host`. A `jit.guard` becomes the comparisons that it stands for: of a size
    with a size, or with the first and the last size of a bucket. These are host scalars that follow from sizes alone, so
    they are evaluated in the shape program, once for new sizes of a function's inputs (DESIGN.md D2).

    Before:
    ```mlir
    %ok = jit.guard %a in <[8, exp2(9/2 ... 5)]> : tensor<?x?xf32>
    ```
    After:
    ```mlir
    %m = tensor.dim %a, %c0 : tensor<?x?xf32>
    %is8 = arith.cmpi eq, %m, %c8 : index
    %n = tensor.dim %a, %c1 : tensor<?x?xf32>
    %from23 = arith.cmpi sge, %n, %c23 : index
    %both = arith.andi %is8, %from23 : i1
    %to31 = arith.cmpi sle, %n, %c31 : index
    %ok = arith.andi %both, %to31 : i1
    ```

    **Needs and leaves.** Guards on tensors or on memrefs. Leaves none. Sizes are from 0 to 2^63 - 1; a bucket that ends
    beyond has no upper bound, one that begins beyond holds for nothing.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect"];
}

def UpdateLoopsInPlace : Pass<"jit-update-loops-in-place", "::mlir::func::FuncOp"> {
  let summary = "Let loops write what they carry into one buffer";
  let description = [{
    **What.** Where the body of an `scf.for` yields a tensor that it made anew, of the sizes that the
    loop-carried one has in all iterations, it is inserted into the loop-carried one instead. That
    bufferises in place: no allocation in each iteration, at most a copy.

    Before:
    ```mlir
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %init) -> (tensor<4xf32>) {
      %next = jit.invoke @step(%h : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      scf.yield %next : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %init) -> (tensor<4xf32>) {
      %next = jit.invoke @step(%h : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      %h1 = tensor.insert_slice %next into %h[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
      scf.yield %h1 : tensor<4xf32>
    }
    ```

    **Needs and leaves.** Units are formed. Sizes count as equal if they come from one value
    (`jit-simplify-shapes`).

    **Limits.** `scf.while` and tensors whose sizes may change are left alone.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def WriteSlicesInPlace : Pass<"jit-write-slices-in-place", "::mlir::func::FuncOp"> {
  let summary = "Compute parts of a tensor where they belong";
  let description = [{
    **What.** A call whose result is only inserted into a larger tensor computes into the slice of that
    tensor, where it can be made in time. So a concatenation copies nothing.

    Before:
    ```mlir
    %ea = tensor.empty() : tensor<2xf32>
    %a = jit.invoke @exp(%x : tensor<2xf32>) outs(%ea : tensor<2xf32>) -> tensor<2xf32>
    %e = tensor.empty() : tensor<5xf32>
    %r = tensor.insert_slice %a into %e[1] [2] [1] : tensor<2xf32> into tensor<5xf32>
    ```
    After, with `--cse` behind it:
    ```mlir
    %e = tensor.empty() : tensor<5xf32>
    %s = tensor.extract_slice %e[1] [2] [1] : tensor<5xf32> to tensor<2xf32>
    %a = jit.invoke @exp(%x : tensor<2xf32>) outs(%s : tensor<2xf32>) -> tensor<2xf32>
    %r = tensor.insert_slice %a into %e[1] [2] [1] : tensor<2xf32> into tensor<5xf32>
    ```

    **Needs and leaves.** Units are formed. Whether the slice is then really written in place is decided
    by bufferisation, which also sees what else reads it.

    **Limits.** A reshape between the call and the insertion hides it.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def BufferizeFunctions : Pass<"jit-bufferize-functions", "::mlir::ModuleOp"> {
  let summary = "Turn the tensors of functions, not those in units, into buffers";
  let description = [{
    **What.** MLIR's One-Shot Bufferize on all functions, with these decisions: units stay as they are,
    on tensors; arguments and results of functions are dense, row-major memrefs; an argument is never
    written; loops may hand new allocations on. Results of a call of the init function `@__jit_init`
    become `memref.global`s with the attribute `init_result`, which nothing writes. Before it,
    dimensions of size 1 of slices get stride 1, and a slice of other strides that drops some of them
    and keeps some becomes one that drops all, with a reshape: the strides of the view tell what it
    drops then. What is collapsed from a type with a size of 0 becomes a `tensor.empty`.

    Before:
    ```mlir
    func.func @f(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %x, %c0 : tensor<?x4xf32>
      %e = tensor.empty(%n) : tensor<?x4xf32>
      %r = jit.invoke @exp(%x : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
      return %r : tensor<?x4xf32>
    }
    jit.unit private @exp(%x: tensor<?x4xf32>, %out: tensor<?x4xf32> {jit.write_only}) -> tensor<?x4xf32> {
      %r = linalg.exp ins(%x : tensor<?x4xf32>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
      jit.return %r : tensor<?x4xf32>
    }
    ```
    After, with the same unit:
    ```mlir
    func.func @f(%x: memref<?x4xf32>) -> memref<?x4xf32> {
      %c0 = arith.constant 0 : index
      %n = memref.dim %x, %c0 : memref<?x4xf32>
      %r = memref.alloc(%n) {alignment = 64 : i64} : memref<?x4xf32>
      jit.invoke @exp(%x : memref<?x4xf32>) outs(%r : memref<?x4xf32>)
      return %r : memref<?x4xf32>
    }
    jit.unit private @exp(...
    ```

    **Needs and leaves.** No tensor operations but those that One-Shot Bufferize knows, and
    `jit.invoke`. No tensors are left outside of units.

    **Limits.** Tensors of unknown rank.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def PrintPlan : Pass<"jit-print-plan", "::mlir::ModuleOp"> {
  let summary = "Print the plan of a bufferised module";
  let description = [{
    **What.** Makes the plan (DESIGN.md D2) of a module and prints it as text to standard output. The
    module stays as it is.

    For
    ```mlir
    func.func @f(%x: memref<?x4xf32>) -> memref<?x4xf32> {
      %c0 = arith.constant 0 : index
      %n = memref.dim %x, %c0 : memref<?x4xf32>
      %r = memref.alloc(%n) : memref<?x4xf32>
      jit.invoke @exp(%x : memref<?x4xf32>) outs(%r : memref<?x4xf32>)
      return %r : memref<?x4xf32>
    }
    jit.unit private @exp(%x: tensor<?x4xf32>, %out: tensor<?x4xf32> {jit.write_only}) -> tensor<?x4xf32> {
      %r = linalg.exp ins(%x : tensor<?x4xf32>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
      jit.return %r : tensor<?x4xf32>
    }
    ```
    in a file m.mlir it prints
    ```
    module ""
    unit "exp" (in t0: [?, 4] f32, out t1: [?, 4] f32) {
      kernel linalg.exp (d0 parallel dim(t0, 0), d1 parallel 4) at "m.mlir:9:8"
        %0 = in t0 [d0, d1]
        %1 = out t1 [d0, d1]
        %2 = Exp f32 %0
        yield %2
    }
    function "f" ("arg0" m0: tensor<?x4xf32>) -> ("result0" m1: tensor<?x4xf32>) {
      m0: f32 [%0, %1] strides [%1, 1] in argument0
      m1: f32 [%0, %1] strides [%1, 1] in result0
      shape {
      }
      0: invoke "exp" (m0, m1) at "m.mlir:5:3"
    }
    ```

    **Needs and leaves.** What pipeline `jit-bufferize-host` leaves.
  }];
}

def LowerUnitBodies : Pass<"jit-lower-unit-bodies", "::mlir::ModuleOp"> {
  let summary = "Turn the bodies of units into functions on boxes";
  let description = [{
    **What.** First step of tier `baseline` (`--jit-tier-baseline`). For each `jit.unit` @u there are
    - `@u.body.<n>`, an AnnealBoxFn (anneal-c/UnitAbi.h), for each structured operation *n* of the unit
      that gains by it: what it does at each point of a box of rows and columns, vectors of columns at a
      time;
    - `@u`, an AnnealUnitFn that hands a table of these to the runtime, null where there is none. The
      runtime keeps loop nests, threads, tiles and contractions.

    The control flow is in the LLVM dialect, the body's operations stay in arith and math, on vectors.
    What is the same in a row is computed once a row, what is the same in the box once. Operands are
    expected to be contiguous along the columns, or to stand still; where they don't, the same code runs
    on one column at a time.

    Before:
    ```mlir
    jit.unit @u(%x: tensor<?x8xf32>, %m: tensor<?xf32>, %out: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %r = linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                           affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%x, %m : tensor<?x8xf32>, tensor<?xf32>) outs(%out : tensor<?x8xf32>) {
        ^bb0(%a: f32, %b: f32, %o: f32):
          %s = arith.subf %a, %b : f32
          linalg.yield %s : f32
      } -> tensor<?x8xf32>
      jit.return %r : tensor<?x8xf32>
    }
    ```
    After (the middle of it):
    ```mlir
    llvm.func @u.body.0(%box: !llvm.ptr) -> i32 attributes {no_inline, optimize_none} {
      ...
      %scalar = llvm.load %q {alignment = 4 : i64} : !llvm.ptr -> f32
      ...
      %m = llvm.shufflevector ... : vector<16xf32>
      llvm.br ^body(%first : i64)
    ^body(%column: i64):
      %p = llvm.getelementptr %from[%column] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %a = llvm.intr.masked.load %p, %mask, %zero {alignment = 4 : i32} : ... -> vector<16xf32>
      %s = arith.subf %a, %m : vector<16xf32>
      %r = llvm.getelementptr %to[%column] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.intr.masked.store %s, %r, %mask {alignment = 4 : i32} : ...
      %next = llvm.add %column, %step : i64
      %more = llvm.icmp "sle" %next, %limit : i64
      llvm.cond_br %more, ^body(%next : i64), ^rest
      ...
    }
    llvm.func @u(%frame: !llvm.ptr) -> i32 ...
    ```

    **Options.** `vector-width=8` makes vectors of 8 columns (AVX2) instead of 16 (AVX-512); reductions
    work on their 16 lanes in any case. `masked-memory=false` for targets without masked loads and stores
    of all types: what is left of a row is done column by column.

    **Needs and leaves.** Units as `jit-form-units` leaves them. All else in the module is dropped: the
    host part is planned, not compiled. Leaves operations of arith and math that may need
    `jit-expand-math`.

    **Limits.** No code, and a remark (category `jit-lower-unit-bodies`) that says why, for: contractions,
    copies, fills, pooling and plain row sums, where the runtime has code of its own; reductions across
    rows or by several operations; bodies with regions; accesses that are not linear; operations that
    `jit-expand-math` doesn't know; sizes of dimensions that are read in the body.
  }];
  let options = [
    Option<"vectorWidth", "vector-width", "unsigned", "16", "Columns at a time: 8 or 16">,
    Option<"maskedMemory", "masked-memory", "bool", "true",
           "The target loads and stores vectors under a mask at no cost">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def ExpandMath : Pass<"jit-expand-math"> {
  let summary = "Write out arithmetic whose meaning is Anneal's own";
  let description = [{
    **What.** Replaces operations of arith and math, on scalars and vectors, that LLVM would leave to a
    library, let trap or leave undefined, by what docs/Numerics.md says they are, in plain operations:
    - transcendental functions by the polynomials of anneal/Support/MathPolynomials.h, step by step with
      `math.fma`;
    - maxima and minima with NaN and signed zeros, rounding to the nearest away from zero, powers,
      tests of floats;
    - conversions of floats to integers, which saturate;
    - division and remainder of integers, which never trap; shifts by any amount;
    - arithmetic on `i1` as logic.

    Before:
    ```mlir
    %m = arith.maximumf %x, %zero : vector<16xf32>
    %r = math.rsqrt %m : vector<16xf32>
    ```
    After:
    ```mlir
    %c = arith.cmpf ole, %x, %zero : vector<16xf32>
    %m = arith.select %c, %zero, %x : vector<16xi1>, vector<16xf32>
    %s = math.sqrt %m : vector<16xf32>
    %r = arith.divf %one, %s : vector<16xf32>
    ```

    **Needs and leaves.** Leaves operations that are one or a few instructions on targets with fused
    multiply-add. Constants are placed at the begin of the function.

    **Limits.** Left as they are: f16, bf16 and `index` (tier `baseline` computes in f32 and i64), sin,
    cos, tan, `remf`, `ipowi`, `fpowi` with an exponent that isn't constant, 64-bit division without
    sign, and those functions of f64 that docs/Numerics.md takes from the C library.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def HoistVectorConstants : Pass<"jit-hoist-vector-constants", "::mlir::ModuleOp"> {
  let summary = "Load the vector constants of loops once";
  let description = [{
    **What.** Vectors of one constant value that the blocks after a function's entry use are loaded and
    broadcast in the entry, from a private table. The register allocator keeps them in registers, or
    reads them where they are used, in loops that LLVM is told not to optimise; else each use would load
    its constant again.

    Before:
    ```mlir
    llvm.func @f(%x: vector<16xf32>) -> vector<16xf32> {
      %half = llvm.mlir.constant(dense<0.5> : vector<16xf32>) : vector<16xf32>
      llvm.br ^loop
    ^loop:
      %y = llvm.fmul %x, %half : vector<16xf32>
      llvm.return %y : vector<16xf32>
    }
    ```
    After, where 1056964608 are the bits of 0.5, and with `--cse` behind it:
    ```mlir
    llvm.mlir.global private constant @f.constants.16x32(dense<1056964608> : tensor<1xi32>) ...
    llvm.func @f(%x: vector<16xf32>) -> vector<16xf32> {
      %zero = llvm.mlir.constant(0 : i64) : i64
      %table = llvm.mlir.addressof @f.constants.16x32 : !llvm.ptr
      %entry = llvm.getelementptr %table[0] : (!llvm.ptr) -> !llvm.ptr, i32
      %scalar = llvm.load %entry {alignment = 4 : i64} : !llvm.ptr -> f32
      %none = llvm.mlir.poison : vector<16xf32>
      %one = llvm.insertelement %scalar, %none[%zero : i64] : vector<16xf32>
      %half = llvm.shufflevector %one, %none [0, 0, ...] : vector<16xf32>
      llvm.br ^loop
    ^loop:
      %y = llvm.fmul %x, %half : vector<16xf32>
      llvm.return %y : vector<16xf32>
    }
    ```

    **Needs and leaves.** Functions of the LLVM dialect with their constants in the entry block.

    **Limits.** Elements of 32 and 64 bits; not zero, and not ones in all bits, which cost nothing.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // ANNEAL_CONVERSION_PASSES
