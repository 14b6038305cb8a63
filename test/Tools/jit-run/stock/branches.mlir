// A choice between tensors or buffers by one condition takes one of them, of whatever size the other is.
// RUN: jit-run %s -e branch --input=0xf32=1 --input=3xf32=2 --input=i1=0 | FileCheck %s --check-prefix=SECOND
// RUN: jit-run %s -e branch --input=1xf32=1 --input=3xf32=2 --input=i1=0 | FileCheck %s --check-prefix=SECOND
// RUN: jit-run %s -e branch --input=3xf32=2 --input=0xf32=1 --input=i1=1 | FileCheck %s --check-prefix=SECOND
// RUN: jit-run %s -e branch --input=3xf32=2 --input=3xf32=1 --input=i1=1 | FileCheck %s --check-prefix=SECOND
// RUN: jit-run %s -e branch --input=0xf32=1 --input=3xf32=2 --input=i1=1 | FileCheck %s --check-prefix=EMPTY
// RUN: jit-run %s -e branch --input=3xf32=1 --input=0xf32=2 --input=i1=0 | FileCheck %s --check-prefix=EMPTY
// SECOND: result[0]: 3xf32=[2, 2, 2]
// EMPTY: result[0]: 0xf32=[]
func.func @branch(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  %r = scf.if %c -> (tensor<?xf32>) {
    scf.yield %a : tensor<?xf32>
  } else {
    scf.yield %b : tensor<?xf32>
  }
  vector.print punctuation <no_punctuation>
  return %r : tensor<?xf32>
}

// RUN: jit-run %s -e select --input=1x2xf32=1 --input=2x3xf32=2 --input=i1=0 | FileCheck %s --check-prefix=SELECT
// RUN: jit-run %s -e select --input=1x2xf32=1 --input=2x3xf32=2 --input=i1=1 | FileCheck %s --check-prefix=SELECT1
// SELECT: result[0]: 2x3xf32={{\[\[}}4, 4, 4], [4, 4, 4]]
// SELECT1: result[0]: 1x2xf32={{\[\[}}2, 2]]
func.func @select(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: i1) -> tensor<?x?xf32> {
  vector.print punctuation <no_punctuation>
  %r = arith.select %c, %a, %b : tensor<?x?xf32>
  %s = arith.addf %r, %r : tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}

// Element by element where the condition has elements; the untaken branch may not be read.
// RUN: jit-run %s -e elements --input=2xf32=1 --input=2xf32=2 "--input=2xi1=0 1" | FileCheck %s --check-prefix=ELEMENTS
// ELEMENTS: result[0]: 2xf32=[2, 1]
func.func @elements(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xi1>) -> tensor<?xf32> {
  vector.print punctuation <no_punctuation>
  %r = arith.select %c, %a, %b : tensor<?xi1>, tensor<?xf32>
  return %r : tensor<?xf32>
}

// RUN: jit-run %s -e buffers --input=i1=0 --input=index=1 --input=index=3 | FileCheck %s --check-prefix=BUFFERS
// RUN: jit-run %s -e buffers --input=i1=1 --input=index=1 --input=index=3 | FileCheck %s --check-prefix=BUFFERS1
// BUFFERS: result[0]: 3xf32=[2, 2, 2]
// BUFFERS1: result[0]: 1xf32=[1]
func.func @buffers(%c: i1, %n: index, %m: index) -> memref<?xf32> {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc(%m) : memref<?xf32>
  linalg.fill ins(%one : f32) outs(%a : memref<?xf32>)
  linalg.fill ins(%two : f32) outs(%b : memref<?xf32>)
  %r = scf.if %c -> (memref<?xf32>) {
    scf.yield %a : memref<?xf32>
  } else {
    scf.yield %b : memref<?xf32>
  }
  return %r : memref<?xf32>
}

// In a loop: the sizes change from one iteration to the next.
// RUN: jit-run %s -e loop --input=1xf32=1 --input=3xf32=2 --input=index=3 | FileCheck %s --check-prefix=LOOP
// RUN: jit-run %s -e loop --input=1xf32=1 --input=3xf32=2 --input=index=4 | FileCheck %s --check-prefix=LOOP4
// LOOP: result[0]: 3xf32=[2, 2, 2]
// LOOP4: result[0]: 1xf32=[1]
func.func @loop(%a: tensor<?xf32>, %b: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %r, %flag = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %t = %true) -> (tensor<?xf32>, i1) {
    %y = arith.select %t, %b, %a : tensor<?xf32>
    %not = arith.xori %t, %true : i1
    vector.print punctuation <no_punctuation>
    scf.yield %y, %not : tensor<?xf32>, i1
  }
  return %r : tensor<?xf32>
}
