// RUN: not jit-opt %s --jit-print-op-cost='dims=arg0:1x2' 2>&1 | FileCheck %s --check-prefix=WHICH
// RUN: not jit-opt %s --jit-print-op-cost='function=nosuch' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not jit-opt %s --jit-print-op-cost='function=declared' 2>&1 | FileCheck %s --check-prefix=BODY
// RUN: not jit-opt %s --jit-print-op-cost='function=f dims=x:1' 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not jit-opt %s --jit-print-op-cost='function=f dims=arg0:1xx2' 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not jit-opt %s --jit-print-op-cost='function=f dims=arg7:1x2' 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not jit-opt %s --jit-print-op-cost='function=f dims=arg0:1' 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not jit-opt %s --jit-print-op-cost='function=f dims=arg0:1x9' 2>&1 | FileCheck %s --check-prefix=STATIC
// RUN: not jit-opt %s --jit-print-op-cost='function=f dims=arg0:-4x8' 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not jit-opt %s --jit-print-op-cost='function=f dims=arg1:3' 2>&1 | FileCheck %s --check-prefix=FLOAT
// RUN: not jit-opt %s --jit-print-op-cost='flop-weights=math.exp' 2>&1 | FileCheck %s --check-prefix=WEIGHT
// RUN: not jit-opt %s --jit-print-op-cost='flop-weights=math.exp:-1' 2>&1 | FileCheck %s --check-prefix=WEIGHT
// RUN: not jit-opt %s --jit-print-op-cost='flop-weights=math.exp:many' 2>&1 | FileCheck %s --check-prefix=WEIGHT
// RUN: not jit-opt %s --jit-print-op-cost='flop-weights=math.expp:1' 2>&1 | FileCheck %s --check-prefix=OPERATION
// RUN: not jit-opt %s --jit-print-op-cost='flop-weights=exp:1' 2>&1 | FileCheck %s --check-prefix=OPERATION
// RUN: not jit-opt %s --jit-print-op-cost='nosuch=1' 2>&1 | FileCheck %s --check-prefix=OPTION

// What is wrong with the options is said, with what would be right.

// WHICH: error: jit-print-op-cost: the module has 2 public functions; name the one that is meant: function=NAME
// NONE: op-cost-invalid.mlir:{{[0-9:]+}}: error: jit-print-op-cost: there is no function '@nosuch' in this module; there is @f, @g{{$}}
// NONE-NOT: see current operation
// BODY: error: jit-print-op-cost: function '@declared' has no body in this module
// FORM: error: jit-print-op-cost: dims: 'x:1' is not of the form arg0:1x32 (sizes, or ?, of an argument)
// SIZE: error: jit-print-op-cost: dims: 'arg0:1xx2' is not of the form arg0:1x32
// NUMBER: error: jit-print-op-cost: dims: '@f' has 2 arguments, but 'arg7:1x2' is about argument 7
// RANK: error: jit-print-op-cost: dims: 'arg0:1' has 1 sizes, but the argument is a 'tensor<?x8xf32>'
// STATIC: error: jit-print-op-cost: dims: 'arg0:1x9' has size 9 in dimension 1, but the argument is a 'tensor<?x8xf32>'
// NEGATIVE: error: jit-print-op-cost: dims: 'arg0:-4x8' has the negative size -4
// FLOAT: error: jit-print-op-cost: dims: 'arg1:3' gives a value to a 'f32'; only integers and sizes can be given
// WEIGHT: error: jit-print-op-cost: flop-weights: 'math.exp{{.*}}' is not of the form math.exp:10
// OPERATION: error: jit-print-op-cost: flop-weights: '{{(math.)?expp?}}:1' is about '{{(math.)?expp?}}', which is no operation
// OPTION: no such option nosuch
func.func @f(%x: tensor<?x8xf32>, %s: f32) { return }
func.func @g() { return }
func.func private @declared()
