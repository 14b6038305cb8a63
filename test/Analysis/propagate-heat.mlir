// RUN: jit-opt %s --jit-propagate-heat='alpha=0.5 steps=1' | FileCheck %s
// RUN: jit-opt %s --jit-propagate-heat='alpha=0.5 steps=2' | FileCheck %s --check-prefix=TWO
// RUN: jit-opt %s --jit-propagate-heat='alpha=0.5 steps=0' | FileCheck %s --check-prefix=NONE
// RUN: jit-opt %s --jit-propagate-heat='alpha=0.5 steps=100 tolerance=0.25' --remarks-filter=jit-propagate-heat -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: steps of at most 100; last change {{[0-9.]+}}e-{{[0-9]+}}, within tolerance 2.50e-01

// Heat goes to users, shared among them; two uses by one op are two edges.
// CHECK-LABEL: func.func @uses
// CHECK: arith.addi %{{.*}} {jit.hotness = #jit.hotness<count = 12, score = 6.000000e+00>}
// CHECK-NEXT: arith.muli %{{.*}} {jit.hotness = #jit.hotness<score = 4.000000e+00>}
// CHECK-NEXT: arith.subi %{{.*}} {jit.hotness = #jit.hotness<score = 2.000000e+00>}
// CHECK-NEXT: arith.divui %{{.*}} : i32{{$}}
// CHECK-NEXT: return %{{[0-9]+}}, %{{[0-9]+}} : i32, i32
// TWO-LABEL: func.func @uses
// TWO: arith.addi {{.*}}score = 3.000000e+00>
// TWO-NEXT: arith.muli {{.*}}score = 4.000000e+00>
// TWO-NEXT: arith.subi {{.*}}score = 2.000000e+00>
// TWO-NEXT: arith.divui {{.*}}score = 1.000000e+00>
// TWO-NEXT: return {jit.hotness = #jit.hotness<score = 2.000000e+00>}
// NONE-LABEL: func.func @uses
// NONE: arith.addi %{{.*}} {jit.hotness = #jit.hotness<count = 12, score = 1.200000e+01>}
func.func @uses(%a: i32) -> (i32, i32) {
  %0 = arith.addi %a, %a {jit.hotness = #jit.hotness<count = 12>} : i32
  %1 = arith.muli %0, %0 : i32
  %2 = arith.subi %0, %a : i32
  %3 = arith.divui %2, %a : i32
  return %1, %3 : i32, i32
}

// A value that goes around a loop: to the block argument from the loop and from the yield, and out.
// After two steps: the loop's own 16 -> 8 -> 4; its edges go to the counter, to the carried value and
// to the return.
// CHECK-LABEL: func.func @carried
// CHECK: scf.for
// CHECK: arith.addi %{{.*}} : i32{{$}}
// CHECK: } {jit.hotness = #jit.hotness<count = 12, score = 6.000000e+00>}
// CHECK-NEXT: return {jit.hotness = #jit.hotness<score = 2.000000e+00>}
// TWO-LABEL: func.func @carried
// TWO: arith.addi %{{.*}} {jit.hotness = #jit.hotness<score = 1.000000e+00>}
func.func @carried(%n: index, %a: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> i32 {
    %1 = arith.addi %x, %x : i32
    scf.yield %1 : i32
  } {jit.hotness = #jit.hotness<count = 12>}
  return %0 : i32
}

// Branches between blocks hand on to the arguments of blocks.
// CHECK-LABEL: func.func @blocks
// CHECK: cf.br ^bb1(%{{.*}} : i32) {jit.hotness = #jit.hotness<count = 4, score = 2.000000e+00>}
// TWO-LABEL: func.func @blocks
// TWO: ^bb1(%{{[0-9]+}}: i32)
// TWO-NEXT: arith.addi %{{.*}} {jit.hotness = #jit.hotness<score = 1.000000e+00>}
func.func @blocks(%a: i32) -> i32 {
  cf.br ^bb1(%a : i32) {jit.hotness = #jit.hotness<count = 4>}
^bb1(%x: i32):
  %0 = arith.addi %x, %x : i32
  return %0 : i32
}

// A unit warms what calls it through its return, and is warmed by its calls.
// CHECK-LABEL: jit.unit @unit
// CHECK-SAME: attributes {hotness = #jit.hotness<count = 8, score = 8.000000e+00>}
// CHECK: jit.return {jit.hotness = #jit.hotness<count = 6, score = 3.000000e+00>}
jit.unit @unit(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> attributes {hotness = #jit.hotness<count = 8>} {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  jit.return {jit.hotness = #jit.hotness<count = 6>} %0 : tensor<4xf32>
}
// CHECK-LABEL: func.func @caller
// CHECK: jit.invoke @unit{{.*}} {jit.hotness = #jit.hotness<count = 16, score = 9.500000e+00>}
// CHECK: jit.invoke @unit{{.*}} {jit.hotness = #jit.hotness<score = 5.500000e+00>}
func.func @caller(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = jit.invoke @unit(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32> {jit.hotness = #jit.hotness<count = 16>}
  %1 = jit.invoke @unit(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A cycle through calls keeps going round.
// CHECK-LABEL: func.func private @even
// CHECK: call @odd{{.*}}score = 5.000000e+00
// TWO-LABEL: func.func private @even
// TWO: call @odd
// TWO-LABEL: func.func private @odd
// TWO-SAME: jit.hotness = #jit.hotness<score =
func.func private @even(%x: i32) -> i32 {
  %0 = func.call @odd(%x) {jit.hotness = #jit.hotness<count = 10>} : (i32) -> i32
  return %0 : i32
}
func.func private @odd(%x: i32) -> i32 {
  %0 = func.call @even(%x) : (i32) -> i32
  return %0 : i32
}

// What the body of a structured op uses from outside, the op uses.
// CHECK-LABEL: func.func @captured
// CHECK: linalg.generic {{.*}}jit.hotness = #jit.hotness<score = 1.000000e+00>
// CHECK: arith.mulf %{{.*}} : f32{{$}}
func.func @captured(%x: tensor<4xf32>, %a: f32) -> tensor<4xf32> {
  %s = arith.negf %a {jit.hotness = #jit.hotness<count = 2>} : f32
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.mulf %in, %s : f32
      linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
