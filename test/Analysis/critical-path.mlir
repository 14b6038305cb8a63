// RUN: split-file %s %t
// RUN: jit-opt %t/in.mlir --jit-print-critical-path='peak-gflops=1 bandwidth-gbs=1' -o /dev/null | FileCheck %s
// RUN: jit-opt %t/in.mlir --jit-print-critical-path='peak-gflops=1 bandwidth-gbs=1 annotate' | FileCheck %s --check-prefix=ATTR
// RUN: jit-opt %t/in.mlir --jit-print-critical-path='peak-gflops=1 bandwidth-gbs=1 function=invokes dims=arg0:1000x4 profile=%t/report.json' -o /dev/null | FileCheck %s --check-prefix=MEASURED
// RUN: jit-opt %t/in.mlir --jit-print-critical-path='peak-gflops=1 bandwidth-gbs=1 function=fork budget-us=20' -o /dev/null | FileCheck %s --check-prefix=OVER
// RUN: jit-opt %t/in.mlir --jit-print-critical-path='peak-gflops=1 bandwidth-gbs=1 function=fork budget-us=30' -o /dev/null | FileCheck %s --check-prefix=WITHIN
// RUN: jit-opt %t/in.mlir --jit-print-critical-path='peak-gflops=1 bandwidth-gbs=1 function=invokes default-dim=1000' -o /dev/null | FileCheck %s --check-prefix=DEFAULT

// RUN: jit-opt %t/in.mlir --jit-print-critical-path='peak-gflops=1 bandwidth-gbs=1 function=scale dims=arg0:500x4,arg1:500x4' -o /dev/null | FileCheck %s --check-prefix=UNIT

// With 10^9 FLOPs and bytes a second, a thousand FLOPs or bytes take a microsecond. Absolute values of a
// thousand floats move 8000 bytes; exponentials are 18000 FLOPs.

// UNIT: jit.unit @scale: critical path 16 us
// UNIT-NEXT: linalg.abs: 16 us (memory)
// OVER: budget 20 us: exceeded by 6 us
// WITHIN: budget 30 us: met, left 4 us

//--- in.mlir
// CHECK-LABEL: func.func @fork: critical path 26 us, all operations 34 us
// CHECK-NEXT: %0 = math.absf: 8 us (memory)
// CHECK-NEXT: %1 = math.exp: 18 us (compute)
// CHECK-NOT: us
// ATTR-LABEL: func.func @fork
// ATTR-SAME: jit.critical_path_us = 2.600000e+01
// ATTR-NEXT: math.absf %arg0 {jit.critical_path_us = 8.000000e+00 : f64}
// ATTR-NEXT: math.exp %0 {jit.critical_path_us = 1.800000e+01 : f64}
// ATTR-NEXT: math.absf %arg0 : tensor
func.func @fork(%x: tensor<1000xf32>) -> (tensor<1000xf32>, tensor<1000xf32>) {
  %0 = math.absf %x : tensor<1000xf32>
  %1 = math.exp %0 : tensor<1000xf32>
  %2 = math.absf %x : tensor<1000xf32>
  return %1, %2 : tensor<1000xf32>, tensor<1000xf32>
}

// Each iteration counts; in an iteration, the longest path.
// CHECK-LABEL: func.func @loop: critical path 78 us, all operations 102 us
// CHECK-NEXT: %0 = scf.for: 78 us
// CHECK-NEXT:   math.absf: 8 us (memory)
// CHECK-NEXT:   math.exp: 18 us (compute)
func.func @loop(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<1000xf32> {
    %1 = math.absf %a : tensor<1000xf32>
    %2 = math.exp %1 : tensor<1000xf32>
    %3 = math.absf %a : tensor<1000xf32>
    scf.yield %2 : tensor<1000xf32>
  }
  return %0 : tensor<1000xf32>
}

// The dearest branch; what it uses from outside comes before it.
// CHECK-LABEL: func.func @branch: critical path 26 us
// CHECK-NEXT: %0 = math.absf: 8 us (memory)
// CHECK-NEXT: %1 = scf.if: 18 us
// CHECK-NEXT:   math.exp: 18 us (compute)
func.func @branch(%c: i1, %x: tensor<1000xf32>) -> tensor<1000xf32> {
  %0 = math.absf %x : tensor<1000xf32>
  %1 = scf.if %c -> tensor<1000xf32> {
    %2 = math.exp %0 : tensor<1000xf32>
    scf.yield %2 : tensor<1000xf32>
  } else {
    %2 = math.absf %0 : tensor<1000xf32>
    scf.yield %2 : tensor<1000xf32>
  }
  return %1 : tensor<1000xf32>
}

