//===- Passes.td - Passes around the pipelines ------------*- tablegen -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_PIPELINES_PASSES
#define ANNEAL_PIPELINES_PASSES

include "mlir/Pass/PassBase.td"

def ExtractUnit : Pass<"jit-extract-unit", "::mlir::ModuleOp"> {
  let summary = "Leave one unit of a module and nothing else";
  let description = [{
    **What.** Erases everything but one `jit.unit`. That is how the engine takes a unit out of a model
    before it runs a tier's pipeline on it, so this shows what becomes of one unit alone:

    ```
    jit-opt model.mlirbc --jit-normalize --jit-form-units --jit-extract-unit=unit=main.matmul_0 \
        --jit-tier-baseline
    ```

    Before:
    ```mlir
    func.func @main(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
      %r = jit.invoke @main.exp_0(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
    jit.unit private @main.exp_0(%x: tensor<4xf32>, %o: tensor<4xf32> {jit.write_only}) -> tensor<4xf32> {
      %r = linalg.exp ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
      jit.return %r : tensor<4xf32>
    }
    ```
    After `jit-extract-unit{unit=main.exp_0}`:
    ```mlir
    jit.unit @main.exp_0(%x: tensor<4xf32>, %o: tensor<4xf32> {jit.write_only}) -> tensor<4xf32> {
      %r = linalg.exp ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
      jit.return %r : tensor<4xf32>
    }
    ```

    **Needs** a module with a unit of that name; the error names those that there are. **Leaves** that
    unit, which is public then, so that no pass takes it for unused, and what it calls if it is a loop.
  }];
  let options = [
    Option<"unit", "unit", "std::string", "\"\"",
           "Name of the unit, without the @; %20 stands for a blank, and so on">,
  ];
  let dependentDialects = ["::anneal::jit::JitDialect"];
}

def ExtractFunction : Pass<"jit-extract-function", "::mlir::ModuleOp"> {
  let summary = "Leave one function of a module and what it calls";
  let description = [{
    **What.** Makes every other function private and erases what is not used then. That is how the
    engine takes a function out of a model that it compiles whole, before it runs the pipeline of tier
    `stock` on it, so this shows what becomes of one function alone:

    ```
    jit-opt model.mlir --jit-extract-function=function=main --jit-tier-stock
    ```

    Transform scripts of the module go, with a remark. A function that is in the LLVM dialect already, and
    takes and gives numbers only, gets a `func.func` of its name that calls it, by which it can be
    called from outside.

    Before:
    ```mlir
    func.func @main(%x: vector<4xf32>) -> vector<4xf32> {
      %r = call @helper(%x) : (vector<4xf32>) -> vector<4xf32>
      return %r : vector<4xf32>
    }
    func.func @helper(%x: vector<4xf32>) -> vector<4xf32> {
      return %x : vector<4xf32>
    }
    func.func @other(%x: vector<4xf32>) -> vector<4xf32> {
      return %x : vector<4xf32>
    }
    ```
    After `jit-extract-function{function=main}`:
    ```mlir
    func.func @main(%x: vector<4xf32>) -> vector<4xf32> {
      %r = call @helper(%x) : (vector<4xf32>) -> vector<4xf32>
      return %r : vector<4xf32>
    }
    func.func private @helper(%x: vector<4xf32>) -> vector<4xf32> {
      return %x : vector<4xf32>
    }
    ```

    **Needs** a module with a function of that name. **Leaves** it public.
  }];
  let options = [
    Option<"function", "function", "std::string", "\"\"",
           "Name of the function, without the @; %20 stands for a blank, and so on">,
  ];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect"];
}

