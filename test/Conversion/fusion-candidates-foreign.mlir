// RUN: jit-opt %s --load-dialect-plugin=%libs/ForeignCostDialect.so --jit-fusion-candidates -o /dev/null 2>&1 | FileCheck %s

// Operations of another dialect that work on tensors by an interface are listed too, as what a unit
// cannot hold.
// CHECK: remark: not fused with 'linalg.matmul', operand #0 of 'foreign.scan': not compatible
// CHECK: remark: not fused with 'foreign.scan', operand #0 of 'linalg.exp': not compatible
func.func @main(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %y: tensor<?x8xf32>, %f: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %m = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x8xf32>) outs(%f : tensor<?x8xf32>) -> tensor<?x8xf32>
  %0 = "foreign.scan"(%m, %y) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = linalg.exp ins(%0 : tensor<?x8xf32>) outs(%f : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}
