// Inputs in every form of --input, results printed, written and compared.

// RUN: jit-run %s --input="2x3xf32=1 2 3 4 5 6" --input=f32=0.5 | FileCheck %s --check-prefix=PRINT
// PRINT: result[0]: 2x3xf32=[
// PRINT-SAME: [0.5, 1, 1.5], [2, 2.5, 3]]
// RUN: jit-run %s --input=2x3xf32=iota --input=f32=2 --output=@%t.npy | count 0
// RUN: jit-run %s --input=@%t.npy --input=f32=1 | FileCheck %s --check-prefix=FILE
// FILE: result[0]: 2x3xf32=[
// FILE-SAME: [0, 2, 4], [6, 8, 10]]

// NumPy's default_rng(7).uniform(0, 1, (1, 2)), as f32.
// RUN: jit-run %s --seed=7 "--input=1x2xf32=rand(0,1)" --input=f32=1 | FileCheck %s --check-prefix=RAND
// RAND: result[0]: 1x2xf32=[
// RAND-SAME: [0.6250955, 0.8972138]]

// A folder of inputs, a folder of results, and a comparison that holds.
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: jit-run %s --input=2x3xf32=iota --input=f32=2 --output-dir=%t.d
// RUN: cp %t.npy %t.d/in0.npy && echo "f32=1" && jit-run %s --input=@%t.npy --input=f32=1 --expected-dir=%t.d --output-dir=%t.d

// Long results are elided unless all is asked for.
// RUN: jit-run %s --input=1x200xf32=iota --input=f32=1 | FileCheck %s --check-prefix=LONG
// LONG: result[0]: 1x200xf32=[
// LONG-SAME: [0, 1, 2, ..., 197, 198, 199]]
// RUN: jit-run %s --input=1x200xf32=iota --input=f32=1 --print-all | FileCheck %s --check-prefix=WHOLE
// WHOLE: 98, 99, 100, 101,

// Halves as floats: the shortest text.
// RUN: jit-run %S/Inputs/odd-names.mlir -e half "--input=4xf16=10 11 100 0.1" | FileCheck %s --check-prefix=HALF
// HALF: result[0]: 4xf16=[10, 11, 100, 0.1]

// A function without a name.
// RUN: jit-run %S/Inputs/odd-names.mlir -e "" --input=f32=3 | FileCheck %s --check-prefix=NAMELESS
// RUN: jit-run %S/Inputs/odd-names.mlir --entry= --input=f32=3 | FileCheck %s --check-prefix=NAMELESS
// NAMELESS: result[0]: f32=3
// RUN: not jit-run %s -e "" --input=f32=3 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: {{.*}}no function ''

// From standard input, and from a saved plan.
// RUN: cat %s | jit-run - --input=1x2xf32=3 --input=f32=2 | FileCheck %s --check-prefix=PLAN
// RUN: jit-run %s --save-plan=%t.plan --input=1x1xf32=0 --input=f32=0
// RUN: jit-run %t.plan --input=1x2xf32=3 --input=f32=2 | FileCheck %s --check-prefix=PLAN
// PLAN: result[0]: 1x2xf32=[
// PLAN-SAME: [6, 6]]

func.func @scale(%x: tensor<?x?xf32>, %s: f32) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.dim %x, %c0 : tensor<?x?xf32>
  %b = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%a, %b) : tensor<?x?xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.mulf %in, %s : f32
    linalg.yield %m : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
