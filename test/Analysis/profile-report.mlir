// RUN: jit-run %s --input=1000xf32=1 --repeat=4 --report=%t.json
// RUN: jit-opt %s --jit-normalize --jit-form-units --jit-propagate-heat='profile=%t.json steps=0' | FileCheck %s
// RUN: jit-opt %s --jit-normalize --jit-form-units --jit-print-critical-path='profile=%t.json function=main' -o /dev/null | FileCheck %s --check-prefix=PATH

// The report of a run is a profile.

// CHECK: jit.unit private @main.{{.*}}hotness = #jit.hotness<score = 4.000000e+00>
// PATH: func.func @main: critical path
// PATH-NEXT: jit.invoke @main.{{[a-z_0-9]+}}: {{.*}} us (measured)
func.func @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %0 = linalg.exp ins(%x : tensor<1000xf32>) outs(%e : tensor<1000xf32>) -> tensor<1000xf32>
  return %0 : tensor<1000xf32>
}
