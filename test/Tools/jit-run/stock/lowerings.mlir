// Operations that need more than one step on their way down.
// RUN: jit-run %s -e vectors | FileCheck %s --check-prefix=VECTORS
// RUN: jit-run %s -e pack | FileCheck %s --check-prefix=PACK
// RUN: jit-run %s -e nonzero --input=5xi32="1 0 2 0 3" --repeat=3 | FileCheck %s --check-prefix=NONZERO
// RUN: jit-run %s -e recursive --input=i64=20 | FileCheck %s --check-prefix=RECURSIVE
// RUN: jit-run %s -e verify | FileCheck %s --check-prefix=VERIFY

func.func private @printMemrefI32(tensor<*xi32>)
func.func private @verifyMemRefI32(memref<*xi32>, memref<*xi32>) -> i64 attributes { llvm.emit_c_interface }

#rows = affine_map<(i, j, k) -> (i, k)>
#columns = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>
func.func @vectors() {
  %a = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : vector<2x2xf32>
  %v = arith.constant dense<[1.0, 2.0]> : vector<2xf32>
  %c = vector.contract {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]} %a, %a, %a : vector<2x2xf32>, vector<2x2xf32> into vector<2x2xf32>
  vector.print %c : vector<2x2xf32>
  %m = vector.multi_reduction <add>, %a, %v [1] : vector<2x2xf32> to vector<2xf32>
  vector.print %m : vector<2xf32>
  %s:2 = vector.scan <add>, %a, %v {inclusive = true, reduction_dim = 0} : vector<2x2xf32>, vector<2xf32>
  vector.print %s#0 : vector<2x2xf32>
  vector.print str "done\n"
  return
}
// VECTORS: ( ( 8, 12 ), ( 18, 26 ) )
// VECTORS-NEXT: ( 4, 9 )
// VECTORS-NEXT: ( ( 1, 2 ), ( 4, 6 ) )
// VECTORS-NEXT: done

// The size of the tile is known in the call only.
func.func private @tile() -> index {
  %c2 = arith.constant 2 : index
  return %c2 : index
}
func.func @pack() {
  %x = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
  %tile = func.call @tile() : () -> index
  %pad = arith.constant 99 : i32
  %e = tensor.empty(%tile, %tile) : tensor<?x?xi32>
  %p = linalg.pack %x padding_value(%pad : i32) inner_dims_pos = [0] inner_tiles = [%tile] into %e : tensor<3xi32> -> tensor<?x?xi32>
  %f = tensor.empty() : tensor<3xi32>
  %u = linalg.unpack %p inner_dims_pos = [0] inner_tiles = [%tile] into %f : tensor<?x?xi32> -> tensor<3xi32>
  %up = tensor.cast %p : tensor<?x?xi32> to tensor<*xi32>
  %uu = tensor.cast %u : tensor<3xi32> to tensor<*xi32>
  func.call @printMemrefI32(%up) : (tensor<*xi32>) -> ()
  func.call @printMemrefI32(%uu) : (tensor<*xi32>) -> ()
  return
}
// PACK: {{\[\[}}1,   2],
// PACK-NEXT: [3,   99]]
// PACK: [1,  2,  3]

// As many as there are.
func.func @nonzero(%x: tensor<?xi32>) -> memref<?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %count = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c0) -> index {
    %v = tensor.extract %x[%i] : tensor<?xi32>
    %is = arith.cmpi ne, %v, %zero : i32
    %more = arith.addi %sum, %c1 : index
    %next = arith.select %is, %more, %sum : index
    scf.yield %next : index
  }
  %m = memref.alloc(%count) : memref<?xi32>
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%at = %c0) -> index {
    %v = tensor.extract %x[%i] : tensor<?xi32>
    %is = arith.cmpi ne, %v, %zero : i32
    %next = scf.if %is -> index {
      memref.store %v, %m[%at] : memref<?xi32>
      %more = arith.addi %at, %c1 : index
      scf.yield %more : index
    } else {
      scf.yield %at : index
    }
    scf.yield %next : index
  }
  return %m : memref<?xi32>
}
// NONZERO: result[0]: 3xi32=[1, 2, 3]

func.func @recursive(%n: i64) -> i64 {
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %small = arith.cmpi slt, %n, %c2 : i64
  %r = scf.if %small -> i64 {
    scf.yield %n : i64
  } else {
    %a = arith.subi %n, %c1 : i64
    %b = arith.subi %n, %c2 : i64
    %x = func.call @recursive(%a) : (i64) -> i64
    %y = func.call @recursive(%b) : (i64) -> i64
    %sum = arith.addi %x, %y : i64
    scf.yield %sum : i64
  }
  return %r : i64
}
// RECURSIVE: result[0]: i64=6765

func.func @verify() -> i64 {
  %seven = arith.constant 7 : i32
  %m = memref.alloc() : memref<3xi32>
  %n = memref.alloc() : memref<3xi32>
  linalg.fill ins(%seven : i32) outs(%m : memref<3xi32>)
  memref.copy %m, %n : memref<3xi32> to memref<3xi32>
  %um = memref.cast %m : memref<3xi32> to memref<*xi32>
  %un = memref.cast %n : memref<3xi32> to memref<*xi32>
  %errors = func.call @verifyMemRefI32(%um, %un) : (memref<*xi32>, memref<*xi32>) -> i64
  memref.dealloc %m : memref<3xi32>
  memref.dealloc %n : memref<3xi32>
  return %errors : i64
}
// VERIFY: result[0]: i64=0
