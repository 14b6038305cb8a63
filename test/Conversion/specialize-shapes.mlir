// RUN: jit-opt %s -split-input-file --jit-specialize-shapes="unit=u shapes='[8, 4], any; [exp2(3 ... 4), 4], any; [0, ?], any; [1, ?], any'" | FileCheck %s
// RUN: jit-opt %s -split-input-file --jit-specialize-shapes="unit=u shapes='[8, 4], any; [exp2(3 ... 4), 4], any; [0, ?], any; [1, ?], any'" --jit-specialize-shapes="unit=u shapes='[8, ?], any; [exp2(3 ... 4), ?], any'" | FileCheck %s

// Copies know the sizes that are asked for, and all that follows from them. An equal variant isn't made again.

// CHECK-LABEL: jit.unit private @u(
// CHECK-SAME: tensor<?x4xf32>

// What is asked of an argument is asked of the destination too, which has the same rows.
// CHECK: jit.unit private @u.8x4_8x4(%[[X:.*]]: tensor<8x4xf32>, %[[O:.*]]: tensor<8x4xf32> {jit.write_only}) -> tensor<8x4xf32>
// CHECK-NEXT: %[[R:.*]] = linalg.exp ins(%[[X]] : tensor<8x4xf32>) outs(%[[O]] : tensor<8x4xf32>) -> tensor<8x4xf32>
// CHECK-NEXT: jit.return %[[R]] : tensor<8x4xf32>
// CHECK: jit.variant @u.8x4_8x4 of @u when (<[8, 4]>, <[8, 4]>)

// The size of a bucket stays unknown in the types.
// CHECK: jit.unit private @u.e3to4x4_e3to4x4(%{{.*}}: tensor<?x4xf32> {jit.shape_bucket = #jit.shape_bucket<[exp2(3 ... 4), 4]>}, %{{.*}}: tensor<?x4xf32> {jit.shape_bucket = #jit.shape_bucket<[exp2(3 ... 4), 4]>, jit.write_only}) -> tensor<?x4xf32>
// CHECK: jit.variant @u.e3to4x4_e3to4x4 of @u when (<[exp2(3 ... 4), 4]>, <[exp2(3 ... 4), 4]>)

// CHECK: jit.unit private @u.0x4_0x4(
// CHECK: jit.variant @u.0x4_0x4 of @u when (<[0, 4]>, <[0, 4]>)
// CHECK: jit.unit private @u.1x4_1x4(
// CHECK: jit.variant @u.1x4_1x4 of @u when (<[1, 4]>, <[1, 4]>)
// CHECK-NOT: jit.variant
jit.unit private @u(%x: tensor<?x4xf32>, %o: tensor<?x4xf32> {jit.write_only}) -> tensor<?x4xf32>
    attributes {hotness = #jit.hotness<count = 3>, tier = #jit.tier<baseline>} {
  %r = linalg.exp ins(%x : tensor<?x4xf32>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
  jit.return %r : tensor<?x4xf32>
}
