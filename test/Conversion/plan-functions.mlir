// RUN: jit-opt %s --jit-print-plan -o /dev/null | FileCheck %s

// Scalars, buffers and control flow of functions.

jit.unit private @exp(%x: tensor<?xf32>, %o: tensor<?xf32> {jit.write_only}) -> tensor<?xf32> {
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  jit.return %r : tensor<?xf32>
}

// What follows from sizes is computed in the shape program, each thing once; a scalar that a size depends
// on is a key; one that none does is computed in each call.

// CHECK-LABEL: function "phases"
// CHECK-SAME:      ("arg0" m0: tensor<?xf32>, "arg1" %[[N:[0-9]+]]: index, "arg2" %[[S:[0-9]+]]: f32)
// CHECK-NEXT:    keys %[[N]]
// CHECK:         m1: f32 [%[[SIZE:[0-9]+]]] strides [1] in result0
// CHECK:         shape {
// CHECK-NEXT:      %[[SIZE]] = AddI index %{{.*}}, %[[N]]
// CHECK-NEXT:      CheckNonNegative index %[[SIZE]] "a tensor of negative size is made"
// CHECK-NEXT:    }
// CHECK-NEXT:    0: scalars {
// CHECK-NEXT:      %[[T:[0-9]+]] = AddF f32 %[[S]], %[[S]]
// CHECK-NEXT:    }
// CHECK-NEXT:  }
func.func @phases(%x: memref<?xf32>, %n: index, %s: f32) -> (memref<?xf32>, f32) {
  %c0 = arith.constant 0 : index
  %d = memref.dim %x, %c0 : memref<?xf32>
  %m = arith.addi %d, %n : index
  %again = arith.addi %d, %n : index
  %a = memref.alloc(%m) : memref<?xf32>
  %t = arith.addf %s, %s : f32
  return %a, %t : memref<?xf32>, f32
}

// An assert on sizes is made in the shape program. One in a branch holds there only.

// CHECK-LABEL: function "asserts"
// CHECK:         shape {
// CHECK:           Assert {{.*}} "not empty"
// CHECK:           %[[COND:[0-9]+]] = CmpISlt index
// CHECK:           %[[OK:[0-9]+]] = CmpISgt index
// CHECK:           %[[HERE:[0-9]+]] = Select i1 %[[COND]], %[[OK]], true
// CHECK:           Assert i1 %[[HERE]] "in the branch"
func.func @asserts(%x: memref<?xf32>, %o: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %d = memref.dim %x, %c0 : memref<?xf32>
  %some = arith.cmpi ne, %d, %c0 : index
  cf.assert %some, "not empty"
  %cond = arith.cmpi slt, %d, %c9 : index
  scf.if %cond {
    %ok = arith.cmpi sgt, %d, %c0 : index
    cf.assert %ok, "in the branch"
    jit.invoke @exp(%x : memref<?xf32>) outs(%o : memref<?xf32>)
  }
  return
}

// Views cost nothing: they are offsets, sizes and strides. What isn't known to fit is checked.

// CHECK-LABEL: function "views"
// CHECK-DAG:     m1: f32 [%{{[0-9]+}}, 2] strides [%{{[0-9]+}}, 3] in argument0 offset %{{[0-9]+}}
// CHECK:         shape {
// CHECK:           CheckSlice index
// CHECK:           CheckSlice index
// CHECK:           CheckEqual index {{.*}} "a tensor is cast to a type of another size"
// CHECK:           CheckEqual index {{.*}} "a dimension is expanded to sizes that don't multiply to its own"
func.func @views(%x: memref<?x?xf32>, %k: index) -> (memref<4xf32>, memref<2x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %v = memref.subview %x[%k, 1] [%k, 2] [1, 3] : memref<?x?xf32> to memref<?x2xf32, strided<[?, 3], offset: ?>>
  %row = memref.subview %x[0, 0] [1, %k] [1, 1] : memref<?x?xf32> to memref<?xf32, strided<[1]>>
  %four = memref.cast %row : memref<?xf32, strided<[1]>> to memref<4xf32, strided<[1]>>
  %w = memref.dim %x, %c1 : memref<?x?xf32>
  %half = arith.divui %w, %c2 : index
  %a = memref.alloc(%w) : memref<?xf32>
  %e = memref.expand_shape %a [[0, 1]] output_shape [2, %half] : memref<?xf32> into memref<2x?xf32>
  %r = memref.alloc() : memref<4xf32>
  memref.copy %four, %r : memref<4xf32, strided<[1]>> to memref<4xf32>
  return %r, %e : memref<4xf32>, memref<2x?xf32>
}

// Memory is live from the first to the last step that may use it; in a loop that it is made outside of, in
// all of the loop. A result that is whole in its own memory is computed there.

