func.func @half(%x: tensor<4xf16>) -> tensor<4xf16> {
  return %x : tensor<4xf16>
}
func.func @""(%x: f32) -> f32 {
  return %x : f32
}
func.func @main(%x: i1) -> i1 {
  return %x : i1
}
