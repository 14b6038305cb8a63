// RUN: jit-opt %s --pass-pipeline='builtin.module(func.func(jit-update-loops-in-place))' | FileCheck %s

// A new tensor of the carried one's size is inserted into it.

// CHECK-LABEL: func.func @same_size(
// CHECK:         scf.for {{.*}} iter_args(%[[H:.*]] = %{{.*}})
// CHECK:           %[[NEXT:.*]] = linalg.exp
// CHECK:           %[[SIZE:.*]] = tensor.dim %[[H]]
// CHECK:           %[[UPDATED:.*]] = tensor.insert_slice %[[NEXT]] into %[[H]][0, 0] [%[[SIZE]], 4] [1, 1]
// CHECK:           scf.yield %[[UPDATED]]
func.func @same_size(%init: tensor<?x4xf32>, %n: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %init) -> tensor<?x4xf32> {
    %d = tensor.dim %h, %c0 : tensor<?x4xf32>
    %e = tensor.empty(%d) : tensor<?x4xf32>
    %next = linalg.exp ins(%h : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
    scf.yield %next : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// A size that may change, a value that is an update already, and a swap are left alone.

// CHECK-LABEL: func.func @left_alone(
// CHECK:         %[[UPDATE:.*]] = tensor.insert %
// CHECK-NOT:     insert_slice
// CHECK:         scf.yield %{{.*}}, %[[UPDATE]], %{{.*}}, %{{.*}}
func.func @left_alone(%init: tensor<?xf32>, %fixed: tensor<4xf32>, %other: tensor<4xf32>, %n: index,
                      %s: f32) -> (tensor<?xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:4 = scf.for %i = %c0 to %n step %c1
      iter_args(%grows = %init, %u = %fixed, %a = %fixed, %b = %other)
      -> (tensor<?xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %e = tensor.empty(%i) : tensor<?xf32>
    %f = linalg.fill ins(%s : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %update = tensor.insert %s into %u[%c0] : tensor<4xf32>
    scf.yield %f, %update, %b, %a : tensor<?xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<?xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