// CHECK-LABEL: function "lives"
// CHECK:         in result0
// CHECK:         alloc0 holds m{{.*}}, steps 0 to 4
// CHECK:         alloc1 holds m{{.*}}, steps 2 to 3
// CHECK:         0: invoke "exp" (m0, m[[A:.*]])
// CHECK-NEXT:    1: for %{{.*}} = 0 to %{{.*}} step 1
// CHECK:           2: invoke "exp" (m[[A]], m[[B:.*]])
// CHECK-NEXT:      3: invoke "exp" (m[[B]], m[[R:.*]])
// CHECK:           4: invoke "exp" (m[[R]], m[[R]])
func.func @lives(%x: memref<?xf32>, %n: index) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%d) : memref<?xf32>
  %r = memref.alloc(%d) : memref<?xf32>
  jit.invoke @exp(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  scf.for %i = %c0 to %n step %c1 {
    %b = memref.alloc(%d) : memref<?xf32>
    jit.invoke @exp(%a : memref<?xf32>) outs(%b : memref<?xf32>)
    jit.invoke @exp(%b : memref<?xf32>) outs(%r : memref<?xf32>)
    jit.invoke @exp(%r : memref<?xf32>) outs(%r : memref<?xf32>)
  }
  return %r : memref<?xf32>
}

// A buffer that the next iteration gets is made anew in each; its size, which changes, comes along.

// CHECK-LABEL: function "growing"
// CHECK:         m[[CARRIED:[0-9]+]]: f32 [%[[SIZE:[0-9]+]]] strides [1] in slot0 dynamic
// CHECK:         for %{{.*}} carries (m[[CARRIED]]) from (m{{.*}})
// CHECK:           AddI index %[[SIZE]], 1
// CHECK:           alloc m[[NEXT:[0-9]+]]
// CHECK:           yield (m[[NEXT]])
func.func @growing(%x: memref<?xf32>, %n: index) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> memref<?xf32> {
    %d = memref.dim %a, %c0 : memref<?xf32>
    %m = arith.addi %d, %c1 : index
    %b = memref.alloc(%m) : memref<?xf32>
    jit.invoke @exp(%a : memref<?xf32>) outs(%b : memref<?xf32>)
    scf.yield %b : memref<?xf32>
  }
  return %r : memref<?xf32>
}

// Loaded values; a conditional of numbers is a select, one that chooses buffers a step.

// CHECK-LABEL: function "choices"
// CHECK:         0: load %[[V:[0-9]+]], m0[0]
// CHECK:         1: scalars {
// CHECK:           %[[C:[0-9]+]] = CmpFOlt f32 %[[V]],
// CHECK:           Select i64 %[[C]],
// CHECK:         2: if %[[C]] gives (m[[CHOSEN:[0-9]+]])
// CHECK:           yield (m0)
// CHECK:           yield (m1)
// CHECK:         store %[[V]], m2[1]
// CHECK:         copy m[[CHOSEN]] to m{{[0-9]+}}
func.func @choices(%x: memref<4xf32>, %y: memref<4xf32>, %o: memref<4xf32>) -> (memref<4xf32>, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %zero = arith.constant 0.0 : f32
  %v = memref.load %x[%c0] : memref<4xf32>
  %c = arith.cmpf olt, %v, %zero : f32
  %k = scf.if %c -> i64 {
    %s = arith.addi %one, %two : i64
    scf.yield %s : i64
  } else {
    scf.yield %two : i64
  }
  %m = arith.select %c, %x, %y : memref<4xf32>
  memref.store %v, %o[%c1] : memref<4xf32>
  return %m, %k : memref<4xf32>, i64
}

// CHECK-LABEL: function "while"
// CHECK:         while carries (%[[K:[0-9]+]]) from (0) gives (%[[R:[0-9]+]])
// CHECK:           %[[C:[0-9]+]] = CmpISlt i64 %[[K]], %{{.*}}
// CHECK:           yield (%[[C]], %[[K]])
// CHECK:           %[[NEXT:[0-9]+]] = AddI i64 %[[R]], 1
// CHECK:           yield (%[[NEXT]])
func.func @while(%n: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r = scf.while (%k = %zero) : (i64) -> i64 {
    %c = arith.cmpi slt, %k, %n : i64
    scf.condition(%c) %k : i64
  } do {
  ^bb0(%k: i64):
    %next = arith.addi %k, %one : i64
    scf.yield %next : i64
  }
  return %r : i64
}

// CHECK-LABEL: function "switch"
// CHECK:         switch %{{.*}} gives (%[[R:[0-9]+]])
// CHECK:         case 2 {
// CHECK:           yield (
// CHECK:         default {
func.func @switch(%k: index, %x: memref<?xf32>, %o: memref<?xf32>) -> i32 {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %r = scf.index_switch %k -> i32
  case 2 {
    jit.invoke @exp(%x : memref<?xf32>) outs(%o : memref<?xf32>)
    scf.yield %one : i32
  }
  default {
    scf.yield %two : i32
  }
  return %r : i32
}

// Constants, and results of the init function.

memref.global "private" constant @weights : memref<2xf32> = dense<[1.0, 2.0]>
memref.global "private" @computed : memref<3xf32> = uninitialized {init_result = 0 : i64}

// CHECK-LABEL: function "constants"
// CHECK-DAG:     f32 [2] strides [1] in constant0
// CHECK-DAG:     f32 [3] strides [1] in constant1
func.func @constants() -> (memref<2xf32>, memref<3xf32>) {
  %a = memref.get_global @weights : memref<2xf32>
  %b = memref.get_global @computed : memref<3xf32>
  return %a, %b : memref<2xf32>, memref<3xf32>
}
func.func private @__jit_init() -> memref<3xf32> {
  %r = memref.alloc() : memref<3xf32>
  return %r : memref<3xf32>
}