def StockPrepare : Pass<"jit-stock-prepare", "::mlir::ModuleOp"> {
  let summary = "Prepare whole functions for MLIR's own lowerings";
  let description = [{
    **What.** The first pass of tier `stock`, which compiles functions whole that units cannot express:
    - public functions get a C interface, and their tensor arguments are marked as not writable, so
      that bufferization copies what a function changes;
    - before a reshape to sizes that are known in the call only, a `cf.assert` that they multiply to
      what there is; its type gets the sizes that are constants;
    - slices are written such that their types tell which dimensions they drop;
    - scans and gathers of vectors become operations on elements;
    - declarations of what `vector.print` calls (`printI64`, `printNewline`...) go to the LLVM dialect,
      where its lowering looks for them.

    Before:
    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      return %x : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%x: tensor<4xf32> {bufferization.writable = false}) -> tensor<4xf32>
        attributes {llvm.emit_c_interface} {
      return %x : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"
  ];
}

def StockCheckTensors : Pass<"jit-stock-check-tensors", "::mlir::ModuleOp"> {
  let summary = "Name what can't be turned from tensors to buffers";
  let description = [{
    **What.** Tier `stock` has it before `one-shot-bufferize`, which says of an operation on tensors that
    it doesn't know "op was not bufferized" and no more. This pass fails at the first such operation,
    and names it and its dialect.

    Before:
    ```mlir
    func.func @f(%x: tensor<4xf32>, %i: tensor<2x1xindex>) -> tensor<2xf32> {
      %r = tensor.gather %x[%i] gather_dims([0]) : (tensor<4xf32>, tensor<2x1xindex>) -> tensor<2xf32>
      return %r : tensor<2xf32>
    }
    ```
    It says:
    ```
    error: 'tensor.gather' has no lowering from tensors to buffers; dialect 'tensor' is not supported here
    ```

    **Leaves** the module as it is.
  }];
  // Makes tensors types of the interface that the question is asked by.
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def StockLocateChecks : Pass<"jit-stock-locate-checks", "::mlir::ModuleOp"> {
  let summary = "Say in the message of each check where it is";
  let description = [{
    **What.** The message of each `cf.assert` becomes what a compiler would print: the place in the source
    and what is wrong. Of what `generate-runtime-verification` made, one line is left: what is wrong,
    and the name of the operation.

    Before:
    ```mlir
    func.func @f(%few: i1, %inside: i1) {
      cf.assert %few, "too many"
      cf.assert %inside, "ERROR: Runtime op verification failed\0A%1 = memref.load %0[%i] : memref<4xf32>\0A^ out-of-bounds access\0ALocation: loc(\22m.mlir\22:3:3)"
      return
    }
    ```
    After:
    ```mlir
    func.func @f(%few: i1, %inside: i1) {
      cf.assert %few, "m.mlir:2:3: error: assert failed: too many"
      cf.assert %inside, "m.mlir:3:3: error: out-of-bounds access: 'memref.load'"
      return
    }
    ```

    **Leaves** messages of asserts without a place in the source without one.
  }];
}

def StockExpandShapes : Pass<"jit-stock-expand-shapes"> {
  let summary = "Lower reshapes of which several sizes are known in the call only";
  let description = [{
    **What.** A `memref.expand_shape` that makes several dimensions of unknown size out of one becomes
    a `memref.reinterpret_cast`: the last of them has the stride of the dimension it comes from, each
    other one the product of that stride and the sizes behind it. MLIR's `expand-strided-metadata`
    knows one such size a group and ends with a fault on two.

    Before:
    ```mlir
    func.func @f(%x: memref<?xf32>, %a: index, %b: index) -> memref<?x?xf32> {
      %y = memref.expand_shape %x [[0, 1]] output_shape [%a, %b] : memref<?xf32> into memref<?x?xf32>
      return %y : memref<?x?xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%x: memref<?xf32>, %a: index, %b: index) -> memref<?x?xf32> {
      %base, %offset, %size, %stride = memref.extract_strided_metadata %x : memref<?xf32> -> memref<f32>, index, index, index
      %y = memref.reinterpret_cast %x to offset: [0], sizes: [%a, %b], strides: [%b, 1] : memref<?xf32> to memref<?x?xf32>
      return %y : memref<?x?xf32>
    }
    ```

    **Leaves** every other reshape as it is. That the sizes fit what there is was checked before
    (`jit-stock-prepare`).
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::memref::MemRefDialect"];
}

#endif // ANNEAL_PIPELINES_PASSES
