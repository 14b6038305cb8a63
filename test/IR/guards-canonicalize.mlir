// RUN: jit-opt %s --canonicalize | FileCheck %s

// What is decided folds, what isn't asks for no more than it has to.

// CHECK-LABEL: func.func @known(
// CHECK-NEXT: %[[T:.*]] = arith.constant true
// CHECK-NEXT: return %[[T]]
func.func @known(%a: tensor<8x0xf32>, %s: tensor<f32>) -> i1 {
  %0 = jit.guard %a in <[exp2(3 ... 4), 0]>, %s in <[]> : tensor<8x0xf32>, tensor<f32>
  return %0 : i1
}

// CHECK-LABEL: func.func @behind_casts(
// CHECK-NEXT: %[[T:.*]] = arith.constant true
// CHECK-NEXT: return %[[T]]
func.func @behind_casts(%a: tensor<8xf32>) -> i1 {
  %b = tensor.cast %a : tensor<8xf32> to tensor<?xf32>
  %0 = jit.guard %b in <[8]> : tensor<?xf32>
  return %0 : i1
}

// CHECK-LABEL: func.func @never(
// CHECK-NEXT: %[[F:.*]] = arith.constant false
// CHECK-NEXT: return %[[F]]
func.func @never(%a: memref<8xf32>) -> i1 {
  %b = memref.cast %a : memref<8xf32> to memref<?xf32>
  %0 = jit.guard %b in <[16]> : memref<?xf32>
  return %0 : i1
}

// CHECK-LABEL: func.func @what_is_left(
// CHECK-NEXT: %[[G:.*]] = jit.guard %arg0 in <[8]> : tensor<?xf32>
// CHECK-NEXT: return %[[G]]
func.func @what_is_left(%a: tensor<?xf32>, %b: tensor<4xf32>, %c: tensor<?xf32>) -> i1 {
  %0 = jit.guard %a in <[exp2(3 ... 4)]>, %b in <[4]>, %c in <[?]>, %a in <[8]>, %a in <[?]>
      : tensor<?xf32>, tensor<4xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
  return %0 : i1
}

// Two names of one value, asked for two sizes.
// CHECK-LABEL: func.func @contradiction_behind_casts(
// CHECK-NEXT: %[[F:.*]] = arith.constant false
// CHECK-NEXT: return %[[F]]
func.func @contradiction_behind_casts(%a: tensor<?x?xf32>) -> i1 {
  %b = tensor.cast %a : tensor<?x?xf32> to tensor<?x4xf32>
  %c = tensor.cast %b : tensor<?x4xf32> to tensor<?x?xf32>
  %0 = jit.guard %b in <[8, 4]>, %c in <[16, ?]> : tensor<?x4xf32>, tensor<?x?xf32>
  return %0 : i1
}

// What a guard around it has asked for already, or rules out.
// CHECK-LABEL: func.func @nested(
// CHECK: %[[G:.*]] = jit.guard %arg0 in <[exp2(3 ... 4)]>
// CHECK-NEXT: scf.if %[[G]] {
// CHECK-NEXT: func.call @use(%{{true.*}})
// CHECK-NEXT: func.call @use(%{{false.*}})
// CHECK-NEXT: %[[I:.*]] = jit.guard %arg0 in <[8]>
// CHECK-NEXT: func.call @use(%[[I]])
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[E:.*]] = jit.guard %arg0 in <[16]>
// CHECK-NEXT: func.call @use(%[[E]])
func.func @nested(%a: tensor<?xf32>) {
  %0 = jit.guard %a in <[exp2(3 ... 4)]> : tensor<?xf32>
  scf.if %0 {
    %1 = jit.guard %a in <[exp2(2 ... 4)]> : tensor<?xf32>
    func.call @use(%1) : (i1) -> ()
    %b = tensor.cast %a : tensor<?xf32> to tensor<?xf32>
    %2 = jit.guard %b in <[16]> : tensor<?xf32>
    func.call @use(%2) : (i1) -> ()
    %3 = jit.guard %a in <[8]> : tensor<?xf32>
    func.call @use(%3) : (i1) -> ()
  } else {
    %4 = jit.guard %a in <[16]> : tensor<?xf32>
    func.call @use(%4) : (i1) -> ()
  }
  return
}
func.func private @use(i1)
