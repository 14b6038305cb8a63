// RUN: jit-opt %s --jit-form-regions --split-input-file | FileCheck %s

// Regions stand where the last of their operations stood. The group rule itself is tested by what
// jit-form-units makes of it (form-units.mlir).

// CHECK-LABEL: func.func @matmul_exp(
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32>, %[[W:.*]]: tensor<8x4xf32>, %[[N:.*]]: index
// CHECK: %[[E:.*]] = tensor.empty(%[[N]])
// CHECK: %[[I:.*]] = linalg.fill
// CHECK: %[[G:.*]] = jit.region -> tensor<?x4xf32> {
// CHECK-NEXT: %[[M:.*]] = linalg.matmul ins(%[[X]], %[[W]] : {{.*}}) outs(%[[I]]
// CHECK-NEXT: %[[R:.*]] = linalg.exp ins(%[[M]] : {{.*}}) outs(%[[E]]
// CHECK-NEXT: jit.yield %[[R]] : tensor<?x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[G]]
func.func @matmul_exp(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>, %n: index) -> tensor<?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %m = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>)
      outs(%i : tensor<?x4xf32>) -> tensor<?x4xf32>
  %r = linalg.exp ins(%m : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

// A region that is there already stays as it is, and what reads it begins one of its own.
// CHECK-LABEL: func.func @kept(
// CHECK: %[[A:.*]] = jit.region -> tensor<4xf32> {
// CHECK-NEXT: linalg.exp
// CHECK-NEXT: jit.yield
// CHECK-NEXT: }
// CHECK: %[[B:.*]] = jit.region -> tensor<4xf32> {
// CHECK-NEXT: linalg.negf ins(%[[A]]
// CHECK-NEXT: jit.yield
// CHECK-NEXT: }
// CHECK-NEXT: return %[[B]]
func.func @kept(%a: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %r = jit.region -> tensor<4xf32> {
    %x = linalg.exp ins(%a : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
    jit.yield %x : tensor<4xf32>
  }
  %y = linalg.negf ins(%r : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Blocks of control flow have their own regions.
// CHECK-LABEL: func.func @in_loop(
// CHECK: scf.for
// CHECK-NEXT: %[[R:.*]] = jit.region -> tensor<4xf32> {
// CHECK: scf.yield %[[R]]
func.func @in_loop(%a: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %a) -> tensor<4xf32> {
    %x = linalg.exp ins(%t : tensor<4xf32>) outs(%t : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
