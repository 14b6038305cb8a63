// RUN: jit-opt %s --jit-insert-guards | FileCheck %s
// RUN: jit-opt %s --jit-insert-guards --jit-insert-guards | FileCheck %s
// RUN: jit-opt %s --jit-insert-guards --remarks-filter=jit-insert-guards -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK

// A call looks for a variant that fits; the generic unit comes last.

jit.unit private @u(%x: tensor<?x4xf32>, %s: f32, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  jit.return %o : tensor<?x4xf32>
}
jit.unit private @u.few(%x: tensor<?x4xf32>, %s: f32, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  jit.return %o : tensor<?x4xf32>
}
jit.unit private @u.8(%x: tensor<8x4xf32>, %s: f32, %o: tensor<8x4xf32>) -> tensor<8x4xf32> {
  jit.return %o : tensor<8x4xf32>
}
jit.variant @u.few of @u when (<[exp2(3 ... 4), 4]>, any, any)
// It is for fewer shapes than the one before, and comes first.
jit.variant @u.8 of @u when (<[8, 4]>, any, <[8, 4]>)

// REMARK: insert-guards.mlir:[[# @LINE + 24]]:8: {{.*}}Function=u | Reason="'@u.8': guard #0
// REMARK: insert-guards.mlir:[[# @LINE + 23]]:8: {{.*}}Function=u | Reason="'@u.few': guard #1
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32>, %[[S:.*]]: f32, %[[O:.*]]: tensor<?x4xf32>
// CHECK-NEXT: %[[G:.*]] = jit.guard %[[X]] in <[8, 4]>, %[[O]] in <[8, 4]> : tensor<?x4xf32>, tensor<?x4xf32>
// CHECK-NEXT: %[[R:.*]] = scf.if %[[G]] -> (tensor<?x4xf32>) {
// CHECK-NEXT:   %[[X8:.*]] = tensor.cast %[[X]] : tensor<?x4xf32> to tensor<8x4xf32>
// CHECK-NEXT:   %[[O8:.*]] = tensor.cast %[[O]] : tensor<?x4xf32> to tensor<8x4xf32>
// CHECK-NEXT:   %[[C:.*]] = jit.invoke @u.8(%[[X8]], %[[S]] : tensor<8x4xf32>, f32) outs(%[[O8]] : tensor<8x4xf32>) -> tensor<8x4xf32> {note = 1 : i64}
// CHECK-NEXT:   %[[B:.*]] = tensor.cast %[[C]] : tensor<8x4xf32> to tensor<?x4xf32>
// CHECK-NEXT:   scf.yield %[[B]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[G1:.*]] = jit.guard %[[X]] in <[exp2(3 ... 4), 4]> : tensor<?x4xf32>
// CHECK-NEXT:   %[[R1:.*]] = scf.if %[[G1]] -> (tensor<?x4xf32>) {
// CHECK-NEXT:     %[[C1:.*]] = jit.invoke @u.few(%[[X]], %[[S]] : tensor<?x4xf32>, f32) outs(%[[O]] : tensor<?x4xf32>) -> tensor<?x4xf32> {note = 1 : i64}
// CHECK-NEXT:     scf.yield %[[C1]]
// CHECK-NEXT:   } else {
// CHECK-NEXT:     %[[C2:.*]] = jit.invoke @u(%[[X]], %[[S]] : tensor<?x4xf32>, f32) outs(%[[O]] : tensor<?x4xf32>) -> tensor<?x4xf32> {note = 1 : i64}
// CHECK-NEXT:     scf.yield %[[C2]]
// CHECK-NEXT:   }
// CHECK-NEXT:   scf.yield %[[R1]]
// CHECK-NEXT: }
// CHECK-NEXT: return %[[R]]
func.func @dynamic(%x: tensor<?x4xf32>, %s: f32, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = jit.invoke @u(%x, %s : tensor<?x4xf32>, f32) outs(%o : tensor<?x4xf32>)
      -> tensor<?x4xf32> {note = 1}
  return %r : tensor<?x4xf32>
}

