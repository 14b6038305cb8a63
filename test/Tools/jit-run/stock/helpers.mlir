// RUN: jit-run %s -e main 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=NOTE < %t.err
// RUN: not jit-run %s -e fill 2>&1 | FileCheck %s --check-prefix=CLOSED

// Public functions that cannot be called from outside are still there for those that can; calls through
// constants, and recursion.

// CHECK:      ( 2, 2 )
// CHECK-NEXT: result[0]: i32=55
// NOTE:       helpers.mlir:[[@LINE+3]]:1: remark: this function is for others of the module only: argument #0 of 'fill' has type 'memref<?xf32>'
// CLOSED:     there is no function 'fill'; there is 'main'

func.func @fill(%m: memref<?xf32>, %x: f32) {
  linalg.fill ins(%x : f32) outs(%m : memref<?xf32>)
  return
}
func.func @read(%m: memref<?xf32>) -> vector<2xf32> {
  %c0 = arith.constant 0 : index
  %v = vector.load %m[%c0] : memref<?xf32>, vector<2xf32>
  return %v : vector<2xf32>
}
func.func private @fibonacci(%n: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %isSmall = arith.cmpi slt, %n, %c2 : i32
  %r = scf.if %isSmall -> i32 {
    scf.yield %n : i32
  } else {
    %a = arith.subi %n, %c1 : i32
    %b = arith.subi %n, %c2 : i32
    %x = func.call @fibonacci(%a) : (i32) -> i32
    %y = func.call @fibonacci(%b) : (i32) -> i32
    %s = arith.addi %x, %y : i32
    scf.yield %s : i32
  }
  return %r : i32
}
func.func @main() -> i32 {
  %two = arith.constant 2 : index
  %x = arith.constant 2.0 : f32
  %m = memref.alloc(%two) : memref<?xf32>
  call @fill(%m, %x) : (memref<?xf32>, f32) -> ()
  %v = call @read(%m) : (memref<?xf32>) -> vector<2xf32>
  vector.print %v : vector<2xf32>
  memref.dealloc %m : memref<?xf32>
  %n = arith.constant 10 : i32
  %f = func.constant @fibonacci : (i32) -> i32
  %r = func.call_indirect %f(%n) : (i32) -> i32
  return %r : i32
}
