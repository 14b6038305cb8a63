// Legal modules as no importer writes them. test_passes.py runs every pass on each; it makes the large ones
// itself.

module {}
// -----
func.func private @declared(tensor<?xf32>) -> tensor<?xf32>
// -----
func.func private @declared(%x: tensor<?xf32> {my.attribute}) -> tensor<?xf32>
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = call @declared(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
// -----
func.func @unreachable(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
^bb1:
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  cf.br ^bb2(%0 : tensor<4xf32>)
^bb2(%y: tensor<4xf32>):
  cf.br ^bb1
}
// -----
func.func @self_dominated() {
  return
^bb1:
  %0 = arith.addi %1, %1 : index
  %1 = arith.addi %0, %0 : index
  cf.br ^bb1
}
// -----
func.func @branches(%c: i1, %x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  cf.cond_br %c, ^bb1(%x : tensor<?xf32>), ^bb2
^bb1(%y: tensor<?xf32>):
  %0 = linalg.exp ins(%y : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  cf.cond_br %c, ^bb1(%0 : tensor<?xf32>), ^bb3(%0 : tensor<?xf32>)
^bb2:
  %e = tensor.empty(%n) : tensor<?xf32>
  cf.br ^bb3(%e : tensor<?xf32>)
^bb3(%z: tensor<?xf32>):
  return %z : tensor<?xf32>
}
// -----
func.func @irreducible(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  cf.cond_br %c, ^bb1(%x : tensor<4xf32>), ^bb2(%x : tensor<4xf32>)
^bb1(%a: tensor<4xf32>):
  %0 = linalg.exp ins(%a : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  cf.cond_br %c, ^bb2(%0 : tensor<4xf32>), ^bb3(%0 : tensor<4xf32>)
^bb2(%b: tensor<4xf32>):
  %1 = linalg.abs ins(%b : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  cf.cond_br %c, ^bb1(%1 : tensor<4xf32>), ^bb3(%1 : tensor<4xf32>)
^bb3(%r: tensor<4xf32>):
  return %r : tensor<4xf32>
}
// -----
func.func @endless() {
  cf.br ^bb1
^bb1:
  cf.br ^bb1
}
// -----
func.func @switches(%i: i32, %x: tensor<4xf32>) -> tensor<4xf32> {
  cf.switch %i : i32, [default: ^bb1, 7: ^bb2, 9: ^bb1]
^bb1:
  return %x : tensor<4xf32>
^bb2:
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// -----
func.func @self(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @self(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// -----
func.func @even(%n: i64, %x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %z = arith.cmpi eq, %n, %c0 : i64
  %r = scf.if %z -> tensor<4xf32> {
    scf.yield %x : tensor<4xf32>
  } else {
    %m = arith.subi %n, %c1 : i64
    %0 = func.call @odd(%m, %x) : (i64, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
func.func private @odd(%n: i64, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  %1 = call @even(%n, %0) : (i64, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
// -----
func.func @a(%x: f32) -> f32 {
  %0 = call @b(%x) : (f32) -> f32
  %1 = call @c(%0) : (f32) -> f32
  return %1 : f32
}
func.func @b(%x: f32) -> f32 {
  %0 = call @c(%x) : (f32) -> f32
  return %0 : f32
}
func.func @c(%x: f32) -> f32 {
  %0 = call @b(%x) : (f32) -> f32
  %1 = call @b(%0) : (f32) -> f32
  return %1 : f32
}
// -----
func.func @indirect(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %f = constant @one : (tensor<4xf32>) -> tensor<4xf32>
  %g = constant @two : (tensor<4xf32>) -> tensor<4xf32>
  %h = arith.select %c, %f, %g : (tensor<4xf32>) -> tensor<4xf32>
  %0 = call_indirect %h(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @one(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @two(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// -----
module @outer {
  module @inner {
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    module {
      jit.unit @u(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
        %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
        jit.return %0 : tensor<4xf32>
      }
    }
  }
  func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = linalg.abs ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// -----
func.func @rank_0(%x: tensor<f32>, %y: tensor<i1>) -> tensor<f32> {
  %0 = linalg.exp ins(%x : tensor<f32>) outs(%x : tensor<f32>) -> tensor<f32>
  %1 = tensor.extract %0[] : tensor<f32>
  %2 = tensor.from_elements %1 : tensor<f32>
  %3 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%2 : tensor<f32>) outs(%0 : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %4 = tensor.expand_shape %3 [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  %5 = tensor.collapse_shape %4 [] : tensor<1x1xf32> into tensor<f32>
  return %5 : tensor<f32>
}
// -----
func.func @unranked(%x: tensor<*xf32>, %d: index) -> (tensor<*xf32>, index, tensor<?x?xf32>) {
  %r = tensor.rank %x : tensor<*xf32>
  %n = tensor.dim %x, %d : tensor<*xf32>
  %c = tensor.cast %x : tensor<*xf32> to tensor<?x?xf32>
  %0 = linalg.exp ins(%c : tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = tensor.from_elements %n : tensor<1xindex>
  %1 = tensor.reshape %x(%s) : (tensor<*xf32>, tensor<1xindex>) -> tensor<?xf32>
  %2 = tensor.cast %1 : tensor<?xf32> to tensor<*xf32>
  return %2, %r, %0 : tensor<*xf32>, index, tensor<?x?xf32>
}
// -----
func.func @unranked_reshape(%x: tensor<?xf32>, %s: tensor<?xindex>) -> tensor<*xf32> {
  %0 = tensor.reshape %x(%s) : (tensor<?xf32>, tensor<?xindex>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}
// -----
func.func @empty(%x: tensor<0x?xf32>, %y: tensor<?x0xf32>, %z: tensor<0xf32>) -> (tensor<0x0xf32>, tensor<0xf32>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<0x0xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<0x0xf32>) -> tensor<0x0xf32>
  %0 = linalg.matmul ins(%x, %y : tensor<0x?xf32>, tensor<?x0xf32>) outs(%f : tensor<0x0xf32>) -> tensor<0x0xf32>
  %1 = linalg.exp ins(%z : tensor<0xf32>) outs(%z : tensor<0xf32>) -> tensor<0xf32>
  %c = arith.constant dense<> : tensor<0xf32>
  %2 = tensor.concat dim(0) %1, %c : (tensor<0xf32>, tensor<0xf32>) -> tensor<0xf32>
  %t = tensor.from_elements %zero : tensor<f32>
  %3 = linalg.reduce ins(%2 : tensor<0xf32>) outs(%t : tensor<f32>) dimensions = [0]
    (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
  return %0, %2, %3 : tensor<0x0xf32>, tensor<0xf32>, tensor<f32>
}
// -----
func.func @empty_reshape(%x: tensor<0x?xf32>, %n: index) -> tensor<?x0x4xf32> {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<0x?xf32> into tensor<?xf32>
  %1 = tensor.expand_shape %0 [[0, 1, 2]] output_shape [%n, 0, 4] : tensor<?xf32> into tensor<?x0x4xf32>
  %p = tensor.pad %1 low[0, 0, 0] high[0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    %zero = arith.constant 0.0 : f32
    tensor.yield %zero : f32
  } : tensor<?x0x4xf32> to tensor<?x0x4xf32>
  return %p : tensor<?x0x4xf32>
}
// -----
func.func @sizes_of_one(%x: tensor<1x1xf32>, %y: tensor<1x?xf32>) -> tensor<1x1x1xf32> {
  %e = tensor.empty() : tensor<1x1xf32>
  %0 = linalg.transpose ins(%x : tensor<1x1xf32>) outs(%e : tensor<1x1xf32>) permutation = [1, 0]
  %1 = linalg.matmul ins(%0, %x : tensor<1x1xf32>, tensor<1x1xf32>) outs(%e : tensor<1x1xf32>) -> tensor<1x1xf32>
  %2 = tensor.expand_shape %1 [[0], [1, 2]] output_shape [1, 1, 1] : tensor<1x1xf32> into tensor<1x1x1xf32>
  %3 = linalg.exp ins(%2 : tensor<1x1x1xf32>) outs(%2 : tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
  return %3 : tensor<1x1x1xf32>
}
// -----
func.func @vast(%x: tensor<1099511627776x1099511627776xf32>, %y: tensor<1099511627776x?xf64>) -> tensor<1099511627776x1099511627776xf32> {
  %0 = linalg.exp ins(%x : tensor<1099511627776x1099511627776xf32>) outs(%x : tensor<1099511627776x1099511627776xf32>) -> tensor<1099511627776x1099511627776xf32>
  %1 = linalg.matmul ins(%0, %x : tensor<1099511627776x1099511627776xf32>, tensor<1099511627776x1099511627776xf32>) outs(%x : tensor<1099511627776x1099511627776xf32>) -> tensor<1099511627776x1099511627776xf32>
  %c = tensor.collapse_shape %y [[0, 1]] : tensor<1099511627776x?xf64> into tensor<?xf64>
  return %1 : tensor<1099511627776x1099511627776xf32>
}
// -----
func.func @vast_splat() -> tensor<1099511627776xf32> {
  %w = arith.constant dense<2.0> : tensor<1099511627776xf32>
  %e = tensor.empty() : tensor<1099511627776xf32>
  %0 = linalg.exp ins(%w : tensor<1099511627776xf32>) outs(%e : tensor<1099511627776xf32>) -> tensor<1099511627776xf32>
  return %0 : tensor<1099511627776xf32>
}
// -----
func.func @overflowing_indices(%x: tensor<?xf32>) -> (tensor<?xf32>, index) {
  %max = arith.constant 9223372036854775807 : index
  %min = arith.constant -9223372036854775808 : index
  %m1 = arith.constant -1 : index
  %c0 = arith.constant 0 : index
  %a = arith.addi %max, %max : index
  %b = arith.muli %min, %m1 : index
  %d = arith.divsi %min, %m1 : index
  %e = arith.remsi %min, %m1 : index
  %f = arith.divsi %max, %c0 : index
  %g = arith.ceildivsi %min, %m1 : index
  %h = arith.floordivsi %min, %m1 : index
  %s = arith.shli %max, %max : index
  %i = arith.addi %a, %b : index
  %j = arith.addi %d, %e : index
  %k = arith.addi %f, %g : index
  %l = arith.addi %h, %s : index
  %m = arith.addi %i, %j : index
  %n = arith.addi %k, %l : index
  %o = arith.addi %m, %n : index
  %0 = tensor.extract_slice %x[%a] [%b] [%d] : tensor<?xf32> to tensor<?xf32>
  return %0, %o : tensor<?xf32>, index
}
// -----
func.func @negative_sizes(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %m1 = arith.constant -1 : index
  %e = tensor.empty(%m1) : tensor<?xf32>
  %0 = tensor.extract_slice %x[%m1] [%m1] [%m1] : tensor<?xf32> to tensor<?xf32>
  %1 = linalg.exp ins(%0 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %2 = tensor.extract_slice %1[4] [%m1] [-2] : tensor<?xf32> to tensor<?xf32>
  return %1, %2 : tensor<?xf32>, tensor<?xf32>
}
// -----
func.func @loops_that_never_run(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %m1 = arith.constant -1 : index
  %0 = scf.for %i = %c5 to %c0 step %c5 iter_args(%a = %x) -> tensor<4xf32> {
    %1 = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  %2 = scf.for %i = %c0 to %c5 step %c0 iter_args(%a = %0) -> tensor<4xf32> {
    scf.yield %a : tensor<4xf32>
  }
  %3 = scf.for %i = %c0 to %c5 step %m1 iter_args(%a = %2) -> tensor<4xf32> {
    scf.yield %a : tensor<4xf32>
  }
  return %3 : tensor<4xf32>
}
// -----
func.func @loops_of_other_integers(%n: i8, %x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i8
  %c1 = arith.constant 1 : i8
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> : i8 {
    %1 = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  %2 = scf.for unsigned %i = %c0 to %n step %c1 iter_args(%a = %0) -> tensor<4xf32> : i8 {
    scf.yield %a : tensor<4xf32>
  }
  return %2 : tensor<4xf32>
}
// -----
func.func @complex(%x: tensor<?xcomplex<f32>>, %s: complex<f64>) -> (tensor<?xcomplex<f32>>, complex<f64>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xcomplex<f32>>) outs(%x : tensor<?xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %c = complex.mul %a, %b : complex<f32>
    linalg.yield %c : complex<f32>
  } -> tensor<?xcomplex<f32>>
  %k = arith.constant dense<(1.0, 2.0)> : tensor<4xcomplex<f32>>
  %1 = complex.exp %s : complex<f64>
  return %0, %1 : tensor<?xcomplex<f32>>, complex<f64>
}
// -----
func.func @vectors(%x: tensor<4xvector<4xf32>>, %v: vector<8xf32>, %z: vector<[4]xf32>) -> (tensor<4xvector<4xf32>>, vector<8xf32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xvector<4xf32>>) outs(%x : tensor<4xvector<4xf32>>) {
  ^bb0(%a: vector<4xf32>, %b: vector<4xf32>):
    %c = arith.addf %a, %b : vector<4xf32>
    linalg.yield %c : vector<4xf32>
  } -> tensor<4xvector<4xf32>>
  %1 = arith.mulf %v, %v : vector<8xf32>
  %2 = math.exp %1 : vector<8xf32>
  return %0, %2 : tensor<4xvector<4xf32>>, vector<8xf32>
}
// -----
func.func @scalable_unit() {
  return
}
jit.unit @u(%x: tensor<?x4xf32>, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x4xf32>) outs(%o : tensor<?x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %v = vector.broadcast %a : f32 to vector<[4]xf32>
    %w = math.exp %v : vector<[4]xf32>
    %e = vector.extract %w[0] : f32 from vector<[4]xf32>
    linalg.yield %e : f32
  } -> tensor<?x4xf32>
  jit.return %r : tensor<?x4xf32>
}
// -----
func.func @odd_integers(%x: tensor<?xi3>, %y: tensor<?xi65>, %z: tensor<?xi1000>, %u: tensor<?xui8>, %s: tensor<?xsi16>) -> (tensor<?xi3>, tensor<?xi65>, tensor<?xi1000>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xi3>) outs(%x : tensor<?xi3>) {
  ^bb0(%a: i3, %b: i3):
    %c = arith.muli %a, %b : i3
    %d = arith.ceildivsi %c, %a : i3
    linalg.yield %d : i3
  } -> tensor<?xi3>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%y : tensor<?xi65>) outs(%y : tensor<?xi65>) {
  ^bb0(%a: i65, %b: i65):
    %k = arith.constant 18446744073709551616 : i65
    %c = arith.divsi %a, %k : i65
    %d = arith.maxsi %c, %b : i65
    linalg.yield %d : i65
  } -> tensor<?xi65>
  %2 = linalg.add ins(%z, %z : tensor<?xi1000>, tensor<?xi1000>) outs(%z : tensor<?xi1000>) -> tensor<?xi1000>
  return %0, %1, %2 : tensor<?xi3>, tensor<?xi65>, tensor<?xi1000>
}
// -----
func.func @no_bits(%x: tensor<4xi0>) -> tensor<4xi0> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xi0>) outs(%x : tensor<4xi0>) {
  ^bb0(%a: i0, %b: i0):
    %c = arith.addi %a, %b : i0
    linalg.yield %c : i0
  } -> tensor<4xi0>
  return %0 : tensor<4xi0>
}
// -----
func.func @wide_scalars(%a: i128, %b: i128, %f: f80, %g: f128, %t: tf32) -> (i128, i1, f80, f128) {
  %0 = arith.addi %a, %b : i128
  %k = arith.constant 170141183460469231731687303715884105727 : i128
  %1 = arith.cmpi slt, %0, %k : i128
  %2 = arith.addf %f, %f : f80
  %3 = math.exp %g : f128
  return %0, %1, %2, %3 : i128, i1, f80, f128
}
// -----
func.func @f8(%x: tensor<?xf8E4M3FN>, %y: tensor<?xf8E5M2>, %z: tensor<8xf4E2M1FN>) -> tensor<?xf8E4M3FN> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<?xf8E4M3FN>, tensor<?xf8E5M2>) outs(%x : tensor<?xf8E4M3FN>) {
  ^bb0(%a: f8E4M3FN, %b: f8E5M2, %o: f8E4M3FN):
    %c = arith.extf %a : f8E4M3FN to f32
    %d = arith.extf %b : f8E5M2 to f32
    %e = arith.mulf %c, %d : f32
    %t = arith.truncf %e : f32 to f8E4M3FN
    linalg.yield %t : f8E4M3FN
  } -> tensor<?xf8E4M3FN>
  return %0 : tensor<?xf8E4M3FN>
}
// -----
func.func @quantised(%x: tensor<?x4x!quant.uniform<i8:f32, 0.5:3>>, %y: tensor<4xf32>) -> tensor<?x4x!quant.uniform<i8:f32, 0.5:3>> {
  %0 = quant.qcast %y : tensor<4xf32> to tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %c = quant.scast %0 : tensor<4x!quant.uniform<i8:f32, 0.5:3>> to tensor<4xi8>
  return %x : tensor<?x4x!quant.uniform<i8:f32, 0.5:3>>
}
// -----
func.func @other_elements(%x: tensor<2xi32, "encoding">, %s: tensor<?x!shape.shape>, %n: none) -> tensor<2xi32, "encoding"> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<2xi32, "encoding">) outs(%x : tensor<2xi32, "encoding">) {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    linalg.yield %c : i32
  } -> tensor<2xi32, "encoding">
  return %0 : tensor<2xi32, "encoding">
}
// -----
func.func @on_memrefs(%x: memref<?x4xf32>, %y: memref<?x4xf32, strided<[?, 2], offset: 7>>, %u: memref<*xf32>, %s: memref<f32, 3>) {
  linalg.exp ins(%x : memref<?x4xf32>) outs(%y : memref<?x4xf32, strided<[?, 2], offset: 7>>)
  %c0 = arith.constant 0 : index
  %0 = memref.load %x[%c0, %c0] : memref<?x4xf32>
  memref.store %0, %s[] : memref<f32, 3>
  %a = memref.alloc(%c0) : memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  return
}
// -----
memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
func.func @both(%x: memref<4xf32>, %t: tensor<4xf32>) -> tensor<4xf32> {
  %g = memref.get_global @table : memref<4xf32>
  %0 = bufferization.to_tensor %g restrict : memref<4xf32> to tensor<4xf32>
  %1 = linalg.add ins(%0, %t : tensor<4xf32>, tensor<4xf32>) outs(%t : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %1 in writable %x : (tensor<4xf32>, memref<4xf32>) -> ()
  return %1 : tensor<4xf32>
}
// -----
func.func @unregistered(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "foreign.op"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.exp ins(%0 : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  %2 = "foreign.region"(%1) ({
  ^bb0(%a: tensor<4xf32>):
    %3 = linalg.abs ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    "foreign.yield"(%3) : (tensor<4xf32>) -> ()
  }) {value = #foreign.attribute<7>} : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
"foreign.function"() ({
  %0 = "foreign.tensor"() : () -> tensor<?xf32>
  %1 = linalg.exp ins(%0 : tensor<?xf32>) outs(%0 : tensor<?xf32>) -> tensor<?xf32>
}) {sym_name = "foreign"} : () -> ()
// -----
func.func @foreign_types(%x: !foreign.type<4>, %y: tensor<4x!foreign.element>) -> !foreign.type<4> {
  %0 = scf.execute_region -> !foreign.type<4> {
    scf.yield %x : !foreign.type<4>
  }
  return %0 : !foreign.type<4>
}
// -----
func.func @"with space"(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @"a.\22quoted\22/name"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @"a.\22quoted\22/name"(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
jit.unit @"u .\22\0A%"(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  jit.return %0 : tensor<4xf32>
}
func.func @""(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %0 = jit.invoke @"u .\22\0A%"(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// -----
func.func @f.exp_0(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @__jit_init() -> tensor<4xf32> {
  %0 = arith.constant dense<1.0> : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.log ins(%c : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
// -----
func.func @region_that_captures(%x: tensor<?xf32>, %n: index, %s: f32, %c: i1) -> (tensor<?xf32>, tensor<?xf32>) {
  %r = jit.region -> tensor<?xf32> {
    %e = tensor.empty(%n) : tensor<?xf32>
    %i = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%a: f32, %b: f32):
      %f = arith.uitofp %c : i1 to f32
      %m = arith.mulf %a, %s : f32
      %p = arith.addf %m, %f : f32
      linalg.yield %p : f32
    } -> tensor<?xf32>
    jit.yield %i : tensor<?xf32>
  }
  %q = jit.region -> tensor<?xf32> {
    %y = linalg.exp ins(%r : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
    jit.yield %y : tensor<?xf32>
  }
  return %q, %r : tensor<?xf32>, tensor<?xf32>
}
// -----
func.func @regions_of_nothing(%x: tensor<4xf32>) -> tensor<4xf32> {
  jit.region {
    jit.yield
  }
  %r = jit.region -> tensor<4xf32> {
    jit.yield %x : tensor<4xf32>
  }
  %c = jit.region -> tensor<4xf32> {
    %k = arith.constant dense<1.0> : tensor<4xf32>
    jit.yield %k : tensor<4xf32>
  }
  %s = linalg.add ins(%r, %c : tensor<4xf32>, tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}
// -----
func.func @region_with_control(%x: tensor<4xf32>, %c: i1, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = jit.region -> tensor<4xf32> {
    cf.assert %c, "no"
    %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
      %1 = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
      scf.yield %1 : tensor<4xf32>
    }
    %2 = tensor.extract %0[%c0] : tensor<4xf32>
    %3 = tensor.insert %2 into %0[%c1] : tensor<4xf32>
    jit.yield %3 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
// -----
func.func @regions_in_control(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %0 = scf.while (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    scf.condition(%c) %a : tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>):
    %r = jit.region -> tensor<4xf32> {
      %1 = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
      jit.yield %1 : tensor<4xf32>
    }
    scf.yield %r : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
// -----
jit.unit @unused_public(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  jit.return %x : tensor<4xf32>
}
jit.unit private @unused(%x: tensor<4xf32>, %o: tensor<4xf32> {jit.write_only}) -> tensor<4xf32> {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  jit.return %0 : tensor<4xf32>
}
jit.unit private @no_results(%x: tensor<4xf32>, %c: i1) {
  cf.assert %c, "no"
  jit.return
}
jit.unit private @nothing() {
  jit.return
}
jit.unit private @returns_destination(%o: tensor<4xf32>) -> tensor<4xf32> {
  jit.return %o : tensor<4xf32>
}
jit.unit private @twice(%x: tensor<4xf32>, %o: tensor<4xf32>, %p: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  jit.return %0, %0 : tensor<4xf32>, tensor<4xf32>
}
jit.unit private @constants(%o: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  jit.return %0 : tensor<4xf32>
}
func.func @calls(%x: tensor<4xf32>, %c: i1) -> (tensor<4xf32>, tensor<4xf32>) {
  jit.invoke @no_results(%x, %c : tensor<4xf32>, i1) {effects}
  jit.invoke @nothing()
  %e = tensor.empty() : tensor<4xf32>
  %r:2 = jit.invoke @twice(%x : tensor<4xf32>) outs(%e, %x : tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %s = jit.invoke @returns_destination() outs(%r#0 : tensor<4xf32>) -> tensor<4xf32>
  %t = jit.invoke @constants() outs(%r#1 : tensor<4xf32>) -> tensor<4xf32>
  return %s, %t : tensor<4xf32>, tensor<4xf32>
}
// -----
func.func private @only_units_call()
jit.unit @odd_unit(%x: tensor<0x?xf32>, %s: complex<f32>, %i: i3, %o: tensor<?x0xf32>) -> tensor<?x0xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<0x?xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %o) -> tensor<?x0xf32> {
    %1 = linalg.exp ins(%a : tensor<?x0xf32>) outs(%o : tensor<?x0xf32>) -> tensor<?x0xf32>
    scf.yield %1 : tensor<?x0xf32>
  }
  jit.return %r : tensor<?x0xf32>
}
// -----
jit.unit @generic(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  jit.return %0 : tensor<?xf32>
}
jit.unit private @special(%x: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%o : tensor<8xf32>) -> tensor<8xf32>
  jit.return %0 : tensor<8xf32>
}
jit.variant @special of @generic when (<[8]>, <[8]>)
func.func @guarded(%x: tensor<?xf32>, %o: tensor<?xf32>, %m: memref<?xf32>) -> tensor<?xf32> {
  %ok = jit.guard %x in <[exp2(3 ... 4)]>, %m in <[?]> : tensor<?xf32>, memref<?xf32>
  %r = scf.if %ok -> tensor<?xf32> {
    %0 = jit.invoke @generic(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %0 : tensor<?xf32>
  } else {
    scf.yield %o : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
// -----
func.func @attributes(%x: tensor<4xf32>) -> tensor<4xf32> attributes {jit.hotness = #jit.hotness<count = 9223372036854775807, time_us = 1.0e300>} {
  %0 = linalg.exp {jit.hotness = #jit.hotness<count = 0>, jit.tier = #jit.tier<peak>} ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.exp {jit.hotness = #jit.hotness<score = 0.0>} ins(%0 : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
// -----
func.func @no_results(%x: tensor<4xf32>, %c: i1) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) {
  ^bb0(%a: f32):
    cf.assert %c, "no"
    linalg.yield
  }
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
#wide = affine_map<(i, j) -> (i floordiv 2 + j mod 3, j * 7 - 4)>
func.func @indexing(%x: tensor<?x?xf32>, %o: tensor<?x?xf32>, %s: f32) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = linalg.generic {indexing_maps = [#wide, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (0, 0)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %n = linalg.index 0 : index
    %k = arith.index_cast %n : index to i64
    %f = arith.sitofp %k : i64 to f32
    linalg.yield %f : f32
  } -> tensor<?x?xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> ()>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%s, %1 : f32, tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %n = linalg.index 1 : index
    %v = tensor.extract %x[%n, %n] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  return %0, %1, %2 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}
// -----
func.func @regions_in_bodies(%x: tensor<?xf32>, %o: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %6 = linalg.index 0 : index
    %1 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %a) -> f32 {
      %2 = tensor.extract %x[%k] : tensor<?xf32>
      %3 = arith.addf %s, %2 : f32
      scf.yield %3 : f32
    }
    %4 = arith.cmpf ogt, %1, %b : f32
    %5 = scf.if %4 -> f32 {
      scf.yield %1 : f32
    } else {
      %7 = tensor.extract %o[%6] : tensor<?xf32>
      scf.yield %7 : f32
    }
    linalg.yield %5 : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
// -----
func.func @named_ops(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %k: tensor<2x2xf32>, %o: tensor<?x?x?x?xf32>, %q: tensor<?x?x?xi8>, %p: tensor<?x?x?xi32>) -> (tensor<?x?x?x?xf32>, tensor<?x?x?xi32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) {
  %z = arith.constant 3 : i32
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<2> : tensor<2xi64>, strides = dense<3> : tensor<2xi64>}
      ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %1 = linalg.batch_matmul ins(%q, %q : tensor<?x?x?xi8>, tensor<?x?x?xi8>) outs(%p : tensor<?x?x?xi32>) -> tensor<?x?x?xi32>
  %2 = linalg.pooling_nchw_max ins(%0, %k : tensor<?x?x?x?xf32>, tensor<2x2xf32>) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %3 = linalg.softmax dimension(3) ins(%2 : tensor<?x?x?x?xf32>) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %0, %1, %2, %3 : tensor<?x?x?x?xf32>, tensor<?x?x?xi32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>
}
// -----
func.func @mixed_contraction(%x: tensor<?x?xf16>, %y: tensor<?x?xbf16>, %o: tensor<?x?xf64>, %c: tensor<?xcomplex<f64>>, %d: tensor<complex<f64>>) -> (tensor<?x?xf64>, tensor<complex<f64>>) {
  %0 = linalg.matmul ins(%x, %y : tensor<?x?xf16>, tensor<?x?xbf16>) outs(%o : tensor<?x?xf64>) -> tensor<?x?xf64>
  %1 = linalg.dot ins(%c, %c : tensor<?xcomplex<f64>>, tensor<?xcomplex<f64>>) outs(%d : tensor<complex<f64>>) -> tensor<complex<f64>>
  return %0, %1 : tensor<?x?xf64>, tensor<complex<f64>>
}
// -----
func.func @packs(%x: tensor<?x?xf32>, %n: index, %o: tensor<?x?x8x?xf32>, %v: f32) -> tensor<?x?xf32> {
  %0 = linalg.pack %x padding_value(%v : f32) inner_dims_pos = [0, 1] inner_tiles = [8, %n] into %o : tensor<?x?xf32> -> tensor<?x?x8x?xf32>
  %1 = linalg.unpack %0 inner_dims_pos = [0, 1] inner_tiles = [8, %n] into %x : tensor<?x?x8x?xf32> -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
// -----
func.func @no_static_sizes(%x: tensor<?x?xf32>, %i: index, %j: index, %k: index) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %a = tensor.dim %x, %i : tensor<?x?xf32>
  %0 = tensor.extract_slice %x[%i, %j] [%a, %k] [%j, %i] : tensor<?x?xf32> to tensor<?x?xf32>
  %1 = tensor.insert_slice %0 into %x[%k, %i] [%a, %k] [%i, %k] : tensor<?x?xf32> into tensor<?x?xf32>
  %2 = tensor.generate %k, %a {
  ^bb0(%p: index, %q: index):
    %v = tensor.extract %1[%q, %p] : tensor<?x?xf32>
    tensor.yield %v : f32
  } : tensor<?x?xf32>
  %3 = tensor.pad %2 low[%i, %j] high[%k, 0] {
  ^bb0(%p: index, %q: index):
    %v = tensor.extract %1[%q, %p] : tensor<?x?xf32>
    tensor.yield %v : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  return %1, %2, %3 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}
// -----
func.func @results_that_are_arguments(%x: tensor<4xf32>, %y: tensor<?xi1>, %s: f32) -> (tensor<4xf32>, tensor<4xf32>, tensor<?xi1>, f32) {
  return %x, %x, %y, %s : tensor<4xf32>, tensor<4xf32>, tensor<?xi1>, f32
}
// -----
func.func @nothing_at_all() {
  return
}
// -----
func.func @undefined(%n: index) -> (tensor<4xf32>, f32, tensor<?xf32>) {
  %0 = ub.poison : f32
  %1 = tensor.splat %0 : tensor<4xf32>
  %2 = ub.poison : tensor<?xf32>
  return %1, %0, %2 : tensor<4xf32>, f32, tensor<?xf32>
}
// -----
func.func @tosa(%x: tensor<1x?x4x3xf32>, %s: tensor<*xf32>) -> (tensor<1x?x4x3xf32>, tensor<*xf32>) {
  %0 = tosa.add %x, %x : (tensor<1x?x4x3xf32>, tensor<1x?x4x3xf32>) -> tensor<1x?x4x3xf32>
  %1 = tosa.exp %s : (tensor<*xf32>) -> tensor<*xf32>
  return %0, %1 : tensor<1x?x4x3xf32>, tensor<*xf32>
}
// -----
ml_program.global private mutable @state(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
ml_program.global private @fixed(dense<1.0> : tensor<4xf32>) : tensor<4xf32>
func.func @globals() -> tensor<4xf32> {
  %0 = ml_program.global_load @state : tensor<4xf32>
  %1 = ml_program.global_load_const @fixed : tensor<4xf32>
  %2 = linalg.add ins(%0, %1 : tensor<4xf32>, tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  ml_program.global_store @state = %2 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
// -----
llvm.func @printf(!llvm.ptr, ...) -> i32
llvm.mlir.global internal constant @text("hello\00")
func.func @llvm_inside(%x: f32) -> f32 {
  %0 = llvm.mlir.addressof @text : !llvm.ptr
  %1 = llvm.call @printf(%0) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr) -> i32
  %2 = llvm.fadd %x, %x : f32
  return %2 : f32
}
// -----
func.func @parallel(%n: index, %x: tensor<?xf32>) -> (tensor<?xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.forall (%i) = (%c0) to (%n) step (%c1) shared_outs(%o = %x) -> tensor<?xf32> {
    %s = tensor.extract_slice %o[%i] [1] [1] : tensor<?xf32> to tensor<1xf32>
    %e = linalg.exp ins(%s : tensor<1xf32>) outs(%s : tensor<1xf32>) -> tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %o[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
    }
  }
  %s = scf.parallel (%i) = (%c0) to (%n) step (%c1) init(%zero) -> f32 {
    %v = tensor.extract %x[%i] : tensor<?xf32>
    scf.reduce(%v : f32) {
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      scf.reduce.return %t : f32
    }
  }
  return %r, %s : tensor<?xf32>, f32
}
// -----
func.func @affine(%x: memref<?xf32>, %n: index) -> index {
  affine.for %i = 0 to %n {
    %0 = affine.load %x[%i] : memref<?xf32>
    affine.store %0, %x[%i] : memref<?xf32>
  }
  %0 = affine.apply affine_map<(i)[s] -> (i floordiv s + i ceildiv 0)>(%n)[%n]
  %1 = affine.min affine_map<(i) -> (i mod 0, i)>(%n)
  %2 = arith.addi %0, %1 : index
  return %2 : index
}
