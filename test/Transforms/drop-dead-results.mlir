// RUN: jit-opt %s -jit-drop-dead-results | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// The position of the maximum is not read.
// CHECK-LABEL: func.func @maximum_without_position
// CHECK:         %[[R:.*]] = linalg.generic
// CHECK-SAME:        outs(%arg1 : tensor<4xf32>)
// CHECK-NEXT:    ^bb0(%[[IN:.*]]: f32, %[[MAX:.*]]: f32):
// CHECK-NEXT:      %[[M:.*]] = arith.maximumf %[[IN]], %[[MAX]]
// CHECK-NEXT:      linalg.yield %[[M]] : f32
// CHECK:         return %[[R]]
func.func @maximum_without_position(%x: tensor<4x8xf32>, %m: tensor<4xf32>, %i: tensor<4xi64>) -> tensor<4xf32> {
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%m, %i : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%in: f32, %max: f32, %at: i64):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.maximumf %in, %max : f32
    %3 = arith.cmpf ogt, %in, %max : f32
    %4 = arith.select %3, %1, %at : i64
    linalg.yield %2, %4 : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  return %r#0 : tensor<4xf32>
}

// The position needs the maximum.
// CHECK-LABEL: func.func @position_needs_maximum
// CHECK:         linalg.generic
// CHECK-SAME:        outs(%arg1, %arg2 : tensor<4xf32>, tensor<4xi64>)
func.func @position_needs_maximum(%x: tensor<4x8xf32>, %m: tensor<4xf32>, %i: tensor<4xi64>) -> tensor<4xi64> {
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%m, %i : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%in: f32, %max: f32, %at: i64):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.maximumf %in, %max : f32
    %3 = arith.cmpf ogt, %in, %max : f32
    %4 = arith.select %3, %1, %at : i64
    linalg.yield %2, %4 : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  return %r#1 : tensor<4xi64>
}

// What an assert looks at stays.
// CHECK-LABEL: func.func @assert_reads
// CHECK:         outs(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>)
// CHECK:         cf.assert
func.func @assert_reads(%x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%a, %b : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%in: f32, %o0: f32, %o1: f32):
    %0 = arith.cmpf ole, %in, %o1 : f32
    cf.assert %0, "too large"
    linalg.yield %in, %in : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0 : tensor<4xf32>
}

// Without the second output nothing would say how many columns there are.
// CHECK-LABEL: func.func @output_gives_loop_size
// CHECK:         linalg.generic
// CHECK-SAME:        outs(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4x8xf32>)
func.func @output_gives_loop_size(%a: tensor<4xf32>, %b: tensor<4x8xf32>) -> tensor<4xf32> {
  %r:2 = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "reduction"]}
      outs(%a, %b : tensor<4xf32>, tensor<4x8xf32>) {
  ^bb0(%o0: f32, %o1: f32):
    %0 = arith.addf %o0, %o0 : f32
    linalg.yield %0, %o1 : f32, f32
  } -> (tensor<4xf32>, tensor<4x8xf32>)
  return %r#0 : tensor<4xf32>
}
