// RUN: jit-opt %s --jit-stock-locate-checks | FileCheck %s
// RUN: jit-opt %s --generate-runtime-verification --jit-stock-locate-checks | FileCheck %s --check-prefix=VERIFIED

// CHECK-LABEL: func.func @check(
func.func @check(%ok: i1) {
  // CHECK: cf.assert %{{.*}}, "{{[^ ]*}}stock-locate-checks.mlir:[[#@LINE+1]]:3: error: assert failed: too many"
  cf.assert %ok, "too many"
  // CHECK: cf.assert %{{.*}}, "assert failed: nowhere"
  cf.assert %ok, "nowhere" loc(unknown)
  return
}

// VERIFIED-LABEL: func.func @load(
// VERIFIED: cf.assert %{{.*}}, "{{[^ ]*}}stock-locate-checks.mlir:[[#@LINE+2]]:8: error: out-of-bounds access: 'memref.load'"
func.func @load(%m: memref<?xf32>, %i: index) -> f32 {
  %r = memref.load %m[%i] : memref<?xf32>
  return %r : f32
}

// Without a result.
// VERIFIED-LABEL: func.func @store(
// VERIFIED: cf.assert %{{.*}}, "{{.*}}: error: out-of-bounds access: 'memref.store'"
func.func @store(%m: memref<?xf32>, %i: index, %x: f32) {
  memref.store %x, %m[%i] : memref<?xf32>
  return
}
