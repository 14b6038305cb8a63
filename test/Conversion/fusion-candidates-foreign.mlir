// RUN: jit-opt %s --load-dialect-plugin=%libs/ForeignCostDialect.so --jit-fusion-candidates -o /dev/null 2>&1 | FileCheck %s
// RUN: jit-opt %s --load-dialect-plugin=%libs/ForeignCostDialect.so --jit-form-units | FileCheck %s --check-prefix=UNITS

// A structured operation of another dialect is treated by its interface; one that only says what it
// costs is named with what fusing it would save (test/lib/ForeignCostDialect).

// CHECK: remark: not fused with 'linalg.abs', operand #0 of 'foreign.square': both are element-wise, with no anchor
// CHECK: remark: not fused with 'foreign.square', operand #0 of 'foreign.spin': not compatible: {{.*}}; benefit 1024 bytes
// CHECK: :[[@LINE+8]]:{{.*}}: remark: unit of 1 operation; saves 0 bytes

// UNITS-LABEL: func.func @pairs
// UNITS: jit.invoke @pairs.square_0
// UNITS: "foreign.spin"
// UNITS: jit.unit private @pairs.square_0
// UNITS: "foreign.square"
func.func @pairs(%x: tensor<16x8xf32>, %o: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %a = linalg.abs ins(%x : tensor<16x8xf32>) outs(%o : tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = "foreign.square"(%a, %o) ({
  ^bb0(%in: f32, %out: f32):
    %m = arith.mulf %in, %in : f32
    linalg.yield %m : f32
  }) : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
  %1 = "foreign.spin"(%0) : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}
