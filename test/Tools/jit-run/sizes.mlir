// Sizes that a program computes: beyond the address space, beyond memory, negative.

// RUN: jit-run %s --input=index=2 | FileCheck %s --check-prefix=RUNS
// RUNS: result[0]: 2x2xf32=[
// RUN: not jit-run %s --input=index=4000000000 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// OVERFLOW: jit-run: error: tensor<4000000000x4000000000xf32> is larger than the address space
// RUN: not jit-run %s --input=index=4000000 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: jit-run: error: out of memory: 64000000000000 bytes for tensor<4000000x4000000xf32>
// RUN: not jit-run %s --input=index=-5 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: jit-run: error: a tensor of negative size is made: -5 (at {{.*}}sizes.mlir:[[# @LINE + 5]]:{{[0-9]+}})

func.func @main(%n: index) -> tensor<?x?xf32> {
  %c = arith.constant 1.0 : f32
  %e = tensor.empty(%n, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %f : tensor<?x?xf32>
}
