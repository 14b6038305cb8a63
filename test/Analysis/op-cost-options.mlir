// RUN: jit-opt %s --jit-print-op-cost='dims=arg0:16x8,arg1:12 function=f' -o /dev/null | FileCheck %s
// RUN: jit-opt %s --jit-print-op-cost='dims=arg0:?x8 function=f' -o /dev/null | FileCheck %s --check-prefix=PARTLY
// RUN: jit-opt %s --jit-print-op-cost='function=f flop-weights=math.absf:5 totals-only' -o /dev/null | FileCheck %s --check-prefix=WEIGHT
// RUN: jit-opt %s --jit-print-op-cost='annotate' | FileCheck %s --check-prefix=ATTR
// RUN: jit-opt %s --jit-print-op-cost='function=w trip-count=7 totals-only' -o /dev/null | FileCheck %s --check-prefix=TRIPS

// Numbers instead of polynomials, where sizes are given; what is computed of sizes is evaluated.

// CHECK: func.func @f
// CHECK-NEXT: d0 = dim 0 of %arg0 = 16
// CHECK-NEXT: s0 = %arg1 = 12
// CHECK-NEXT: s1 = arith.divsi(s0, 5) = 2
// CHECK: math.absf: flops=128, read=512, written=512, intensity=0.125
// CHECK: linalg.fill: flops=0, read=0, written=8, intensity=0
// CHECK: total: flops=128, read=512, written=520, intensity=0.124

// PARTLY: math.absf: flops=8*d0, read=32*d0, written=32*d0, intensity=0.125 (not all sizes are known)

// WEIGHT: func.func @f
// WEIGHT-NEXT: total: flops=40*d0, read=32*d0, written=32*d0 + 4*s1

// ATTR: func.func @f{{.*}} attributes {jit.cost = {bytes_read = "32*d0", bytes_written = "32*d0 + 4*s1", flops = "8*d0"}, jit.cost_dims = {d0 = "dim 0 of %arg0",
// ATTR: math.absf %{{.*}} {jit.cost = {bytes_read = "32*d0", bytes_written = "32*d0", flops = "8*d0"}}
// ATTR: func.func @huge{{.*}}jit.cost = {bytes_read = "36893488147419103228", bytes_written = "36893488147419103228", flops = 0 : i64}
func.func @f(%x: tensor<?x8xf32>, %n: index) -> (tensor<?x8xf32>, tensor<?xf32>) {
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %0 = math.absf %x : tensor<?x8xf32>
  %m = arith.divsi %n, %c5 : index
  %e = tensor.empty(%m) : tensor<?xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?x8xf32>, tensor<?xf32>
}

func.func @huge(%x: tensor<9223372036854775807xi32>, %o: tensor<9223372036854775807xi32>) -> tensor<9223372036854775807xi32> {
  %0 = linalg.copy ins(%x : tensor<9223372036854775807xi32>) outs(%o : tensor<9223372036854775807xi32>) -> tensor<9223372036854775807xi32>
  return %0 : tensor<9223372036854775807xi32>
}

// TRIPS: total: flops=14,
func.func @w(%s: f32) -> f32 {
  %limit = arith.constant 100.0 : f32
  %0 = scf.while (%a = %s) : (f32) -> f32 {
    %1 = arith.cmpf olt, %a, %limit : f32
    scf.condition(%1) %a : f32
  } do {
  ^bb0(%a: f32):
    %1 = arith.addf %a, %a : f32
    scf.yield %1 : f32
  }
  return %0 : f32
}
