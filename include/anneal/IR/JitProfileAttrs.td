//===- JitProfileAttrs.td - What a unit was seen to do ----- -*- tablegen -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by JitAttrs.td.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_IR_JITPROFILEATTRS_TD
#define ANNEAL_IR_JITPROFILEATTRS_TD

//===----------------------------------------------------------------------===//
// Access
//===----------------------------------------------------------------------===//

def Jit_AccessAttr : Jit_Attr<"Access", "access"> {
  let summary = "How the memory of an argument was seen to lie (T5)";
  let description = [{
    Any of these, at least one:

    * `contiguity`: the share of calls, from 0 to 1, in which the elements lay densely in row-major order;
    * `alignment`: bytes, a power of two, that divided the address in all calls;
    * `strides`: distance in elements from one index to the next in each dimension, in the call seen most.

    Example: `#jit.access<contiguity = 1.0, alignment = 64, strides = [4, 1]>`
  }];
  let parameters = (ins OptionalParameter<"::mlir::FloatAttr">:$contiguityAttr,
                        OptionalParameter<"::std::optional<int64_t>">:$alignment,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$strides);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Share of the calls with dense elements.
    ::std::optional<double> getContiguity() const;
  }];
}

//===----------------------------------------------------------------------===//
// Profile
//===----------------------------------------------------------------------===//

def Jit_ProfileAttr : Jit_Attr<"Profile", "profile"> {
  let summary = "What runs of a unit have shown (T5)";
  let description = [{
    Any of these, at least one:

    * `calls`: how often it ran;
    * `time_us`: microseconds spent in all of these runs;
    * `bytes`, `flops`: bytes moved and floating-point operations done in all of them;
    * `shapes`: a histogram: the sizes of each argument, in order (`[]` for a scalar), and how many
      calls had them. Sorted by falling count, then by rising sizes; no shape is there twice, and the
      counts add up to `calls` at most;
    * `branches`: for each `scf.if` of the unit, in the order of the IR, the share of times that its
      condition held;
    * `memory`: one `#jit.access` for each argument.

    What isn't there isn't known. It stands on units and other operations as the discardable attribute
    `jit.profile`. `jit-annotate-profile` writes it from a file, `jit-strip-profile` takes it away.

    Example: `#jit.profile<calls = 12, time_us = 3.5, shapes = [([8, 4], [], [8, 4]) : 9, ([2, 4], [], [2, 4]) : 3]>`
  }];
  // An element of `shapes` is an ArrayAttr of DenseI64ArrayAttr, one for each argument.
  let parameters = (ins OptionalParameter<"::std::optional<int64_t>">:$calls,
                        OptionalParameter<"::mlir::FloatAttr">:$timeUsAttr,
                        OptionalParameter<"::std::optional<int64_t>">:$bytes,
                        OptionalParameter<"::std::optional<int64_t>">:$flops,
                        OptionalParameter<"::mlir::ArrayAttr">:$shapes,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$shapeCounts,
                        OptionalParameter<"::mlir::DenseF64ArrayAttr">:$branches,
                        OptionalParameter<"::mlir::ArrayAttr">:$memory);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Microseconds spent in all runs.
    ::std::optional<double> getTimeUs() const;
    /// Number of different shapes in the histogram.
    size_t getNumShapes() const;
    /// Sizes of an argument in the shape of that number.
    ::llvm::ArrayRef<int64_t> getSizes(size_t shape, size_t argument) const;
    /// Sum of the histogram's counts.
    int64_t getShapeTotal() const;

    /// A shape, as an element of `shapes`, and its count.
    using CountedShape = ::std::pair<::mlir::Attribute, int64_t>;
    /// Puts shapes into the order of the histogram.
    static void sortShapes(::llvm::MutableArrayRef<CountedShape> shapes);
    /// Whether shapes and memory are those of arguments of these types; an error otherwise.
    ::llvm::LogicalResult
    verifyFits(::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
               ::llvm::ArrayRef<::mlir::Type> argumentTypes) const;
  }];
}

#endif // ANNEAL_IR_JITPROFILEATTRS_TD
