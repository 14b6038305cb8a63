// RUN: jit-opt %s --jit-fusion-candidates --split-input-file -o /dev/null 2>&1 | FileCheck %s
// RUN: jit-opt %s --jit-fusion-candidates='remarks=false annotate' --split-input-file 2>&1 | FileCheck %s --check-prefix=ATTR
// RUN: not jit-opt %s --jit-fusion-candidates=flops-per-byte=0 --split-input-file 2>&1 | FileCheck %s --check-prefix=RANGE

// RANGE: error: jit-fusion-candidates: flops-per-byte is 0, but must be at least 1

// ATTR-NOT: remark
// ATTR-LABEL: func.func @epilogue(
// ATTR: linalg.matmul {jit.fusion_group = 0 : i64}
// ATTR: linalg.exp {jit.fusion = [{benefit = "32*d1 bytes", bytes_saved = "32*d1", flops_repeated = "0", fused = true, operand = 0 : i64, producer = "linalg.matmul", reason = "in one unit"}], jit.fusion_group = 0 : i64}

// CHECK: remark: fused with 'linalg.matmul', operand #0 of 'linalg.exp': in one unit; benefit 32*d1 bytes; d1 is dim 0 of %arg2
// CHECK: remark: unit of 2 operations; saves 32*d1 bytes; d1 is dim 0 of %arg2
func.func @epilogue(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>, %i: tensor<?x4xf32>,
                    %e: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %m = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>)
      outs(%i : tensor<?x4xf32>) -> tensor<?x4xf32>
  %r = linalg.exp ins(%m : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

// Each of the 8 elements of exp would be computed for each of 4 rows: 24 more at 18 FLOPs, and 16 FLOPs a byte.
// CHECK: remark: not fused with 'linalg.exp', operand #1 of '{{[a-z.]+}}': operand of a contraction: {{.*}}; benefit 64 - (432)/16 bytes
func.func @contraction_operand(%x: tensor<4x8xf32>, %v: tensor<8xf32>, %i: tensor<4xf32>,
                               %e: tensor<8xf32>) -> tensor<4xf32> {
  %y = linalg.exp ins(%v : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %m = linalg.matvec ins(%x, %y : tensor<4x8xf32>, tensor<8xf32>)
      outs(%i : tensor<4xf32>) -> tensor<4xf32>
  return %m : tensor<4xf32>
}

// -----

// Rows of exp that a contraction alone reads are kept, not computed again.
// CHECK: remark: fused with 'linalg.exp', operand #0 of '{{[a-z.]+}}': in one unit; benefit 256 bytes
func.func @contraction_rows(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %i: tensor<4x16xf32>,
                            %e: tensor<4x8xf32>) -> tensor<4x16xf32> {
  %y = linalg.exp ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %m = linalg.matmul ins(%y, %w : tensor<4x8xf32>, tensor<8x16xf32>)
      outs(%i : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %m : tensor<4x16xf32>
}

// -----

// Results of exp are spread over all rows.
// CHECK: remark: not fused with 'linalg.exp', operand #1 of '{{[a-z.]+}}': recomputation across a broadcast
#id = affine_map<(i, j) -> (i, j)>
#col = affine_map<(i, j) -> (j)>
func.func @broadcast(%x: tensor<8xf32>, %a: tensor<4x8xf32>, %e: tensor<8xf32>,
                     %o: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %y : tensor<4x8xf32>, tensor<8xf32>) outs(%o : tensor<4x8xf32>) {
    ^bb0(%p: f32, %q: f32, %z: f32):
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// The intermediate value is read by the caller as well: only the read is saved.
// CHECK: remark: not fused with 'linalg.matmul', operand #0 of '{{[a-z.]+}}': other operations read the value too; benefit 64 - (256)/16 bytes
func.func @read_elsewhere(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %i: tensor<4x4xf32>,
                          %e: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %m = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>)
      outs(%i : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = linalg.exp ins(%m : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r, %m : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// The reader adds into what the other reads backwards.
// CHECK: remark: not fused with 'linalg.generic', operand #0 of '{{[a-z.]+}}': aliases
#same = affine_map<(i) -> (i)>
#back = affine_map<(i) -> (7 - i)>
func.func @alias(%x: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
  %y = linalg.generic {indexing_maps = [#back, #same], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%p: f32, %z: f32):
      %s = arith.negf %p : f32
      linalg.yield %s : f32
  } -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]}
      ins(%y : tensor<8xf32>) outs(%x : tensor<8xf32>) {
    ^bb0(%p: f32, %z: f32):
      %s = arith.addf %p, %z : f32
      linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// CHECK: remark: not fused with 'linalg.exp', operand #0 of '{{[a-z.]+}}': the reader is in another block
func.func @other_block(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = linalg.exp ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<8xf32> {
    %s = linalg.add ins(%y, %t : tensor<8xf32>, tensor<8xf32>) outs(%t : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// CHECK: remark: not fused with 'linalg.exp', operand #0 of '{{[a-z.]+}}': the reader's body reaches for elements
#same = affine_map<(i) -> (i)>
func.func @body_reaches(%x: tensor<8xf32>, %k: tensor<8xindex>, %e: tensor<8xf32>) -> tensor<8xf32> {
  %y = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]}
      ins(%k : tensor<8xindex>) outs(%e : tensor<8xf32>) {
    ^bb0(%p: index, %z: f32):
      %s = tensor.extract %y[%p] : tensor<8xf32>
      linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// CHECK: remark: not fused with 'linalg.exp', operand #0 of '{{[a-z.]+}}': indexing
#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (7 - i, 7 - j)>
func.func @indexing(%x: tensor<8x8xf32>, %e: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y = linalg.exp ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
    ^bb0(%p: f32, %z: f32):
      %s = arith.negf %p : f32
      linalg.yield %s : f32
  } -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// -----

// Sizes of zero save nothing.
// CHECK: remark: fused with 'linalg.exp', operand #0 of '{{[a-z.]+}}': in one unit; benefit 0 bytes
func.func @nothing(%x: tensor<0x8xf32>, %e: tensor<0x8xf32>) -> tensor<0xf32> {
  %f = arith.constant dense<0.0> : tensor<0xf32>
  %y = linalg.exp ins(%x : tensor<0x8xf32>) outs(%e : tensor<0x8xf32>) -> tensor<0x8xf32>
  %r = linalg.reduce {arith.addf} ins(%y : tensor<0x8xf32>) outs(%f : tensor<0xf32>) dimensions = [1]
  return %r : tensor<0xf32>
}
