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
// ASSERT: {{^}}{{[^ ]*}}errors.mlir:[[#@LINE-4]]:3: error: assert failed: x is too small{{$}}

func.func @bounds(%i: index) -> f32 {
  %m = memref.alloc() : memref<4xf32>
  %x = memref.load %m[%i] : memref<4xf32>
  return %x : f32
}
// BOUNDS: {{^}}{{[^ ]*}}errors.mlir:[[#@LINE-3]]:8: error: out-of-bounds access: 'memref.load'{{$}}
// BOUNDS-NOT: {{.}}

// With a requests file, its line stands first.
// RUN: echo '{"inputs": ["index=7"]}' > %t.jsonl
// RUN: not jit-run %s -e bounds --requests=%t.jsonl 2>&1 | FileCheck %s --check-prefix=REQUESTS
// REQUESTS: .jsonl:1: error: {{[^ ]*}}errors.mlir:[[#@LINE-9]]:8: error: out-of-bounds access: 'memref.load'

// RUN: not jit-run %s -e slice --input=4xf32=0 --input=index=5 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: not jit-run %s -e add --input=3xf32=0 --input=4xf32=0 2>&1 | FileCheck %s --check-prefix=ADD
func.func @slice(%x: tensor<4xf32>, %i: index) -> tensor<?xf32> {
  vector.print punctuation <no_punctuation>
  %r = tensor.extract_slice %x[0] [%i] [1] : tensor<4xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}
// SLICE: {{^}}{{[^ ]*}}errors.mlir:[[#@LINE-3]]:8: error: {{.*}}: 'memref.subview'{{$}}

func.func @add(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  vector.print punctuation <no_punctuation>
  %r = arith.addf %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}
// ADD: {{^}}{{[^ ]*}}errors.mlir:[[#@LINE-3]]:8: error: dimension #0 of input/output operand #1 is incompatible with inferred dimension size: 'linalg.generic'{{$}}

// Nothing is read past what there is.
func.func @expand(%x: tensor<?xf32>, %b: index, %s: index) -> tensor<?x?xf32> {
  vector.print punctuation <no_punctuation>
  %r = tensor.expand_shape %x [[0, 1]] output_shape [%b, %s] : tensor<?xf32> into tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
// EXPAND: errors.mlir:[[#@LINE-3]]:8: error: assert failed: 'tensor.expand_shape': the sizes do not multiply to that of dimension 0

func.func @reshape(%x: tensor<?xf32>, %s: tensor<2xi32>) -> tensor<?x?xf32> {
  vector.print punctuation <no_punctuation>
  %r = tensor.reshape %x(%s) : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
// RESHAPE: errors.mlir:[[#@LINE-3]]:8: error: assert failed: 'tensor.reshape': the sizes do not multiply to the number of elements

func.func private @no_such_function(memref<4xf32>)
func.func @missing() {
  %m = memref.alloc() : memref<4xf32>
  func.call @no_such_function(%m) : (memref<4xf32>) -> ()
  return
}
// MISSING: 'missing' has no plan ({{.*}}), and MLIR's own lowering failed too
// MISSING-NEXT: 'no_such_function' has no body
