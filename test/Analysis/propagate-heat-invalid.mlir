// RUN: split-file %s %t
// RUN: not jit-opt %t/in.mlir --jit-propagate-heat='alpha=1.5' 2>&1 | FileCheck %s --check-prefix=ALPHA
// RUN: not jit-opt %t/in.mlir --jit-propagate-heat='alpha=nan' 2>&1 | FileCheck %s --check-prefix=NAN
// RUN: not jit-opt %t/in.mlir --jit-propagate-heat='steps=-1' 2>&1 | FileCheck %s --check-prefix=STEPS
// RUN: not jit-opt %t/in.mlir --jit-propagate-heat='tolerance=-0.5' 2>&1 | FileCheck %s --check-prefix=TOLERANCE
// RUN: not jit-opt %t/in.mlir --jit-propagate-heat='quantity=size' 2>&1 | FileCheck %s --check-prefix=QUANTITY
// RUN: not jit-opt %t/in.mlir --jit-propagate-heat='profile=%t/nosuch.json' 2>&1 | FileCheck %s --check-prefix=NOFILE
// RUN: not jit-opt %t/in.mlir --jit-propagate-heat='profile=%t/syntax.json' 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: not jit-opt %t/in.mlir --jit-propagate-heat='profile=%t/list.json' 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: not jit-opt %t/in.mlir --jit-propagate-heat='profile=%t/name.json' 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not jit-opt %t/in.mlir --jit-propagate-heat='profile=%t/negative.json' 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not jit-opt %t/in.mlir --jit-propagate-heat='profile=%t/twice.json' 2>&1 | FileCheck %s --check-prefix=TWICE

// Options out of their range and files that are no profiles are refused by name.

// ALPHA: error: jit-propagate-heat: alpha is 1.500000, but must be from 0 to 1
// NAN: error: jit-propagate-heat: alpha is nan, but must be from 0 to 1
// STEPS: error: jit-propagate-heat: steps is -1, but must be from 0 to 1000000
// TOLERANCE: error: jit-propagate-heat: tolerance is -0.500000, but must be a number that is not negative
// QUANTITY: error: jit-propagate-heat: quantity is 'size', but must be count, time_us or score
// NOFILE: error: {{.*}}nosuch.json: cannot read the profile: No such file or directory
// SYNTAX: error: {{.*}}syntax.json: [3:
// LIST: error: {{.*}}list.json: a profile is an object with a list "units"
// NAME: error: {{.*}}name.json: units[1] is not an object with a "name"
// NEGATIVE: error: {{.*}}negative.json: unit 'hot one': 'calls' must be a number that is not negative
// TWICE: error: {{.*}}twice.json: unit 'a' is there twice

//--- in.mlir
func.func @f() { return }
//--- syntax.json
{"units": [
  {"name": "a", "calls": 1}
  {"name": "b"}
]}
//--- list.json
[1, 2]
//--- name.json
{"units": [{"name": "a"}, {"calls": 3}]}
//--- negative.json
{"units": [{"name": "hot one", "calls": -3}]}
//--- twice.json
{"units": [{"name": "a"}, {"name": "a"}]}
