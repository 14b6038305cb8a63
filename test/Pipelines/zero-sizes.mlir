// RUN: jit-opt %s -split-input-file --jit-normalize --jit-form-units --jit-bufferize-host | FileCheck %s

// Tensors without elements pass the verifier after each stage.
// CHECK-LABEL: func.func @concat
func.func @concat(%x: tensor<0x4xf32>, %y: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<0x4xf32>, tensor<0x4xf32>) {
  %e = tensor.empty() : tensor<0x4xf32>
  %a = linalg.exp ins(%x : tensor<0x4xf32>) outs(%e : tensor<0x4xf32>) -> tensor<0x4xf32>
  %r = tensor.concat dim(0) %y, %a : (tensor<3x4xf32>, tensor<0x4xf32>) -> tensor<3x4xf32>
  %q = tensor.concat dim(0) %x, %a : (tensor<0x4xf32>, tensor<0x4xf32>) -> tensor<0x4xf32>
  %p = tensor.extract_slice %r[1, 0] [0, 4] [1, 1] : tensor<3x4xf32> to tensor<0x4xf32>
  return %r, %q, %p : tensor<3x4xf32>, tensor<0x4xf32>, tensor<0x4xf32>
}

// -----

// CHECK-LABEL: func.func @loop
func.func @loop(%x: tensor<0x4xf32>, %n: index) -> tensor<0x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<0x4xf32> {
    %e = tensor.empty() : tensor<0x4xf32>
    %h = linalg.tanh ins(%a : tensor<0x4xf32>) outs(%e : tensor<0x4xf32>) -> tensor<0x4xf32>
    scf.yield %h : tensor<0x4xf32>
  }
  return %r : tensor<0x4xf32>
}
