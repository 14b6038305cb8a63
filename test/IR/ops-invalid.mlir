// RUN: jit-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{'jit.unit' op argument #0 must be a ranked tensor or a scalar, but is 'memref<4xf32>'}}
jit.unit @memref_argument(%a: memref<4xf32>) {
  jit.return
}

// -----

// expected-error@+1 {{'jit.unit' op argument #0 must be a ranked tensor or a scalar, but is 'tensor<*xf32>'}}
jit.unit @unranked_argument(%a: tensor<*xf32>) {
  jit.return
}

// -----

// expected-error@+1 {{'jit.unit' op argument #0 must be a ranked tensor or a scalar, but is 'ui8'}}
jit.unit @unsigned_argument(%a: ui8) {
  jit.return
}

// -----

// expected-error@+1 {{'jit.unit' op has 1 results but only 0 arguments: each result needs a destination, and destinations are the last arguments}}
jit.unit @no_destination() -> tensor<4xf32> {
  %r = tensor.empty() : tensor<4xf32>
  jit.return %r : tensor<4xf32>
}

// -----

// expected-error@+1 {{'jit.unit' op result #0 must be a ranked tensor, but is 'f32'}}
jit.unit @scalar_result(%s: f32) -> f32 {
  "jit.return"(%s) : (f32) -> ()
}

// -----

