// RUN: jit-opt %s --jit-specialize-shapes="unit=chain shapes='[5, 6], [?, 7], any'" | FileCheck %s --check-prefix=CHAIN --implicit-check-not=tensor.cast
// RUN: jit-opt %s --jit-specialize-shapes="unit=pad shapes='[3, 9], any'" | FileCheck %s --check-prefix=PAD --implicit-check-not=tensor.cast
// RUN: jit-opt %s --jit-specialize-shapes="unit=two shapes='[3], any, any, any'" | FileCheck %s --check-prefix=TWO --implicit-check-not=tensor.cast
// RUN: jit-opt %s --jit-specialize-shapes="unit=loop shapes='any, [3], any'" | FileCheck %s --check-prefix=LOOP --implicit-check-not=tensor.cast
// RUN: jit-opt %s --jit-specialize-shapes="unit=branch shapes='any, [3], any, any'" | FileCheck %s --check-prefix=BRANCH --implicit-check-not=tensor.cast
// RUN: jit-opt %s --jit-specialize-shapes="unit=grows shapes='any, [3], any'" | FileCheck %s --check-prefix=GROWS
// RUN: jit-opt %s --jit-specialize-shapes="unit=conv shapes='[?, ?, 6, ?], [?, ?, 3, ?], any'" | FileCheck %s --check-prefix=CONV --implicit-check-not=tensor.cast

// How far sizes get in a body.

// CHAIN: jit.unit private @chain.5x6_6x7_5x7(%{{.*}}: tensor<5x6xf32>, %{{.*}}: tensor<6x7xf32>, %[[O:.*]]: tensor<5x7xf32> {jit.write_only})
// CHAIN-NEXT: %[[Z:.*]] = arith.constant 0.0
// CHAIN-NEXT: %[[E:.*]] = tensor.empty() : tensor<5x7xf32>
// CHAIN-NEXT: linalg.fill ins(%[[Z]] : f32) outs(%[[E]] : tensor<5x7xf32>) -> tensor<5x7xf32>
// CHAIN-NEXT: linalg.matmul {{.*}} -> tensor<5x7xf32>
// CHAIN-NEXT: linalg.exp {{.*}} outs(%[[O]] : tensor<5x7xf32>)
// CHAIN: jit.variant @chain.5x6_6x7_5x7 of @chain when (<[5, 6]>, <[6, 7]>, <[5, 7]>)
jit.unit private @chain(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>,
                        %o: tensor<?x?xf32> {jit.write_only}) -> tensor<?x?xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %o, %c0 : tensor<?x?xf32>
  %n = tensor.dim %o, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.exp ins(%p : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  jit.return %r : tensor<?x?xf32>
}

// The size that a pad gives is known, and so is that of the destination.
// PAD: jit.unit private @pad.3x9_5x9(
// PAD: tensor.pad {{.*}} low[2, 0] high[0, 0]
// PAD: tensor<3x9xf32> to tensor<5x9xf32>
// PAD: jit.variant @pad.3x9_5x9 of @pad when (<[3, 9]>, <[5, 9]>)
jit.unit private @pad(%a: tensor<?x9xf32>, %o: tensor<?x9xf32> {jit.write_only})
    -> tensor<?x9xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %a low[2, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<?x9xf32> to tensor<?x9xf32>
  jit.return %p : tensor<?x9xf32>
}

// Several results, scalars, and attributes of arguments.
// TWO: jit.unit private @two.3_3_3(%{{.*}}: tensor<3xf32>, %{{.*}}: f32, %{{.*}}: tensor<3xf32>, %{{.*}}: tensor<3xf32> {jit.write_only}) -> (tensor<3xf32>, tensor<3xf32>)
// TWO: linalg.generic
// TWO: -> (tensor<3xf32>, tensor<3xf32>)
// TWO: jit.return %{{.*}}#0, %{{.*}}#1 : tensor<3xf32>, tensor<3xf32>
// TWO: jit.variant @two.3_3_3 of @two when (<[3]>, any, <[3]>, <[3]>)
#id = affine_map<(d0) -> (d0)>
jit.unit private @two(%a: tensor<?xf32>, %s: f32, %o: tensor<?xf32>,
                      %q: tensor<?xf32> {jit.write_only}) -> (tensor<?xf32>, tensor<?xf32>) {
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<?xf32>) outs(%o, %q : tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%x: f32, %old: f32, %unused: f32):
    %y = arith.addf %x, %old : f32
    %z = arith.mulf %x, %s : f32
    linalg.yield %y, %z : f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>)
  jit.return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}

// What a loop carries keeps its size.
// LOOP: jit.unit private @loop.3_3(
// LOOP: scf.for {{.*}} -> (tensor<3xf32>) {
// LOOP-NEXT: linalg.exp {{.*}} -> tensor<3xf32>
// LOOP-NEXT: scf.yield %{{.*}} : tensor<3xf32>
jit.unit private @loop(%n: index, %a: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %a) -> (tensor<?xf32>) {
    %e = linalg.exp ins(%h : tensor<?xf32>) outs(%h : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  jit.return %r : tensor<?xf32>
}

// BRANCH: jit.unit private @branch.3_3_3(
// BRANCH: scf.if {{.*}} -> (tensor<3xf32>) {
// BRANCH: scf.yield %{{.*}} : tensor<3xf32>
// BRANCH: scf.yield %{{.*}} : tensor<3xf32>
jit.unit private @branch(%c: i1, %a: tensor<?xf32>, %b: tensor<?xf32>, %o: tensor<?xf32>)
    -> tensor<?xf32> {
  %r = scf.if %c -> (tensor<?xf32>) {
    %e = linalg.exp ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  } else {
    %e = linalg.negf ins(%b : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  jit.return %r : tensor<?xf32>
}

// What grows in a loop has no size that is known in it.
// GROWS: jit.unit private @grows.3_n(
// GROWS: scf.for {{.*}} -> (tensor<?xf32>) {
// GROWS-NEXT: tensor.concat
// GROWS: jit.variant @grows.3_n of @grows when (any, <[3]>, any)
jit.unit private @grows(%n: index, %a: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %a) -> (tensor<?xf32>) {
    %e = tensor.concat dim(0) %h, %a : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  jit.return %r : tensor<?xf32>
}

// Windows tie no sizes; the others go on.
// CONV: jit.unit private @conv.nxnx6xn_nxnx3xn_nxnxnxn(
// CONV: jit.variant @conv.nxnx6xn_nxnx3xn_nxnxnxn of @conv when (<[?, ?, 6, ?]>, <[?, ?, 3, ?]>, any)
jit.unit private @conv(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %o: tensor<?x?x?x?xf32>)
    -> tensor<?x?x?x?xf32> {
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
      outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  jit.return %r : tensor<?x?x?x?xf32>
}
