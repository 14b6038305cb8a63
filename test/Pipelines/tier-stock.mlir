// RUN: jit-opt %s --jit-tier-stock | FileCheck %s
// RUN: jit-opt %s --jit-tier-stock=deallocate=false | FileCheck %s --check-prefix=KEEP
// RUN: jit-opt --help | FileCheck %s --check-prefix=HELP
// HELP: --jit-tier-stock

// CHECK-LABEL: llvm.func @double
// CHECK: llvm.call @malloc
// CHECK: llvm.func @_mlir_ciface_double
func.func @double(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: llvm.func @sum
// CHECK: llvm.call @free
// KEEP-LABEL: llvm.func @sum
// KEEP-NOT: llvm.call @free
// KEEP: llvm.func @_mlir_ciface_sum
func.func @sum(%i: index) -> f32 {
  %m = memref.alloc(%i) : memref<?xf32>
  %v = memref.load %m[%i] : memref<?xf32>
  return %v : f32
}

// CHECK-LABEL: llvm.func @check
// CHECK: llvm.call @puts
// CHECK-NEXT: llvm.call @abort
func.func @check(%ok: i1) {
  cf.assert %ok, "too many"
  return
}
