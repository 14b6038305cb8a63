// RUN: jit-opt %s --split-input-file --jit-lower-unit-bodies | FileCheck %s

// The body of an element-wise operation: what stands still along a row is in the block before the
// loop, elements are read and written by vectors.

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: llvm.func @rows_are_uniform.body.0(%{{.*}}: !llvm.ptr) -> i32
// CHECK:   %[[DIRECT:.*]] = llvm.icmp "eq"
// CHECK:   %[[STEP:.*]] = llvm.select %[[DIRECT]]
// CHECK:   %[[LIMIT:.*]] = llvm.select %[[DIRECT]]
// CHECK:   %[[MASK:.*]] = llvm.bitcast %{{.*}} : i16 to vector<16xi1>
// CHECK:   llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK:   %[[M:.*]] = llvm.shufflevector
// CHECK:   %[[SQUARE:.*]] = arith.mulf %[[M]], %[[M]] : vector<16xf32>
// CHECK:   llvm.br ^[[BODY:.*]](%{{.*}} : i64)
// CHECK: ^[[BODY]](%[[COLUMN:.*]]: i64):
// CHECK:   %[[P:.*]] = llvm.getelementptr %{{.*}}[%[[COLUMN]]]
// CHECK:   %[[A:.*]] = llvm.intr.masked.load %[[P]], %[[MASK]]
// CHECK:   %[[R:.*]] = arith.subf %[[A]], %[[SQUARE]] : vector<16xf32>
// CHECK:   %[[Q:.*]] = llvm.getelementptr %{{.*}}[%[[COLUMN]]]
// CHECK:   llvm.intr.masked.store %[[R]], %[[Q]], %[[MASK]]
// CHECK:   %[[NEXT:.*]] = llvm.add %[[COLUMN]], %[[STEP]]
// CHECK:   %[[MORE:.*]] = llvm.icmp "sle" %[[NEXT]], %[[LIMIT]] : i64
// CHECK:   llvm.cond_br %[[MORE]], ^[[BODY]](%[[NEXT]] : i64)
// CHECK-LABEL: llvm.func @rows_are_uniform(%{{.*}}: !llvm.ptr) -> i32
// CHECK:   %[[TABLE:.*]] = llvm.alloca
// CHECK:   %[[CODE:.*]] = llvm.mlir.addressof @rows_are_uniform.body.0
// CHECK:   llvm.store %[[CODE]], %[[TABLE]]
jit.unit @rows_are_uniform(%x: tensor<?x?xf32>, %m: tensor<?xf32>,
                           %out: tensor<?x?xf32> {jit.write_only}) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [#id, #row, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<?x?xf32>, tensor<?xf32>) outs(%out : tensor<?x?xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.mulf %b, %b : f32
      %d = arith.subf %a, %s : f32
      linalg.yield %d : f32
  } -> tensor<?x?xf32>
  jit.return %r : tensor<?x?xf32>
}

// -----

// A reduction carries its 16 lanes, adds the columns to them 16 at a time and combines them in a tree;
// its first operation, a fill, has no code. A body with a polynomial works on two registers at once.

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: llvm.func @lanes.body.1
// CHECK-DAG: %[[START:.*]] = llvm.mlir.constant(dense<-0.000000e+00> : vector<16xf32>)
// CHECK:   %[[POWER:.*]] = math.exp {{.*}} : vector<32xf32>
// CHECK:   %[[FIRST:.*]] = llvm.shufflevector %[[POWER]], {{.*}} [0, 1, 2, {{.*}}, 15]
// CHECK:   %[[NEW:.*]] = arith.addf %[[SUM:.*]], %[[FIRST]] : vector<16xf32>
// CHECK:   %[[HALF:.*]] = llvm.select %{{.*}}, %[[NEW]], %[[SUM]] : vector<16xi1>, vector<16xf32>
// CHECK:   %[[SECOND:.*]] = llvm.shufflevector %[[POWER]], {{.*}} [16, 17, 18, {{.*}}, 31]
// CHECK:   %[[ALL:.*]] = arith.addf %[[HALF]], %[[SECOND]] : vector<16xf32>
// CHECK:   llvm.select %{{.*}}, %[[ALL]], %[[HALF]] : vector<16xi1>, vector<16xf32>
// CHECK:   %[[LOW:.*]] = llvm.shufflevector %{{.*}} [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK:   %[[HIGH:.*]] = llvm.shufflevector %{{.*}} [8, 9, 10, 11, 12, 13, 14, 15]
// CHECK:   arith.addf %[[LOW]], %[[HIGH]] : vector<8xf32>
// CHECK-LABEL: llvm.func @lanes(
// CHECK:   llvm.mlir.zero
// CHECK:   llvm.mlir.addressof @lanes.body.1
jit.unit @lanes(%x: tensor<?x?xf32>, %m: tensor<?xf32>,
                %out: tensor<?xf32> {jit.write_only}) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %i = linalg.fill ins(%zero : f32) outs(%out : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x, %m : tensor<?x?xf32>, tensor<?xf32>) outs(%i : tensor<?xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %d = arith.subf %a, %b : f32
      %s = math.exp %d : f32
      %t = arith.addf %s, %o : f32
      linalg.yield %t : f32
  } -> tensor<?xf32>
  jit.return %r : tensor<?xf32>
}

// -----

// bf16 is held in f32 and rounded, on its bits, by each operation; flags of operations that would
// allow other bits are dropped.

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: llvm.func @half.body.0
// CHECK:   llvm.intr.masked.load {{.*}} -> vector<16xi16>
// CHECK:   %[[SUM:.*]] = arith.addf %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK:   arith.bitcast %[[SUM]] : vector<16xf32> to vector<16xi32>
// CHECK:   llvm.intr.masked.store {{.*}} : vector<16xi16>
jit.unit @half(%x: tensor<?xbf16>, %out: tensor<?xbf16> {jit.write_only}) -> tensor<?xbf16> {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xbf16>) outs(%out : tensor<?xbf16>) {
    ^bb0(%a: bf16, %o: bf16):
      %d = arith.addf %a, %a fastmath<fast> : bf16
      linalg.yield %d : bf16
  } -> tensor<?xbf16>
  jit.return %r : tensor<?xbf16>
}

// -----

// Asserts and gathers: a failure of some element that is there makes the function return 1.

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: llvm.func @fails.body.0
// CHECK:   %[[FAILS:.*]] = llvm.xor
// CHECK:   llvm.and %[[FAILS]], %[[MASK:.*]] : vector<8xi1>
// CHECK:   llvm.intr.masked.gather
// CHECK:   %[[ANY:.*]] = llvm.icmp "ne"
// CHECK:   llvm.cond_br %[[ANY]], ^[[FAILED:bb[0-9]+]], ^
// CHECK: ^[[FAILED]]:
// CHECK:   llvm.return %{{.*}} : i32
jit.unit @fails(%i: tensor<?xi64>, %table: tensor<?xf32>,
                %out: tensor<?xf32> {jit.write_only}) -> tensor<?xf32> {
  %zero = arith.constant 0 : i64
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%i : tensor<?xi64>) outs(%out : tensor<?xf32>) {
    ^bb0(%a: i64, %o: f32):
      %ok = arith.cmpi sge, %a, %zero : i64
      cf.assert %ok, "negative"
      %n = arith.index_cast %a : i64 to index
      %v = tensor.extract %table[%n] : tensor<?xf32>
      linalg.yield %v : f32
  } -> tensor<?xf32>
  jit.return %r : tensor<?xf32>
}
