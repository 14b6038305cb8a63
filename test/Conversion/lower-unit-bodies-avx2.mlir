// RUN: jit-opt %s --jit-lower-unit-bodies='vector-width=8 masked-memory=false' | FileCheck %s

// Registers of 8 elements, two at a time; what is left of a row is read and written element by element.

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: llvm.func @half_width.body.0
// CHECK:   %[[WHOLE:.*]] = llvm.and
// CHECK:   llvm.cond_br %[[WHOLE]], ^{{.*}}, ^
// CHECK:   llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
// CHECK:   llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK:   arith.negf %{{.*}} : vector<8xf32>
// CHECK:   llvm.cond_br %[[WHOLE]], ^{{.*}}, ^
// CHECK:   llvm.store %{{.*}} : vector<8xf32>, !llvm.ptr
// CHECK:   llvm.store %{{.*}} : f32, !llvm.ptr
// CHECK-NOT: llvm.intr.masked
jit.unit @half_width(%x: tensor<?xf32>, %out: tensor<?xf32> {jit.write_only}) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%out : tensor<?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %d = arith.negf %a : f32
      linalg.yield %d : f32
  } -> tensor<?xf32>
  jit.return %r : tensor<?xf32>
}
