// RUN: not jit-opt %s --jit-specialize-shapes="unit=product shapes='[8, 4], [5, 2], any'" 2>&1 | FileCheck %s --check-prefix=INNER
// RUN: not jit-opt %s --jit-specialize-shapes="unit=product shapes='[exp2(3 ... 4), ?], any, [16, ?]'" 2>&1 | FileCheck %s --check-prefix=BUCKET
// RUN: not jit-opt %s --jit-specialize-shapes="unit=known shapes='[5, ?]'" 2>&1 | FileCheck %s --check-prefix=STATIC
// RUN: not jit-opt %s --jit-specialize-shapes="unit=known shapes='any'" 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not jit-opt %s --jit-specialize-shapes="unit=pad shapes='[3], [4]'" 2>&1 | FileCheck %s --check-prefix=PAD
// RUN: not jit-opt %s --jit-specialize-shapes="unit=conv shapes='[?, ?, 4, ?], [?, ?, 3, ?], [?, ?, 3, ?]'" 2>&1 | FileCheck %s --check-prefix=WINDOW
// RUN: not jit-opt %s --jit-specialize-shapes="unit=product shapes='[exp2(63 ... 64), ?], any, any'" 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not jit-opt %s --jit-specialize-shapes="unit=product shapes='[8], any, any'" 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not jit-opt %s --jit-specialize-shapes="unit=scaled shapes='any, [8]'" 2>&1 | FileCheck %s --check-prefix=SCALAR
// RUN: not jit-opt %s --jit-specialize-shapes="unit=product shapes='[8, 4], any'" 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not jit-opt %s --jit-specialize-shapes="unit=product shapes='[8, -4], any, any'" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not jit-opt %s --jit-specialize-shapes="unit=product shapes='[8, 4, any, any'" 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not jit-opt %s --jit-specialize-shapes="unit=product shapes='[1, ?], any, any; [2, ?], any, any' max-variants=1" 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not jit-opt %s --jit-specialize-shapes="unit=v shapes='[1]'" 2>&1 | FileCheck %s --check-prefix=VARIANT
// RUN: not jit-opt %s --jit-specialize-shapes="unit=nowhere shapes='[1]'" 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: not jit-opt %s --jit-specialize-shapes="unit=f shapes='[1]'" 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: not jit-opt %s --jit-specialize-shapes="unit=pad" 2>&1 | FileCheck %s --check-prefix=PROFILE
// RUN: not jit-opt %s --jit-specialize-shapes="shapes='[1]'" 2>&1 | FileCheck %s --check-prefix=NAMELESS
// RUN: not jit-opt %s --jit-specialize-shapes="delta=2/4" 2>&1 | FileCheck %s --check-prefix=DELTA
// RUN: not jit-opt %s --jit-specialize-shapes="delta=0" 2>&1 | FileCheck %s --check-prefix=DELTA
// RUN: not jit-opt %s --jit-specialize-shapes="delta=1/128" 2>&1 | FileCheck %s --check-prefix=DELTA
// RUN: not jit-opt %s --jit-specialize-shapes="delta=0.5" 2>&1 | FileCheck %s --check-prefix=DELTA
// RUN: not jit-opt %s --jit-specialize-shapes="threshold=1.5" 2>&1 | FileCheck %s --check-prefix=THRESHOLD
// RUN: not jit-opt %s --jit-specialize-shapes="threshold=nan" 2>&1 | FileCheck %s --check-prefix=THRESHOLD

// INNER: specialize-shapes-invalid.mlir:[[# @LINE + 4]]:1: error: '@product' can't be specialised: dimension #1 of argument #0 is asked for size 4, but 'linalg.matmul' ties it to dimension #0 of argument #1, which has size 5
// BUCKET: error: '@product' can't be specialised: dimension #0 of argument #0 is asked for a size from 8 to 15, but 'linalg.matmul' ties it to dimension #0 of argument #2, which has size 16
// RANK: error: '@product' can't be specialised: '[8]' doesn't fit argument #0, of rank 2
// COUNT: error: '@product' can't be specialised: '[8, 4], any' has shapes for 2 arguments, but the unit has 3
jit.unit private @product(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  jit.return %r : tensor<?x?xf32>
}
// LARGE: error: '@product' can't be specialised: dimension #0 of argument #0 is asked for no size, but has at most 63 bits
// NEGATIVE: error: '@product' can't be specialised: '[8, -4]': size -4 of dimension #1 is negative
// OPEN: error: '@product' can't be specialised: '[8, 4, any, any' has shapes for 1 arguments, but the unit has 3
// MANY: error: '@product' can't be specialised: the unit has 1 variants, and max-variants is 1

// STATIC: error: '@known' can't be specialised: dimension #0 of argument #0 is 4, which '[5, ?]' leaves out
// NOTHING: error: '@known' can't be specialised: that holds for every call, and so it specialises nothing
jit.unit private @known(%a: tensor<4x?xf32>) {
  jit.return
}

// PAD: error: '@pad' can't be specialised: dimension #0 of argument #1 is asked for size 4, but 'jit.return' ties it to a size that follows from dimension #0 of argument #0, which has size 5
// PROFILE: error: '@pad' has no 'jit.profile' with shapes; name some with the option 'shapes'
jit.unit private @pad(%a: tensor<?xf32>, %o: tensor<?xf32> {jit.write_only}) -> tensor<?xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %a low[2] high[0] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<?xf32> to tensor<?xf32>
  jit.return %p : tensor<?xf32>
}

// WINDOW: error: '@conv' can't be specialised: dimension #2 of argument #0 is asked for size 4, but 'linalg.conv_2d_nchw_fchw' reads 5
jit.unit private @conv(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %o: tensor<?x?x?x?xf32>)
    -> tensor<?x?x?x?xf32> {
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
      outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  jit.return %r : tensor<?x?x?x?xf32>
}

// SCALAR: error: '@scaled' can't be specialised: '[8]' doesn't fit argument #1, a scalar: write any
jit.unit private @scaled(%a: tensor<?xf32>, %s: f32) {
  jit.return
}

jit.unit private @u(%a: tensor<?xf32>) {
  jit.return
}
// VARIANT: error: '@v' is itself a variant, of '@u'; specialise that one
jit.unit private @v(%a: tensor<?xf32>) {
  jit.return
}
jit.variant @v of @u when (<[7]>)

// NOWHERE: error: jit-specialize-shapes: there is no unit 'nowhere'
// FUNCTION: error: jit-specialize-shapes: 'f' is no jit.unit
func.func private @f(tensor<?xf32>)

// NAMELESS: error: jit-specialize-shapes: 'shapes' are those of a unit: name it with 'unit'
// DELTA: error: jit-specialize-shapes: delta is '{{.*}}', but must be a positive fraction in lowest terms, of at most 64, with a denominator of at most 64
// THRESHOLD: error: jit-specialize-shapes: threshold is {{.*}}, but must be from 0 to 1
