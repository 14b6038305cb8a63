// RUN: jit-opt %s --jit-print-shape-class -o /dev/null | FileCheck %s
// RUN: jit-opt %s --jit-print-shape-class=function=scalar -o /dev/null | FileCheck %s --check-prefix=ONE
// RUN: jit-opt %s --jit-print-shape-class=annotate | FileCheck %s --check-prefix=ATTR

// ONE-NOT: @all_static
// ONE: func.func @scalar: dynamic
// ONE-NOT: @quotient

// ATTR: func.func @all_static{{.*}} attributes {jit.shape_class = {class = "static", results = ["[4, 0]"]}}
// ATTR: func.func @arguments{{.*}} attributes {jit.shape_class = {class = "bucketable", results = ["[d0, 4]"], sizes = {d0 = "dim 0 of %arg0: bucketable", d1 = "dim 0 of %arg1: bucketable"}}}

// A size of 0 is a size like another.
// CHECK: func.func @all_static: static
// CHECK-NEXT: result #0: [4, 0]
func.func @all_static(%x: tensor<4x0xf32>) -> tensor<4x0xf32> {
  %0 = math.absf %x : tensor<4x0xf32>
  return %0 : tensor<4x0xf32>
}

// Results are in terms of the arguments' sizes.
// CHECK-LABEL: func.func @arguments: bucketable
// CHECK-NEXT: d0 = dim 0 of %arg0: bucketable{{$}}
// CHECK-NEXT: d1 = dim 0 of %arg1: bucketable{{$}}
// CHECK-NEXT: result #0: [d0, 4]
func.func @arguments(%x: tensor<?x4xf32>, %y: tensor<?xf32>) -> tensor<?x4xf32> {
  %0 = math.absf %x : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// A bucket on an argument, a minimum and a remainder are bounds; sums and products have one where
// their parts do.
// CHECK-LABEL: func.func @bounds: dynamic
// CHECK-NEXT: d0 = dim 0 of %arg0: bucketable, at most 15
// CHECK-DAG: {{.*}}arith.minsi({{.*}}): dynamic, from %arg1, at most 7
// CHECK-DAG: {{.*}}arith.remui({{.*}}): dynamic, from %arg1, at most 9
// CHECK-DAG: {{.*}}arith.divui({{.*}}): bucketable, from dim 0 of %arg0, at most 15
// CHECK: result #0: [d0 +
func.func @bounds(%x: tensor<?xf32> {jit.shape_bucket = #jit.shape_bucket<[exp2(3 ... 4)]>}, %n: index)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %c10 = arith.constant 10 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.minsi %n, %c7 : index
  %s = arith.addi %d, %m : index
  %r = arith.remui %n, %c10 : index
  %q = arith.divui %d, %c3 : index
  %0 = tensor.empty(%s) : tensor<?xf32>
  %1 = tensor.empty(%r) : tensor<?xf32>
  %2 = tensor.empty(%q) : tensor<?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @scalar: dynamic
// CHECK: s0 = %arg1: dynamic, from %arg1
// CHECK-NEXT: result #0: [s0]
func.func @scalar(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %0 = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Floats on the way to a size are followed.
// CHECK-LABEL: func.func @quotient: bucketable
// CHECK: arith.fptosi({{.*}}): bucketable, from dim 0 of %arg0
func.func @quotient(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %half = arith.constant 0.5 : f32
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %i = arith.index_cast %d : index to i64
  %f = arith.sitofp %i : i64 to f32
  %g = arith.mulf %f, %half : f32
  %j = arith.fptosi %g : f32 to i64
  %n = arith.index_cast %j : i64 to index
  %0 = tensor.empty(%n) : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @elements: data-dependent
// CHECK: s0 = {{.*}}: data-dependent, from elements of %arg1
func.func @elements(%x: tensor<?xf32>, %sizes: tensor<1xindex>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.extract %sizes[%c0] : tensor<1xindex>
  %0 = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @reshaped: data-dependent
// CHECK: d1 = dim 0 of result #0 of 'tensor.reshape': data-dependent, from elements of %arg1
func.func @reshaped(%x: tensor<?xf32>, %shape: tensor<2xindex>) -> tensor<?x?xf32> {
  %0 = tensor.reshape %x(%shape) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Where both branches agree, the condition doesn't matter; where they don't, it does.
// CHECK-LABEL: func.func @branches: dynamic
// CHECK: d2 = dim 0 of result #0 of 'scf.if': dynamic, from dim 0 of %arg0, dim 0 of %arg1, %arg2, the course of 'scf.if'
// CHECK: result #0: [d0]
// CHECK-NEXT: result #1: [d2]
func.func @branches(%x: tensor<?xf32>, %y: tensor<?xf32>, %c: i1) -> (tensor<?xf32>, tensor<?xf32>) {
  %same = scf.if %c -> tensor<?xf32> {
    %0 = math.absf %x : tensor<?xf32>
    scf.yield %0 : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  %other = scf.if %c -> tensor<?xf32> {
    scf.yield %x : tensor<?xf32>
  } else {
    scf.yield %y : tensor<?xf32>
  }
  return %same, %other : tensor<?xf32>, tensor<?xf32>
}

// A tensor that grows in a loop: the cycle is found, and what else is in it.
// CHECK-LABEL: func.func @grows: data-dependent
// CHECK: d{{[0-9]+}} = dim 0 of argument #1 of a block of 'scf.for': data-dependent, from dim 0 of %arg0, %arg1, the course of 'scf.for', elements of %arg2
func.func @grows(%x: tensor<?xf32>, %n: index, %by: tensor<1xindex>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %d = tensor.dim %a, %c0 : tensor<?xf32>
    %e = tensor.extract %by[%c0] : tensor<1xindex>
    %s = arith.addi %d, %e : index
    %b = tensor.empty(%s) : tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @counter: dynamic
// CHECK: from %arg1, the course of 'scf.for'
func.func @counter(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<8xf32> {
    %0 = tensor.extract_slice %x[0] [%i] [1] : tensor<8xf32> to tensor<?xf32>
    %1 = tensor.insert_slice %0 into %a[0] [%i] [1] : tensor<?xf32> into tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// Sizes of a call's results come from the callee, in the caller's terms.
// CHECK-LABEL: func.func @caller: bucketable
// CHECK: dim 0 of result #0 of 'func.call': bucketable, from dim 0 of %arg1
func.func @caller(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = func.call @callee(%y, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @callee(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = math.absf %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @recursive: data-dependent
// CHECK: '@recursive', which calls itself
func.func @recursive(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = func.call @recursive(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @no_rank: data-dependent
// CHECK: unranked: a value of 'func.func'
// CHECK: result #0: unranked
func.func @no_rank(%x: tensor<*xf32>) -> tensor<*xf32> {
  return %x : tensor<*xf32>
}

// CHECK-LABEL: func.func @blocks: data-dependent
// CHECK: which branch between blocks was taken
func.func @blocks(%x: tensor<?xf32>, %y: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  cf.cond_br %c, ^bb1(%x : tensor<?xf32>), ^bb1(%y : tensor<?xf32>)
^bb1(%z: tensor<?xf32>):
  return %z : tensor<?xf32>
}

// CHECK-LABEL: jit.unit @unit: bucketable
// CHECK: result #0: [d1]
jit.unit @unit(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  jit.return %0 : tensor<?xf32>
}

// Functions of other dialects, and such that never return.
// CHECK-LABEL: llvm.func @nothing: static
// CHECK-NOT: result
llvm.func @nothing() {
  llvm.return
}
// CHECK-LABEL: func.func @never: static
// CHECK-NOT: result
func.func @never() -> tensor<4xf32> {
  cf.br ^bb1
^bb1:
  cf.br ^bb1
}
