// RUN: jit-opt %s -jit-outline-loops | FileCheck %s
// RUN: jit-opt %s -jit-outline-loops -jit-inline-loops | FileCheck %s --check-prefix=INLINE

// A loop over units is a unit: what it carries are its results, what it reads its inputs.

// CHECK-LABEL: func.func @carries
// CHECK-SAME:    %[[X:.*]]: tensor<?x4xf32>, %[[N:.*]]: index, %[[W:.*]]: tensor<?x4xf32>
// CHECK:         %[[E:.*]] = tensor.empty(%{{.*}}) : tensor<?x4xf32>
// CHECK:         %[[R:.*]] = jit.invoke @carries.loop_0(%[[N]], %[[X]], %[[W]] : index, tensor<?x4xf32>, tensor<?x4xf32>) outs(%[[E]] : tensor<?x4xf32>)
// CHECK:         return %[[R]]
// INLINE-LABEL: func.func @carries
// INLINE:         scf.for
// INLINE:           jit.invoke @add
// INLINE:         } {jit.loop_unit = @carries.loop_0}
func.func @carries(%x: tensor<?x4xf32>, %n: index, %w: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<?x4xf32>) {
    %d = tensor.dim %s, %c0 : tensor<?x4xf32>
    %e = tensor.empty(%d) : tensor<?x4xf32>
    %t = jit.invoke @add(%s, %w : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
    scf.yield %t : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// Equal loops are one unit.

// CHECK-LABEL: func.func @again
// CHECK:         jit.invoke @carries.loop_0(
func.func @again(%x: tensor<?x4xf32>, %n: index, %w: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<?x4xf32>) {
    %d = tensor.dim %s, %c0 : tensor<?x4xf32>
    %e = tensor.empty(%d) : tensor<?x4xf32>
    %t = jit.invoke @add(%s, %w : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
    scf.yield %t : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// The outermost of nested loops is the unit.

// CHECK-LABEL: func.func @nested
// CHECK-NOT:     scf.for
// CHECK:         jit.invoke @nested.loop_0(
func.func @nested(%x: tensor<?x4xf32>, %n: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<?x4xf32>) {
    %q = scf.for %j = %c0 to %i step %c1 iter_args(%u = %s) -> (tensor<?x4xf32>) {
      %d = tensor.dim %u, %c0 : tensor<?x4xf32>
      %e = tensor.empty(%d) : tensor<?x4xf32>
      %t = jit.invoke @add(%u, %x : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
      scf.yield %t : tensor<?x4xf32>
    }
    scf.yield %q : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// A loop-carried scalar, a tensor that grows, a loop without units, and one that checks: no units.

// CHECK-LABEL: func.func @stays
// CHECK-NOT:     jit.invoke @stays.loop
// CHECK-COUNT-4: scf.for
func.func @stays(%x: tensor<?x4xf32>, %n: index, %f: f32) -> (tensor<?x4xf32>, f32, tensor<?x4xf32>, f32, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x, %k = %f) -> (tensor<?x4xf32>, f32) {
    %d = tensor.dim %s, %c0 : tensor<?x4xf32>
    %e = tensor.empty(%d) : tensor<?x4xf32>
    %t = jit.invoke @add(%s, %x : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
    scf.yield %t, %k : tensor<?x4xf32>, f32
  }
  %b = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<?x4xf32>) {
    %d = tensor.dim %s, %c0 : tensor<?x4xf32>
    %m = arith.addi %d, %c1 : index
    %e = tensor.empty(%m) : tensor<?x4xf32>
    %t = jit.invoke @add(%e, %e : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
    scf.yield %t : tensor<?x4xf32>
  }
  %c = scf.for %i = %c0 to %n step %c1 iter_args(%k = %f) -> (f32) {
    %t = arith.addf %k, %f : f32
    scf.yield %t : f32
  }
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<?x4xf32>) {
    %ok = arith.cmpi slt, %i, %n : index
    cf.assert %ok, "too far"
    %w = tensor.dim %s, %c0 : tensor<?x4xf32>
    %e = tensor.empty(%w) : tensor<?x4xf32>
    %t = jit.invoke @add(%s, %x : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
    scf.yield %t : tensor<?x4xf32>
  }
  return %a#0, %a#1, %b, %c, %d : tensor<?x4xf32>, f32, tensor<?x4xf32>, f32, tensor<?x4xf32>
}

// CHECK-LABEL: jit.unit private @add
jit.unit private @add(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>, %out: tensor<?x4xf32> {jit.write_only})
    -> tensor<?x4xf32> {
  %r = linalg.add ins(%a, %b : tensor<?x4xf32>, tensor<?x4xf32>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  jit.return %r : tensor<?x4xf32>
}

// CHECK-LABEL: jit.unit private @carries.loop_0
// CHECK-SAME:    (%[[N:.*]]: index, %[[X:.*]]: tensor<?x4xf32>, %[[W:.*]]: tensor<?x4xf32>, %{{.*}}: tensor<?x4xf32> {jit.write_only})
// CHECK:         %[[R:.*]] = scf.for %{{.*}} = %{{.*}} to %[[N]] step %{{.*}} iter_args(%[[S:.*]] = %[[X]])
// CHECK:           jit.invoke @add(%[[S]], %[[W]]
// CHECK:         jit.return %[[R]]
// CHECK-LABEL: jit.unit private @nested.loop_0
// CHECK-COUNT-2: scf.for
// CHECK-NOT:   jit.unit
