// RUN: jit-opt %s --jit-expand-math | FileCheck %s

// A maximum with a constant is a choice, as neither NaN nor the sign of a zero is in question.
// CHECK-LABEL: func.func @maximum_with_constant
// CHECK:   %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
// CHECK:   %[[LESS:.*]] = arith.cmpf ole, %[[X:.*]], %[[ZERO]] : vector<16xf32>
// CHECK:   %[[R:.*]] = arith.select %[[LESS]], %[[ZERO]], %[[X]]
// CHECK:   return %[[R]]
func.func @maximum_with_constant(%x: vector<16xf32>) -> vector<16xf32> {
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %r = arith.maximumf %x, %zero : vector<16xf32>
  return %r : vector<16xf32>
}

// CHECK-LABEL: func.func @maximum
// CHECK:   arith.cmpf ogt
// CHECK:   arith.andi
// CHECK:   arith.cmpf oeq
// CHECK:   arith.cmpf uno
// CHECK-NOT: maximumf
// CHECK:   return
func.func @maximum(%x: f32, %y: f32) -> f32 {
  %r = arith.maximumf %x, %y : f32
  return %r : f32
}

// CHECK-LABEL: func.func @rsqrt_is_two_roundings
// CHECK:   %[[ONE:.*]] = arith.constant 1.000000e+00 : f64
// CHECK:   %[[ROOT:.*]] = math.sqrt
// CHECK:   %[[R:.*]] = arith.divf %[[ONE]], %[[ROOT]]
// CHECK:   return %[[R]]
func.func @rsqrt_is_two_roundings(%x: f64) -> f64 {
  %r = math.rsqrt %x : f64
  return %r : f64
}

// Polynomials by fused steps, no call.
// CHECK-LABEL: func.func @exponential
// CHECK-COUNT-8: math.fma
// CHECK-NOT: math.exp
// CHECK:   return
func.func @exponential(%x: vector<8xf32>) -> vector<8xf32> {
  %r = math.exp %x : vector<8xf32>
  return %r : vector<8xf32>
}

// CHECK-LABEL: func.func @constant_power
// CHECK:   %[[SQUARE:.*]] = arith.mulf %[[X:.*]], %[[X]] : f32
// CHECK:   %[[R:.*]] = arith.mulf %[[X]], %[[SQUARE]] : f32
// CHECK:   return %[[R]]
func.func @constant_power(%x: f32) -> f32 {
  %three = arith.constant 3 : i32
  %r = math.fpowi %x, %three : f32, i32
  return %r : f32
}

// Division neither traps nor is undefined.
// CHECK-LABEL: func.func @division
// CHECK:   %[[Q:.*]] = arith.divf
// CHECK:   arith.fptosi %[[Q]] : f64 to i32
// CHECK-NOT: divsi
// CHECK:   return
func.func @division(%x: i32, %y: i32) -> i32 {
  %r = arith.divsi %x, %y : i32
  return %r : i32
}

// CHECK-LABEL: func.func @shift
// CHECK:   arith.cmpi ult
// CHECK:   arith.andi
// CHECK:   arith.shli
// CHECK:   arith.select
func.func @shift(%x: i32, %y: i32) -> i32 {
  %r = arith.shli %x, %y : i32
  return %r : i32
}

// CHECK-LABEL: func.func @shift_by_constant
// CHECK-NOT:   arith.select
// CHECK:   arith.shli
// CHECK-NEXT:  return
func.func @shift_by_constant(%x: i32) -> i32 {
  %c = arith.constant 3 : i32
  %r = arith.shli %x, %c : i32
  return %r : i32
}

// CHECK-LABEL: func.func @saturates
// CHECK:   arith.cmpf oge
// CHECK:   arith.fptosi
// CHECK:   arith.select
func.func @saturates(%x: f32) -> i32 {
  %r = arith.fptosi %x : f32 to i32
  return %r : i32
}

// CHECK-LABEL: func.func @bits_are_logic
// CHECK:   arith.xori
// CHECK-NOT: addi
// CHECK:   return
func.func @bits_are_logic(%x: i1, %y: i1) -> i1 {
  %r = arith.addi %x, %y : i1
  return %r : i1
}

// What it doesn't know stays.
// CHECK-LABEL: func.func @left_alone
// CHECK:   math.sin %{{.*}} : f32
// CHECK:   math.erf %{{.*}} : f64
// CHECK:   arith.divui %{{.*}} : index
func.func @left_alone(%x: f32, %y: f64, %i: index) -> (f32, f64, index) {
  %a = math.sin %x : f32
  %b = math.erf %y : f64
  %c = arith.divui %i, %i : index
  return %a, %b, %c : f32, f64, index
}

// Whole tensors and scalable vectors stay.
// CHECK-LABEL: func.func @other_shapes
// CHECK-NEXT:  math.exp
// CHECK-NEXT:  math.exp
// CHECK-NEXT:  return
func.func @other_shapes(%x: tensor<?xf32>, %v: vector<[4]xf32>) -> (tensor<?xf32>, vector<[4]xf32>) {
  %0 = math.exp %x : tensor<?xf32>
  %1 = math.exp %v : vector<[4]xf32>
  return %0, %1 : tensor<?xf32>, vector<[4]xf32>
}
