// RUN: jit-opt %s -jit-inline-calls -split-input-file -verify-diagnostics

// expected-error@+1 {{'@even' calls '@odd', which calls '@even': recursion is not supported}}
func.func private @even(%n: index) -> i1 {
  %c1 = arith.constant 1 : index
  %m = arith.subi %n, %c1 : index
  // expected-remark@+1 {{called here}}
  %0 = func.call @odd(%m) : (index) -> i1
  return %0 : i1
}
func.func private @odd(%n: index) -> i1 {
  %c1 = arith.constant 1 : index
  %m = arith.subi %n, %c1 : index
  // expected-remark@+1 {{called here}}
  %0 = func.call @even(%m) : (index) -> i1
  return %0 : i1
}

// -----

// expected-error@+1 {{'@loop' calls itself: recursion is not supported}}
func.func private @loop(%n: index) -> index {
  // expected-remark@+1 {{called here}}
  %0 = func.call @loop(%n) : (index) -> index
  return %0 : index
}
