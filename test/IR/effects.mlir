// RUN: jit-opt %s --allow-unregistered-dialect --canonicalize --cse --loop-invariant-code-motion --symbol-dce | FileCheck %s

// What general passes may do to calls follows from the effects of the unit.

jit.unit private @negate(%a: tensor<4xf32>, %o: tensor<4xf32> {jit.write_only}) -> tensor<4xf32> {
  %r = linalg.negf ins(%a : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  jit.return %r : tensor<4xf32>
}

jit.unit private @check(%ok: i1, %o: tensor<4xf32>) -> tensor<4xf32> {
  cf.assert %ok, "must be"
  jit.return %o : tensor<4xf32>
}

// An integer division is undefined where the divisor is 0.
jit.unit private @divide(%n: i32, %o: tensor<i32>) -> tensor<i32> {
  %c = arith.constant 7 : i32
  %q = arith.divsi %c, %n : i32
  %r = tensor.insert %q into %o[] : tensor<i32>
  jit.return %r : tensor<i32>
}

// The parts that a parallel loop inserts are its own.
jit.unit private @copy_in_parallel(%a: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) in (8) shared_outs(%s = %o) -> tensor<8xf32> {
    %x = tensor.extract_slice %a[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %s[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  jit.return %r : tensor<8xf32>
}

// A unit that nothing calls goes.
// CHECK-NOT: @never_called
jit.unit private @never_called() {
  jit.return
}

// CHECK-LABEL: func.func @dead_call_goes(
// CHECK-NEXT: return
func.func @dead_call_goes(%a: tensor<4xf32>) {
  %r = jit.invoke @negate(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @dead_call_of_a_parallel_loop_goes(
// CHECK-NEXT: return
func.func @dead_call_of_a_parallel_loop_goes(%a: tensor<8xf32>) {
  %r = jit.invoke @copy_in_parallel(%a : tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
  return
}

// CHECK-LABEL: func.func @dead_call_with_effects_stays(
// CHECK-NEXT: jit.invoke @check
func.func @dead_call_with_effects_stays(%ok: i1, %a: tensor<4xf32>) {
  %r = jit.invoke @check(%ok : i1) outs(%a : tensor<4xf32>) -> tensor<4xf32> {effects}
  return
}

// CHECK-LABEL: func.func @equal_calls_are_one(
// CHECK: %[[R:.*]] = jit.invoke @negate
// CHECK-NEXT: return %[[R]], %[[R]]
func.func @equal_calls_are_one(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r = jit.invoke @negate(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  %s = jit.invoke @negate(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// On memrefs a call writes, so neither of two equal calls goes.
// CHECK-LABEL: func.func @memref_calls_stay(
// CHECK-COUNT-2: jit.invoke @negate
func.func @memref_calls_stay(%a: memref<4xf32>, %o: memref<4xf32>) {
  jit.invoke @negate(%a : memref<4xf32>) outs(%o : memref<4xf32>)
  jit.invoke @negate(%a : memref<4xf32>) outs(%o : memref<4xf32>)
  return
}

// CHECK-LABEL: func.func @invariant_call_leaves_the_loop(
// CHECK: jit.invoke @negate
// CHECK: scf.for
// CHECK: "use"
func.func @invariant_call_leaves_the_loop(%n: index, %a: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %r = jit.invoke @negate(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    "use"(%r) : (tensor<4xf32>) -> ()
  }
  return
}

// The loop may have no iterations, and then the call must not happen.
// CHECK-LABEL: func.func @calls_that_may_fail_stay_in_the_loop(
// CHECK: scf.for
// CHECK: jit.invoke @check
// CHECK: jit.invoke @divide
func.func @calls_that_may_fail_stay_in_the_loop(%n: index, %ok: i1, %d: i32, %a: tensor<4xf32>,
                                                %q: tensor<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %r = jit.invoke @check(%ok : i1) outs(%a : tensor<4xf32>) -> tensor<4xf32> {effects}
    %s = jit.invoke @divide(%d : i32) outs(%q : tensor<i32>) -> tensor<i32>
    "use"(%r, %s) : (tensor<4xf32>, tensor<i32>) -> ()
  }
  return
}
