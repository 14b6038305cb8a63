// What vector.print calls may be declared, and called, by the program itself too.
// RUN: jit-run %s | FileCheck %s
// CHECK:      5
// CHECK-NEXT: ( 1.5, 2.5 )
// CHECK-NEXT: 7
func.func private @printI64(i64)
func.func private @printNewline()
func.func private @printF32(f32)
func.func @main() {
  %five = arith.constant 5 : i64
  call @printI64(%five) : (i64) -> ()
  call @printNewline() : () -> ()
  %v = arith.constant dense<[1.5, 2.5]> : vector<2xf32>
  vector.print %v : vector<2xf32>
  %seven = arith.constant 7 : i64
  vector.print %seven : i64
  return
}
