// RUN: jit-opt %s -jit-lower-inputs -split-input-file -verify-diagnostics

func.func @no_lowering(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{failed to legalize operation 'tosa.custom'}}
  %0 = tosa.custom %a {domain_name = "custom", implementation_attrs = "", operator_name = "mystery"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error@+1 {{has no lowering to linalg}}
tosa.variable @state : tensor<4xf32>
func.func @variable(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

// -----

func.func @endless() {
  // expected-error@+1 {{leads nowhere: 'func.func' never comes to an end}}
  cf.br ^a
^a:
  cf.br ^b
^b:
  cf.br ^a
}

// -----

func.func @endless_way(%c: i1) {
  cf.cond_br %c, ^end, ^a
^a:
  // expected-error@+1 {{leads nowhere: 'func.func' can run into a loop without an end}}
  cf.br ^a
^end:
  return
}
