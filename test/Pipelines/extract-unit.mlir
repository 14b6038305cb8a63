// RUN: jit-opt %s --jit-extract-unit=unit=f.exp_0 | FileCheck %s
// RUN: jit-opt %s --pass-pipeline='builtin.module(jit-extract-unit{unit={a b}})' | FileCheck %s --check-prefix=SPACE
// RUN: not jit-opt %s --jit-extract-unit=unit=g 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not jit-opt %s --jit-extract-unit=unit=f 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not jit-opt %s --jit-extract-unit 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: echo 'module {}' | not jit-opt --jit-extract-unit=unit=g 2>&1 | FileCheck %s --check-prefix=NONE

// One unit stays, public, so that no pass takes it for unused; what calls it goes. A function is no unit.

// UNKNOWN: error: there is no unit '{{.}}'; there is 'f.exp_0', 'a b'
// UNKNOWN-NOT: note:
// EMPTY: error: there is no unit ''; there is 'f.exp_0', 'a b'
// NONE: error: there is no unit 'g'; there is none, which --jit-form-units would make

// CHECK-NOT: func.func
// CHECK: jit.unit @f.exp_0(%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: linalg.exp
// CHECK-NOT: jit.unit
// SPACE: jit.unit @"a b"
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = jit.invoke @f.exp_0(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  %s = jit.invoke @"a b"(%r : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}
jit.unit private @f.exp_0(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.exp ins(%x : tensor<4xf32>) outs(%out : tensor<4xf32>) -> tensor<4xf32>
  jit.return %r : tensor<4xf32>
}
jit.unit private @"a b"(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.abs ins(%x : tensor<4xf32>) outs(%out : tensor<4xf32>) -> tensor<4xf32>
  jit.return %r : tensor<4xf32>
}
