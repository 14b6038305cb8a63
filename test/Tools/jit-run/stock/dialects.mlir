// Complex numbers, tosa between buffers, unranked tensors, and a transform script that is left out.
// RUN: jit-run %s -e main 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=NOTE < %t.err
// NOTE: transform scripts in the module are ignored

func.func private @printMemrefF32(tensor<*xf32>) attributes { llvm.emit_c_interface }

func.func @main() {
  %a = complex.constant [3.0 : f32, 4.0 : f32] : complex<f32>
  %abs = complex.abs %a : complex<f32>
  vector.print %abs : f32
  %x = arith.constant dense<[[1.0, -2.0], [3.0, -4.0]]> : tensor<2x2xf32>
  %y = tosa.abs %x : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %e = tensor.empty() : tensor<2x2xf32>
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  %z = linalg.matmul ins(%y, %y : tensor<2x2xf32>, tensor<2x2xf32>) outs(%init : tensor<2x2xf32>) -> tensor<2x2xf32>
  %u = tensor.cast %z : tensor<2x2xf32> to tensor<*xf32>
  func.call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
// CHECK: 5
// CHECK: rank = 2 offset = 0 sizes = [2, 2] strides = [2, 1]
// CHECK-NEXT: {{\[\[}}7,   10],
// CHECK-NEXT: [15,   22]]

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %t, %loops:2 = transform.structured.tile_using_for %m tile_sizes [1, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