// REMARK: Function=u | Reason="'@u.8': calls it without a guard: the call's sizes are known
// CHECK-LABEL: func.func @known(
// CHECK-NEXT: %[[R:.*]] = jit.invoke @u.8(%arg0, %arg1 : tensor<8x4xf32>, f32) outs(%arg2 : tensor<8x4xf32>) -> tensor<8x4xf32>
// CHECK-NEXT: return %[[R]]
func.func @known(%x: tensor<8x4xf32>, %s: f32, %o: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %r = jit.invoke @u(%x, %s : tensor<8x4xf32>, f32) outs(%o : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// REMARK: Function=u | Reason="'@u.8' is never called here: the call's sizes are others
// REMARK: Function=u | Reason="'@u.few' is never called here: the call's sizes are others
// CHECK-LABEL: func.func @others(
// CHECK-NEXT: jit.invoke @u(
// CHECK-NEXT: return
func.func @others(%x: tensor<7x4xf32>, %s: f32, %o: tensor<7x4xf32>) -> tensor<7x4xf32> {
  %r = jit.invoke @u(%x, %s : tensor<7x4xf32>, f32) outs(%o : tensor<7x4xf32>) -> tensor<7x4xf32>
  return %r : tensor<7x4xf32>
}

// In a loop, within a branch.
// CHECK-LABEL: func.func @nested(
// CHECK: scf.for
// CHECK: scf.if %arg
// CHECK: jit.guard
// CHECK: jit.invoke @u.8(
// CHECK: jit.guard
// CHECK: jit.invoke @u.few(
// CHECK: jit.invoke @u(
// CHECK-NOT: jit.guard
func.func @nested(%x: tensor<?x4xf32>, %s: f32, %o: tensor<?x4xf32>, %n: index, %c: i1)
    -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %o) -> (tensor<?x4xf32>) {
    %t = scf.if %c -> (tensor<?x4xf32>) {
      %q = jit.invoke @u(%x, %s : tensor<?x4xf32>, f32) outs(%h : tensor<?x4xf32>)
          -> tensor<?x4xf32>
      scf.yield %q : tensor<?x4xf32>
    } else {
      scf.yield %h : tensor<?x4xf32>
    }
    scf.yield %t : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// Calls on buffers have no results.
// CHECK-LABEL: func.func @buffers(
// CHECK: %[[G:.*]] = jit.guard %arg0 in <[8, 4]>, %arg2 in <[8, 4]> : memref<?x4xf32, strided<[?, 1]>>, memref<?x4xf32>
// CHECK-NEXT: scf.if %[[G]] {
// CHECK-NEXT: memref.cast %arg0 : memref<?x4xf32, strided<[?, 1]>> to memref<8x4xf32, strided<[?, 1]>>
// CHECK: jit.invoke @u.8(
// CHECK-NEXT: } else {
// CHECK: jit.invoke @u.few(
// CHECK: jit.invoke @u(
func.func @buffers(%x: memref<?x4xf32, strided<[?, 1]>>, %s: f32, %o: memref<?x4xf32>) {
  jit.invoke @u(%x, %s : memref<?x4xf32, strided<[?, 1]>>, f32) outs(%o : memref<?x4xf32>)
  return
}

// One value can't have two sizes.
jit.unit private @pair(%x: tensor<?xf32>, %y: tensor<?xf32>) {
  jit.return
}
jit.unit private @pair.8_9(%x: tensor<8xf32>, %y: tensor<9xf32>) {
  jit.return
}
jit.variant @pair.8_9 of @pair when (<[8]>, <[9]>)
// CHECK-LABEL: func.func @same_operand(
// CHECK-NEXT: jit.invoke @pair(
// CHECK-NEXT: return
func.func @same_operand(%x: tensor<?xf32>) {
  jit.invoke @pair(%x, %x : tensor<?xf32>, tensor<?xf32>)
  return
}

// The one that is first in the table is asked first where neither is for all of the other's shapes. Calls with
// effects are not lost.
jit.unit private @check(%x: tensor<?x?xf32>, %c: i1) {
  cf.assert %c, "must hold"
  jit.return
}
jit.unit private @check.8(%x: tensor<8x?xf32>, %c: i1) {
  cf.assert %c, "must hold"
  jit.return
}
jit.unit private @check.9(%x: tensor<?x9xf32>, %c: i1) {
  jit.return
}
jit.variant @check.9 of @check when (<[?, 9]>, any)
jit.variant @check.8 of @check when (<[8, ?]>, any)
// CHECK-LABEL: func.func @effects(
// CHECK: jit.invoke @check.9({{.*}}{{$}}
// CHECK: jit.invoke @check.8({{.*}} {effects}
// CHECK: jit.invoke @check({{.*}} {effects}
func.func @effects(%x: tensor<?x?xf32>, %c: i1) {
  jit.invoke @check(%x, %c : tensor<?x?xf32>, i1) {effects}
  return
}
