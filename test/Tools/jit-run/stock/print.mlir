// A buffer is filled and printed; a vector is printed; nothing is returned.
// RUN: jit-run %s -e main | FileCheck %s
// RUN: jit-run %s -e scalar | FileCheck %s --check-prefix=SCALAR
// RUN: jit-run %s -e ordinary --input=4xf32=3 --report=%t.json | FileCheck %s --check-prefix=ORDINARY
// RUN: jit-run %s -e scalar --repeat=3 --report=%t.json && FileCheck %s --check-prefix=REPORT < %t.json

func.func private @printMemrefF32(memref<*xf32>) attributes { llvm.emit_c_interface }
func.func private @rtclock() -> f64

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %m = memref.alloc() : memref<3xf32>
  scf.for %i = %c0 to %c3 step %c1 {
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    memref.store %f, %m[%i] : memref<3xf32>
  }
  %u = memref.cast %m : memref<3xf32> to memref<*xf32>
  %t0 = func.call @rtclock() : () -> f64
  func.call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  %t1 = func.call @rtclock() : () -> f64
  %ordered = arith.cmpf ole, %t0, %t1 : f64
  vector.print %ordered : i1
  %pad = arith.constant 9.0 : f32
  %v = vector.transfer_read %m[%c0], %pad : memref<3xf32>, vector<5xf32>
  vector.print %v : vector<5xf32>
  memref.dealloc %m : memref<3xf32>
  return
}
// CHECK: rank = 1 offset = 0 sizes = [3] strides = [1]
// CHECK-NEXT: [0,  1,  2]
// CHECK-NEXT: 1
// CHECK-NEXT: ( 0, 1, 2, 9, 9 )
// CHECK-NOT: result

func.func @scalar() -> i32 {
  %v = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
  %s = vector.reduction <add>, %v : vector<4xi32> into i32
  return %s : i32
}
// SCALAR: result[0]: i32=10
// REPORT: "name": "scalar"
// REPORT-NEXT: "kind": "stock"
// REPORT-NEXT: "calls": 3

func.func @ordinary(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
// ORDINARY: result[0]: 4xf32=[6, 6, 6, 6]
