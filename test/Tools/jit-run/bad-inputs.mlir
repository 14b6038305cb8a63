// Inputs that do not fit: the argument is named, exit status 1 (2 for a contradictory command line).

// RUN: not jit-run %s --input=1x2xf32=0 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: {{.*}}2 {{.*}}1
// RUN: not jit-run %s --input=1x2xf64=0 --input=1x4xi64=0 2>&1 | FileCheck %s --check-prefix=DTYPE
// DTYPE: error: argument #0{{.*}}tensor<?x2xf32>{{.*}}tensor<1x2xf64>
// RUN: not jit-run %s --input=2xf32=0 --input=1x4xi64=0 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: error: argument #0{{.*}}tensor<?x2xf32>{{.*}}tensor<2xf32>
// RUN: not jit-run %s --input=1x3xf32=0 --input=1x4xi64=0 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: argument #0{{.*}}tensor<?x2xf32>{{.*}}tensor<1x3xf32>
// RUN: not jit-run %s --input=1x2xf33=0 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: '1x2xf33=0': unknown element type 'f33'
// RUN: not jit-run %s --input=@%t.none.npy 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: cannot open '{{.*}}.none.npy': No such file or directory
// RUN: not jit-run %s --input=@%s 2>&1 | FileCheck %s --check-prefix=NPY
// NPY: error: '{{.*}}bad-inputs.mlir' is not a readable NPY file: it does not begin with NumPy's magic number

// A token outside the table, and a shape for which the program's own assert fires.
// RUN: not jit-run %s --input=5x2xf32=0 "--input=2x2xi64=0 1 5 2" 2>&1 | FileCheck %s --check-prefix=TOKEN
// TOKEN: error: index 5 is out of bounds for dimension 0 of size 5 (unit {{.*}}bad-inputs.mlir:{{[0-9]+}}:{{[0-9]+}})
// RUN: not jit-run %s --input=5x2xf32=0 "--input=0x2xi64=" 2>&1 | FileCheck %s --check-prefix=ASSERT
// ASSERT: at least one token

// Sizes whose product overflows, and more memory than there is.
// RUN: not jit-run %s --input=4000000000x4000000000xf32=0 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// OVERFLOW: error: {{.*}}4000000000x4000000000xf32
// RUN: not jit-run %s --input=100000000000000x2xf32=0 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: error: {{.*}}memory

// A mismatch names the worst element.
// RUN: %python -c "import numpy; numpy.save(r'%t.npy', numpy.zeros((1, 2, 2), numpy.float32))"
// RUN: not jit-run %s --input=1x2xf32=3 "--input=1x2xi64=0" --expected=@%t.npy 2>&1 | FileCheck %s --check-prefix=MISMATCH
// MISMATCH: error: result[0]: 4 of 4 elements differ; worst at [0, 0, 0]: expected 0, got 3

// RUN: not jit-run %s --input=1x2xf32=3 "--input=1x2xi64=0" --output=@/nonexistent/y.npy 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: error: cannot write '/nonexistent/y.npy': No such file or directory
// RUN: not jit-run %s --input=1x2xf32=3 "--input=1x2xi64=0" --output=@%t.a --output=@%t.b 2>&1 | FileCheck %s --check-prefix=OUTPUTS
// OUTPUTS: error: 2 outputs are named, 'embed' has 1 results

// RUN: not jit-run %s --inputs-dir=/nonexistent 2>&1 | FileCheck %s --check-prefix=DIR
// DIR: error: '/nonexistent' is not a folder
// RUN: not jit-run %s --no-such-option 2>&1 | FileCheck %s --check-prefix=USAGE
// USAGE: error: {{.*}}--no-such-option
// RUN: not jit-run %s --input=f32=1 --inputs-dir=. 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: --input and --inputs-dir exclude each other
// RUN: not jit-run 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: MODEL is required

func.func @embed(%table: tensor<?x2xf32>, %tokens: tensor<?x2xi64>) -> tensor<?x2x2xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %tokens, %c0 : tensor<?x2xi64>
  %some = arith.cmpi sgt, %n, %c0 : index
  cf.assert %some, "at least one token"
  %e = tensor.empty(%n) : tensor<?x2x2xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, j, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%tokens : tensor<?x2xi64>) outs(%e : tensor<?x2x2xf32>) {
  ^bb0(%token: i64, %out: f32):
    %row = arith.index_cast %token : i64 to index
    %column = linalg.index 2 : index
    %v = tensor.extract %table[%row, %column] : tensor<?x2xf32>
    linalg.yield %v : f32
  } -> tensor<?x2x2xf32>
  return %r : tensor<?x2x2xf32>
}
