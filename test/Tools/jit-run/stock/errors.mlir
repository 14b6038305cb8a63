// A check that fails ends the call, not the process; both reasons are named where nothing can be done.
// RUN: not jit-run %s -e assert --input=i64=3 2>&1 | FileCheck %s --check-prefix=ASSERT
// RUN: not jit-run %s -e bounds --input=index=7 2>&1 | FileCheck %s --check-prefix=BOUNDS
// RUN: not jit-run %s -e expand --input=6xf32=iota --input=index=2 --input=index=4 2>&1 | FileCheck %s --check-prefix=EXPAND
// RUN: not jit-run %s -e expand --input=6xf32=iota --input=index=-1 --input=index=-6 2>&1 | FileCheck %s --check-prefix=EXPAND
// RUN: not jit-run %s -e reshape --input=6xf32=iota --input=2xi32=4 2>&1 | FileCheck %s --check-prefix=RESHAPE
// RUN: not jit-run %s -e missing 2>&1 | FileCheck %s --check-prefix=MISSING

func.func @assert(%x: i64) -> i64 {
  %c5 = arith.constant 5 : i64
  %ok = arith.cmpi sgt, %x, %c5 : i64
  %m = memref.alloc() : memref<4xf32>
  cf.assert %ok, "x is too small"
  memref.dealloc %m : memref<4xf32>
  return %x : i64
}
// ASSERT: errors.mlir:[[#]]:{{[0-9]+}}: {{.*}}x is too small

func.func @bounds(%i: index) -> f32 {
  %m = memref.alloc() : memref<4xf32>
  %x = memref.load %m[%i] : memref<4xf32>
  return %x : f32
}
// BOUNDS: error: Runtime op verification failed
// BOUNDS: out-of-bounds
// BOUNDS-NEXT: errors.mlir":[[#@LINE-5]]:8

// Nothing is read past what there is.
func.func @expand(%x: tensor<?xf32>, %b: index, %s: index) -> tensor<?x?xf32> {
  vector.print punctuation <no_punctuation>
  %r = tensor.expand_shape %x [[0, 1]] output_shape [%b, %s] : tensor<?xf32> into tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
// EXPAND: errors.mlir:[[#@LINE-3]]:8: assert failed: 'tensor.expand_shape': the sizes do not multiply to that of dimension 0

func.func @reshape(%x: tensor<?xf32>, %s: tensor<2xi32>) -> tensor<?x?xf32> {
  vector.print punctuation <no_punctuation>
  %r = tensor.reshape %x(%s) : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
// RESHAPE: errors.mlir:[[#@LINE-3]]:8: assert failed: 'tensor.reshape': the sizes do not multiply to the number of elements

func.func private @no_such_function(memref<4xf32>)
func.func @missing() {
  %m = memref.alloc() : memref<4xf32>
  func.call @no_such_function(%m) : (memref<4xf32>) -> ()
  return
}
// MISSING: 'missing' has no plan ({{.*}}), and MLIR's own lowering failed too
// MISSING-NEXT: 'no_such_function' has no body
