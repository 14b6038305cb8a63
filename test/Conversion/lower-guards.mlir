// RUN: jit-opt %s --jit-lower-guards --cse | FileCheck %s --implicit-check-not=jit.guard

// A guard is what it asks, nothing more.

// CHECK-LABEL: func.func @sizes(
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C23:.*]] = arith.constant 23 : index
// CHECK-DAG: %[[C31:.*]] = arith.constant 31 : index
// CHECK-DAG: %[[M:.*]] = tensor.dim %arg0, %c0
// CHECK-DAG: %[[A:.*]] = arith.cmpi eq, %[[M]], %[[C8]] : index
// CHECK-DAG: %[[N:.*]] = tensor.dim %arg0, %c1
// CHECK-DAG: %[[B:.*]] = arith.cmpi sge, %[[N]], %[[C23]] : index
// CHECK-DAG: %[[AB:.*]] = arith.andi %[[A]], %[[B]] : i1
// CHECK-DAG: %[[C:.*]] = arith.cmpi sle, %[[N]], %[[C31]] : index
// CHECK-DAG: %[[ABC:.*]] = arith.andi %[[AB]], %[[C]] : i1
// CHECK: return %[[ABC]]
func.func @sizes(%a: tensor<?x?x?x4xf32>) -> i1 {
  // 2^(9/2) = 22.6: from 23 on, below 32.
  %0 = jit.guard %a in <[8, exp2(9/2 ... 5), ?, 4]> : tensor<?x?x?x4xf32>
  return %0 : i1
}

// CHECK-LABEL: func.func @buffer(
// CHECK: memref.dim %arg0
// CHECK: arith.cmpi eq
func.func @buffer(%a: memref<?xf32>) -> i1 {
  %0 = jit.guard %a in <[0]> : memref<?xf32>
  return %0 : i1
}

// CHECK-LABEL: func.func @nothing_to_ask(
// CHECK-NEXT: %[[T:.*]] = arith.constant true
// CHECK-NEXT: return %[[T]]
func.func @nothing_to_ask(%a: tensor<4x?xf32>) -> i1 {
  %0 = jit.guard %a in <[4, ?]> : tensor<4x?xf32>
  return %0 : i1
}

// No size of 64 bits with sign lies beyond its end: there is no upper bound.
// CHECK-LABEL: func.func @last_bucket(
// CHECK-DAG: %[[C:.*]] = arith.constant 4611686018427387904 : index
// CHECK-DAG: %[[N:.*]] = tensor.dim
// CHECK: %[[A:.*]] = arith.cmpi sge, %[[N]], %[[C]] : index
// CHECK-NEXT: return %[[A]]
func.func @last_bucket(%a: tensor<?xf32>) -> i1 {
  %0 = jit.guard %a in <[exp2(62 ... 63)]> : tensor<?xf32>
  return %0 : i1
}

// 2^(62 + 2/3) = 7.3e18, and 2^(63 + 1/3) is beyond 2^63.
// CHECK-LABEL: func.func @across_the_end(
// CHECK-DAG: %[[C:.*]] = arith.constant 7320595236998672907 : index
// CHECK: %[[A:.*]] = arith.cmpi sge, %{{.*}}, %[[C]] : index
// CHECK-NEXT: return %[[A]]
func.func @across_the_end(%a: tensor<?xf32>) -> i1 {
  %0 = jit.guard %a in <[exp2(188/3 ... 190/3)]> : tensor<?xf32>
  return %0 : i1
}

// A bucket of one size.
// CHECK-LABEL: func.func @one_size(
// CHECK: arith.cmpi eq
// CHECK-NEXT: return
func.func @one_size(%a: tensor<?xf32>) -> i1 {
  %0 = jit.guard %a in <[exp2(3/2 ... 7/4)]> : tensor<?xf32>
  return %0 : i1
}
