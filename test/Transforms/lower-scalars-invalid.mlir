// RUN: jit-opt %s -jit-lower-scalars -split-input-file -verify-diagnostics
// RUN: jit-opt %s -jit-simplify-shapes -split-input-file -verify-diagnostics

func.func @by_zero(%n: index) -> index {
  // expected-error@+1 {{'affine.min' divides by 0; affine expressions divide by positive numbers only}}
  %0 = affine.min affine_map<(i) -> (i mod 0, i)>(%n)
  return %0 : index
}

// -----

func.func @negative(%n: index) -> index {
  // expected-error@+1 {{'affine.apply' divides by -2; affine expressions divide by positive numbers only}}
  %0 = affine.apply affine_map<(i) -> (i floordiv (-2) + i)>(%n)
  return %0 : index
}

// -----

func.func @bound(%x: memref<?xf32>, %n: index) {
  // expected-error@+1 {{'affine.for' divides by 0; affine expressions divide by positive numbers only}}
  affine.for %i = 0 to affine_map<(i) -> (i ceildiv 0)>(%n) {
  }
  return
}
