// RUN: jit-run %s -e main | FileCheck %s

// A matrix with compressed rows times a vector, with the storage of MLIR's runner library.

// CHECK: ( 2, 11 )
#Rows = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#product = { indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(j)>, affine_map<(i,j)->(i)>], iterator_types = ["parallel","reduction"] }
func.func @main() { %c = arith.constant dense<[[0.0, 1.0, 0.0],[2.0,0.0,3.0]]> : tensor<2x3xf64>
 %s = sparse_tensor.convert %c : tensor<2x3xf64> to tensor<2x3xf64, #Rows>
 %v = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf64>
 %i = arith.constant dense<0.0> : tensor<2xf64>
 %r = linalg.generic #product ins(%s, %v : tensor<2x3xf64, #Rows>, tensor<3xf64>) outs(%i : tensor<2xf64>) { ^bb0(%a: f64, %b: f64, %x: f64):
  %m = arith.mulf %a, %b : f64
  %n = arith.addf %x, %m : f64
  linalg.yield %n : f64 } -> tensor<2xf64>
 %c0 = arith.constant 0 : index
 %f = arith.constant 0.0 : f64
 %vv = vector.transfer_read %r[%c0], %f : tensor<2xf64>, vector<2xf64>
 vector.print %vv : vector<2xf64>
 bufferization.dealloc_tensor %s : tensor<2x3xf64, #Rows>
 return }
