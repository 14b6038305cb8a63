//===- JitAttrs.td - Attributes of the jit dialect ------- -*- tablegen -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_IR_JITATTRS_TD
#define ANNEAL_IR_JITATTRS_TD

include "anneal/IR/JitDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Jit_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Jit_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

//===----------------------------------------------------------------------===//
// Tier
//===----------------------------------------------------------------------===//

def Jit_Tier : I32EnumAttr<"Tier", "How far a unit is compiled", [
    I32EnumAttrCase<"Interpreter", 0, "interpreter">,
    I32EnumAttrCase<"Baseline", 1, "baseline">,
    I32EnumAttrCase<"Optimized", 2, "optimized">,
    I32EnumAttrCase<"Peak", 3, "peak">]> {
  let cppNamespace = "::anneal::jit";
  let genSpecializedAttr = 0;
}

def Jit_TierAttr : EnumAttr<Jit_Dialect, Jit_Tier, "tier"> {
  let summary = "How far a unit is compiled (T0 to T3)";
  let description = [{
    In rising order of speed and of compile time: `interpreter` (nothing is compiled), `baseline`,
    `optimized`, `peak`.

    Example: `#jit.tier<baseline>`
  }];
  let assemblyFormat = ?;
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// Mode
//===----------------------------------------------------------------------===//

def Jit_Mode : I32EnumAttr<"Mode", "When a unit is compiled", [
    I32EnumAttrCase<"AOT", 0, "aot">, I32EnumAttrCase<"JIT", 1, "jit">]> {
  let cppNamespace = "::anneal::jit";
  let genSpecializedAttr = 0;
}

def Jit_ModeAttr : EnumAttr<Jit_Dialect, Jit_Mode, "mode"> {
  let summary = "Whether a unit is compiled before the program runs or while it runs (M2)";
  let description = [{
    `aot`: before the program runs. `jit`: while it runs, once it is known to be hot and for the
    shapes that are seen.

    Example: `#jit.mode<aot>`
  }];
  let assemblyFormat = ?;
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// Hotness
//===----------------------------------------------------------------------===//

def Jit_HotnessAttr : Jit_Attr<"Hotness", "hotness"> {
  let summary = "What a profile says about an operation (H1, H5)";
  let description = [{
    Any of these, at least one, each of which is not negative:

    * `count`: how often it ran;
    * `time_us`: microseconds spent in all of these runs;
    * `bytes`: bytes read and written in all of them;
    * `flops`: floating-point operations done in all of them;
    * `score`: the weighted score that was computed from the others.

    What isn't there isn't known, which is not the same as 0. They may be given in any order, and
    are printed in this one. Times and scores are exact 64-bit floats.

    Example: `#jit.hotness<count = 12, time_us = 3.5, bytes = 4096, flops = 8192, score = 0.75>`
  }];
  let parameters = (ins OptionalParameter<"::std::optional<int64_t>">:$count,
                        OptionalParameter<"::mlir::FloatAttr">:$timeUsAttr,
                        OptionalParameter<"::std::optional<int64_t>">:$bytes,
                        OptionalParameter<"::std::optional<int64_t>">:$flops,
                        OptionalParameter<"::mlir::FloatAttr">:$scoreAttr);
  let builders = [AttrBuilder<(ins "::std::optional<int64_t>":$count,
                                   "::std::optional<double>":$timeUs,
                                   "::std::optional<int64_t>":$bytes,
                                   "::std::optional<int64_t>":$flops,
                                   "::std::optional<double>":$score)>];
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Microseconds spent in all runs.
    ::std::optional<double> getTimeUs() const;
    /// The score.
    ::std::optional<double> getScore() const;
  }];
}

//===----------------------------------------------------------------------===//
// Shape bucket
//===----------------------------------------------------------------------===//

def Jit_ShapeBucketAttr : Jit_Attr<"ShapeBucket", "shape_bucket"> {
  let summary = "The shapes of a tensor that something is for (S1)";
  let description = [{
    For each dimension one of

    * a size: `8` (0 too: the bucket of size 0 is that size alone);
    * a bucket of sizes: `exp2(9/2 ... 5)` holds the sizes from `2^(9/2)` on, below `2^5`. The
      exponents are exact rationals: their difference is the step `delta` of S1, the lower one
      `floor(log2(s) / delta) * delta` for each size `s` in the bucket, hence a multiple of the
      step;
    * any size: `?`.

    Example: `#jit.shape_bucket<[8, exp2(9/2 ... 5), ?]>`
  }];
  let parameters = (ins ArrayRefParameter<"::anneal::jit::DimBucket">:$dims);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The bucket of the given step that holds `shape`, for each dimension.
    /// REQUIRES: isValid(step), no negative size.
    static ShapeBucketAttr getForShape(::mlir::MLIRContext *context,
                                       ::llvm::ArrayRef<int64_t> shape, BucketStep step);

    /// Whether tensors of this shape, of the same rank and without dynamic sizes, belong here.
    bool contains(::llvm::ArrayRef<int64_t> shape) const;
  }];
}

//===----------------------------------------------------------------------===//
// Schedule
//===----------------------------------------------------------------------===//

def Jit_ScheduleAttr : Jit_Attr<"Schedule", "schedule"> {
  let summary = "Numbers that steer the transformations of a unit";
  let description = [{
    Named lists of integers, none of them negative: tile sizes, unroll factors, a loop order. What
    the names mean is up to the passes that read them. A list of one is written without brackets.
    The order of names has no meaning; they are kept and printed sorted.

    Example: `#jit.schedule<tile = [8, 32], unroll = 4>`
  }];
  // Each value is a DenseI64ArrayAttr.
  let parameters = (ins "::mlir::DictionaryAttr":$knobs);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The list of that name, if there is one.
    ::std::optional<::llvm::ArrayRef<int64_t>> lookup(::llvm::StringRef name) const;
  }];
}

include "anneal/IR/JitProfileAttrs.td"

#endif // ANNEAL_IR_JITATTRS_TD
