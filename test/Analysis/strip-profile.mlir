// RUN: jit-opt %s --jit-strip-profile | FileCheck %s
// RUN: jit-opt %s --jit-strip-profile=also=tier,mode,schedule,critical_path_us | FileCheck %s --check-prefix=ALL

// Profiles go, in nested regions too; what was decided from them stays unless it is named.

// CHECK: jit.unit @u() attributes {jit.critical_path_us = 3.000000e+00 : f64, mode = #jit.mode<aot>, schedule = #jit.schedule<tile = 8>, tier = #jit.tier<peak>} {
// ALL: jit.unit @u() {
jit.unit @u() attributes {hotness = #jit.hotness<count = 12>, jit.critical_path_us = 3.0, jit.profile = #jit.profile<calls = 12>,
    mode = #jit.mode<aot>, schedule = #jit.schedule<tile = 8>, tier = #jit.tier<peak>} {
  jit.return
}

// CHECK: func.func @nested(%{{.*}}: i1, %{{.*}}: i32) -> i32 attributes {jit.tier = #jit.tier<baseline>} {
// CHECK-NOT: jit.hotness
// CHECK-NOT: jit.profile
// ALL: func.func @nested(%{{.*}}: i1, %{{.*}}: i32) -> i32 {
func.func @nested(%c: i1, %a: i32) -> i32 attributes {jit.profile = #jit.profile<calls = 1>, jit.tier = #jit.tier<baseline>} {
  %r = scf.if %c -> i32 {
    %0 = arith.addi %a, %a {jit.hotness = #jit.hotness<count = 8>} : i32
    scf.yield {jit.profile = #jit.profile<calls = 1>} %0 : i32
  } else {
    scf.yield %a : i32
  } {jit.hotness = #jit.hotness<count = 8>}
  return %r : i32
}

module @inner attributes {jit.hotness = #jit.hotness<count = 8>} {
  jit.unit @v() attributes {hotness = #jit.hotness<count = 12>} {
    jit.return
  }
}
