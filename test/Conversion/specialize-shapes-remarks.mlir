// RUN: jit-opt %s --jit-specialize-shapes="max-variants=2 threshold=0.1" --remarks-filter=jit-specialize-shapes -o %t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: jit-opt %s --jit-specialize-shapes="mode=bucket threshold=0.1 unit=u" --remarks-filter=jit-specialize-shapes -o %t.bucket.mlir 2>&1 | FileCheck %s --check-prefix=BUCKET
// RUN: FileCheck %s --check-prefix=BUCKET-IR < %t.bucket.mlir
// RUN: jit-opt %s --jit-specialize-shapes="mode=bucket delta=1/4 threshold=0.01 max-variants=9 unit=u" | FileCheck %s --check-prefix=QUARTER

// The shapes of a profile, hottest first.

// CHECK: Function=u | Reason="made '@u.8_8': 50 of 100 calls, more than 0.1
// CHECK: Function=u | Reason="made '@u.9_9': 20 of 100 calls, more than 0.1
// CHECK: Function=u | Reason="not specialised to 3_3: the unit has 2 variants, and max-variants is 2
// CHECK: Function=u | Reason="not specialised to 1_1: 10 of 100 calls, not more than 0.1
// CHECK: Function=u | Reason="not specialised to 0_0: 6 of 100 calls, not more than 0.1
// CHECK: Function=product | Reason="not specialised to 8x4_5x2_8x2: dimension #1 of argument #0 is asked for size 4, but 'linalg.matmul' ties it to dimension #0 of argument #1, which has size 5
// CHECK: Function=known | Reason="not specialised to : that holds for every call, and so it specialises nothing

// IR: jit.variant @u.8_8 of @u
// IR: jit.variant @u.9_9 of @u
// IR-NOT: jit.variant

// 8 and 9 are in one bucket. One that holds a single size is that size.
// BUCKET: Function=u | Reason="made '@u.e3to4_e3to4': 70 of 100 calls, more than 0.1
// BUCKET: Function=u | Reason="made '@u.e1to2_e1to2': 14 of 100 calls, more than 0.1
// BUCKET: Function=u | Reason="not specialised to 1_1: 10 of 100 calls, not more than 0.1
// BUCKET: Function=u | Reason="not specialised to 0_0: 6 of 100 calls, not more than 0.1
// BUCKET-IR: jit.unit private @u.e3to4_e3to4(%{{.*}}: tensor<?xf32>
// BUCKET-IR: jit.variant @u.e3to4_e3to4 of @u when (<[exp2(3 ... 4)]>, <[exp2(3 ... 4)]>)

// QUARTER: jit.unit private @u.e3to13.4_e3to13.4(
// QUARTER: jit.variant @u.e3to13.4_e3to13.4 of @u when (<[exp2(3 ... 13/4)]>, <[exp2(3 ... 13/4)]>)
// 2^(3/2) = 2.83, 2^(7/4) = 3.36: of the sizes, that is 3.
// QUARTER: jit.unit private @u.3_3(%{{.*}}: tensor<3xf32>
// QUARTER: jit.variant @u.3_3 of @u when (<[3]>, <[3]>)
// QUARTER: jit.variant @u.1_1 of @u when (<[1]>, <[1]>)
// QUARTER: jit.variant @u.0_0 of @u when (<[0]>, <[0]>)
jit.unit private @u(%x: tensor<?xf32>, %o: tensor<?xf32> {jit.write_only}) -> tensor<?xf32>
    attributes {jit.profile = #jit.profile<calls = 100, shapes = [
      ([8], [8]) : 50, ([9], [9]) : 20, ([3], [3]) : 14, ([1], [1]) : 10, ([0], [0]) : 6]>} {
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  jit.return %r : tensor<?xf32>
}

// Sizes that can't go together: the profile is of another program.
jit.unit private @product(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>)
    -> tensor<?x?xf32>
    attributes {jit.profile = #jit.profile<shapes = [([8, 4], [5, 2], [8, 2]) : 50]>} {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  jit.return %r : tensor<?x?xf32>
}

jit.unit private @known(%x: tensor<4xf32>)
    attributes {jit.profile = #jit.profile<shapes = [([4]) : 50]>} {
  jit.return
}
