// RUN: jit-opt %s -jit-lower-parallel-loops | FileCheck %s

// What the body reads of a shared output is its value before the loop.
// CHECK-LABEL: func.func @forall
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>, %[[INIT:.*]]: tensor<8xf32>
// CHECK:         %[[R:.*]] = scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[O:.*]] = %[[INIT]])
// CHECK:           tensor.extract_slice %[[INIT]][%[[I]]]
// CHECK:           %[[S:.*]] = linalg.add
// CHECK:           %[[N:.*]] = tensor.insert_slice %[[S]] into %[[O]][%[[I]]] [4] [1]
// CHECK:           scf.yield %[[N]]
// CHECK:         return %[[R]]
func.func @forall(%x: tensor<8xf32>, %init: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) = (0) to (8) step (4) shared_outs(%o = %init) -> (tensor<8xf32>) {
    %a = tensor.extract_slice %x[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %b = tensor.extract_slice %o[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %s = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// Two dimensions, one inside the other, and two outputs.
// CHECK-LABEL: func.func @forall_nest
// CHECK:         %[[R:.*]]:2 = scf.for %{{.*}} iter_args(%[[A:.*]] = %arg1, %[[B:.*]] = %arg2)
// CHECK:           %[[Q:.*]]:2 = scf.for %{{.*}} iter_args(%[[C:.*]] = %[[A]], %[[D:.*]] = %[[B]])
// CHECK:             tensor.insert_slice %{{.*}} into %[[C]]
// CHECK:             tensor.insert_slice %{{.*}} into %[[D]]
// CHECK:           scf.yield %[[Q]]#0, %[[Q]]#1
func.func @forall_nest(%x: tensor<1x1xf32>, %a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %n: index, %m: index) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %r:2 = scf.forall (%i, %j) in (%n, %m) shared_outs(%o = %a, %p = %b) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[%i, %j] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<?x?xf32>
      tensor.parallel_insert_slice %x into %p[%i, %j] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<?x?xf32>
    }
  }
  return %r#0, %r#1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// CHECK-LABEL: func.func @reduction
// CHECK:         %[[R:.*]] = scf.for %{{.*}} iter_args(%[[A:.*]] = %arg1) -> (f32)
// CHECK:           %[[V:.*]] = tensor.extract
// CHECK:           %[[S:.*]] = arith.addf %[[A]], %[[V]]
// CHECK:           scf.yield %[[S]]
// CHECK:         return %[[R]]
func.func @reduction(%x: tensor<?xf32>, %init: f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%init) -> f32 {
    %v = tensor.extract %x[%i] : tensor<?xf32>
    scf.reduce(%v : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}

// A sequential loop stays as it is.
// CHECK-LABEL: func.func @sequential
// CHECK-NEXT:    %[[R:.*]] = scf.for %{{.*}} = %arg1 to %arg2 step %arg3 iter_args
func.func @sequential(%x: f32, %lb: index, %ub: index, %s: index) -> f32 {
  %r = scf.for %i = %lb to %ub step %s iter_args(%a = %x) -> f32 {
    %0 = arith.addf %a, %a : f32
    scf.yield %0 : f32
  }
  return %r : f32
}
