// RUN: jit-opt %s --jit-print-plan --split-input-file --verify-diagnostics -o /dev/null

func.func @foreign_operation(%x: memref<4xf32>) {
  // expected-error @below {{'memref.realloc' can't be planned}}
  %0 = memref.realloc %x : memref<4xf32> to memref<8xf32>
  return
}

// -----

memref.global "private" @state : memref<4xf32> = uninitialized
func.func @memory_between_calls() -> memref<4xf32> {
  // expected-error @below {{'state' is memory that keeps its contents between calls}}
  %0 = memref.get_global @state : memref<4xf32>
  return %0 : memref<4xf32>
}

// -----

jit.unit private @narrow(%x: tensor<4xi4>, %o: tensor<4xi4> {jit.write_only}) -> tensor<4xi4> {
  // expected-error @-1 {{'jit.unit' works on 'i4'; element types that can be run are i1, i8,}}
  %r = linalg.copy ins(%x : tensor<4xi4>) outs(%o : tensor<4xi4>) -> tensor<4xi4>
  jit.return %r : tensor<4xi4>
}
func.func @narrow_integers(%x: memref<4xi4>, %o: memref<4xi4>) {
  jit.invoke @narrow(%x : memref<4xi4>) outs(%o : memref<4xi4>)
  return
}

// -----

jit.unit private @wide(%x: tensor<4xf32>, %o: tensor<4xf32> {jit.write_only}) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    // expected-error @below {{'arith.extf' works on 'f128'}}
    %0 = arith.extf %in : f32 to f128
    %1 = arith.truncf %0 : f128 to f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  jit.return %r : tensor<4xf32>
}
func.func @unknown_type_in_body(%x: memref<4xf32>, %o: memref<4xf32>) {
  jit.invoke @wide(%x : memref<4xf32>) outs(%o : memref<4xf32>)
  return
}

// -----

jit.unit private @foreign(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'tensor.insert_slice' can't stand in a unit}}
  %r = tensor.insert_slice %x into %o[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
  jit.return %r : tensor<4xf32>
}
func.func @foreign_operation_in_unit(%x: memref<4xf32>, %o: memref<4xf32>) {
  jit.invoke @foreign(%x : memref<4xf32>) outs(%o : memref<4xf32>)
  return
}

// -----

jit.unit private @reflect(%x: tensor<4xf32>, %o: tensor<6xf32> {jit.write_only}) -> tensor<6xf32> {
  // expected-error @below {{pads with a value that depends on the position}}
  %r = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    %0 = arith.index_cast %i : index to i32
    %1 = arith.sitofp %0 : i32 to f32
    tensor.yield %1 : f32
  } : tensor<4xf32> to tensor<6xf32>
  jit.return %r : tensor<6xf32>
}
func.func @pad_by_position(%x: memref<4xf32>, %o: memref<6xf32>) {
  jit.invoke @reflect(%x : memref<4xf32>) outs(%o : memref<6xf32>)
  return
}

// -----

jit.unit private @on_tensors(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  jit.return %0 : tensor<?xf32>
}
func.func @not_bufferised(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{works on tensors; a plan is made of what jit-bufferize-host leaves}}
  %0 = jit.invoke @on_tensors(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
