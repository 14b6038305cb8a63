// RUN: jit-opt %s --jit-hoist-vector-constants | FileCheck %s

// Constants that a later block uses come from a table; zeros, constants of the entry alone and
// narrow elements stay.

// CHECK: llvm.mlir.global private constant @f.constants.16x32(dense<[1056964608, 7]> : tensor<2xi32>)
// CHECK-LABEL: llvm.func @f
// CHECK:   %[[TABLE:.*]] = llvm.mlir.addressof @f.constants.16x32
// CHECK:   %[[HALF:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK:   llvm.insertelement %[[HALF]]
// CHECK:   %[[HALVES:.*]] = llvm.shufflevector
// CHECK:   llvm.getelementptr %[[TABLE]][1]
// CHECK:   llvm.load %{{.*}} -> i32
// CHECK:   llvm.mlir.constant(dense<0.000000e+00> : vector<16xf32>)
// CHECK:   llvm.mlir.constant(dense<2.500000e-01> : vector<16xf32>)
// CHECK:   llvm.mlir.constant(dense<3> : vector<16xi8>)
// CHECK: ^bb1:
// CHECK:   llvm.fmul %{{.*}}, %[[HALVES]] : vector<16xf32>
llvm.func @f(%x: vector<16xf32>, %n: vector<16xi32>, %b: vector<16xi8>, %p: !llvm.ptr) {
  %half = llvm.mlir.constant(dense<0.5> : vector<16xf32>) : vector<16xf32>
  %seven = llvm.mlir.constant(dense<7> : vector<16xi32>) : vector<16xi32>
  %zero = llvm.mlir.constant(dense<0.0> : vector<16xf32>) : vector<16xf32>
  %quarter = llvm.mlir.constant(dense<0.25> : vector<16xf32>) : vector<16xf32>
  %three = llvm.mlir.constant(dense<3> : vector<16xi8>) : vector<16xi8>
  %q = llvm.fmul %x, %quarter : vector<16xf32>
  llvm.br ^bb1
^bb1:
  %h = llvm.fmul %q, %half : vector<16xf32>
  %z = llvm.fadd %h, %zero : vector<16xf32>
  %s = llvm.add %n, %seven : vector<16xi32>
  %t = llvm.add %b, %three : vector<16xi8>
  llvm.store %z, %p : vector<16xf32>, !llvm.ptr
  llvm.store %s, %p : vector<16xi32>, !llvm.ptr
  llvm.store %t, %p : vector<16xi8>, !llvm.ptr
  llvm.return
}
