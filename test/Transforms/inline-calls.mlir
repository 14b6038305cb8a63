// RUN: jit-opt %s -jit-inline-calls -split-input-file | FileCheck %s

// Callees first, in loops too; private functions go, public and external ones stay.
// CHECK-NOT:   @double
// CHECK-NOT:   @quadruple
// CHECK:       func.func private @external(f32) -> f32
// CHECK:       func.func @shared
// CHECK:       func.func @main
// CHECK-SAME:    %[[X:.*]]: f32
// CHECK:         %[[D:.*]] = arith.addf %[[X]], %[[X]]
// CHECK:         %[[Q:.*]] = arith.addf %[[D]], %[[D]]
// CHECK:         scf.for
// CHECK:           arith.mulf
// CHECK:         call @external
// CHECK-NOT:     call
func.func private @double(%x: f32) -> f32 {
  %0 = arith.addf %x, %x : f32
  return %0 : f32
}
func.func private @quadruple(%x: f32) -> f32 {
  %0 = func.call @double(%x) : (f32) -> f32
  %1 = func.call @double(%0) : (f32) -> f32
  return %1 : f32
}
func.func private @external(f32) -> f32
func.func @shared(%x: f32) -> f32 {
  %0 = arith.mulf %x, %x : f32
  return %0 : f32
}
func.func @main(%x: f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = func.call @quadruple(%x) : (f32) -> f32
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %0) -> f32 {
    %2 = func.call @shared(%a) : (f32) -> f32
    scf.yield %2 : f32
  }
  %3 = func.call @external(%1) : (f32) -> f32
  return %3 : f32
}

// -----

// A result that is an argument, and several results.
// CHECK-LABEL: func.func @swapped
// CHECK-SAME:    %[[A:.*]]: f32, %[[B:.*]]: f32
// CHECK-NEXT:    return %[[B]], %[[A]]
func.func private @swap(%a: f32, %b: f32) -> (f32, f32) {
  return %b, %a : f32, f32
}
func.func @swapped(%a: f32, %b: f32) -> (f32, f32) {
  %0:2 = func.call @swap(%a, %b) : (f32, f32) -> (f32, f32)
  return %0#0, %0#1 : f32, f32
}
