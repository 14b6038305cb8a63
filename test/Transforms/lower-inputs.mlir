// RUN: jit-opt %s -jit-lower-inputs -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @tosa
// CHECK-NOT:     tosa.
// CHECK:         linalg.generic
// CHECK:           arith.addf
// CHECK:         linalg.batch_matmul
func.func @tosa(%a: tensor<1x4x8xf32>, %b: tensor<1x1x8xf32>, %w: tensor<1x8x2xf32>) -> tensor<1x4x2xf32> {
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.add %a, %b : (tensor<1x4x8xf32>, tensor<1x1x8xf32>) -> tensor<1x4x8xf32>
  %1 = tosa.matmul %0, %w, %zp, %zp : (tensor<1x4x8xf32>, tensor<1x8x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x2xf32>
  return %1 : tensor<1x4x2xf32>
}

// -----

// CHECK-LABEL: func.func @tosa_control_flow
// CHECK-NOT:     tosa.
// CHECK:         tensor.extract
// CHECK:         scf.if
func.func @tosa_control_flow(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i1>) -> tensor<f32> {
  %0 = tosa.cond_if %c : tensor<i1> -> tensor<f32> {
    %1 = tosa.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
    tosa.yield %1 : tensor<f32>
  } else {
    %1 = tosa.sub %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
    tosa.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @branches
// CHECK-NOT:     cf.
// CHECK:         %[[R:.*]] = scf.if %arg0 -> (f32)
// CHECK:         return %[[R]]
func.func @branches(%c: i1, %a: f32, %b: f32) -> f32 {
  cf.cond_br %c, ^then, ^else
^then:
  %0 = arith.addf %a, %b : f32
  cf.br ^end(%0 : f32)
^else:
  %1 = arith.mulf %a, %b : f32
  cf.br ^end(%1 : f32)
^end(%r: f32):
  return %r : f32
}

// -----

// CHECK-LABEL: func.func @loop_of_branches
// CHECK-NOT:     cf.
// CHECK:         scf.for %{{.*}} = %c0 to %arg0 step %c1
func.func @loop_of_branches(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^head(%c0, %c1 : index, index)
^head(%i: index, %p: index):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^exit
^body:
  %q = arith.muli %p, %p : index
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %q : index, index)
^exit:
  return %p : index
}

// -----

// CHECK-LABEL: module
// CHECK-NOT:   @weights
// CHECK:       ml_program.global private mutable @state
// CHECK:       func.func @globals
// CHECK:         %[[W:.*]] = arith.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK:         %[[S:.*]] = ml_program.global_load @state
// CHECK:         return %[[W]], %[[S]]
module {
  ml_program.global private @weights(dense<1.0> : tensor<4xf32>) : tensor<4xf32>
  ml_program.global private mutable @state(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
  func.func @globals() -> (tensor<4xf32>, tensor<4xf32>) {
    %w = ml_program.global_load_const @weights : tensor<4xf32>
    %s = ml_program.global_load @state : tensor<4xf32>
    return %w, %s : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// CHECK-LABEL: func.func @shapes
// CHECK-NOT:     shape.
// CHECK:         cf.assert
func.func @shapes(%a: tensor<?xf32>, %b: tensor<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %sa = shape.shape_of %a : tensor<?xf32> -> tensor<1xindex>
  %sb = shape.shape_of %b : tensor<?xf32> -> tensor<1xindex>
  %w = shape.cstr_broadcastable %sa, %sb : tensor<1xindex>, tensor<1xindex>
  %r = shape.assuming %w -> index {
    %s = shape.broadcast %sa, %sb : tensor<1xindex>, tensor<1xindex> -> tensor<1xindex>
    %n = tensor.extract %s[%c0] : tensor<1xindex>
    shape.assuming_yield %n : index
  }
  return %r : index
}

// -----

// Nothing to do.
// CHECK-LABEL: func.func @untouched
// CHECK-NEXT:    %[[R:.*]] = scf.if
// CHECK:         return %[[R]]
func.func @untouched(%c: i1, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = scf.if %c -> tensor<4xf32> {
    scf.yield %a : tensor<4xf32>
  } else {
    scf.yield %b : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A choice between whole tensors by one condition is no arithmetic on their elements.
// CHECK-LABEL: func.func @arithmetic
// CHECK:         %[[S:.*]] = arith.select %arg0, %arg1, %arg2
// CHECK:         linalg.generic
// CHECK-SAME:        ins(%[[S]], %arg2
// CHECK:           arith.addf
func.func @arithmetic(%c: i1, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.select %c, %a, %b : tensor<4xf32>
  %1 = arith.addf %0, %b : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// A loop counter that is read afterwards stays in scf.while, which gives its value there.
// CHECK-LABEL: func.func @counter_leaves
// CHECK:         %[[R:.*]] = scf.while
// CHECK:         return %[[R]]
func.func @counter_leaves(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^head(%c0 : index)
^head(%i: index):
  %k = arith.cmpi slt, %i, %n : index
  cf.cond_br %k, ^body, ^exit
^body:
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j : index)
^exit:
  return %i : index
}

// -----

// CHECK-LABEL: func.func @counter_stays
// CHECK-NOT:     scf.while
// CHECK:         scf.for
func.func @counter_stays(%n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^head(%c0, %x : index, f32)
^head(%i: index, %a: f32):
  %k = arith.cmpi slt, %i, %n : index
  cf.cond_br %k, ^body, ^exit
^body:
  %j = arith.addi %i, %c1 : index
  %b = arith.addf %a, %a : f32
  cf.br ^head(%j, %b : index, f32)
^exit:
  return %a : f32
}

// -----

// A constant beside an unknown size in the type is admitted.
// CHECK-LABEL: func.func @constant_sizes
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32>, %[[A:.*]]: index
// CHECK: %[[C:.*]] = tensor.cast %[[X]] : tensor<?x?xf32> to tensor<?x6xf32>
// CHECK: %[[R:.*]] = tensor.expand_shape %[[C]] {{\[\[}}0, 1], [2, 3]] output_shape [2, %[[A]], 3, 2] : tensor<?x6xf32> into tensor<2x?x3x2xf32>
// CHECK: tensor.cast %[[R]] : tensor<2x?x3x2xf32> to tensor<?x?x?x?xf32>
func.func @constant_sizes(%x: tensor<?x?xf32>, %a: index) -> tensor<?x?x?x?xf32> {
  %r = tensor.expand_shape %x [[0, 1], [2, 3]] output_shape [2, %a, 3, 2] : tensor<?x?xf32> into tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}
