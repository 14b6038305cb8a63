// RUN: not jit-opt %s --jit-print-op-cost='function=product dims=arg0:4x8,arg1:9x16' -o /dev/null 2>&1 | FileCheck %s --check-prefix=PRODUCT
// RUN: not jit-opt %s --jit-print-critical-path='function=product dims=arg0:4x8,arg1:9x16' -o /dev/null 2>&1 | FileCheck %s --check-prefix=PATH
// RUN: not jit-opt %s --jit-select-mode='realtime function=product dims=arg0:4x8,arg1:9x16' -o /dev/null 2>&1 | FileCheck %s --check-prefix=MODE
// RUN: not jit-opt %s --jit-print-op-cost='function=calls dims=arg0:4x8,arg1:9x16,arg2:4x16' -o /dev/null 2>&1 | FileCheck %s --check-prefix=CALLS
// RUN: not jit-opt %s --jit-print-op-cost='function=fixed dims=arg0:5' -o /dev/null 2>&1 | FileCheck %s --check-prefix=FIXED
// RUN: jit-opt %s --jit-print-op-cost='function=product dims=arg0:4x8,arg1:8x16' -o /dev/null | FileCheck %s --check-prefix=FITS
// RUN: jit-opt %s --jit-print-op-cost='function=product dims=arg0:4x8' -o /dev/null | FileCheck %s --check-prefix=FITS
// RUN: jit-opt %s --jit-print-critical-path='function=product dims=arg0:4x8 default-dim=5' -o /dev/null | FileCheck %s --check-prefix=FITS
// RUN: jit-opt %s --jit-print-op-cost='function=choice dims=arg0:4,arg1:5' -o /dev/null | FileCheck %s --check-prefix=FITS

// Sizes that an operation takes to be equal, and that the option says are not: both are named. Those that
// are not given, or only by default, contradict nothing, nor do those of what runs under a condition.

// PRODUCT: error: jit-print-op-cost: dims: 'linalg.matmul' takes dim 1 of %arg0, which is 8, and dim 0 of %arg1, which is 9, to be equal
// PATH: error: jit-print-critical-path: dims: 'linalg.matmul' takes dim 1 of %arg0, which is 8, and dim 0 of %arg1, which is 9, to be equal
// MODE: error: jit-select-mode: dims: 'linalg.matmul' takes dim 1 of %arg0, which is 8, and dim 0 of %arg1, which is 9, to be equal
// CALLS: error: jit-print-op-cost: dims: 'linalg.matmul' takes dim 1 of %arg0, which is 8, and dim 0 of %arg1, which is 9, to be equal
// FIXED: error: jit-print-op-cost: dims: 'linalg.add' takes dim 0 of %arg0, which is 5, and dim 0 of operand #1, which is 4, to be equal
// FITS: func.func
func.func @product(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
jit.unit private @unit(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  jit.return %r : tensor<?x?xf32>
}
func.func @calls(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = jit.invoke @unit(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @fixed(%a: tensor<?xf32>, %b: tensor<4xf32>) -> tensor<?xf32> {
  %r = linalg.add ins(%a, %b : tensor<?xf32>, tensor<4xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @choice(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  %r = scf.if %c -> tensor<?xf32> {
    %s = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  } else {
    scf.yield %a : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