// expected-error@+1 {{'jit.unit' op result #1 is of type 'tensor<4xf32>', but its destination, argument #2, is 'tensor<?xf32>'}}
jit.unit @other_destination(%n: index, %a: tensor<4xf32>, %b: tensor<?xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  jit.return %a, %a : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error@+1 {{'jit.unit' op expects region #0 to have 0 or 1 blocks}}
jit.unit @two_blocks() {
  cf.br ^next
^next:
  jit.return
}

// -----

// expected-error@+2 {{'func.return' op expects parent op 'func.func'}}
jit.unit @other_terminator() {
  func.return
}

// -----

func.func @return_outside() {
  // expected-error@+1 {{'jit.return' op expects parent op 'jit.unit'}}
  jit.return
}

// -----

jit.unit @count_of_results(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'jit.return' op has 0 operands, but unit '@count_of_results' has 1 results}}
  jit.return
}

// -----

jit.unit @type_of_result(%a: tensor<?xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'jit.return' op operand #0 is of type 'tensor<?xf32>', but result #0 of unit '@type_of_result' is 'tensor<4xf32>'}}
  jit.return %a : tensor<?xf32>
}

// -----

func.func @missing_unit() {
  // expected-error@+1 {{'jit.invoke' op calls '@nowhere', which doesn't exist}}
  jit.invoke @nowhere()
  return
}

// -----

func.func @no_unit() {
  // expected-error@+1 {{'jit.invoke' op calls '@no_unit', which is a 'func.func' and no jit.unit}}
  jit.invoke @no_unit()
  return
}

// -----

jit.unit private @unit(%s: f32, %o: tensor<4xf32>) -> tensor<4xf32> {
  jit.return %o : tensor<4xf32>
}
func.func @count_of_operands(%s: f32, %a: tensor<4xf32>) {
  // expected-error@+1 {{'jit.invoke' op passes 2 inputs and 0 destinations, but unit '@unit' takes 1 and 1}}
  jit.invoke @unit(%s, %a : f32, tensor<4xf32>)
  return
}

// -----

jit.unit private @unit(%s: f32) {
  jit.return
}
func.func @other_scalar(%s: f64) {
  // expected-error@+1 {{'jit.invoke' op passes 'f64' for argument #0 of unit '@unit', which is 'f32'}}
  jit.invoke @unit(%s : f64)
  return
}

// -----

jit.unit private @unit(%a: tensor<4xf32>) {
  jit.return
}
func.func @size_that_is_not_known(%a: tensor<?xf32>) {
  // expected-error@+1 {{'jit.invoke' op passes 'tensor<?xf32>' for argument #0 of unit '@unit', which is 'tensor<4xf32>'}}
  jit.invoke @unit(%a : tensor<?xf32>)
  return
}

// -----

jit.unit private @unit(%a: tensor<?xf32>) {
  jit.return
}
func.func @other_rank(%a: memref<?x?xf32>) {
  // expected-error@+1 {{'jit.invoke' op passes 'memref<?x?xf32>' for argument #0 of unit '@unit', which is 'tensor<?xf32>'}}
  jit.invoke @unit(%a : memref<?x?xf32>)
  return
}

// -----

jit.unit private @unit(%a: tensor<?xf32>) {
  jit.return
}
func.func @other_element_type(%a: tensor<4xf16>) {
  // expected-error@+1 {{'jit.invoke' op passes 'tensor<4xf16>' for argument #0 of unit '@unit', which is 'tensor<?xf32>'}}
  jit.invoke @unit(%a : tensor<4xf16>)
  return
}

// -----

jit.unit private @unit(%a: tensor<4xf32>) {
  jit.return
}
func.func @vector(%a: vector<4xf32>) {
  // expected-error@+1 {{'jit.invoke' op passes 'vector<4xf32>' for argument #0 of unit '@unit', which is 'tensor<4xf32>'}}
  jit.invoke @unit(%a : vector<4xf32>)
  return
}

// -----

jit.unit private @unit(%a: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  jit.return %o : tensor<4xf32>
}
func.func @mixed(%a: tensor<4xf32>, %o: memref<4xf32>) {
  // expected-error@+1 {{'jit.invoke' op mixes tensors and memrefs}}
  jit.invoke @unit(%a : tensor<4xf32>) outs(%o : memref<4xf32>)
  return
}

// -----

jit.unit private @unit(%o: tensor<4xf32>) -> tensor<4xf32> {
  jit.return %o : tensor<4xf32>
}
func.func @missing_result(%o: tensor<4xf32>) {
  // expected-error@+1 {{'jit.invoke' op expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  jit.invoke @unit() outs(%o : tensor<4xf32>)
  return
}

// -----

jit.unit private @unit(%o: tensor<?xf32>) -> tensor<?xf32> {
  jit.return %o : tensor<?xf32>
}
func.func @type_of_result(%o: tensor<4xf32>) {
  // expected-error@+1 {{'jit.invoke' op expected type of operand #0 ('tensor<4xf32>') to match type of corresponding result ('tensor<?xf32>')}}
  %r = jit.invoke @unit() outs(%o : tensor<4xf32>) -> tensor<?xf32>
  return
}

// -----

jit.unit private @inner() {
  jit.return
}
jit.unit private @outer() {
  // expected-error@+1 {{'jit.invoke' op stands inside a jit.unit; only loops in units call others}}
  jit.invoke @inner()
  jit.return
}

// -----

jit.unit private @inner() {
  jit.return
}
jit.unit private @loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    jit.invoke @inner()
  }
  jit.return
}
jit.unit private @loop_of_loops(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error@+1 {{'jit.invoke' op calls '@loop' from a unit, but that one calls units itself}}
    jit.invoke @loop(%n : index)
  }
  jit.return
}

// -----

// expected-error@+1 {{'jit.loop_unit' belongs on a loop}}
func.func @no_loop() attributes {jit.loop_unit = @f} {
  return
}

// -----

func.func @loop_of_no_unit(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'jit.loop_unit' must be the name of a unit, but is 3 : i64}}
  scf.for %i = %c0 to %n step %c1 {
  } {jit.loop_unit = 3}
  return
}

// -----

jit.unit private @asserts(%ok: i1) {
  cf.assert %ok, "must be"
  jit.return
}
func.func @effects_not_said(%ok: i1) {
  // expected-error@+1 {{'jit.invoke' op calls '@asserts', which has effects, and must say so: {effects}}}
  jit.invoke @asserts(%ok : i1)
  return
}

// -----

