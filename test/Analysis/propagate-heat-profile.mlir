// RUN: split-file %s %t
// RUN: jit-opt %t/in.mlir --jit-propagate-heat='steps=0 profile=%t/report.json' 2>%t/err | FileCheck %s
// RUN: FileCheck %s --check-prefix=WARN --input-file=%t/err
// RUN: jit-opt %t/in.mlir --jit-propagate-heat='steps=0 profile=%t/report.json quantity=time_us' 2>/dev/null | FileCheck %s --check-prefix=TIME

// A profile, as jit-run's report, gives units their heat; what it doesn't name keeps that of its
// attribute.

// WARN: warning: {{.*}}report.json: unit 'gone' is not in this module; its numbers are not used
// CHECK: jit.unit @a() attributes {hotness = #jit.hotness<count = 1, score = 1.200000e+01>}
// CHECK: jit.unit @b() attributes {hotness = #jit.hotness<count = 2, score = 2.000000e+00>}
// TIME: jit.unit @a() attributes {hotness = #jit.hotness<count = 1, score = 4.200000e+01>}

//--- in.mlir
jit.unit @a() attributes {hotness = #jit.hotness<count = 1>} {
  jit.return
}
jit.unit @b() attributes {hotness = #jit.hotness<count = 2>} {
  jit.return
}
//--- report.json
{"model": "m", "units": [
  {"name": "a", "kind": "elementwise", "calls": 12, "us_per_call": 3.5, "tier": "interpreter"},
  {"name": "gone", "calls": 3, "us_per_call": null}]}
