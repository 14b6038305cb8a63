// RUN: jit-opt %s -jit-simplify-shapes -allow-unregistered-dialect | FileCheck %s

// A size is never negative.
// CHECK-LABEL: func.func @size_is_not_negative
// CHECK-SAME:    %[[X:.*]]: tensor<?xf32>
// CHECK:         %[[N:.*]] = tensor.dim %[[X]]
// CHECK-NOT:     arith.select
// CHECK:         return %[[N]]
func.func @size_is_not_negative(%x: tensor<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c0_i64 = arith.constant 0 : i64
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i64
  %neg = arith.cmpi slt, %i, %c0_i64 : i64
  %m = arith.select %neg, %c1, %n : index
  return %m : index
}

// The size of a result is the one that its destination was made with.
// CHECK-LABEL: func.func @size_of_destination
// CHECK-SAME:    %{{.*}}: tensor<1x4xf32>, %[[N:.*]]: index
// CHECK:         return %[[N]]
func.func @size_of_destination(%x: tensor<1x4xf32>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %f = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %z = linalg.fill ins(%f : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %i = tensor.insert_slice %x into %z[0, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<?x4xf32>
  %s = tensor.dim %i, %c0 : tensor<?x4xf32>
  return %s : index
}

// Collapsed dimensions multiply, padded ones add up.
// CHECK-LABEL: func.func @size_of_reshape_and_pad
// CHECK:         %[[A:.*]] = tensor.dim %{{.*}}, %c0
// CHECK:         %[[B:.*]] = tensor.dim %{{.*}}, %c1
// CHECK:         %[[P:.*]] = arith.muli %[[A]], %[[B]]
// CHECK:         %[[Q:.*]] = arith.addi %[[A]], %c3
// CHECK:         return %[[P]], %[[Q]]
func.func @size_of_reshape_and_pad(%x: tensor<?x?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %f = arith.constant 0.0 : f32
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %s = tensor.dim %c, %c0 : tensor<?xf32>
  %p = tensor.pad %x low[1, 0] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %f : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  %t = tensor.dim %p, %c0 : tensor<?x?xf32>
  return %s, %t : index, index
}

// After an assert the two sizes have one name, before it two.
// CHECK-LABEL: func.func @asserted_equal
// CHECK:         %[[A:.*]] = tensor.dim %arg0
// CHECK:         %[[B:.*]] = tensor.dim %arg1
// CHECK:         "before"(%[[A]], %[[B]])
// CHECK:         cf.assert %{{.*}}, "sizes differ"
// CHECK-NOT:     cf.assert
// CHECK:         "after"(%[[A]], %[[A]])
func.func @asserted_equal(%x: tensor<?xf32>, %y: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %a = tensor.dim %x, %c0 : tensor<?xf32>
  %b = tensor.dim %y, %c0 : tensor<?xf32>
  "before"(%a, %b) : (index, index) -> ()
  %eq = arith.cmpi eq, %b, %a : index
  cf.assert %eq, "sizes differ"
  cf.assert %eq, "said already"
  "after"(%a, %b) : (index, index) -> ()
  return
}

// What is asserted in a branch holds there alone.
// CHECK-LABEL: func.func @asserted_in_a_branch
// CHECK:         scf.if
// CHECK:           "inside"(%[[A:.*]], %[[A]])
// CHECK:         "outside"(%[[A]], %[[B:.*]])
func.func @asserted_in_a_branch(%x: tensor<?xf32>, %y: tensor<?xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %a = tensor.dim %x, %c0 : tensor<?xf32>
  %b = tensor.dim %y, %c0 : tensor<?xf32>
  scf.if %c {
    %eq = arith.cmpi eq, %a, %b : index
    cf.assert %eq, "sizes differ"
    "inside"(%a, %b) : (index, index) -> ()
  }
  "outside"(%a, %b) : (index, index) -> ()
  return
}

// An asserted bound is a range from there on.
// CHECK-LABEL: func.func @asserted_bound
// CHECK-SAME:    %[[N:.*]]: index
// CHECK:         %[[BEFORE:.*]] = arith.maxsi %[[N]], %c0
// CHECK:         cf.assert
// CHECK:         return %[[BEFORE]], %[[N]]
func.func @asserted_bound(%n: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  %before = arith.maxsi %n, %c0 : index
  %ok = arith.cmpi sge, %n, %c0 : index
  cf.assert %ok, "negative"
  %c0b = arith.constant 0 : index
  %c-1 = arith.constant -1 : index
  %after = arith.maxsi %n, %c-1 : index
  return %before, %after : index, index
}

// A product of sizes divided by one of its constants; not where it may overflow.
// CHECK-LABEL: func.func @quotient
// CHECK:         %[[N:.*]] = tensor.dim
// CHECK:         %[[Q:.*]] = arith.divsi
// CHECK:         return %[[N]], %[[Q]]
func.func @quotient(%x: tensor<?xf32>, %m: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c12 = arith.constant 12 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %p = arith.muli %n, %c12 : index
  %q = arith.divsi %p, %c12 : index
  %u = arith.muli %m, %c12 : index
  %v = arith.divsi %u, %c12 : index
  return %q, %v : index, index
}

// A loop's counter is below its bound, and what the loop carries keeps its size.
// CHECK-LABEL: func.func @loop
// CHECK:         %[[N:.*]] = tensor.dim %arg0, %c0
// CHECK:         scf.for %[[I:.*]] = %c0 to %[[N]]
// CHECK:           "use"(%[[I]], %[[N]])
// CHECK:         return %[[N]]
func.func @loop(%x: tensor<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %max = arith.maxsi %i, %c0 : index
    %j = arith.minsi %max, %n : index
    %s = tensor.dim %a, %c0 : tensor<?xf32>
    "use"(%j, %s) : (index, index) -> ()
    %f = tensor.extract %a[%j] : tensor<?xf32>
    %b = tensor.insert %f into %a[%j] : tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  %m = tensor.dim %r, %c0 : tensor<?xf32>
  return %m : index
}

// A loop that changes the size of what it carries.
// CHECK-LABEL: func.func @growing_loop
// CHECK:         %[[R:.*]] = scf.for
// CHECK:           tensor.dim %{{.*}} : tensor<?xf32>
// CHECK:         %[[M:.*]] = tensor.dim %[[R]]
// CHECK:         return %[[M]]
func.func @growing_loop(%x: tensor<?xf32>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %s = tensor.dim %a, %c0 : tensor<?xf32>
    %t = arith.addi %s, %c1 : index
    %e = tensor.empty(%t) : tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  %m = tensor.dim %r, %c0 : tensor<?xf32>
  return %m : index
}

// The same sum, once on integers, once on indices, once with a promise about overflow.
// CHECK-LABEL: func.func @one_name
// CHECK:         %[[S:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK-NOT:     arith.addi
// CHECK:         "use"(%[[S]], %[[S]], %[[S]])
func.func @one_name(%x: tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.dim %x, %c0 : tensor<?x?xf32>
  %b = tensor.dim %x, %c1 : tensor<?x?xf32>
  %ai = arith.index_cast %a : index to i64
  %bi = arith.index_cast %b : index to i64
  %si = arith.addi %ai, %bi : i64
  %0 = arith.index_cast %si : i64 to index
  %1 = arith.addi %a, %b : index
  %2 = arith.addi %b, %a overflow<nsw> : index
  "use"(%0, %1, %2) : (index, index, index) -> ()
  return
}

// 32-bit arithmetic wraps differently: it stays.
// CHECK-LABEL: func.func @narrow_arithmetic_stays
// CHECK:         arith.muli %{{.*}} : i32
func.func @narrow_arithmetic_stays(%x: tensor<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i32
  %s = arith.muli %i, %i : i32
  %r = arith.index_cast %s : i32 to index
  return %r : index
}
