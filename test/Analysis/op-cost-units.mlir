// RUN: jit-opt %s --jit-print-op-cost -split-input-file -o /dev/null 2>&1 | FileCheck %s

// What operations of a unit hand each other is not moved; what two of them read is read once. A
// call costs what the unit does.

// CHECK-LABEL: @chain
// CHECK:         total: flops=20*d0, read=4*d0, written=4*d0
// CHECK-LABEL: @twice
// CHECK:         total: flops=48, read=64, written=128
// CHECK-LABEL: @host
// CHECK:         total: flops=20*d0, read=4*d0, written=4*d0
jit.unit @chain(%x: tensor<?xf32>, %o: tensor<?xf32> {jit.write_only}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %a = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %b = linalg.negf ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %c = linalg.abs ins(%b : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  jit.return %c : tensor<?xf32>
}
jit.unit @twice(%x: tensor<16xf32>, %o: tensor<16xf32> {jit.write_only}, %p: tensor<16xf32> {jit.write_only}) -> (tensor<16xf32>, tensor<16xf32>) {
  %a = linalg.add ins(%x, %x : tensor<16xf32>, tensor<16xf32>) outs(%o : tensor<16xf32>) -> tensor<16xf32>
  %b = linalg.negf ins(%x : tensor<16xf32>) outs(%p : tensor<16xf32>) -> tensor<16xf32>
  %c = linalg.mul ins(%b, %x : tensor<16xf32>, tensor<16xf32>) outs(%p : tensor<16xf32>) -> tensor<16xf32>
  jit.return %a, %c : tensor<16xf32>, tensor<16xf32>
}
func.func @host(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %r = jit.invoke @chain(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
