// RUN: jit-opt %s --jit-print-op-cost -o /dev/null | FileCheck %s

// Loops, branches and calls: what is in them, as often as it runs.

// CHECK-LABEL: func.func @counted_loop
// CHECK-NEXT: d0 = dim 0 of %arg0
// CHECK-NEXT: scf.for: flops=160*d0, read=640*d0, written=640*d0
// CHECK-NEXT:   math.absf: flops=16*d0, read=64*d0, written=64*d0
// CHECK-NEXT: total: flops=160*d0
func.func @counted_loop(%x: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c19 = arith.constant 19 : index
  %0 = scf.for %i = %c0 to %c19 step %c2 iter_args(%a = %x) -> tensor<?x16xf32> {
    %1 = math.absf %a : tensor<?x16xf32>
    scf.yield %1 : tensor<?x16xf32>
  }
  return %0 : tensor<?x16xf32>
}

// Iterations that are sizes are polynomials; others are symbols, and never negative.
// CHECK-LABEL: func.func @symbolic_loop
// CHECK: q0 = max(0, ceil((d0 - 1) / (2)))
// CHECK: scf.for: flops=d0, read=0, written=0
// CHECK: scf.for: flops=q0, read=0, written=0
func.func @symbolic_loop(%x: tensor<?xf32>, %s: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %s) -> f32 {
    %b = arith.addf %a, %a : f32
    scf.yield %b : f32
  }
  %1 = scf.for %i = %c1 to %n step %c2 iter_args(%a = %s) -> f32 {
    %b = arith.addf %a, %a : f32
    scf.yield %b : f32
  }
  return %0, %1 : f32, f32
}

