// RUN: jit-opt %s -jit-lower-scalars | FileCheck %s

// CHECK-LABEL: func.func @affine
// CHECK-SAME:    %[[A:.*]]: index, %[[B:.*]]: index
// CHECK-NOT:     affine.
// CHECK:         %[[P:.*]] = arith.muli %[[A]], %[[B]]
// CHECK:         arith.minsi
// CHECK:         arith.maxsi
func.func @affine(%a: index, %b: index) -> (index, index, index) {
  %0 = affine.apply affine_map<()[s0, s1] -> (s0 * s1)>()[%a, %b]
  %1 = affine.min affine_map<(d0)[s0] -> (d0, s0 - 1)>(%a)[%b]
  %2 = affine.max affine_map<(d0)[s0] -> (d0, s0 + 3)>(%a)[%b]
  return %0, %1, %2 : index, index, index
}

// In bodies too.
// CHECK-LABEL: func.func @body
// CHECK:         linalg.generic
// CHECK-NOT:     affine.apply
// CHECK:           arith.muli
func.func @body(%e: tensor<8xindex>) -> tensor<8xindex> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<8xindex>) {
  ^bb0(%out: index):
    %1 = linalg.index 0 : index
    %2 = affine.apply affine_map<(d0) -> (d0 * 3)>(%1)
    linalg.yield %2 : index
  } -> tensor<8xindex>
  return %0 : tensor<8xindex>
}

// CHECK-LABEL: func.func @linear_indices
// CHECK-NOT:     affine.
func.func @linear_indices(%i: index, %j: index, %n: index) -> (index, index, index) {
  %0 = affine.linearize_index disjoint [%i, %j] by (4, %n) : index
  %1:2 = affine.delinearize_index %0 into (4, %n) : index, index
  return %0, %1#0, %1#1 : index, index, index
}

// CHECK-LABEL: func.func @affine_loop
// CHECK-NOT:     affine.
// CHECK:         scf.for
func.func @affine_loop(%x: f32) -> f32 {
  %r = affine.for %i = 0 to 10 iter_args(%a = %x) -> f32 {
    %0 = arith.addf %a, %a : f32
    affine.yield %0 : f32
  }
  return %r : f32
}

// CHECK-LABEL: func.func @index_dialect
// CHECK-NOT:     index.
// CHECK:         %[[C:.*]] = arith.constant 5 : index
// CHECK:         arith.floordivsi %{{.*}}, %[[C]]
// CHECK:         arith.maxui
// CHECK:         arith.cmpi ult
// CHECK:         arith.index_cast %{{.*}} : index to i32
// CHECK:         arith.index_castui %{{.*}} : i32 to index
// CHECK:         arith.constant 64 : index
func.func @index_dialect(%a: index, %b: index) -> (index, i1, i32, index, index) {
  %c = index.constant 5
  %0 = index.floordivs %a, %c
  %1 = index.maxu %0, %b
  %2 = index.cmp ult(%1, %b)
  %3 = index.casts %1 : index to i32
  %4 = index.castu %3 : i32 to index
  %5 = index.sizeof
  return %1, %2, %3, %4, %5 : index, i1, i32, index, index
}

// CHECK-LABEL: func.func @rounding_modes
// CHECK-NOT:     truncf %{{.*}} upward
// CHECK:         %[[N:.*]] = arith.truncf %arg0 : f64 to f32
// CHECK:         %[[W:.*]] = arith.extf %[[N]] : f32 to f64
// CHECK:         arith.cmpf olt, %[[W]], %arg0 : f64
// CHECK:         arith.truncf %arg0 to_nearest_even : f64 to f16
func.func @rounding_modes(%x: f64) -> (f32, f16) {
  %0 = arith.truncf %x upward : f64 to f32
  %1 = arith.truncf %x to_nearest_even : f64 to f16
  return %0, %1 : f32, f16
}

// CHECK-LABEL: func.func @scaling
// CHECK-NOT:     scaling
func.func @scaling(%x: f16, %scale: f16, %y: f32) -> (f32, f16) {
  %0 = arith.scaling_extf %x, %scale : f16, f16 to f32
  %1 = arith.scaling_truncf %y, %scale : f32, f16 to f16
  return %0, %1 : f32, f16
}
