// RUN: jit-opt %s --canonicalize | FileCheck %s

// Casts that only forget sizes vanish into the call.

jit.unit private @negate(%a: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.negf ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  jit.return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @tensor_cast(
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>, %[[O:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[R:.*]] = jit.invoke @negate(%[[A]] : tensor<4xf32>) outs(%[[O]] : tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: return %[[R]]
func.func @tensor_cast(%a: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %ca = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
  %co = tensor.cast %o : tensor<4xf32> to tensor<?xf32>
  %r = jit.invoke @negate(%ca : tensor<?xf32>) outs(%co : tensor<?xf32>) -> tensor<?xf32>
  %cr = tensor.cast %r : tensor<?xf32> to tensor<4xf32>
  return %cr : tensor<4xf32>
}

// CHECK-LABEL: func.func @memref_cast(
// CHECK-SAME: %[[A:.*]]: memref<4xf32>, %[[O:.*]]: memref<4xf32>
// CHECK-NEXT: jit.invoke @negate(%[[A]] : memref<4xf32>) outs(%[[O]] : memref<4xf32>)
// CHECK-NEXT: return
func.func @memref_cast(%a: memref<4xf32>, %o: memref<4xf32>) {
  %ca = memref.cast %a : memref<4xf32> to memref<?xf32, strided<[?], offset: ?>>
  %co = memref.cast %o : memref<4xf32> to memref<?xf32>
  jit.invoke @negate(%ca : memref<?xf32, strided<[?], offset: ?>>) outs(%co : memref<?xf32>)
  return
}

// A cast that claims a size stays.
// CHECK-LABEL: func.func @claiming_cast_stays(
// CHECK: %[[C:.*]] = memref.cast %{{.*}} : memref<?xf32> to memref<4xf32>
// CHECK-NEXT: jit.invoke @negate(%[[C]] : memref<4xf32>) outs(%[[C]] : memref<4xf32>)
func.func @claiming_cast_stays(%a: memref<?xf32>) {
  %c = memref.cast %a : memref<?xf32> to memref<4xf32>
  jit.invoke @negate(%c : memref<4xf32>) outs(%c : memref<4xf32>)
  return
}

// CHECK-LABEL: func.func @region_results(
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>, %[[O:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[R:.*]] = jit.region -> tensor<4xf32> {
// CHECK-NEXT: %[[X:.*]] = linalg.exp
// CHECK-NEXT: jit.yield %[[X]] : tensor<4xf32>
// CHECK-NEXT: } {kind = "kept"}
// CHECK-NEXT: return %[[R]], %[[R]], %[[A]]
func.func @region_results(%a: tensor<4xf32>, %o: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %r:4 = jit.region -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %x = linalg.exp ins(%a : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
    %y = linalg.negf ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
    jit.yield %x, %y, %a, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } {kind = "kept"}
  return %r#0, %r#3, %r#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @empty_region(
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>
// CHECK-NEXT: return %[[A]]
func.func @empty_region(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = jit.region -> tensor<4xf32> {
    jit.yield %a : tensor<4xf32>
  }
  jit.region {
  }
  return %r : tensor<4xf32>
}

// What only asserts has no results, and stays.
// CHECK-LABEL: func.func @region_with_effects(
// CHECK: jit.region {
// CHECK: cf.assert
func.func @region_with_effects(%ok: i1) {
  jit.region {
    cf.assert %ok, "no"
  }
  return
}