// A call counts for the path in what it calls, with the sizes of the call.
// CHECK-LABEL: func.func @callee
// CHECK: not counted: %0 = math.absf: not all sizes are known; give dims
// CHECK-LABEL: func.func @calls: critical path 36 us, all operations 44 us
// CHECK-NEXT: tensor.concat: 16 us (memory)
// CHECK-NEXT: tensor.insert_slice: 4 us (memory)
// CHECK-NEXT: call @callee: 16 us
// CHECK-NEXT:   math.absf: 16 us (memory)
func.func private @callee(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = math.absf %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @calls(%x: tensor<1000xf32>) -> tensor<?xf32> {
  %a = tensor.cast %x : tensor<1000xf32> to tensor<?xf32>
  %0 = func.call @callee(%a) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = tensor.extract_slice %0[0] [500] [1] : tensor<?xf32> to tensor<500xf32>
  %2 = tensor.concat dim(0) %x, %x : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<2000xf32>
  %b = tensor.insert_slice %1 into %2[0] [500] [1] : tensor<500xf32> into tensor<2000xf32>
  %3 = tensor.cast %b : tensor<2000xf32> to tensor<?xf32>
  %4 = func.call @callee(%3) : (tensor<?xf32>) -> tensor<?xf32>
  return %4 : tensor<?xf32>
}

// Calls of what has no effects need nobody but their operands: two of them run side by side.
// CHECK-LABEL: func.func @pure_callee
// CHECK-LABEL: func.func @side_by_side: critical path 8 us, all operations 16 us
// CHECK-NEXT: call @pure_callee: 8 us
// CHECK-NEXT:   math.absf: 8 us (memory)
// CHECK-NEXT: func.func
func.func private @pure_callee(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %0 = math.absf %x : tensor<1000xf32>
  return %0 : tensor<1000xf32>
}
func.func @side_by_side(%x: tensor<1000xf32>) -> (tensor<1000xf32>, tensor<1000xf32>) {
  %0 = func.call @pure_callee(%x) : (tensor<1000xf32>) -> tensor<1000xf32>
  %1 = func.call @pure_callee(%x) : (tensor<1000xf32>) -> tensor<1000xf32>
  return %0, %1 : tensor<1000xf32>, tensor<1000xf32>
}

// Those of what has some keep their order.
// CHECK-LABEL: func.func @one_after_the_other: critical path 16 us, all operations 16 us
func.func private @asserts(%x: tensor<1000xf32>, %c: i1) -> tensor<1000xf32> {
  cf.assert %c, "no"
  %0 = math.absf %x : tensor<1000xf32>
  return %0 : tensor<1000xf32>
}
func.func @one_after_the_other(%x: tensor<1000xf32>, %c: i1) -> (tensor<1000xf32>, tensor<1000xf32>) {
  %0 = func.call @asserts(%x, %c) : (tensor<1000xf32>, i1) -> tensor<1000xf32>
  %1 = func.call @asserts(%x, %c) : (tensor<1000xf32>, i1) -> tensor<1000xf32>
  return %0, %1 : tensor<1000xf32>, tensor<1000xf32>
}

// Iterations that follow from a size are asked for by the option that says sizes.
// CHECK-LABEL: func.func @counted
// CHECK: not counted: %0 = scf.for: its iterations follow from what is not known; give dims
func.func @counted(%x: tensor<1000xf32>, %n: index) -> tensor<1000xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<1000xf32> {
    %0 = math.absf %t : tensor<1000xf32>
    scf.yield %0 : tensor<1000xf32>
  }
  return %r : tensor<1000xf32>
}

jit.unit private @scale(%a: tensor<?x4xf32>, %out: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = linalg.abs ins(%a : tensor<?x4xf32>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  jit.return %r : tensor<?x4xf32>
}
// MEASURED-LABEL: func.func @invokes: critical path 3.5 us
// MEASURED-NEXT: jit.invoke @scale: 3.5 us (measured)
// DEFAULT-LABEL: func.func @invokes: critical path 32 us
// DEFAULT-NEXT: jit.invoke @scale: 32 us (memory)
func.func @invokes(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = jit.invoke @scale(%x : tensor<?x4xf32>) outs(%x : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @recursive: critical path 0 us
// CHECK-NEXT: not counted: %0 = func.call @recursive: '@recursive' calls itself
func.func @recursive(%x: f32) -> f32 {
  %0 = func.call @recursive(%x) : (f32) -> f32
  return %0 : f32
}

// What isn't counted in a function is said at each caller's path.
// CHECK-LABEL: func.func @calls_recursive: critical path 0 us
// CHECK-NEXT: not counted: %0 = func.call @recursive: '@recursive' calls itself
func.func @calls_recursive(%x: f32) -> f32 {
  %0 = func.call @recursive(%x) : (f32) -> f32
  return %0 : f32
}
// CHECK-LABEL: func.func @calls_recursive_too: critical path 0 us
// CHECK-NEXT: not counted: %0 = func.call @recursive: '@recursive' calls itself
// CHECK-NOT: not counted: %0 = func.call
func.func @calls_recursive_too(%x: f32) -> f32 {
  %0 = func.call @recursive(%x) : (f32) -> f32
  %1 = func.call @recursive(%0) : (f32) -> f32
  return %1 : f32
}

// CHECK-LABEL: func.func @while: critical path 0 us
// CHECK-NEXT: not counted: %0 = scf.while: its iterations are not known; give trip-count
func.func @while(%s: f32) -> f32 {
  %limit = arith.constant 100.0 : f32
  %0 = scf.while (%a = %s) : (f32) -> f32 {
    %1 = arith.cmpf olt, %a, %limit : f32
    scf.condition(%1) %a : f32
  } do {
  ^bb0(%a: f32):
    %1 = arith.addf %a, %a : f32
    scf.yield %1 : f32
  }
  return %0 : f32
}

// CHECK-LABEL: func.func @blocks
// CHECK-NEXT: not counted: func.func: which of its blocks run, and how often, is not known
func.func @blocks() {
  cf.br ^bb1
^bb1:
  return
}

// What writes memory comes after what wrote before.
// CHECK-LABEL: func.func @buffers: critical path 16 us
func.func @buffers(%a: memref<1000xf32>, %b: memref<1000xf32>, %c: memref<1000xf32>, %d: memref<1000xf32>) {
  memref.copy %a, %b : memref<1000xf32> to memref<1000xf32>
  memref.copy %c, %d : memref<1000xf32> to memref<1000xf32>
  return
}
//--- report.json
{"units": [{"name": "scale", "calls": 12, "us_per_call": 3.5}]}
