// RUN: jit-opt %s --jit-bufferize-host --split-input-file | FileCheck %s

// Bodies of units stay on tensors; destinations are allocated; arguments are dense.

// CHECK-LABEL: func.func @call(
// CHECK-SAME:      %[[X:.*]]: memref<?x4xf32>) -> memref<?x4xf32>
// CHECK:         %[[ALLOC:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?x4xf32>
// CHECK-NEXT:    jit.invoke @exp(%[[X]] : memref<?x4xf32>) outs(%[[ALLOC]] : memref<?x4xf32>)
// CHECK-NEXT:    return %[[ALLOC]]
// CHECK:       jit.unit private @exp(%{{.*}}: tensor<?x4xf32>, %{{.*}}: tensor<?x4xf32> {jit.write_only})
func.func @call(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%d) : tensor<?x4xf32>
  %r = jit.invoke @exp(%x : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
jit.unit private @exp(%x: tensor<?x4xf32>, %out: tensor<?x4xf32> {jit.write_only}) -> tensor<?x4xf32> {
  %r = linalg.exp ins(%x : tensor<?x4xf32>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  jit.return %r : tensor<?x4xf32>
}

// -----

// An argument is never written: it is copied first.

// CHECK-LABEL: func.func @argument_is_kept(
// CHECK-SAME:      %[[X:.*]]: memref<4xf32>, %[[S:.*]]: f32)
// CHECK:         %[[COPY:.*]] = memref.alloc()
// CHECK:         memref.copy %[[X]], %[[COPY]]
// CHECK:         memref.store %[[S]], %[[COPY]]
// CHECK:         return %[[COPY]]
func.func @argument_is_kept(%x: tensor<4xf32>, %s: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %r = tensor.insert %s into %x[%c0] : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// A loop whose state keeps its size updates one buffer: no allocation is handed on.

// CHECK-LABEL: func.func @state_in_place(
// CHECK:         %[[STATE:.*]] = memref.alloc()
// CHECK:         memref.copy %{{.*}}, %[[STATE]]
// CHECK:         scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{[a-z0-9]+}} {
// CHECK:           %[[NEXT:.*]] = memref.alloc()
// CHECK-NEXT:      jit.invoke @step(%[[STATE]] : memref<4xf32>) outs(%[[NEXT]] : memref<4xf32>)
// CHECK-NEXT:      memref.copy %[[NEXT]], %[[STATE]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[STATE]]
func.func @state_in_place(%init: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %init) -> (tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %next = jit.invoke @step(%h : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
jit.unit private @step(%x: tensor<4xf32>, %out: tensor<4xf32> {jit.write_only}) -> tensor<4xf32> {
  %r = linalg.tanh ins(%x : tensor<4xf32>) outs(%out : tensor<4xf32>) -> tensor<4xf32>
  jit.return %r : tensor<4xf32>
}

// -----

// Results of the init function are memory that nothing writes: what is inserted into one goes to a copy.

// CHECK-LABEL: func.func @reads_computed_constants(
// CHECK:         %[[K:.*]] = memref.get_global @__jit_init_1 : memref<4xf32>
// CHECK:         %[[COPY:.*]] = memref.alloc()
// CHECK:         memref.copy %[[K]], %[[COPY]]
// CHECK:         memref.store %{{.*}}, %[[COPY]]
// CHECK:       memref.global "private" @__jit_init_1 : memref<4xf32> {init_result = 1 : i64}
func.func @reads_computed_constants(%s: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %k:2 = func.call @__jit_init() : () -> (tensor<2xf32>, tensor<4xf32>)
  %r = tensor.insert %s into %k#1[%c0] : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @__jit_init() -> (tensor<2xf32>, tensor<4xf32>) {
  %a = arith.constant dense<1.0> : tensor<2xf32>
  %b = arith.constant dense<2.0> : tensor<4xf32>
  return %a, %b : tensor<2xf32>, tensor<4xf32>
}
