// RUN: jit-opt %s --jit-bufferize-host --split-input-file --verify-diagnostics

// expected-error @below {{argument #1 of function 'on_buffers': programs that work on memref<4xf32> can't be planned: write them on tensors}}
func.func @on_buffers(%x: tensor<4xf32>, %m: memref<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{argument #0 of function 'complex_numbers': tensors of complex<f32> can't be planned; there are i1, i8,}}
func.func @complex_numbers(%x: tensor<4xcomplex<f32>>) {
  return
}

// -----

// expected-error @below {{argument #0 of function 'narrow_integers': tensors of i4 can't be planned}}
func.func @narrow_integers(%x: tensor<4xi4>) {
  return
}

// -----

// expected-error @below {{tensors of unknown rank (tensor<*xf32>) can't be planned}}
func.func @unknown_rank(%x: tensor<*xf32>) {
  return
}

// -----

func.func @vectors(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{'vector.transfer_read' can't be planned: functions may hold linalg, tensor}}
  %v = vector.transfer_read %x[%c0], %zero : tensor<4xf32>, vector<4xf32>
  %r = vector.transfer_write %v, %x[%c0] : vector<4xf32>, tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @recursion(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{calls function 'recursion', which can't be made part of its caller: it calls itself}}
  %r = func.call @recursion(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// expected-error @below {{function 'jumps' branches between blocks in a way that has no structured form}}
func.func @jumps(%x: i32) -> i32 {
  cf.br ^next(%x : i32)
^next(%y: i32):
  return %y : i32
}
