// RUN: jit-opt %s | FileCheck %s
// RUN: jit-opt %s | jit-opt | FileCheck %s
// RUN: jit-opt %s --mlir-print-op-generic | jit-opt | FileCheck %s
// RUN: jit-opt %s --emit-bytecode | jit-opt | FileCheck %s
// RUN: jit-opt %s --verify-roundtrip

// Variants and guards survive text, generic text and bytecode.

jit.unit private @scale(%a: tensor<?x4xf32>, %s: f32, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  jit.return %o : tensor<?x4xf32>
}
jit.unit private @scale.8(%a: tensor<8x4xf32>, %s: f32, %o: tensor<8x4xf32>) -> tensor<8x4xf32> {
  jit.return %o : tensor<8x4xf32>
}
jit.unit private @scale.0(%a: tensor<0x4xf32>, %s: f32, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  jit.return %o : tensor<?x4xf32>
}
jit.unit private @scale.few(%a: tensor<?x4xf32>, %s: f32, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  jit.return %o : tensor<?x4xf32>
}

// CHECK: jit.variant @scale.8 of @scale when (<[8, 4]>, any, <[8, 4]>)
jit.variant @scale.8 of @scale when (<[8, 4]>, any, <[8, 4]>)
// A guard may be of the size 0, and leave arguments as they come.
// CHECK: jit.variant @scale.0 of @scale when (<[0, 4]>, any, any)
jit.variant @scale.0 of @scale when (<[0, 4]>, any, any)
// CHECK: jit.variant @scale.few of @scale when (<[exp2(3/2 ... 2), ?]>, any, any) {note = "few"}
jit.variant @scale.few of @scale when (<[exp2(3/2 ... 2), ?]>, any, any) {note = "few"}

// CHECK-LABEL: func.func @guards(
func.func @guards(%a: tensor<?x4xf32>, %m: memref<?x?xf16>, %r0: tensor<f32>) -> i1 {
  // CHECK: jit.guard %{{.*}} in <[8, 4]> : tensor<?x4xf32>
  %0 = jit.guard %a in <[8, 4]> : tensor<?x4xf32>
  // CHECK: jit.guard %{{.*}} in <[8, ?]>, %{{.*}} in <[exp2(3 ... 4), 0]>, %{{.*}} in <[]> {x} : tensor<?x4xf32>, memref<?x?xf16>, tensor<f32>
  %1 = jit.guard %a in <[8, ?]>, %m in <[exp2(3 ... 4), 0]>, %r0 in <[]> {x}
      : tensor<?x4xf32>, memref<?x?xf16>, tensor<f32>
  %2 = arith.andi %0, %1 : i1
  return %2 : i1
}