#scalar = affine_map<(i) -> (i)>
// The assert may be anywhere in the unit.
jit.unit private @asserts(%a: tensor<?xi1>) {
  linalg.generic {indexing_maps = [#scalar], iterator_types = ["parallel"]} ins(%a : tensor<?xi1>) {
    ^bb0(%ok: i1):
      cf.assert %ok, "must be"
      linalg.yield
  }
  jit.return
}
func.func @nested_effects_not_said(%a: tensor<?xi1>) {
  // expected-error@+1 {{'jit.invoke' op calls '@asserts', which has effects, and must say so: {effects}}}
  jit.invoke @asserts(%a : tensor<?xi1>)
  return
}

// -----

func.func @region_yields_too_little(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{'jit.region' op along control flow edge from Operation jit.yield to parent: region branch point has 0 operands, but region successor needs 1 inputs}}
  // expected-note@+1 {{region branch point}}
  %r = jit.region -> tensor<4xf32> {
  }
  return %r : tensor<4xf32>
}

// -----

func.func @region_yields_other_type(%a: tensor<4xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'jit.region' op along control flow edge from Operation jit.yield to parent: successor operand type #0 'tensor<4xf32>' should match successor input type #0 'tensor<?xf32>'}}
  %r = jit.region -> tensor<?xf32> {
    // expected-note@+1 {{region branch point}}
    jit.yield %a : tensor<4xf32>
  }
  return %r : tensor<?xf32>
}

// -----

func.func @region_in_region(%a: tensor<4xf32>) {
  // expected-error@+1 {{'jit.region' op holds 'jit.region'; regions don't nest and hold no calls}}
  jit.region {
    // expected-note@+1 {{it stands here}}
    jit.region {
    }
  }
  return
}

// -----

func.func private @g(tensor<4xf32>) -> tensor<4xf32>
func.func @call_in_region(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'jit.region' op holds 'func.call'; regions don't nest and hold no calls}}
  %r = jit.region -> tensor<4xf32> {
    // expected-note@+1 {{it stands here}}
    %x = func.call @g(%a) : (tensor<4xf32>) -> tensor<4xf32>
    jit.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

jit.unit @region_in_unit() {
  // expected-error@+1 {{'jit.region' op stands inside a jit.unit, which is formed already}}
  jit.region {
  }
  jit.return
}

// -----

func.func @yield_of_nothing(%a: tensor<4xf32>) {
  // expected-error@+1 {{'jit.yield' op expects parent op 'jit.region'}}
  jit.yield
}

// -----

// expected-note@+1 {{prior use here}}
func.func @scalar_yielded(%a: f32) -> tensor<4xf32> {
  %r = jit.region -> tensor<4xf32> {
    // expected-error@+1 {{use of value '%a' expects different type than prior uses: 'tensor<4xf32>' vs 'f32'}}
    jit.yield %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A destination that is promised to be written only is read: by a body, as an input, one element.

// expected-error@+1 {{'jit.unit' op promises by 'jit.write_only' not to read argument #1}}
jit.unit @body(%x: tensor<4x4xf32>, %out: tensor<4x4xf32> {jit.write_only}) -> tensor<4x4xf32> {
  // expected-note@+1 {{'linalg.matmul' reads it}}
  %r = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%out : tensor<4x4xf32>) -> tensor<4x4xf32>
  jit.return %r : tensor<4x4xf32>
}

// -----

// expected-error@+1 {{'jit.unit' op promises by 'jit.write_only' not to read argument #0}}
jit.unit @input(%out: tensor<4xf32> {jit.write_only}) -> tensor<4xf32> {
  // expected-note@+1 {{'linalg.exp' reads it}}
  %r = linalg.exp ins(%out : tensor<4xf32>) outs(%out : tensor<4xf32>) -> tensor<4xf32>
  jit.return %r : tensor<4xf32>
}

// -----

// expected-error@+1 {{'jit.unit' op promises by 'jit.write_only' not to read argument #0}}
jit.unit @element(%out: tensor<4xf32> {jit.write_only}) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  // expected-note@+1 {{'tensor.extract' reads it}}
  %e = tensor.extract %out[%c0] : tensor<4xf32>
  %r = linalg.fill ins(%e : f32) outs(%out : tensor<4xf32>) -> tensor<4xf32>
  jit.return %r : tensor<4xf32>
}
