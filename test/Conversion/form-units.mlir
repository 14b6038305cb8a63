// RUN: jit-opt %s --jit-form-units --split-input-file | FileCheck %s

// A contraction takes the fill of its output and the element-wise operations on its result along.

// CHECK-LABEL: func.func @anchor_with_epilogue(
// CHECK-SAME:      %[[X:.*]]: tensor<?x8xf32>, %[[W:.*]]: tensor<8x4xf32>, %[[B:.*]]: tensor<4xf32>,
// CHECK-SAME:      %[[N:.*]]: index)
// CHECK-NEXT:    %[[E:.*]] = tensor.empty(%[[N]])
// CHECK-NEXT:    %[[R:.*]] = jit.invoke @anchor_with_epilogue.matmul_0(%[[X]], %[[W]], %[[B]] : {{.*}}) outs(%[[E]] : tensor<?x4xf32>)
// CHECK-NEXT:    return %[[R]]

// CHECK-LABEL: jit.unit private @anchor_with_epilogue.matmul_0(
// CHECK-SAME:      %[[DEST:[a-z0-9]+]]: tensor<?x4xf32> {jit.write_only}) -> tensor<?x4xf32>
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.0
// CHECK-DAG:     %[[SIZE:.*]] = tensor.dim %[[DEST]]
// CHECK:         %[[TEMP:.*]] = tensor.empty(%[[SIZE]])
// CHECK:         %[[INIT:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%[[TEMP]]
// CHECK:         %[[PRODUCT:.*]] = linalg.matmul {{.*}} outs(%[[INIT]]
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[PRODUCT]],
// CHECK:         %[[EXP:.*]] = linalg.exp ins(%[[SUM]] : {{.*}}) outs(%[[DEST]]
// CHECK:         jit.return %[[EXP]]
#id = affine_map<(i, j) -> (i, j)>
#col = affine_map<(i, j) -> (j)>
func.func @anchor_with_epilogue(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>,
                                %n: index) -> tensor<?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %m = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>) outs(%i : tensor<?x4xf32>)
      -> tensor<?x4xf32>
  %s = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m, %b : tensor<?x4xf32>, tensor<4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%in: f32, %bias: f32, %out: f32):
    %0 = arith.addf %in, %bias : f32
    linalg.yield %0 : f32
  } -> tensor<?x4xf32>
  %r = linalg.exp ins(%s : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

// A value that is read twice inside of the chain (x * sigmoid(x)) doesn't end it; one that is also read
// elsewhere does.

// CHECK-LABEL: func.func @chain_ends_where_value_escapes(
// CHECK:         jit.invoke @chain_ends_where_value_escapes.matmul_0
// CHECK:         jit.invoke @chain_ends_where_value_escapes.abs_0
// CHECK-NOT:     jit.invoke
// CHECK:         return

// CHECK:       jit.unit private @chain_ends_where_value_escapes.matmul_0
// CHECK:         linalg.matmul
// CHECK-NEXT:    tensor.empty
// CHECK-NEXT:    linalg.tanh
// CHECK-NEXT:    linalg.mul
// CHECK-NEXT:    jit.return
func.func @chain_ends_where_value_escapes(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %m = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%i : tensor<4x4xf32>)
      -> tensor<4x4xf32>
  %t = linalg.tanh ins(%m : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = linalg.mul ins(%m, %t : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>)
      -> tensor<4x4xf32>
  %a = linalg.abs ins(%p : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %p, %a : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A pad that only a convolution reads, and the broadcast of its bias, come along; scalars are arguments.

// CHECK-LABEL: func.func @convolution_with_pad_and_bias(
// CHECK:         jit.invoke @convolution_with_pad_and_bias.conv_1d_ncw_fcw_0(
// CHECK-NOT:     jit.invoke
// CHECK:         return

// CHECK-LABEL: jit.unit private @convolution_with_pad_and_bias.conv_1d_ncw_fcw_0(
// CHECK-SAME:      %[[AMOUNT:[a-z0-9]+]]: index,
// CHECK:         tensor.pad %{{.*}} low[0, 0, %[[AMOUNT]]]
// CHECK:         linalg.broadcast
// CHECK:         linalg.conv_1d_ncw_fcw
// CHECK-NEXT:    jit.return
func.func @convolution_with_pad_and_bias(%x: tensor<2x3x?xf32>, %w: tensor<4x3x3xf32>,
                                         %b: tensor<4xf32>, %amount: index, %n: index)
    -> tensor<2x4x?xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, %amount] high[0, 0, 1] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<2x3x?xf32> to tensor<2x3x?xf32>
  %e = tensor.empty(%n) : tensor<2x4x?xf32>
  %bias = linalg.broadcast ins(%b : tensor<4xf32>) outs(%e : tensor<2x4x?xf32>) dimensions = [0, 2]
  %r = linalg.conv_1d_ncw_fcw ins(%p, %w : tensor<2x3x?xf32>, tensor<4x3x3xf32>)
      outs(%bias : tensor<2x4x?xf32>) -> tensor<2x4x?xf32>
  return %r : tensor<2x4x?xf32>
}

// -----

// Layers that differ in their constants only are one unit.

// CHECK-LABEL: func.func @equal_units_are_one(
// CHECK:         jit.invoke @equal_units_are_one.matmul_0(%{{.*}}, %[[W1:.*]] :
// CHECK:         jit.invoke @equal_units_are_one.matmul_0(%{{.*}}, %[[W2:.*]] :
// CHECK:       jit.unit private @equal_units_are_one.matmul_0
// CHECK-NOT:   jit.unit
func.func @equal_units_are_one(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %zero = arith.constant 0.0 : f32
  %w1 = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %w2 = arith.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>
  %e = tensor.empty() : tensor<2x2xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  %a = linalg.matmul ins(%x, %w1 : tensor<2x2xf32>, tensor<2x2xf32>) outs(%i : tensor<2x2xf32>)
      -> tensor<2x2xf32>
  %b = linalg.matmul ins(%a, %w2 : tensor<2x2xf32>, tensor<2x2xf32>) outs(%i : tensor<2x2xf32>)
      -> tensor<2x2xf32>
  return %b : tensor<2x2xf32>
}

// -----

// A tensor of one value is part of the unit; what a body computes from outside values alone is computed
// outside.

// CHECK-LABEL: func.func @splat_and_invariant(
// CHECK-SAME:      %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[S:[a-z0-9]+]]: f32)
// CHECK:         %[[TWICE:.*]] = arith.addf %[[S]], %[[S]]
// CHECK:         jit.invoke @splat_and_invariant.map_mulf_0(%[[X]], %[[TWICE]] : tensor<4xf32>, f32)

// CHECK:       jit.unit private @splat_and_invariant.map_mulf_0(
// CHECK:         arith.constant dense<2.000000e+00> : tensor<f32>
#i = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>
func.func @splat_and_invariant(%x: tensor<4xf32>, %s: f32) -> tensor<4xf32> {
  %two = arith.constant dense<2.0> : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#i, #none, #i], iterator_types = ["parallel"]}
      ins(%x, %two : tensor<4xf32>, tensor<f32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %factor: f32, %out: f32):
    %0 = arith.addf %s, %s : f32
    %1 = arith.mulf %in, %factor : f32
    %2 = arith.mulf %0, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// What is accumulated into keeps its contents: no jit.write_only.

// CHECK-LABEL: func.func @accumulation(
// CHECK-SAME:      %[[ACC:[a-z0-9]+]]: tensor<2x2xf32>)
// CHECK-NEXT:    jit.invoke @accumulation.matmul_0({{.*}}) outs(%[[ACC]] :
// CHECK:       jit.unit private @accumulation.matmul_0(
// CHECK-NOT:     jit.write_only
func.func @accumulation(%x: tensor<2x2xf32>, %w: tensor<2x2xf32>, %acc: tensor<2x2xf32>)
    -> tensor<2x2xf32> {
  %r = linalg.matmul ins(%x, %w : tensor<2x2xf32>, tensor<2x2xf32>) outs(%acc : tensor<2x2xf32>)
      -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// -----

// Units are also formed in loops and branches. A pad alone is a unit; its destination has the padded size.

// CHECK-LABEL: func.func @in_loops(
// CHECK:         scf.for
// CHECK:           %[[N:.*]] = tensor.dim %[[X:.*]], %c0
// CHECK:           %[[M:.*]] = arith.addi %[[N]], %c3
// CHECK:           %[[E:.*]] = tensor.empty(%[[M]])
// CHECK:           jit.invoke @in_loops.pad_0(%[[X]] : tensor<?xf32>) outs(%[[E]] : tensor<?xf32>)
func.func @in_loops(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %p = tensor.pad %a low[3] high[0] {
    ^bb0(%k: index):
      tensor.yield %one : f32
    } : tensor<?xf32> to tensor<?xf32>
    scf.yield %p : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// A structured operation without results that only asserts.

// CHECK-LABEL: func.func @only_asserts(
// CHECK-NEXT:    jit.invoke @only_asserts.map_copy_0(%{{.*}} : tensor<4xi1>) {effects}
#i = affine_map<(i) -> (i)>
func.func @only_asserts(%x: tensor<4xi1>) {
  linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} ins(%x : tensor<4xi1>) {
  ^bb0(%in: i1):
    cf.assert %in, "must hold"
    linalg.yield
  }
  return
}

// -----

// A table of what depends on one loop comes along with each of its readers.

// CHECK-LABEL: func.func @tables(
// CHECK-NOT:     jit.invoke {{.*}}tensor<?xindex>
// CHECK:         jit.invoke @tables.map_extract_0(
// CHECK:         jit.invoke @tables.map_extract_0(
// CHECK:         return
// CHECK-LABEL: jit.unit private @tables.map_extract_0(
// CHECK:         %[[TABLE:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<?xindex>)
// CHECK:         linalg.generic {{.*}} ins(%[[TABLE]] : tensor<?xindex>)
#loop = affine_map<(i) -> (i)>
#columns = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> (i, j)>
func.func @tables(%x: tensor<4x?xf32>, %y: tensor<4x?xf32>, %n: index) -> (tensor<4x?xf32>, tensor<4x?xf32>) {
  %c2 = arith.constant 2 : index
  %te = tensor.empty(%n) : tensor<?xindex>
  %table = linalg.generic {indexing_maps = [#loop], iterator_types = ["parallel"]} outs(%te : tensor<?xindex>) {
  ^bb0(%o: index):
    %j = linalg.index 0 : index
    %k = arith.divui %j, %c2 : index
    linalg.yield %k : index
  } -> tensor<?xindex>
  %e = tensor.empty(%n) : tensor<4x?xf32>
  %a = linalg.generic {indexing_maps = [#columns, #all], iterator_types = ["parallel", "parallel"]} ins(%table : tensor<?xindex>) outs(%e : tensor<4x?xf32>) {
  ^bb0(%k: index, %o: f32):
    %i = linalg.index 0 : index
    %v = tensor.extract %x[%i, %k] : tensor<4x?xf32>
    linalg.yield %v : f32
  } -> tensor<4x?xf32>
  %b = linalg.generic {indexing_maps = [#columns, #all], iterator_types = ["parallel", "parallel"]} ins(%table : tensor<?xindex>) outs(%e : tensor<4x?xf32>) {
  ^bb0(%k: index, %o: f32):
    %i = linalg.index 0 : index
    %v = tensor.extract %y[%i, %k] : tensor<4x?xf32>
    linalg.yield %v : f32
  } -> tensor<4x?xf32>
  return %a, %b : tensor<4x?xf32>, tensor<4x?xf32>
}
