// RUN: jit-opt %s --pass-pipeline='builtin.module(one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map allow-unknown-ops dialect-filter=func,jit,tensor,bufferization},cse,canonicalize)' | FileCheck %s

// A call on tensors becomes one on memrefs; units stay on tensors.

// CHECK-LABEL: jit.unit private @negate(
// CHECK-SAME: tensor<4xf32>
// CHECK: linalg.negf ins(%{{.*}} : tensor<4xf32>)
jit.unit private @negate(%a: tensor<4xf32>, %o: tensor<4xf32> {jit.write_only}) -> tensor<4xf32> {
  %r = linalg.negf ins(%a : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  jit.return %r : tensor<4xf32>
}

jit.unit private @accumulate(%a: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.add ins(%a, %o : tensor<4xf32>, tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  jit.return %r : tensor<4xf32>
}

jit.unit private @check(%ok: i1, %a: tensor<4xf32>) {
  cf.assert %ok, "must be"
  jit.return
}

// CHECK-LABEL: func.func @destination_in_place(
// CHECK-SAME: %[[A:.*]]: memref<4xf32>, %[[O:.*]]: memref<4xf32>
// CHECK-NEXT: jit.invoke @negate(%[[A]] : memref<4xf32>) outs(%[[O]] : memref<4xf32>) {jit.hotness = #jit.hotness<count = 3>}
// CHECK-NEXT: return %[[O]]
func.func @destination_in_place(%a: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %r = jit.invoke @negate(%a : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
      {jit.hotness = #jit.hotness<count = 3>}
  return %r : tensor<4xf32>
}

// A destination that is read later is written elsewhere; its old contents don't matter, so that they
// aren't copied.
// CHECK-LABEL: func.func @write_only_destination_read_later(
// CHECK-SAME: %[[A:.*]]: memref<4xf32>, %[[O:.*]]: memref<4xf32>
// CHECK-NEXT: %[[N:.*]] = memref.alloc()
// CHECK-NEXT: jit.invoke @negate(%[[A]] : memref<4xf32>) outs(%[[N]] : memref<4xf32>)
// CHECK-NEXT: return %[[N]], %[[O]]
func.func @write_only_destination_read_later(%a: tensor<4xf32>, %o: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %r = jit.invoke @negate(%a : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  return %r, %o : tensor<4xf32>, tensor<4xf32>
}

// Here they matter.
// CHECK-LABEL: func.func @read_destination_read_later(
// CHECK-SAME: %[[A:.*]]: memref<4xf32>, %[[O:.*]]: memref<4xf32>
// CHECK-NEXT: %[[N:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %[[O]], %[[N]]
// CHECK-NEXT: jit.invoke @accumulate(%[[A]] : memref<4xf32>) outs(%[[N]] : memref<4xf32>)
// CHECK-NEXT: return %[[N]], %[[O]]
func.func @read_destination_read_later(%a: tensor<4xf32>, %o: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %r = jit.invoke @accumulate(%a : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  return %r, %o : tensor<4xf32>, tensor<4xf32>
}

// Inputs and destinations share no memory.
// CHECK-LABEL: func.func @input_as_destination(
// CHECK-SAME: %[[A:.*]]: memref<4xf32>
// CHECK-NEXT: %[[N:.*]] = memref.alloc()
// CHECK-NEXT: jit.invoke @negate(%[[A]] : memref<4xf32>) outs(%[[N]] : memref<4xf32>)
// CHECK-NEXT: return %[[N]]
func.func @input_as_destination(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = jit.invoke @negate(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @slice_of_a_larger_buffer(
// CHECK-SAME: %[[A:.*]]: memref<4xf32>, %[[O:.*]]: memref<8xf32>
// CHECK-NEXT: %[[S:.*]] = memref.subview %[[O]][2] [4] [1]
// CHECK-NEXT: jit.invoke @negate(%[[A]] : memref<4xf32>) outs(%[[S]] : memref<4xf32, strided<[1], offset: 2>>)
// CHECK-NEXT: return %[[O]]
func.func @slice_of_a_larger_buffer(%a: tensor<4xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %s = tensor.extract_slice %o[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %r = jit.invoke @negate(%a : tensor<4xf32>) outs(%s : tensor<4xf32>) -> tensor<4xf32>
  %i = tensor.insert_slice %r into %o[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %i : tensor<8xf32>
}

// CHECK-LABEL: func.func @effects_stay(
// CHECK-NEXT: jit.invoke @check(%{{.*}}, %{{.*}} : i1, memref<4xf32>) {effects}
func.func @effects_stay(%ok: i1, %a: tensor<4xf32>) {
  jit.invoke @check(%ok, %a : i1, tensor<4xf32>) {effects}
  return
}
