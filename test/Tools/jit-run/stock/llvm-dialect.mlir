// RUN: jit-run %s -e main | FileCheck %s
// RUN: jit-run %s -e scale --input=f32=1.5 | FileCheck %s --check-prefix=SCALE
// RUN: not jit-run %s -e helper 2>&1 | FileCheck %s --check-prefix=HELPER

// Modules that are in the LLVM dialect already, as mlir-runner takes them: what has numbers only is an entry.

// CHECK:      hi 7
// CHECK-NEXT: result[0]: i32=8
// SCALE:      result[0]: f32=3
// HELPER:     there is no function 'helper'; there is {{.*}}'main'
llvm.mlir.global internal constant @text("hi %d\0A\00")
llvm.func @printf(!llvm.ptr, ...) -> i32
llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @helper(%p: !llvm.ptr) -> i32 {
  %x = llvm.load %p : !llvm.ptr -> i32
  %r = llvm.inline_asm "addl $$1, $0", "=r,0" %x : (i32) -> i32
  llvm.return %r : i32
}
llvm.func @main() -> i32 {
  %seven = llvm.mlir.constant(7 : i32) : i32
  %text = llvm.mlir.addressof @text : !llvm.ptr
  %size = llvm.mlir.constant(64 : i64) : i64
  %p = llvm.call @malloc(%size) : (i64) -> !llvm.ptr
  llvm.store %seven, %p : i32, !llvm.ptr
  %n = llvm.call @printf(%text, %seven) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i32) -> i32
  %r = llvm.call @helper(%p) : (!llvm.ptr) -> i32
  llvm.return %r : i32
}
llvm.func @scale(%x: f32) -> f32 {
  %two = llvm.mlir.constant(2.0 : f32) : f32
  %y = llvm.fmul %x, %two : f32
  llvm.return %y : f32
}
