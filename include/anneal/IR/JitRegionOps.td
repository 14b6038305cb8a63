//===- JitRegionOps.td - jit.region and jit.yield --------- -*- tablegen -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by JitOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_IR_JITREGIONOPS_TD
#define ANNEAL_IR_JITREGIONOPS_TD

//===----------------------------------------------------------------------===//
// jit.region
//===----------------------------------------------------------------------===//

def Jit_RegionOp : Jit_Op<"region", [
    DeclareOpInterfaceMethods<RegionBranchOpInterface>, NoRegionArguments, RecursiveMemoryEffects,
    RecursivelySpeculatable, SingleBlockImplicitTerminator<"::anneal::jit::YieldOp">]> {
  let summary = "Operations that are to become one unit";
  let description = [{
    Marks what should run together: `jit-form-regions` puts regions around the groups that its rule
    finds, a pass of one's own may put them around others, and `jit-outline-units` makes a `jit.unit`
    of each. A region is run once, where it stands; it reads values from outside freely, and its
    results are what `jit.yield` hands out. Regions don't nest, and hold no calls: a unit calls no
    other unit.

    Canonicalisation drops results that nobody reads, and regions in which nothing is computed.

    Example:

    ```mlir
    %r = jit.region -> tensor<?x4xf32> {
      %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
      %m = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>)
          outs(%i : tensor<?x4xf32>) -> tensor<?x4xf32>
      %y = linalg.exp ins(%m : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
      jit.yield %y : tensor<?x4xf32>
    }
    ```
  }];

  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$types)>];
  let skipDefaultBuilders = 1;
  let assemblyFormat = [{
    (`->` custom<ResultTypes>(type($results))^)? $body attr-dict
  }];
  let hasCanonicalizer = 1;
  let hasRegionVerifier = 1;

  let extraClassDeclaration = [{
    /// The terminator.
    YieldOp getYield();
  }];
}

//===----------------------------------------------------------------------===//
// jit.yield
//===----------------------------------------------------------------------===//

def Jit_YieldOp : Jit_Op<"yield", [
    HasParent<"RegionOp">, Pure, ReturnLike, Terminator]> {
  let summary = "Ends a region";
  let description = [{
    Hands the results of a `jit.region` to the code around it. Counts and types are those of the region's
    results.

    Example: `jit.yield %y : tensor<?x4xf32>`
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$operands);
  let builders = [OpBuilder<(ins), [{}]>];
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

#endif // ANNEAL_IR_JITREGIONOPS_TD
