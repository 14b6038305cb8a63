// What a later stage of the ordinary route refuses, here integers of an odd width, is compiled whole.
// RUN: jit-run %s --input=i64=-5 --report=%t.json | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT < %t.json
// CHECK: result[0]: i64=-5
// REPORT: "name": "main"
// REPORT-NEXT: "kind": "stock"
// REPORT: "reason": "{{.*}}i24
func.func @main(%x: i64) -> i64 {
  %y = arith.trunci %x : i64 to i24
  %z = arith.extsi %y : i24 to i64
  return %z : i64
}
