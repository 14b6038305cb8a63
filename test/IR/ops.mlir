// RUN: jit-opt %s | FileCheck %s
// RUN: jit-opt %s | jit-opt | FileCheck %s
// RUN: jit-opt %s --mlir-print-op-generic | jit-opt | FileCheck %s
// RUN: jit-opt %s --emit-bytecode | jit-opt | FileCheck %s
// RUN: jit-opt %s --verify-roundtrip

// Every form of the operations survives text, generic text and bytecode.

#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: jit.unit private @scale(
// CHECK-SAME: %{{.*}}: tensor<?x4xf32>, %{{.*}}: f32, %{{.*}}: tensor<?x4xf32> {jit.write_only}) -> tensor<?x4xf32>
// CHECK-SAME: attributes {hotness = #jit.hotness<count = 3>, mode = #jit.mode<jit>,
// CHECK-SAME: schedule = #jit.schedule<tile = [8, 32]>, tier = #jit.tier<baseline>} {
// CHECK: %[[R:.*]] = linalg.generic
// CHECK: jit.return %[[R]] : tensor<?x4xf32>
jit.unit private @scale(%a: tensor<?x4xf32>, %s: f32,
                        %out: tensor<?x4xf32> {jit.write_only}) -> tensor<?x4xf32>
    attributes {hotness = #jit.hotness<count = 3>, mode = #jit.mode<jit>,
                schedule = #jit.schedule<tile = [8, 32]>, tier = #jit.tier<baseline>} {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<?x4xf32>) outs(%out : tensor<?x4xf32>) {
    ^bb0(%x: f32, %o: f32):
      %y = arith.mulf %x, %s : f32
      linalg.yield %y : f32
  } -> tensor<?x4xf32>
  jit.return %r : tensor<?x4xf32>
}

// CHECK-LABEL: jit.unit @two_results(
// CHECK-SAME: ) -> (tensor<4xf32>, tensor<i64>) {
// CHECK: jit.return %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<i64>
jit.unit @two_results(%n: index, %z: complex<f64>, %a: tensor<4xf32>, %b: tensor<i64>)
    -> (tensor<4xf32>, tensor<i64>) {
  jit.return %a, %b : tensor<4xf32>, tensor<i64>
}

// CHECK-LABEL: jit.unit private @check(%{{.*}}: index) {
// CHECK: jit.return{{$}}
jit.unit private @check(%n: index) {
  %zero = arith.constant 0 : index
  %positive = arith.cmpi sgt, %n, %zero : index
  cf.assert %positive, "n must be positive"
  jit.return
}

// CHECK-LABEL: jit.unit private @no_arguments() {
jit.unit private @no_arguments() {
  jit.return
}

// CHECK-LABEL: func.func @tensors(
func.func @tensors(%a: tensor<?x4xf32>, %s: f32, %o: tensor<?x4xf32>, %n: index,
                   %z: complex<f64>, %b: tensor<4xf32>, %c: tensor<i64>) -> tensor<?x4xf32> {
  // CHECK: %[[R:.*]] = jit.invoke @scale(%{{.*}}, %{{.*}} : tensor<?x4xf32>, f32) outs(%{{.*}} : tensor<?x4xf32>) -> tensor<?x4xf32>{{$}}
  %r = jit.invoke @scale(%a, %s : tensor<?x4xf32>, f32) outs(%o : tensor<?x4xf32>)
      -> tensor<?x4xf32>
  // CHECK: jit.invoke @two_results(%{{.*}}, %{{.*}} : index, complex<f64>) outs(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<i64>) -> (tensor<4xf32>, tensor<i64>){{$}}
  %two:2 = jit.invoke @two_results(%n, %z : index, complex<f64>)
      outs(%b, %c : tensor<4xf32>, tensor<i64>) -> (tensor<4xf32>, tensor<i64>)
  // CHECK: jit.invoke @check(%{{.*}} : index) {effects}
  jit.invoke @check(%n : index) {effects}
  // CHECK: jit.invoke @no_arguments() {jit.hotness = #jit.hotness<count = 7>}
  jit.invoke @no_arguments() {jit.hotness = #jit.hotness<count = 7>}
  return %r : tensor<?x4xf32>
}

// Operands may know sizes that the unit's arguments leave open.
// CHECK-LABEL: func.func @known_sizes(
// CHECK: jit.invoke @scale({{.*}} : tensor<8x4xf32>, f32) outs({{.*}} : tensor<8x4xf32>) -> tensor<8x4xf32>
func.func @known_sizes(%a: tensor<8x4xf32>, %s: f32, %o: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %r = jit.invoke @scale(%a, %s : tensor<8x4xf32>, f32) outs(%o : tensor<8x4xf32>)
      -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @memrefs(
// CHECK: jit.invoke @scale(%{{.*}}, %{{.*}} : memref<?x4xf32, strided<[?, 1], offset: ?>>, f32) outs(%{{.*}} : memref<8x4xf32>){{$}}
func.func @memrefs(%a: memref<?x4xf32, strided<[?, 1], offset: ?>>, %s: f32,
                   %o: memref<8x4xf32>) {
  jit.invoke @scale(%a, %s : memref<?x4xf32, strided<[?, 1], offset: ?>>, f32)
      outs(%o : memref<8x4xf32>)
  return
}

// CHECK-LABEL: func.func @regions(
// CHECK: %[[R:.*]]:2 = jit.region -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK: jit.yield %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: } {kind = "two"}
// CHECK: jit.region -> tensor<4xf32> {
// CHECK: jit.yield %{{.*}} : tensor<4xf32>
// CHECK-NEXT: }
// CHECK: jit.region {
// CHECK-NEXT: }
func.func @regions(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = jit.region -> (tensor<4xf32>, tensor<4xf32>) {
    %x = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    %y = linalg.negf ins(%x : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    jit.yield %x, %y : tensor<4xf32>, tensor<4xf32>
  } {kind = "two"}
  %s = jit.region -> tensor<4xf32> {
    %x = linalg.exp ins(%r#0 : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    jit.yield %x : tensor<4xf32>
  }
  jit.region {
  }
  return %r#1, %s : tensor<4xf32>, tensor<4xf32>
}
