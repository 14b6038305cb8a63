// RUN: jit-run %s --entry=two_results --input=2xf32=0 | FileCheck %s
// RUN: jit-run %s --entry=two_results --input=2xf32=0 --force-tier=baseline | FileCheck %s
// RUN: jit-run %s --entry=two_results --input=0xf32= | FileCheck %s --check-prefix=EMPTY
// RUN: jit-run %s --entry=two_products --input=3x4xf32=1 --input=4x4xf32=2 --report=%t.json | FileCheck %s --check-prefix=PRODUCTS
// RUN: FileCheck %s --check-prefix=REPORT < %t.json
// RUN: jit-run %s --entry=two_products --input=3x4xf32=1 --input=4x4xf32=2 --force-tier=baseline | FileCheck %s --check-prefix=PRODUCTS

// Regions that a program brings along run as one unit each, whatever our own rule would have made of them.

// CHECK: result[0]: 2xf32=[1, 1]
// CHECK-NEXT: result[1]: 2xf32=[-1, -1]
// EMPTY: result[0]: 0xf32=[]
// EMPTY-NEXT: result[1]: 0xf32=[]
func.func @two_results(%a: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r:2 = jit.region -> (tensor<?xf32>, tensor<?xf32>) {
    %x = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %y = linalg.negf ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    jit.yield %x, %y : tensor<?xf32>, tensor<?xf32>
  }
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}

// 1 * 2 * 4 = 8; 8 * 2 * 4 = 64.
// PRODUCTS: result[0]: 3x4xf32={{\[}}[64, 64, 64, 64], [64, 64, 64, 64], [64, 64, 64, 64]]
// REPORT: "steps": 1{{$}}
func.func @two_products(%a: tensor<?x4xf32>, %w: tensor<4x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %r = jit.region -> tensor<?x4xf32> {
    %x = linalg.matmul ins(%a, %w : tensor<?x4xf32>, tensor<4x4xf32>)
        outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
    %y = linalg.matmul ins(%x, %w : tensor<?x4xf32>, tensor<4x4xf32>)
        outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
    jit.yield %y : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}
