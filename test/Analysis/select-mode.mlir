// RUN: jit-opt %s --jit-select-mode | FileCheck %s
// RUN: jit-opt %s --jit-select-mode='gain-jit=10 calls=10000' | FileCheck %s --check-prefix=FAST
// RUN: jit-opt %s --jit-select-mode='gain-jit=10 threshold-us=-1e9' | FileCheck %s --check-prefix=THRESHOLD
// RUN: jit-opt %s --jit-select-mode='overwrite' | FileCheck %s --check-prefix=OVER
// RUN: jit-opt %s --jit-select-mode='realtime default-dim=64' | FileCheck %s --check-prefix=REAL
// RUN: jit-opt %s --jit-select-mode='realtime function=path dims=arg0:8' | FileCheck %s --check-prefix=REAL
// RUN: jit-opt %s --jit-select-mode --remarks-filter=jit-select-mode -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Static shapes are compiled ahead.
// CHECK: jit.unit private @static({{.*}} attributes {mode = #jit.mode<aot>}
// REMARK: @static: aot, since all shapes are static; shapes static; P_hot = 0;
jit.unit private @static(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  jit.return %0 : tensor<4xf32>
}

// Hot: 75 of 100 calls, 1000 calls of 40 us expected. aot saves a third of 40 ms, jit half of it; a
// compile takes 2.4 ms for an operation and the one in its body, twice that for two shapes.
// P_hot * G_opt - C_compile: 0.75 * 13333.3 - 240 = 9760, 0.75 * 20000 - 4800 = 10200.
// CHECK: jit.unit private @hot({{.*}}mode = #jit.mode<jit>
// FAST: jit.unit private @hot({{.*}}mode = #jit.mode<jit>
// THRESHOLD: jit.unit private @hot({{.*}}mode = #jit.mode<aot>
// REMARK: @hot: jit, since its benefit is larger; shapes bucketable; P_hot = 0.75; time of a call 40 us (measured); aot: G_opt = 13333.3 us, C_compile = 240 us, B = 9760 us; jit: G_opt = 20000 us, C_compile = 4800 us, B = 10200 us
// REAL: jit.unit private @hot({{.*}}mode = #jit.mode<aot>
jit.unit private @hot(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32>
    attributes {jit.profile = #jit.profile<calls = 75, time_us = 3000.0, shapes = [([8], [8]) : 40, ([9], [9]) : 35]>} {
  %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  jit.return %0 : tensor<?xf32>
}

// Cold: compiling ahead costs less than compiling while somebody waits.
// CHECK: jit.unit private @cold({{.*}}mode = #jit.mode<aot>
// FAST: jit.unit private @cold({{.*}}mode = #jit.mode<jit>
// REMARK: @cold: aot, since its benefit is larger; shapes bucketable; P_hot = 0.25; time of a call 10 us (measured);
// REAL: jit.unit private @cold({{.*}}mode = #jit.mode<aot>
jit.unit private @cold(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32>
    attributes {hotness = #jit.hotness<count = 25, time_us = 250.0>} {
  %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  jit.return %0 : tensor<?xf32>
}

// Sizes that a scalar decides are not for guards on shapes.
// CHECK: jit.unit private @scalar({{.*}}mode = #jit.mode<jit>
// REMARK: @scalar: jit, since its sizes follow from more than those of its arguments; shapes dynamic; P_hot = 0; time of a call not known
// Off the critical path, real-time mode changes nothing; what is on it is compiled ahead.
// REAL: jit.unit private @scalar({{.*}}mode = #jit.mode<jit>
jit.unit private @scalar(%x: tensor<?xf32>, %n: index, %o: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %1 = tensor.insert_slice %0 into %o[0] [%n] [1] : tensor<?xf32> into tensor<8xf32>
  jit.return %1 : tensor<8xf32>
}

// A mode that is there stays, unless it is to be decided anew.
// CHECK: jit.unit private @given({{.*}}mode = #jit.mode<jit>
// OVER: jit.unit private @given({{.*}}mode = #jit.mode<aot>
// REMARK: @given: jit, since it was given; shapes static
jit.unit private @given() attributes {mode = #jit.mode<jit>} {
  jit.return
}

func.func @path(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %0 = jit.invoke @hot(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %1 = jit.invoke @cold(%0 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %f = tensor.empty() : tensor<8xf32>
  %2 = jit.invoke @scalar(%x, %n : tensor<?xf32>, index) outs(%f : tensor<8xf32>) -> tensor<8xf32>
  return %1, %2 : tensor<?xf32>, tensor<8xf32>
}
