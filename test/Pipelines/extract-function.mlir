// RUN: jit-opt %s --split-input-file --jit-extract-function=function=main | FileCheck %s
// RUN: jit-opt %s --split-input-file --jit-extract-function=function=main --jit-extract-function=function=main | FileCheck %s
// RUN: jit-opt %s --split-input-file --jit-extract-function=function=main 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: not jit-opt %s --split-input-file --jit-extract-function=function=g 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: echo 'module {}' | not jit-opt --jit-extract-function 2>&1 | FileCheck %s --check-prefix=NONE

// One function stays public, and what it calls; the rest goes, and scripts.

// UNKNOWN: error: there is no function 'g'; there is 'main', 'a b', 'other'
// NONE: error: there is no function ''; there is none

// REMARK: remark: transform scripts in the module are ignored

// CHECK-LABEL: module {
// CHECK: func.func @main
// CHECK: call @"a b"
// CHECK: func.func private @"a b"
// CHECK-NOT: func.func
// CHECK-NOT: transform
module attributes {transform.with_named_sequence} {
  func.func @main(%x: vector<4xf32>) -> vector<4xf32> {
    %r = call @"a b"(%x) : (vector<4xf32>) -> vector<4xf32>
    return %r : vector<4xf32>
  }
  func.func @"a b"(%x: vector<4xf32>) -> vector<4xf32> {
    return %x : vector<4xf32>
  }
  func.func @other(%x: vector<4xf32>) -> vector<4xf32> {
    return %x : vector<4xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    transform.yield
  }
}

// -----

// A function of the LLVM dialect gets one that can be called; a second time there is nothing to do.

// CHECK-LABEL: module {
// CHECK: func.func @main(%{{.*}}: i32) -> i32
// CHECK-NEXT: llvm.call @lowered.main
// CHECK: llvm.func @lowered.main(
// CHECK-NOT: @lowered.lowered
llvm.func @main(%x: i32) -> i32 {
  llvm.return %x : i32
}
