// RUN: jit-opt %s -jit-fold-operands | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>
#zero = affine_map<(d0) -> (0)>

// Splats and fills become values.
// CHECK-LABEL: func.func @uniform
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>, %[[V:.*]]: f32
// CHECK:         linalg.generic
// CHECK-SAME:        ins(%[[X]] : tensor<4xf32>)
// CHECK:         ^bb0(%[[A:.*]]: f32, %{{.*}}: f32):
// CHECK:           arith.mulf %[[A]], %{{.*}}
// CHECK:           arith.addf %{{.*}}, %[[V]]
func.func @uniform(%x: tensor<4xf32>, %v: f32) -> tensor<4xf32> {
  %c = arith.constant dense<2.0> : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #none, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %c, %f : tensor<4xf32>, tensor<f32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %out: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %1, %d : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A copy of a fill is a fill, and so on.
// CHECK-LABEL: func.func @copied_fill
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>, %[[V:.*]]: f32
// CHECK:         %[[F:.*]] = linalg.fill ins(%[[V]] : f32) outs(%{{.*}} : tensor<4x8xf32>)
// CHECK:         linalg.generic
// CHECK-SAME:        ins(%[[X]] : tensor<4x8xf32>)
// CHECK:           arith.maximumf %{{.*}}, %[[V]]
func.func @copied_fill(%x: tensor<4x8xf32>, %v: f32) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%f : tensor<4xf32>) outs(%e2 : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<4x8xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %0 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e2 : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %2 = arith.maximumf %a, %b : f32
    linalg.yield %2 : f32
  } -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// Read twice, and not at all. A reduction keeps its accumulator.
// CHECK-LABEL: func.func @same_and_unread
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>, %[[Z:.*]]: tensor<f32>
// CHECK:         linalg.generic
// CHECK-SAME:        ins(%[[X]] : tensor<4xf32>) outs(%[[Z]] : tensor<f32>)
// CHECK:         ^bb0(%[[A:.*]]: f32, %[[S:.*]]: f32):
// CHECK:           %[[P:.*]] = arith.mulf %[[A]], %[[A]]
// CHECK:           arith.addf %[[P]], %[[S]]
func.func @same_and_unread(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<f32>) -> tensor<f32> {
  %0 = linalg.generic {indexing_maps = [#id, #id, #id, #none], iterator_types = ["reduction"]}
      ins(%x, %y, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%z : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %s: f32):
    %1 = arith.mulf %a, %c : f32
    %2 = arith.addf %1, %s : f32
    linalg.yield %2 : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// The reversed copy reads and would overwrite one tensor: its output is new.
// CHECK-LABEL: func.func @output_is_shape
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK:         linalg.generic
// CHECK-SAME:        ins(%arg0 : tensor<4xf32>) outs(%[[E]] : tensor<4xf32>)
func.func @output_is_shape(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (-d0 + 3)>, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// An output that is read and was computed here is an input.
// CHECK-LABEL: func.func @output_is_read
// CHECK:         %[[N:.*]] = linalg.negf
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK:         linalg.generic
// CHECK-SAME:        ins(%arg0, %[[N]] : tensor<4xf32>, tensor<4xf32>) outs(%[[E]] : tensor<4xf32>)
func.func @output_is_read(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %n = linalg.negf ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%n : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = arith.addf %a, %out : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Updated in place, iteration after iteration.
// CHECK-LABEL: func.func @carried_output
// CHECK:         scf.for {{.*}} iter_args(%[[A:.*]] =
// CHECK:           linalg.generic
// CHECK-SAME:          outs(%[[A]] : tensor<4xf32>)
func.func @carried_output(%x: tensor<4xf32>, %z: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> tensor<4xf32> {
    %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%x : tensor<4xf32>) outs(%a : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.addf %in, %out : f32
      linalg.yield %1 : f32
    } -> tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// The splat says how many terms there are; the window of a pooling how large it is.
// CHECK-LABEL: func.func @gives_size
// CHECK:         linalg.generic
// CHECK-SAME:        ins(%{{.*}} : tensor<4xf32>)
// CHECK:         %[[W:.*]] = tensor.empty() : tensor<2x2xf32>
// CHECK:         linalg.pooling_nhwc_sum
// CHECK-SAME:        ins(%{{.*}}, %[[W]] :
func.func @gives_size(%z: tensor<f32>, %x: tensor<1x4x4x1xf32>, %y: tensor<1x3x3x1xf32>) -> (tensor<f32>, tensor<1x3x3x1xf32>) {
  %c = arith.constant dense<2.0> : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]}
      ins(%c : tensor<4xf32>) outs(%z : tensor<f32>) {
  ^bb0(%a: f32, %s: f32):
    %1 = arith.addf %a, %s : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  %w = tensor.empty() : tensor<2x2xf32>
  %2 = linalg.pooling_nhwc_sum ins(%x, %w : tensor<1x4x4x1xf32>, tensor<2x2xf32>) outs(%y : tensor<1x3x3x1xf32>) -> tensor<1x3x3x1xf32>
  return %0, %2 : tensor<f32>, tensor<1x3x3x1xf32>
}

// An operand that nobody reads, but that alone says how often the assert is evaluated.
// CHECK-LABEL: func.func @counts_asserts
// CHECK-SAME:    %[[X:.*]]: tensor<?xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[X]] : tensor<?xf32>)
func.func @counts_asserts(%x: tensor<?xf32>, %c: i1) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) {
  ^bb0(%a: f32):
    cf.assert %c, "no"
    linalg.yield
  }
  return
}
