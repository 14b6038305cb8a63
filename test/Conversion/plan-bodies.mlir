// RUN: jit-opt %s --jit-print-plan -o /dev/null | FileCheck %s

// Units to kernels: maps, domains, temporaries, bodies.

// A temporary lies between fill, contraction and what follows; the contraction is the anchor.

// CHECK-LABEL: unit "contraction" (in t0: [?, 8] f32, in t1: [8, 4] f32, out t2: [?, 4] f32) {
// CHECK-NEXT:    temporary t3: [dim(t2, 0), 4] f32
// CHECK-NEXT:    kernel linalg.fill (d0 parallel dim(t3, 0), d1 parallel 4)
// CHECK:         kernel linalg.matmul anchor (d0 parallel dim(t0, 0), d1 parallel 4, d2 reduction 8)
// CHECK-NEXT:      %0 = in t0 [d0, d2]
// CHECK-NEXT:      %1 = in t1 [d2, d1]
// CHECK-NEXT:      %2 = out t3 [d0, d1]
// CHECK-NEXT:      %3 = MulF f32 %0, %1
// CHECK-NEXT:      %4 = AddF f32 %2, %3
// CHECK-NEXT:      yield %4
// CHECK:         kernel linalg.exp
// CHECK-NEXT:      %0 = in t3 [d0, d1]
// CHECK-NEXT:      %1 = out t2 [d0, d1]
jit.unit private @contraction(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>,
                              %out: tensor<?x4xf32> {jit.write_only}) -> tensor<?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %out, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %m = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>) outs(%i : tensor<?x4xf32>) -> tensor<?x4xf32>
  %r = linalg.exp ins(%m : tensor<?x4xf32>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  jit.return %r : tensor<?x4xf32>
}

// Maps that aren't linear are kept in postfix order; two results; a captured scalar; a splat is a
// constant of the body.

