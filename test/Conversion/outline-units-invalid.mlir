// RUN: jit-opt %s --jit-outline-units --split-input-file --verify-diagnostics

func.func @control_flow(%a: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %r = jit.region -> tensor<4xf32> {
    %x = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    // expected-error@+1 {{'scf.if' can't be in a unit: a region holds structured operations on tensors and pads by one value; take it out of the jit.region}}
    %y = scf.if %c -> tensor<4xf32> {
      scf.yield %x : tensor<4xf32>
    } else {
      scf.yield %a : tensor<4xf32>
    }
    jit.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @slice_of_inner(%a: tensor<4xf32>) -> tensor<2xf32> {
  %r = jit.region -> tensor<2xf32> {
    %x = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    // expected-error@+1 {{'tensor.extract_slice' can't be in a unit}}
    %y = tensor.extract_slice %x[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
    jit.yield %y : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

// -----

func.func @pad_by_position(%a: tensor<4xf32>, %t: tensor<6xf32>) -> tensor<6xf32> {
  %r = jit.region -> tensor<6xf32> {
    // expected-error@+1 {{'tensor.pad' can't be in a unit}}
    %y = tensor.pad %a low[1] high[1] {
    ^bb0(%i: index):
      %v = tensor.extract %t[%i] : tensor<6xf32>
      tensor.yield %v : f32
    } : tensor<4xf32> to tensor<6xf32>
    jit.yield %y : tensor<6xf32>
  }
  return %r : tensor<6xf32>
}
