// RUN: jit-opt %s --pass-pipeline='builtin.module(func.func(jit-write-slices-in-place))' | FileCheck %s
// RUN: jit-opt %s --jit-bufferize-host | FileCheck %s --check-prefix=BUFFERS

// Both parts of a concatenation are computed where they belong.

// CHECK-LABEL: func.func @concatenation(
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<5xf32>
// CHECK:         %[[SA:.*]] = tensor.extract_slice %[[E]][0] [2] [1]
// CHECK:         %[[A:.*]] = jit.invoke @exp2(%{{.*}}) outs(%[[SA]] : tensor<2xf32>)
// CHECK:         %[[P:.*]] = tensor.insert_slice %[[A]] into %[[E]][0] [2] [1]
// CHECK:         %[[SB:.*]] = tensor.extract_slice %[[P]][2] [3] [1]
// CHECK:         %[[B:.*]] = jit.invoke @exp3(%{{.*}}) outs(%[[SB]] : tensor<3xf32>)
// CHECK:         tensor.insert_slice %[[B]] into %[[P]][2] [3] [1]

// BUFFERS-LABEL: func.func @concatenation(
// BUFFERS:         memref.alloc() {{.*}} : memref<5xf32>
// BUFFERS-NOT:     memref.alloc
// BUFFERS-NOT:     memref.copy
// BUFFERS:         return
func.func @concatenation(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<5xf32> {
  %ea = tensor.empty() : tensor<2xf32>
  %a = jit.invoke @exp2(%x : tensor<2xf32>) outs(%ea : tensor<2xf32>) -> tensor<2xf32>
  %eb = tensor.empty() : tensor<3xf32>
  %b = jit.invoke @exp3(%y : tensor<3xf32>) outs(%eb : tensor<3xf32>) -> tensor<3xf32>
  %e = tensor.empty() : tensor<5xf32>
  %p = tensor.insert_slice %a into %e[0] [2] [1] : tensor<2xf32> into tensor<5xf32>
  %r = tensor.insert_slice %b into %p[2] [3] [1] : tensor<3xf32> into tensor<5xf32>
  return %r : tensor<5xf32>
}

// A result that is also read elsewhere is left alone.

// CHECK-LABEL: func.func @read_elsewhere(
// CHECK-NOT:     tensor.extract_slice
// CHECK:         return
func.func @read_elsewhere(%x: tensor<2xf32>) -> (tensor<5xf32>, tensor<2xf32>) {
  %ea = tensor.empty() : tensor<2xf32>
  %e = tensor.empty() : tensor<5xf32>
  %a = jit.invoke @exp2(%x : tensor<2xf32>) outs(%ea : tensor<2xf32>) -> tensor<2xf32>
  %r = tensor.insert_slice %a into %e[0] [2] [1] : tensor<2xf32> into tensor<5xf32>
  return %r, %a : tensor<5xf32>, tensor<2xf32>
}

// The call reads what it would write: it gets a copy of that.

// BUFFERS-LABEL: func.func @reads_what_it_writes(
// BUFFERS:         %[[ALL:.*]] = memref.alloc() {{.*}} : memref<4xf32>
// BUFFERS:         %[[OWN:.*]] = memref.alloc() {{.*}} : memref<2xf32>
// BUFFERS:         memref.copy %{{.*}}, %[[OWN]]
// BUFFERS:         %[[PLACE:.*]] = memref.subview %[[ALL]][0] [2] [1]
// BUFFERS:         jit.invoke @exp2(%[[OWN]] : memref<2xf32>) outs(%[[PLACE]]
// BUFFERS-NOT:     memref.copy
// BUFFERS:         return %[[ALL]]
func.func @reads_what_it_writes(%x: tensor<4xf32>, %s: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %y = tensor.insert %s into %x[%c0] : tensor<4xf32>
  %part = tensor.extract_slice %y[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %ea = tensor.empty() : tensor<2xf32>
  %a = jit.invoke @exp2(%part : tensor<2xf32>) outs(%ea : tensor<2xf32>) -> tensor<2xf32>
  %r = tensor.insert_slice %a into %y[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  return %r : tensor<4xf32>
}

jit.unit private @exp2(%x: tensor<2xf32>, %out: tensor<2xf32> {jit.write_only}) -> tensor<2xf32> {
  %r = linalg.exp ins(%x : tensor<2xf32>) outs(%out : tensor<2xf32>) -> tensor<2xf32>
  jit.return %r : tensor<2xf32>
}
jit.unit private @exp3(%x: tensor<3xf32>, %out: tensor<3xf32> {jit.write_only}) -> tensor<3xf32> {
  %r = linalg.exp ins(%x : tensor<3xf32>) outs(%out : tensor<3xf32>) -> tensor<3xf32>
  jit.return %r : tensor<3xf32>
}