// CHECK-LABEL: unit "maps" (in t0: [100, 100] f16, out t1: [8, 7] f32, out t2: [8, 7] i32) scalars(i64) {
// CHECK-NEXT:    kernel linalg.generic (d0 parallel 8, d1 parallel 7)
// CHECK-NEXT:      %0 = in t0 [d0 2 floordiv d1 3 mod +, 2*d0 + d1]
// CHECK-NEXT:      %1 = out t1 [d0, d1]
// CHECK-NEXT:      %2 = out t2 [d0, d1]
// CHECK-NEXT:      %3 = scalar 0
// CHECK-NEXT:      %4 = Const f32 2
// CHECK-NEXT:      %5 = ExtF f16 to f32 %0
// CHECK-NEXT:      %6 = MulF f32 %5, %4
// CHECK-NEXT:      %7 = TruncI i64 to i32 %3
// CHECK-NEXT:      yield %6, %7
#m0 = affine_map<(i, j) -> (i floordiv 2 + j mod 3, 2 * i + j)>
#m1 = affine_map<(i, j) -> (i, j)>
#m2 = affine_map<(i, j) -> ()>
jit.unit private @maps(%x: tensor<100x100xf16>, %s: i64, %o0: tensor<8x7xf32> {jit.write_only},
                       %o1: tensor<8x7xi32> {jit.write_only}) -> (tensor<8x7xf32>, tensor<8x7xi32>) {
  %two = arith.constant dense<2.0> : tensor<f32>
  %r:2 = linalg.generic {indexing_maps = [#m0, #m2, #m1, #m1], iterator_types = ["parallel", "parallel"]}
      ins(%x, %two : tensor<100x100xf16>, tensor<f32>) outs(%o0, %o1 : tensor<8x7xf32>, tensor<8x7xi32>) {
  ^bb0(%in: f16, %factor: f32, %a: f32, %b: i32):
    %w = arith.extf %in : f16 to f32
    %y = arith.mulf %w, %factor : f32
    %n = arith.trunci %s : i64 to i32
    linalg.yield %y, %n : f32, i32
  } -> (tensor<8x7xf32>, tensor<8x7xi32>)
  jit.return %r#0, %r#1 : tensor<8x7xf32>, tensor<8x7xi32>
}

// A conditional of numbers becomes selects; its assert holds where it is meant to run. One that gathers
// becomes branches, as does a loop.

// CHECK-LABEL: unit "branches"
// CHECK:           gather 0 = t1
// CHECK:           %[[NEG:[0-9]+]] = CmpFOlt f32 %0,
// CHECK:           %[[FALSE:[0-9]+]] = XOrI i1 %[[NEG]], %{{.*}}
// CHECK:           %[[OK:[0-9]+]] = Select i1 %[[FALSE]], %{{.*}}, %{{.*}}
// CHECK-NEXT:      Assert {{.*}}%[[OK]] "too large"
// CHECK-NEXT:      %[[A:[0-9]+]] = Select f32 %[[NEG]],
// CHECK:           JumpIfFalse {{.*}}%[[NEG]] to
// CHECK:           Gather f32 %{{.*}} gather 0
// CHECK:           Jump to
// CHECK:           CmpISlt index
// CHECK-NEXT:      JumpIfFalse
jit.unit private @branches(%x: tensor<?xf32>, %t: tensor<9xf32>, %o: tensor<?xf32> {jit.write_only}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %limit = arith.constant 9.0 : f32
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %neg = arith.cmpf olt, %in, %zero : f32
    %a = scf.if %neg -> f32 {
      %0 = arith.negf %in : f32
      scf.yield %0 : f32
    } else {
      %ok = arith.cmpf olt, %in, %limit : f32
      cf.assert %ok, "too large"
      scf.yield %in : f32
    }
    %b = scf.if %neg -> f32 {
      %0 = tensor.extract %t[%i] : tensor<9xf32>
      scf.yield %0 : f32
    } else {
      scf.yield %a : f32
    }
    %sum = scf.for %k = %c0 to %c3 step %c1 iter_args(%acc = %b) -> f32 {
      %0 = arith.addf %acc, %a : f32
      scf.yield %0 : f32
    }
    linalg.yield %sum : f32
  } -> tensor<?xf32>
  jit.return %r : tensor<?xf32>
}

// The size of a padded temporary is computed by the caller and handed in after the unit's own scalars.

// CHECK-LABEL: unit "padded" (in t0: [?] f32, in t1: [3] f32, out read t2: [?] f32) scalars(index shape, index shape) {
// CHECK-NEXT:    temporary t3: [scalar 1] f32
// CHECK-NEXT:    kernel tensor.pad (d0 parallel dim(t3, 0))
// CHECK:           low [scalar 0]
// CHECK:         kernel linalg.conv_1d anchor (d0 parallel dim(t2, 0), d1 reduction 3)
// CHECK-NEXT:      %0 = in t3 [d0 + d1]
jit.unit private @padded(%x: tensor<?xf32>, %w: tensor<3xf32>, %low: index, %o: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[%low] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<?xf32>
  %r = linalg.conv_1d ins(%p, %w : tensor<?xf32>, tensor<3xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  jit.return %r : tensor<?xf32>
}

// CHECK-LABEL: function "calls"
// CHECK:         shape {
// CHECK:           %[[MORE:[0-9]+]] = AddI index %[[LOW:.*]], 1
// CHECK:           %[[PADDED:[0-9]+]] = AddI index %{{.*}}, %[[MORE]]
// CHECK:         invoke "padded" (%[[LOW]], %[[PADDED]]; m
func.func @calls(%x: memref<?x8xf32>, %w: memref<8x4xf32>, %o: memref<?x4xf32>, %t: memref<100x100xf16>,
                 %s: i64, %o0: memref<8x7xf32>, %o1: memref<8x7xi32>, %v: memref<?xf32>,
                 %g: memref<9xf32>, %vo: memref<?xf32>, %k: memref<3xf32>, %low: index) {
  jit.invoke @contraction(%x, %w : memref<?x8xf32>, memref<8x4xf32>) outs(%o : memref<?x4xf32>)
  jit.invoke @maps(%t, %s : memref<100x100xf16>, i64) outs(%o0, %o1 : memref<8x7xf32>, memref<8x7xi32>)
  jit.invoke @branches(%v, %g : memref<?xf32>, memref<9xf32>) outs(%vo : memref<?xf32>) {effects}
  jit.invoke @padded(%v, %k, %low : memref<?xf32>, memref<3xf32>, index) outs(%vo : memref<?xf32>)
  return
}
