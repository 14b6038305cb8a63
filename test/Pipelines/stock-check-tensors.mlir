// RUN: jit-opt %s --jit-stock-check-tensors --split-input-file --verify-diagnostics

// What is not used goes, whatever it is.
func.func @known(%x: tensor<4xf32>, %i: tensor<2x1xindex>) -> tensor<4xf32> {
  %unused = tensor.gather %x[%i] gather_dims([0]) : (tensor<4xf32>, tensor<2x1xindex>) -> tensor<2xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @unknown(%x: tensor<4xf32>, %i: tensor<2x1xindex>) -> tensor<2xf32> {
  // expected-error@+1 {{'tensor.gather' has no lowering from tensors to buffers; dialect 'tensor' is not supported here}}
  %r = tensor.gather %x[%i] gather_dims([0]) : (tensor<4xf32>, tensor<2x1xindex>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
