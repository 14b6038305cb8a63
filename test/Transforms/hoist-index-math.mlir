// RUN: jit-opt %s -jit-hoist-index-math -split-input-file -mlir-print-local-scope | FileCheck %s

// The index math of a resize to the nearest element: a table for each dimension.
// CHECK-LABEL: func.func @resize
// CHECK-SAME:    %[[X:.*]]: tensor<?x?xf32>, %[[E:.*]]: tensor<?x?xf32>, %[[LAST:.*]]: f32
// CHECK:         %[[H:.*]] = tensor.dim %[[E]], %c0
// CHECK:         tensor.empty(%[[H]]) : tensor<?xindex>
// CHECK:         %[[ROWS:.*]] = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>]
// CHECK:           linalg.index 0
// CHECK:           arith.divf
// CHECK:           math.floor
// CHECK:           arith.minimumf %{{.*}}, %[[LAST]]
// CHECK:         } -> tensor<?xindex>
// CHECK:         %[[COLUMNS:.*]] = linalg.generic
// CHECK:           arith.divf
// CHECK:         } -> tensor<?xindex>
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK-SAME:      ins(%[[ROWS]], %[[COLUMNS]] : tensor<?xindex>, tensor<?xindex>)
// CHECK-NEXT:    ^bb0(%[[I:.*]]: index, %[[J:.*]]: index, %{{.*}}: f32):
// CHECK-NEXT:      tensor.extract %[[X]][%[[I]], %[[J]]]
// CHECK-NEXT:      linalg.yield
func.func @resize(%x: tensor<?x?xf32>, %e: tensor<?x?xf32>, %last: f32) -> tensor<?x?xf32> {
  %scale = arith.constant 2.0 : f32
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %i64 = arith.index_cast %i : index to i64
    %if = arith.sitofp %i64 : i64 to f32
    %id = arith.divf %if, %scale : f32
    %il = math.floor %id : f32
    %im = arith.minimumf %il, %last : f32
    %ii = arith.fptosi %im : f32 to i64
    %row = arith.index_cast %ii : i64 to index
    %j = linalg.index 1 : index
    %j64 = arith.index_cast %j : index to i64
    %jf = arith.sitofp %j64 : i64 to f32
    %jd = arith.divf %jf, %scale : f32
    %jl = math.floor %jd : f32
    %ji = arith.fptosi %jl : f32 to i64
    %column = arith.index_cast %ji : i64 to index
    %v = tensor.extract %x[%row, %column] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// What depends on both loops is left; what it is made of, on one each, goes out. One operation isn't
// worth a table, nor are conversions.
// CHECK-LABEL: func.func @mixed
// CHECK:         %[[T:.*]] = linalg.generic
// CHECK:           arith.muli
// CHECK:           arith.addi
// CHECK:         } -> tensor<4xindex>
// CHECK-NOT:     tensor<8x
// CHECK:         linalg.generic {{.*}} ins(%[[T]] : tensor<4xindex>)
// CHECK:           linalg.index 1
// CHECK:           arith.addi
// CHECK:           arith.muli
func.func @mixed(%e: tensor<4x8xindex>, %k: index) -> tensor<4x8xindex> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x8xindex>) {
  ^bb0(%o: index):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %a = arith.muli %i, %k : index
    %b = arith.addi %a, %k : index
    %c = arith.addi %j, %k : index
    %d = arith.muli %b, %c : index
    linalg.yield %d : index
  } -> tensor<4x8xindex>
  return %r : tensor<4x8xindex>
}

// -----

// One loop; a division that may be by zero; what reads an element.
// CHECK-LABEL: func.func @untouched
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT:     linalg.generic
func.func @untouched(%x: tensor<?xi32>, %e1: tensor<?xindex>, %e2: tensor<4x8xindex>, %k: index) -> (tensor<?xindex>, tensor<4x8xindex>, tensor<4x8xi32>) {
  %a = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e1 : tensor<?xindex>) {
  ^bb0(%o: index):
    %i = linalg.index 0 : index
    %p = arith.muli %i, %k : index
    %q = arith.addi %p, %k : index
    linalg.yield %q : index
  } -> tensor<?xindex>
  %b = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e2 : tensor<4x8xindex>) {
  ^bb0(%o: index):
    %i = linalg.index 0 : index
    %p = arith.divui %i, %k : index
    %q = arith.remui %p, %k : index
    linalg.yield %q : index
  } -> tensor<4x8xindex>
  %f = tensor.empty() : tensor<4x8xi32>
  %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%f : tensor<4x8xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %v = tensor.extract %x[%i] : tensor<?xi32>
    %p = arith.muli %v, %v : i32
    %q = arith.addi %p, %v : i32
    linalg.yield %q : i32
  } -> tensor<4x8xi32>
  return %a, %b, %c : tensor<?xindex>, tensor<4x8xindex>, tensor<4x8xi32>
}
