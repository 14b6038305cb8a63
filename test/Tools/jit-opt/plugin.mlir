// RUN: jit-opt %s --load-pass-plugin=%libs/JitOptPlugin.so --pass-pipeline='builtin.module(test-raise-tier)' 2>&1 | FileCheck %s

// A plugin's pass works on the tool's own operations.

// CHECK: plugin.mlir:[[#@LINE+2]]:1: remark: was at baseline
// CHECK: jit.unit @unit() attributes {tier = #jit.tier<peak>}
jit.unit @unit() attributes {tier = #jit.tier<baseline>} {
  jit.return
}
