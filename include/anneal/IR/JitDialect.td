//===- JitDialect.td - The dialect of units of compilation  -*- tablegen -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_IR_JITDIALECT_TD
#define ANNEAL_IR_JITDIALECT_TD

include "mlir/IR/DialectBase.td"

def Jit_Dialect : Dialect {
  let name = "jit";
  let cppNamespace = "::anneal::jit";
  let summary = "Units of compilation, their calls, and what is known and decided about them";
  let description = [{
    A program is cut into *units*: what is interpreted, compiled and counted at once. `jit.unit`
    holds the body of one, on tensors and scalars; `jit.invoke` calls it. Both are in
    destination-passing style, so that a unit never allocates. Attributes say how hot a unit is
    (`#jit.hotness`), which shapes a piece of code is for (`#jit.shape_bucket`), how far it is to be
    compiled (`#jit.tier`), when (`#jit.mode`), and with which numbers for its transformations
    (`#jit.schedule`), and what its runs have shown (`#jit.profile`). `jit.variant` says which unit
    does the work of another for some shapes, `jit.guard` asks for those shapes.

    These attributes may also stand on any other operation, as discardable attributes:
    `jit.hotness`, `jit.tier`, `jit.mode`, `jit.schedule` and `jit.profile`, the last on units
    too. An argument of a function or a unit
    may carry `jit.shape_bucket`, a destination of a unit the attribute `jit.write_only`, without a
    value: it promises that the unit writes every element of the destination and reads none that it
    didn't write before. A loop that `jit-inline-loops` put into a function carries `jit.loop_unit`, the
    name of the unit that it is. What analyses write is discardable too (`jit.cost`, `jit.fusion` ...);
    any other attribute of the dialect's name is an error.
  }];

  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;

  let extraClassDeclaration = [{
    /// Name of the argument attribute that promises that a destination is only written.
    static constexpr ::llvm::StringLiteral kWriteOnlyAttrName = "jit.write_only";
    /// Name of the attribute by which a loop in a function says of which unit it is the body.
    static constexpr ::llvm::StringLiteral kLoopUnitAttrName = "jit.loop_unit";
    /// Names of the discardable forms of the dialect's attributes.
    static constexpr ::llvm::StringLiteral kHotnessAttrName = "jit.hotness";
    static constexpr ::llvm::StringLiteral kModeAttrName = "jit.mode";
    static constexpr ::llvm::StringLiteral kProfileAttrName = "jit.profile";
    static constexpr ::llvm::StringLiteral kScheduleAttrName = "jit.schedule";
    static constexpr ::llvm::StringLiteral kShapeBucketAttrName = "jit.shape_bucket";
    static constexpr ::llvm::StringLiteral kTierAttrName = "jit.tier";
    /// Names under which analyses write what they found; the passes that do say what is in them.
    static constexpr ::llvm::StringLiteral kCostAttrName = "jit.cost";
    static constexpr ::llvm::StringLiteral kCostDimsAttrName = "jit.cost_dims";
    static constexpr ::llvm::StringLiteral kCriticalPathAttrName = "jit.critical_path_us";
    static constexpr ::llvm::StringLiteral kFusionAttrName = "jit.fusion";
    static constexpr ::llvm::StringLiteral kFusionGroupAttrName = "jit.fusion_group";
    static constexpr ::llvm::StringLiteral kShapeClassAttrName = "jit.shape_class";
    static constexpr ::llvm::StringLiteral kSparsityAttrName = "jit.sparsity";

  private:
    void registerAttributes();

  public:
  }];
}

#endif // ANNEAL_IR_JITDIALECT_TD
