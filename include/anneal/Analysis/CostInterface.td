//===- CostInterface.td - What an operation costs ---------- -*- tablegen -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_ANALYSIS_COSTINTERFACE_TD
#define ANNEAL_ANALYSIS_COSTINTERFACE_TD

include "mlir/IR/Interfaces.td"

def JitCostOpInterface : OpInterface<"JitCostOpInterface"> {
  let cppNamespace = "::anneal";
  let description = [{
    An operation that says itself what it costs (H5). Comes before all other ways in which
    `OpCostAnalysis` finds a cost. A dialect implements it in its operations, or attaches it to those of
    others (`registerCostModels` does so for `tensor`, `memref`, `scf` and `linalg`).
  }];
  let methods = [InterfaceMethod<
    /*desc=*/[{
      What it costs to run the operation once, with all that is in its regions. `analysis` has the
      sizes of values as polynomials, the bytes of tensors and the costs of regions; nothing else is to
      be asked, and the IR isn't to be changed. `OpCost::unknown` where it can't be said.
    }],
    /*retTy=*/"::anneal::OpCost", /*methodName=*/"getCost",
    /*args=*/(ins "::anneal::OpCostAnalysis &":$analysis)>];
}

#endif // ANNEAL_ANALYSIS_COSTINTERFACE_TD
