// RUN: jit-opt %s --jit-print-op-cost=totals-only -split-input-file -o /dev/null 2>&1 | FileCheck %s

// A call that comes back to its caller has no cost that is known, whichever function is looked at
// first.
// CHECK-LABEL: func.func @odd
// CHECK-NEXT:    total: flops=4, {{.*}} (without 1 of unknown cost: '@even' calls '@odd', which calls '@even')
// CHECK-LABEL: func.func @even
// CHECK-NEXT:    total: flops=8, {{.*}} (without 1 of unknown cost: '@odd' calls '@even', which calls '@odd')
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    total: flops=8, {{.*}} (without 1 of unknown cost
func.func private @odd(%n: index, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.negf %x : tensor<4xf32>
  %q = func.call @even(%n, %y) : (index, tensor<4xf32>) -> tensor<4xf32>
  return %q : tensor<4xf32>
}
func.func private @even(%n: index, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = math.absf %x : tensor<4xf32>
  %z = arith.negf %y : tensor<4xf32>
  %q = func.call @odd(%n, %z) : (index, tensor<4xf32>) -> tensor<4xf32>
  return %q : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %r = func.call @even(%n, %x) : (index, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @triangle
// CHECK:         (without 1 of unknown cost: what an iteration of 'scf.for' costs differs from one to the next)
func.func @triangle(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> tensor<8xf32> {
    %q = scf.for %j = %c0 to %i step %c1 iter_args(%b = %a) -> tensor<8xf32> {
      %g = math.absf %b : tensor<8xf32>
      scf.yield %g : tensor<8xf32>
    }
    scf.yield %q : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
