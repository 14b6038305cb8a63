// Inputs that do not fit: the argument is named, exit status 1 (2 for a contradictory command line).

// RUN: not jit-run %s --input=1x2xf32=0 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: function 'embed' takes 2 inputs, not 1
// RUN: not jit-run %s --input=1x2xf64=0 --input=1x4xi64=0 2>&1 | FileCheck %s --check-prefix=DTYPE
// DTYPE: error: argument #0{{.*}}tensor<?x2xf32>{{.*}}tensor<1x2xf64>
// RUN: not jit-run %s --input=2xf32=0 --input=1x4xi64=0 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: error: argument #0{{.*}}tensor<?x2xf32>{{.*}}tensor<2xf32>
// RUN: not jit-run %s --input=1x3xf32=0 --input=1x4xi64=0 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: argument #0{{.*}}tensor<?x2xf32>{{.*}}tensor<1x3xf32>
// RUN: not jit-run %s --input=1x2xf33=0 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: '1x2xf33=0': unknown element type 'f33'
// RUN: not jit-run %s --input=1x2xf32 2>&1 | FileCheck %s --check-prefix=NOVALUES
// NOVALUES: error: '1x2xf32': no values follow the type; write an input as 2x3xf32=1 2 3 4 5 6, 2x3xf32=0.5 (all elements), 2x3xf32=iota, 2x3xf32=rand(0,1) or @x.npy
// RUN: not jit-run %s "--input=1xf32=1 2" 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: '1xf32=1 2': the type has 1 element, not 2 (one would fill all)
// RUN: not jit-run %s "--input=2xf32=1 2 3" 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error: '2xf32=1 2 3': the type has 2 elements, not 3 (one would fill all)
// RUN: not jit-run %s --input=2xi8=300 2>&1 | FileCheck %s --check-prefix=I8
// I8: error: '2xi8=300': '300' does not fit i8, which takes -128 to 255
// RUN: not jit-run %s --input=ui8=300 2>&1 | FileCheck %s --check-prefix=UI8
// UI8: error: 'ui8=300': '300' does not fit ui8, which takes 0 to 255
// RUN: not jit-run %s --input=i64=9223372036854775808 2>&1 | FileCheck %s --check-prefix=I64
// I64: error: 'i64=9223372036854775808': '9223372036854775808' does not fit i64, which takes -9223372036854775808 to 9223372036854775807
// RUN: not jit-run %t.none.mlir --input=1 2>&1 | FileCheck %s --check-prefix=MODEL --implicit-check-not="'1'"
// MODEL: error: cannot open '{{.*}}.none.mlir': No such file or directory
// RUN: not jit-run %s --input=@%t.none.npy 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: cannot open '{{.*}}.none.npy': No such file or directory
// RUN: not jit-run %s --input=@%s 2>&1 | FileCheck %s --check-prefix=NPY
// NPY: error: '{{.*}}bad-inputs.mlir' is not a readable NPY file: it does not begin with NumPy's magic number

// A token outside the table, and a shape for which the program's own assert fires.
// RUN: not jit-run %s --input=5x2xf32=0 "--input=2x2xi64=0 1 5 2" 2>&1 | FileCheck %s --check-prefix=TOKEN
// TOKEN: error: index 5 is out of bounds for dimension 0 of size 5 (unit {{.*}}bad-inputs.mlir:{{[0-9]+}}:{{[0-9]+}})
// RUN: not jit-run %s --input=5x2xf32=0 "--input=0x2xi64=" 2>&1 | FileCheck %s --check-prefix=ASSERT
// ASSERT: jit-run: error: at least one token (at {{.*}}bad-inputs.mlir:{{[0-9]+}}:{{[0-9]+}})

// Sizes whose product overflows, and more memory than there is.
// RUN: not jit-run %s --input=4000000000x4000000000xf32=0 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// OVERFLOW: error: tensor<4000000000x4000000000xf32> is larger than the address space
// RUN: not jit-run %s --input=100000000000000x2xf32=0 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: error: out of memory: 800000000000000 bytes for tensor<100000000000000x2xf32>

// A mismatch names the worst element.
// RUN: %python -c "import numpy; numpy.save(r'%t.npy', numpy.zeros((1, 2, 2), numpy.float32))"
// RUN: not jit-run %s --input=1x2xf32=3 "--input=1x2xi64=0" --expected=@%t.npy 2>&1 | FileCheck %s --check-prefix=MISMATCH
// MISMATCH: error: result[0]: 4 of 4 elements differ; worst at [0, 0, 0]: expected 0, got 3

// RUN: not jit-run %s --input=1x2xf32=3 "--input=1x2xi64=0" --expected=1x2x2xf64=3 2>&1 | FileCheck %s --check-prefix=EXPECTED-TYPE
// EXPECTED-TYPE: error: result[0]: expected tensor<1x2x2xf64>, got tensor<1x2x2xf32>
// RUN: not jit-run %s --input=1x2xf32=3 "--input=1x2xi64=0" --expected=1x2x2xf32=3 --expected=f32=3 2>&1 | FileCheck %s --check-prefix=EXPECTED-COUNT
// EXPECTED-COUNT: error: 'embed' has 1 result, expected are 2

// RUN: not jit-run %s --input=1x2xf32=3 "--input=1x2xi64=0" --output-dir=/proc/none 2>&1 | FileCheck %s --check-prefix=OUTPUT-DIR
// OUTPUT-DIR: error: cannot make folder '/proc/none': No such file or directory
// RUN: not jit-run %s --input=1x2xf32=3 "--input=1x2xi64=0" --output=@/nonexistent/y.npy 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: error: cannot write '/nonexistent/y.npy': No such file or directory
// RUN: not jit-run %s --input=1x2xf32=3 "--input=1x2xi64=0" --output=@%t.a --output=@%t.b 2>&1 | FileCheck %s --check-prefix=OUTPUTS
// OUTPUTS: error: 'embed' has 1 result, --output names 2

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
