// RUN: split-file %s %t
// RUN: jit-opt %t/in.mlir --jit-annotate-profile=profile=%t/profile.json 2>%t/err | FileCheck %s
// RUN: FileCheck %s --check-prefix=WARN --input-file=%t/err
// RUN: jit-opt %t/in.mlir --jit-annotate-profile=profile=%t/other.json -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: jit-opt %t/in.mlir --jit-annotate-profile=profile=%t/profile.json --remarks-filter=jit-annotate-profile -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// What is annotated and stripped again is what it was; so is what is annotated twice.
// RUN: jit-opt %t/plain.mlir -o %t/plain.out
// RUN: jit-opt %t/plain.mlir --jit-annotate-profile=profile=%t/profile.json --jit-strip-profile -o %t/stripped.out 2>/dev/null
// RUN: diff %t/plain.out %t/stripped.out
// RUN: jit-opt %t/in.mlir --jit-annotate-profile=profile=%t/profile.json -o %t/once.out 2>/dev/null
// RUN: jit-opt %t/once.out --jit-annotate-profile=profile=%t/profile.json -o %t/twice.out 2>/dev/null
// RUN: diff %t/once.out %t/twice.out

// WARN: warning: {{.*}}profile.json: unit 'everythink' is not in this module; its numbers are not used (nearest: 'everything')
// WARN-NOT: {{warning|note}}
// OTHER: warning: {{.*}}other.json: none of its 2 units, such as 'a', is in this module: it is of another program, or units aren't formed yet
// OTHER-NOT: {{warning|note}}
// REMARK: 5 of 6 functions and units are in the profile, which has 6

// Everything that the format has; shapes come in the order of the attribute.
// CHECK: jit.unit @everything
// CHECK-SAME: hotness = #jit.hotness<count = 12, time_us = 4.200000e+01, bytes = 4096, flops = 8192, score = 7.500000e-01>
// CHECK-SAME: jit.profile = #jit.profile<calls = 12, time_us = 4.200000e+01, bytes = 4096, flops = 8192,
// CHECK-SAME: shapes = [([8, 4], []) : 9, ([0, 4], []) : 3], branches = [1.000000e+00, 2.500000e-01],
// CHECK-SAME: memory = [#jit.access<contiguity = 1.000000e+00, alignment = 64, strides = [4, 1]>, #jit.access<alignment = 4>]>

// A 0 is no time: no call was timed. The number of calls may be the largest that there is.
// CHECK: jit.unit @not_timed() attributes {hotness = #jit.hotness<count = 9223372036854775807>, jit.profile = #jit.profile<calls = 9223372036854775807>}

// The time of all calls comes before that of one.
// CHECK: jit.unit @total() attributes {hotness = #jit.hotness<time_us = 7.000000e+00>, jit.profile = #jit.profile<time_us = 7.000000e+00>}

// An entry that knows nothing takes away what was there; one that isn't there does not.
// CHECK: jit.unit @nothing() {
// CHECK: jit.unit @not_in_file() attributes {hotness = #jit.hotness<count = 2>}

// Functions have both as discardable attributes.
// CHECK: func.func @main() attributes {jit.hotness = #jit.hotness<count = 3, score = 5.000000e-01>, jit.profile = #jit.profile<calls = 3>}

//--- in.mlir
jit.unit @everything(%x: tensor<?x4xf32>, %s: f32) {
  %c = arith.constant true
  scf.if %c {
    scf.if %c {
    }
  }
  jit.return
}
jit.unit @not_timed() {
  jit.return
}
jit.unit @total() {
  jit.return
}
jit.unit @nothing() attributes {hotness = #jit.hotness<count = 2>, jit.profile = #jit.profile<calls = 2>} {
  jit.return
}
jit.unit @not_in_file() attributes {hotness = #jit.hotness<count = 2>} {
  jit.return
}
func.func @main() {
  return
}
//--- plain.mlir
jit.unit @everything(%x: tensor<?x4xf32>, %s: f32) attributes {tier = #jit.tier<baseline>} {
  %c = arith.constant true
  scf.if %c {
    scf.if %c {
    }
  }
  jit.return
}
func.func @main() {
  return
}
//--- profile.json
{"version": "0.1", "profile_version": 1, "units": [
  {"name": "everything", "kind": "matmul", "calls": 12, "us_per_call": 3.5, "bytes": 4096, "flops": 8192, "score": 0.75,
   "shapes": [{"sizes": [[0, 4], []], "count": 3}, {"sizes": [[8, 4], []], "count": 9}],
   "branches": [1, 0.25],
   "memory": [{"contiguity": 1, "alignment": 64, "strides": [4, 1]}, {"alignment": 4}]},
  {"name": "not_timed", "calls": 9223372036854775807, "us_per_call": 0},
  {"name": "total", "us_per_call": 3.5, "time_us": 7},
  {"name": "nothing", "calls": null, "shapes": null},
  {"name": "main", "calls": 3, "score": 0.5},
  {"name": "everythink", "calls": 3}]}
//--- other.json
{"units": [{"name": "b", "calls": 1}, {"name": "a"}]}
