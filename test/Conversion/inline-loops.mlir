// RUN: jit-opt %s -jit-inline-loops | FileCheck %s

// One tensor may be the destination of two results, and it goes once.

jit.unit private @neg(%x: tensor<4xf32>, %o: tensor<4xf32> {jit.write_only}) -> tensor<4xf32> {
  %0 = linalg.negf ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  jit.return %0 : tensor<4xf32>
}
jit.unit private @two(%n: index, %x: tensor<4xf32>, %o: tensor<4xf32> {jit.write_only},
                      %p: tensor<4xf32> {jit.write_only}) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (tensor<4xf32>, tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %s = jit.invoke @neg(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %b, %s : tensor<4xf32>, tensor<4xf32>
  }
  jit.return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
// CHECK-LABEL: func.func @shared_destination
// CHECK-NOT:     tensor.empty
// CHECK:         %[[R:.*]]:2 = scf.for
// CHECK:         } {jit.loop_unit = @two}
// CHECK-NEXT:    return %[[R]]#0, %[[R]]#1
func.func @shared_destination(%n: index, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %r:2 = jit.invoke @two(%n, %x : index, tensor<4xf32>) outs(%e, %e : tensor<4xf32>, tensor<4xf32>)
      -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