// A tensor that grows from one iteration to the next is not as large as at first.
// CHECK-LABEL: func.func @growing
// CHECK: d1 = dim 0 of argument #1 of a block of 'scf.for'
// CHECK: tensor.concat: flops=0, read=4*d1 + 4, written=4*d1 + 4
func.func @growing(%x: tensor<?xf32>, %y: tensor<1xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %1 = tensor.concat dim(0) %a, %y : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
    scf.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @while_loop
// CHECK: t0 = iterations of 'scf.while' at
// CHECK: scf.while: flops=3*t0
func.func @while_loop(%s: f32) -> f32 {
  %limit = arith.constant 100.0 : f32
  %0 = scf.while (%a = %s) : (f32) -> f32 {
    %1 = arith.cmpf olt, %a, %limit : f32
    scf.condition(%1) %a : f32
  } do {
  ^bb0(%a: f32):
    %1 = arith.addf %a, %a : f32
    %2 = arith.mulf %1, %a : f32
    scf.yield %2 : f32
  }
  return %0 : f32
}

// CHECK-LABEL: func.func @branch
// CHECK: scf.if: flops=18, read=32, written=32, intensity=0.2812 (upper bound: of branches the dearest)
func.func @branch(%c: i1, %x: tensor<8xf32>, %s: f32) -> tensor<8xf32> {
  %0 = scf.if %c -> tensor<8xf32> {
    %1 = math.absf %x : tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  } else {
    %2 = math.exp %s : f32
    scf.yield %x : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// A unit is paid for by who calls it, with the caller's sizes.
// CHECK-LABEL: jit.unit @scale
// CHECK: total: flops=4*d0, read=16*d0, written=16*d0
jit.unit @scale(%a: tensor<?x4xf32>, %s: f32, %out: tensor<?x4xf32> {jit.write_only}) -> tensor<?x4xf32> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<?x4xf32>) outs(%out : tensor<?x4xf32>) {
    ^bb0(%x: f32, %o: f32):
      %y = arith.mulf %x, %s : f32
      linalg.yield %y : f32
  } -> tensor<?x4xf32>
  jit.return %r : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @invokes
// CHECK: jit.invoke: flops=4*d0 + 8, read=16*d0 + 32, written=16*d0 + 32
// CHECK: jit.invoke: flops=20, read=80, written=80, intensity=0.125
// CHECK: total: flops=4*d0 + 28, read=16*d0 + 112, written=16*d0 + 112
func.func @invokes(%x: tensor<?x4xf32>, %y: tensor<5x4xf32>, %s: f32) -> (tensor<?x4xf32>, tensor<5x4xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %d = tensor.dim %x, %c0 : tensor<?x4xf32>
  %n = arith.addi %d, %c2 : index
  %in = tensor.empty(%n) : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %0 = jit.invoke @scale(%in, %s : tensor<?x4xf32>, f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %f = tensor.empty() : tensor<5x4xf32>
  %1 = jit.invoke @scale(%y, %s : tensor<5x4xf32>, f32) outs(%f : tensor<5x4xf32>) -> tensor<5x4xf32>
  return %0, %1 : tensor<?x4xf32>, tensor<5x4xf32>
}

// What costs nothing known is not a cost of 0.
// CHECK-LABEL: func.func @recursive
// CHECK: func.call: unknown: '@recursive' calls itself
// CHECK-NEXT: func.call: unknown: 'func.call' calls what has no body in this module
// CHECK-NEXT: total: flops=0, read=0, written=0, intensity=0 (without 2 of unknown cost: '@recursive' calls itself)
func.func private @elsewhere(f32) -> f32
func.func @recursive(%x: f32) -> f32 {
  %0 = func.call @recursive(%x) : (f32) -> f32
  %1 = func.call @elsewhere(%0) : (f32) -> f32
  return %1 : f32
}

// A cycle of calls is named.
// CHECK-LABEL: func.func @ping
// CHECK: func.call: unknown: '@ping' calls '@pong', which calls '@ping'
func.func @ping(%x: f32) -> f32 {
  %0 = func.call @pong(%x) : (f32) -> f32
  return %0 : f32
}
func.func private @pong(%x: f32) -> f32 {
  %0 = func.call @ping(%x) : (f32) -> f32
  return %0 : f32
}

// CHECK-LABEL: func.func @loop_of_blocks
// CHECK: total: unknown: branches between blocks form a loop in 'func.func'
func.func @loop_of_blocks(%c: i1) {
  cf.br ^bb1
^bb1:
  cf.cond_br %c, ^bb1, ^bb2
^bb2:
  return
}

// CHECK-LABEL: func.func @forall
// CHECK: scf.forall: flops=32, read=256, written=256
func.func @forall(%x: tensor<32xf32>, %o: tensor<32xf32>) -> tensor<32xf32> {
  %0 = scf.forall (%i) = (0) to (32) step (8) shared_outs(%a = %o) -> tensor<32xf32> {
    %s = tensor.extract_slice %x[%i] [8] [1] : tensor<32xf32> to tensor<8xf32>
    %r = math.absf %s : tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %a[%i] [8] [1] : tensor<8xf32> into tensor<32xf32>
    }
  }
  return %0 : tensor<32xf32>
}

// A region runs once; the sizes of its results are known outside. A loop that never runs is free.
// CHECK-LABEL: func.func @region
// CHECK: jit.region: flops=4*d0, read=16*d0, written=16*d0
// CHECK: math.exp: flops=72*d0
// CHECK-NOT: scf.for
// CHECK: total: flops=76*d0
func.func @region(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = jit.region -> tensor<?x4xf32> {
    %0 = math.absf %x : tensor<?x4xf32>
    jit.yield %0 : tensor<?x4xf32>
  }
  %1 = math.exp %r : tensor<?x4xf32>
  %2 = scf.for %i = %c1 to %c0 step %c1 iter_args(%a = %1) -> tensor<?x4xf32> {
    %3 = math.absf %a : tensor<?x4xf32>
    scf.yield %3 : tensor<?x4xf32>
  }
  return %2 : tensor<?x4xf32>
}
