// Sizes that a program computes: beyond the address space, beyond memory, negative, of no dimension.

// RUN: jit-run %s --input=index=2 | FileCheck %s --check-prefix=RUNS
// RUNS: result[0]: 2x2xf32=[
// RUN: not jit-run %s --input=index=4000000000 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// OVERFLOW: jit-run: error: tensor<4000000000x4000000000xf32> is larger than the address space
// RUN: not jit-run %s --input=index=4000000 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: jit-run: error: out of memory: 64000000000000 bytes for tensor<4000000x4000000xf32>
// RUN: not jit-run %s --input=index=-5 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: jit-run: error: a tensor of negative size is made: -5 (at {{.*}}sizes.mlir:{{[0-9]+}}:{{[0-9]+}})

// RUN: not jit-run %s --entry=no_such_dim --input=2x3xf32=0 2>&1 | FileCheck %s --check-prefix=DIM
// DIM: jit-run: error: tensor.dim: the tensor has no such dimension (at {{.*}}sizes.mlir:{{[0-9]+}}:{{[0-9]+}})
// RUN: not jit-run %s --entry=no_such_dim_in_body --input=2xf32=0 2>&1 | FileCheck %s --check-prefix=BODY
// BODY: jit-run: error: tensor.dim: the tensor has no such dimension

func.func @main(%n: index) -> tensor<?x?xf32> {
  %c = arith.constant 1.0 : f32
  %e = tensor.empty(%n, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %f : tensor<?x?xf32>
}
func.func @no_such_dim(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c = arith.constant 0.0 : f32
  %7 = arith.constant 7 : index
  %n = tensor.dim %x, %7 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %f : tensor<?xf32>
}
func.func @no_such_dim_in_body(%x: tensor<?xf32>) -> tensor<2xindex> {
  %c = arith.constant -52 : index
  %e = tensor.empty() : tensor<2xindex>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e : tensor<2xindex>) {
  ^bb0(%out: index):
    %n = tensor.dim %x, %c : tensor<?xf32>
    linalg.yield %n : index
  } -> tensor<2xindex>
  return %r : tensor<2xindex>
}
