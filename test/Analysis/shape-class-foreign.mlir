// RUN: jit-opt %s --load-dialect-plugin=%libs/ForeignCostDialect.so --jit-print-shape-class -o /dev/null | FileCheck %s

// Operations of a dialect that the analysis knows nothing of (test/lib/ForeignCostDialect).

// One says of which sizes its result is.
// CHECK-LABEL: func.func @reified: bucketable
// CHECK: result #0: [2*d0, 8]
func.func @reified(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = "foreign.repeat"(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// One has a destination.
// CHECK-LABEL: func.func @destination: bucketable
// CHECK: result #0: [d1, 8]
func.func @destination(%x: tensor<?x8xf32>, %o: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = "foreign.scan"(%x, %o) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// One has neither.
// CHECK-LABEL: func.func @nothing: data-dependent
// CHECK: d1 = dim 0 of result #0 of 'foreign.opaque': data-dependent, from 'foreign.opaque' doesn't tell the size of its result
func.func @nothing(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = "foreign.opaque"(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
