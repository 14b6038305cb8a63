// The script of a dump runs whatever a unit is called: a name ends no comment and no word, and the
// line from the model on finds the unit.
// RUN: rm -rf %t && jit-run %s --input=3xf32=2 --input=3xf32=3 --force-tier=baseline --dump-ir=%t > /dev/null
// RUN: sh -c "cd %t; for f in units/*.sh; do sh $f > out && cmp out units/$(basename $f .sh).out.mlir || exit 1; done"
// RUN: test ! -e %t/touched && test ! -e %t/units/touched
// RUN: sh -c "cat %t/units/*.sh" | FileCheck %s
// CHECK: jit-opt '--jit-extract-unit=unit=a%7Db%20it%27s%0Atouch%20touched%0A.mul_0'
func.func @"a}b it's\0Atouch touched\0A"(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.mul ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
