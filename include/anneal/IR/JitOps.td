//===- JitOps.td - Operations of the jit dialect --------- -*- tablegen -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_IR_JITOPS_TD
#define ANNEAL_IR_JITOPS_TD

include "anneal/IR/JitAttrs.td"
include "anneal/IR/JitDialect.td"
include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Jit_Op<string mnemonic, list<Trait> traits = []> : Op<Jit_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// jit.unit
//===----------------------------------------------------------------------===//

def Jit_UnitOp : Jit_Op<"unit", [
    AffineScope, AutomaticAllocationScope, FunctionOpInterface, IsolatedFromAbove, SingleBlock]> {
  let summary = "What is interpreted, compiled and counted at once";
  let description = [{
    A function on ranked tensors and scalars (integers, `index`, floats, complex numbers) in
    destination-passing style: its last arguments are the *destinations*, one for each result, of
    the same type and in the same order. The other arguments are *inputs*. A unit is called by
    `jit.invoke` only, and ends in `jit.return`. It calls other units in loops only, and those call none:
    it is a *loop unit* then.

    A destination is what its result is computed into: the unit may read it, unless the argument
    carries `jit.write_only`. The memory of a destination is that of no other operand.

    `tier`, `mode`, `hotness` and `schedule` are what is known and decided about the unit.

    Example:

    ```mlir
    jit.unit private @scale(%a: tensor<?x4xf32>, %s: f32,
                            %out: tensor<?x4xf32> {jit.write_only}) -> tensor<?x4xf32>
        attributes {tier = #jit.tier<baseline>} {
      %r = linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%a : tensor<?x4xf32>) outs(%out : tensor<?x4xf32>) {
        ^bb0(%x: f32, %o: f32):
          %y = arith.mulf %x, %s : f32
          linalg.yield %y : f32
      } -> tensor<?x4xf32>
      jit.return %r : tensor<?x4xf32>
    }
    ```
  }];

  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs,
                       OptionalAttr<Jit_HotnessAttr>:$hotness,
                       OptionalAttr<Jit_ModeAttr>:$mode,
                       OptionalAttr<Jit_ScheduleAttr>:$schedule,
                       OptionalAttr<Jit_TierAttr>:$tier);
  let regions = (region SizedRegion<1>:$body);

  let builders = [OpBuilder<(ins
    "::llvm::StringRef":$name, "::mlir::FunctionType":$type,
    CArg<"::llvm::ArrayRef<::mlir::NamedAttribute>", "{}">:$attrs)>];
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;

  let extraClassDeclaration = [{
    /// FunctionOpInterface and CallableOpInterface.
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }

    /// Number of destinations, which is the number of results.
    unsigned getNumDestinations() { return getFunctionType().getNumResults(); }
    /// Number of arguments before the destinations.
    unsigned getNumInputs() { return getFunctionType().getNumInputs() - getNumDestinations(); }
    /// The arguments that aren't destinations.
    ::mlir::Block::BlockArgListType getInputs() {
      return getArguments().take_front(getNumInputs());
    }
    /// The arguments that results are computed into, one for each result.
    ::mlir::Block::BlockArgListType getDestinations() {
      return getArguments().take_back(getNumDestinations());
    }
    /// Whether destination `index` is promised to be written in full and not read before.
    bool isWriteOnly(unsigned index);
    /// Marks destination `index` so.
    void setWriteOnly(unsigned index);

    /// The terminator.
    ReturnOp getReturn();

    /// Whether it is a loop unit: one that calls others.
    bool callsUnits();

    /// Whether running the unit does more than write to its destinations: it holds a `cf.assert`, a
    /// print, or an operation of which nothing is known. Calls of such a unit carry `effects`.
    bool hasEffects();
    /// Whether a call may run where the program wouldn't have made it (a hoisted call in a loop
    /// without iterations): no effects, no undefined behaviour for any input.
    bool isSpeculatable();
  }];
}

//===----------------------------------------------------------------------===//
// jit.return
//===----------------------------------------------------------------------===//

def Jit_ReturnOp : Jit_Op<"return", [
    HasParent<"UnitOp">, Pure, ReturnLike, Terminator]> {
  let summary = "Ends a unit";
  let description = [{
    Hands the results of a `jit.unit` to its caller. Counts and types are those of the unit's results.

    Example: `jit.return %r : tensor<?x4xf32>`
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// jit.invoke
//===----------------------------------------------------------------------===//

def Jit_InvokeOp : Jit_Op<"invoke", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<BufferizableOpInterface, [
        "bufferizesToMemoryRead", "bufferizesToMemoryWrite", "getAliasingValues", "bufferize"]>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls a unit";
  let description = [{
    Calls a `jit.unit` on inputs and destinations (`outs`). On tensors there is one result for each
    destination, of its type. On memrefs the results are in the destinations and there are no others;
    the unit's body is on tensors all the same. Tensors and memrefs don't mix in one call.

    An operand may know more of its sizes than the unit's argument does (`tensor<8x4xf32>` for
    `tensor<?x4xf32>`), not less.

    `effects` stands on each call of a unit that does more than write to its destinations (it holds a
    `cf.assert`): such a call is neither dropped nor moved over others.

    To passes between functions this isn't a call: a unit is compiled for all of its callers, and
    what one of them passes must not be built into it.

    Example:

    ```mlir
    %r = jit.invoke @scale(%a, %s : tensor<?x4xf32>, f32) outs(%o : tensor<?x4xf32>)
        -> tensor<?x4xf32>
    jit.invoke @scale(%m, %s : memref<?x4xf32>, f32) outs(%n : memref<?x4xf32>)
    jit.invoke @check(%a : tensor<?x4xf32>) {effects}
    ```
  }];

  let arguments = (ins FlatSymbolRefAttr:$callee,
                       Variadic<AnyType>:$inputs,
                       Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$outputs,
                       UnitAttr:$effects);
  let results = (outs Variadic<AnyRankedTensor>:$results);

  let builders = [
    // A call on tensors (results follow from the outputs) or on memrefs, with `effects` as the unit
    // needs it.
    OpBuilder<(ins "UnitOp":$unit, "::mlir::ValueRange":$inputs, "::mlir::ValueRange":$outputs)>,
    OpBuilder<(ins "::llvm::StringRef":$callee, "::mlir::ValueRange":$inputs,
                   "::mlir::ValueRange":$outputs, "bool":$effects)>];
  let skipDefaultBuilders = 1;
  let assemblyFormat = [{
    $callee `(` ($inputs^ `:` type($inputs))? `)` (`outs` `(` $outputs^ `:` type($outputs) `)`)?
    (`->` custom<ResultTypes>(type($results))^)? attr-dict
  }];
  let hasCanonicalizer = 1;
  let hasVerifier = 1;

  let extraClassDeclaration = [{
    /// The unit that is called; null if the symbol doesn't name one.
    UnitOp getUnit();

    /// DestinationStyleOpInterface.
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); }
  }];
}

include "anneal/IR/JitRegionOps.td"
include "anneal/IR/JitVariantOps.td"

#endif // ANNEAL_IR_JITOPS_TD
