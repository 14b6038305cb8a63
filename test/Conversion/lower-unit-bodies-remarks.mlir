// RUN: jit-opt %s --jit-lower-unit-bodies --remarks-filter=jit-lower-unit-bodies -o %t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=CODE < %t.mlir

// Operations without code of their own, and why. Each unit has an entry all the same.

// CODE-NOT: llvm.func @{{.*}}.body.
// CODE: llvm.func @copies(

#id = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#odd = affine_map<(d0, d1) -> (d0, d1 mod 2)>

// CHECK: Function=copies | Reason="'linalg.transpose' #0 gets no code: it only moves elements
jit.unit @copies(%x: tensor<?x?xf32>,
                 %out: tensor<?x?xf32> {jit.write_only}) -> tensor<?x?xf32> {
  %r = linalg.transpose ins(%x : tensor<?x?xf32>) outs(%out : tensor<?x?xf32>) permutation = [1, 0]
  jit.return %r : tensor<?x?xf32>
}

// CHECK: Function=contracts | Reason="'linalg.matmul' #0 gets no code: it adds products
jit.unit @contracts(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>,
                    %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  jit.return %r : tensor<?x?xf32>
}

// CHECK: Function=plain_sums | Reason="'linalg.generic' #0 gets no code: it reduces plain elements
jit.unit @plain_sums(%x: tensor<?x?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%out : tensor<?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %o : f32
      linalg.yield %s : f32
  } -> tensor<?xf32>
  jit.return %r : tensor<?xf32>
}

// CHECK: Function=sums_across | Reason="'linalg.generic' #0 gets no code: it adds up across rows
jit.unit @sums_across(%x: tensor<?x?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%out : tensor<?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %n = arith.negf %a : f32
      %s = arith.addf %n, %o : f32
      linalg.yield %s : f32
  } -> tensor<?xf32>
  jit.return %r : tensor<?xf32>
}

// CHECK: Function=pools | Reason="'linalg.pooling_nchw_max' #0 gets no code: it reduces windows
jit.unit @pools(%x: tensor<?x?x?x?xf32>, %w: tensor<3x3xf32>,
                %out: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %r = linalg.pooling_nchw_max ins(%x, %w : tensor<?x?x?x?xf32>, tensor<3x3xf32>)
      outs(%out : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  jit.return %r : tensor<?x?x?x?xf32>
}

// CHECK: Function=odd_maps | Reason="'linalg.generic' #0 gets no code: an operand is reached through a map that is not linear
jit.unit @odd_maps(%x: tensor<?x2xf32>, %y: tensor<?x?xf32>,
                   %out: tensor<?x?xf32> {jit.write_only}) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [#odd, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<?x2xf32>, tensor<?x?xf32>) outs(%out : tensor<?x?xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
  } -> tensor<?x?xf32>
  jit.return %r : tensor<?x?xf32>
}

// CHECK: Function=unknown_functions | Reason="'linalg.generic' #0 gets no code: there is no code for 'math.sin' on its types
jit.unit @unknown_functions(%x: tensor<?x?xf32>,
                            %out: tensor<?x?xf32> {jit.write_only}) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%out : tensor<?x?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = math.sin %a : f32
      linalg.yield %s : f32
  } -> tensor<?x?xf32>
  jit.return %r : tensor<?x?xf32>
}

// CHECK: Function=branches | Reason="'linalg.generic' #0 gets no code: there is no code for 'scf.if' in a body
jit.unit @branches(%x: tensor<?x?xf32>, %c: tensor<?x?xi1>,
                   %out: tensor<?x?xf32> {jit.write_only}) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %c : tensor<?x?xf32>, tensor<?x?xi1>) outs(%out : tensor<?x?xf32>) {
    ^bb0(%a: f32, %b: i1, %o: f32):
      %s = scf.if %b -> f32 {
        %n = arith.negf %a : f32
        scf.yield %n : f32
      } else {
        scf.yield %a : f32
      }
      linalg.yield %s : f32
  } -> tensor<?x?xf32>
  jit.return %r : tensor<?x?xf32>
}

// CHECK: Function=turns | Reason="'linalg.generic' #0 gets no code: it transposes an operand
jit.unit @turns(%x: tensor<?x?xf32>, %out: tensor<?x?xf32> {jit.write_only}) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%out : tensor<?x?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %n = arith.negf %a : f32
      linalg.yield %n : f32
  } -> tensor<?x?xf32>
  jit.return %r : tensor<?x?xf32>
}

// CHECK: Function=gathers_rows | Reason="'linalg.generic' #0 gets no code: it gathers rows of a table
jit.unit @gathers_rows(%k: tensor<?xindex>, %t: tensor<?x?xf32>,
                       %out: tensor<?x?xf32> {jit.write_only}) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%k : tensor<?xindex>) outs(%out : tensor<?x?xf32>) {
    ^bb0(%a: index, %o: f32):
      %j = linalg.index 1 : index
      %e = tensor.extract %t[%a, %j] : tensor<?x?xf32>
      %n = arith.negf %e : f32
      linalg.yield %n : f32
  } -> tensor<?x?xf32>
  jit.return %r : tensor<?x?xf32>
}
