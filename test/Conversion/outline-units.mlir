// RUN: jit-opt %s --jit-outline-units --split-input-file | FileCheck %s

// Regions that no rule of ours would form: several results, results that others in the region read,
// values from outside, a pad in the middle.

// CHECK-LABEL: func.func @two_results(
// CHECK-SAME: %[[A:.*]]: tensor<?xf32>
// CHECK: %[[R:.*]]:2 = jit.invoke @two_results.negf_0(%[[A]] : tensor<?xf32>) outs(
// CHECK: return %[[R]]#0, %[[R]]#1, %[[R]]#0, %[[A]]
// CHECK: jit.unit private @two_results.negf_0(%[[X:.*]]: tensor<?xf32>,
// CHECK-SAME: %[[P:.*]]: tensor<?xf32> {jit.write_only}, %[[Q:.*]]: tensor<?xf32> {jit.write_only})
// CHECK: %[[E:.*]] = linalg.exp ins(%[[X]] : tensor<?xf32>) outs(%[[P]]
// CHECK: %[[N:.*]] = linalg.negf ins(%[[E]] : tensor<?xf32>) outs(%[[Q]]
// CHECK-NEXT: jit.return %[[E]], %[[N]]
func.func @two_results(%a: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %r:5 = jit.region -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %a, %c0 : tensor<?xf32>
    %e = tensor.empty(%n) : tensor<?xf32>
    %x = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %y = linalg.negf ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %unused = linalg.abs ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    jit.yield %x, %y, %x, %a, %unused
        : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// The sizes of a padded result are computed outside, from those of what is padded.
// CHECK-LABEL: func.func @pad_inside(
// CHECK-SAME: %[[A:.*]]: tensor<?xf32>, %[[L:.*]]: index
// CHECK: %[[D:.*]] = tensor.dim %[[A]]
// CHECK: %[[S:.*]] = arith.addi %[[D]], %[[L]]
// CHECK: tensor.empty(%{{.*}}) : tensor<?xf32>
// CHECK: jit.invoke @pad_inside.
func.func @pad_inside(%a: tensor<?xf32>, %l: index) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %r = jit.region -> tensor<?xf32> {
    %x = linalg.exp ins(%a : tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
    %p = tensor.pad %x low[%l] high[1] {
    ^bb0(%i: index):
      tensor.yield %zero : f32
    } : tensor<?xf32> to tensor<?xf32>
    %y = linalg.negf ins(%p : tensor<?xf32>) outs(%p : tensor<?xf32>) -> tensor<?xf32>
    jit.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// Equal regions, also of several functions and of units that are there, are one unit.
// CHECK: jit.unit private @given(
// CHECK-NOT: jit.unit
// CHECK: func.func @first(
// CHECK: jit.invoke @given(
// CHECK: func.func @second(
// CHECK: jit.invoke @given(
// CHECK-NOT: jit.unit
jit.unit private @given(%a: tensor<4xf32>, %o: tensor<4xf32> {jit.write_only}) -> tensor<4xf32> {
  %x = linalg.exp ins(%a : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  jit.return %x : tensor<4xf32>
}
func.func @first(%a: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = jit.region -> tensor<4xf32> {
    %x = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    jit.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
func.func @second(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = jit.region -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %x = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    jit.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Empty regions vanish.
// CHECK-LABEL: func.func @empty(
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>
// CHECK-NEXT: return %[[A]]
func.func @empty(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = jit.region -> tensor<4xf32> {
    jit.yield %a : tensor<4xf32>
  }
  jit.region {
  }
  return %r : tensor<4xf32>
}

// So do those that hold nothing but constants, or what nobody reads.
// CHECK-LABEL: func.func @constants(
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<1.0
// CHECK-NEXT: return %[[C]]
func.func @constants(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = jit.region -> tensor<4xf32> {
    %c = arith.constant dense<1.0> : tensor<4xf32>
    jit.yield %c : tensor<4xf32>
  }
  %unread = jit.region -> tensor<4xf32> {
    %x = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    jit.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A constant beside what is computed is no result of the unit.
// CHECK-LABEL: func.func @constant_beside(
// CHECK:      %[[C:.*]] = arith.constant dense<1.0
// CHECK:      %[[R:.*]] = jit.invoke @constant_beside.exp_0
// CHECK-NEXT: return %[[C]], %[[R]]
func.func @constant_beside(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = jit.region -> (tensor<4xf32>, tensor<4xf32>) {
    %c = arith.constant dense<1.0> : tensor<4xf32>
    %x = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    jit.yield %c, %x : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
