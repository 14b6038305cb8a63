// RUN: split-file %s %t
// RUN: not jit-opt %t/in.mlir --jit-annotate-profile 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not jit-opt %t/in.mlir --jit-annotate-profile=profile=%t/nosuch.json 2>&1 | FileCheck %s --check-prefix=NOFILE
// RUN: not jit-opt %t/in.mlir --jit-annotate-profile=profile=%t/fraction.json 2>&1 | FileCheck %s --check-prefix=FRACTION
// RUN: not jit-opt %t/in.mlir --jit-annotate-profile=profile=%t/overflow.json 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: not jit-opt %t/in.mlir --jit-annotate-profile=profile=%t/infinite.json 2>&1 | FileCheck %s --check-prefix=INFINITE
// RUN: not jit-opt %t/in.mlir --jit-annotate-profile=profile=%t/version.json 2>&1 | FileCheck %s --check-prefix=VERSION
// RUN: not jit-opt %t/in.mlir --jit-annotate-profile=profile=%t/shapes.json 2>&1 | FileCheck %s --check-prefix=SHAPES
// RUN: not jit-opt %t/in.mlir --jit-annotate-profile=profile=%t/rank.json 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not jit-opt %t/in.mlir --jit-annotate-profile=profile=%t/arity.json 2>&1 | FileCheck %s --check-prefix=ARITY
// RUN: not jit-opt %t/in.mlir --jit-annotate-profile=profile=%t/count.json 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not jit-opt %t/in.mlir --jit-annotate-profile=profile=%t/branch.json 2>&1 | FileCheck %s --check-prefix=BRANCH
// RUN: not jit-opt %t/in.mlir --jit-annotate-profile=profile=%t/alignment.json 2>&1 | FileCheck %s --check-prefix=ALIGNMENT
// RUN: not jit-opt %t/in.mlir --jit-annotate-profile=profile=%t/contiguity.json 2>&1 | FileCheck %s --check-prefix=CONTIGUITY
// RUN: not jit-opt %t/in.mlir --jit-annotate-profile=profile=%t/branches.json 2>&1 | FileCheck %s --check-prefix=BRANCHES
// RUN: not jit-opt %t/in.mlir --jit-strip-profile=also=tiers 2>&1 | FileCheck %s --check-prefix=ALSO

// Files that are no profiles of this module are refused with file and unit.

// NONE: error: jit-annotate-profile: option 'profile' names no file
// NOFILE: error: {{.*}}nosuch.json: cannot read the profile: No such file or directory
// FRACTION: error: {{.*}}fraction.json: unit 'u': 'calls' must be a whole number of at most 64 bits
// OVERFLOW: error: {{.*}}overflow.json: unit 'u': 'bytes' must be a whole number of at most 64 bits
// INFINITE: error: {{.*}}infinite.json: unit 'u': 'calls' times 'us_per_call' is more than a number can hold
// VERSION: error: {{.*}}version.json: 'profile_version' must be a whole number from 1 to 1, the newest that is known here
// SHAPES: error: {{.*}}shapes.json: unit 'u': 'shapes'[1] is not an object with "sizes", a list of sizes for each argument, and a "count"
// RANK: error: {{.*}}rank.json: unit 'u': shape #0 of 'jit.profile' doesn't fit argument #0, which is 'tensor<?x4xf32>'
// ARITY: error: {{.*}}arity.json: unit 'u': shape #0 of 'jit.profile' has sizes of 2 arguments, but the unit has 1
// COUNT: error: {{.*}}count.json: unit 'u': the counts of 'shapes' add up to 5, but there were 4 calls
// BRANCH: error: {{.*}}branch.json: unit 'u': 'branches'[1] must be a share from 0 to 1
// ALIGNMENT: error: {{.*}}alignment.json: unit 'u': argument #0: 'alignment' must be a power of two, but is 48
// CONTIGUITY: error: {{.*}}contiguity.json: unit 'u': 'memory'[0]: 'contiguity' must be a number from 0 to 1
// BRANCHES: error: {{.*}}branches.json: unit 'u': 'branches' has 2 shares, but the number of 'scf.if' here is 0
// BRANCHES-NOT: note:
// ALSO: error: jit-strip-profile: also names 'tiers', but must be of tier, mode, schedule, critical_path_us

//--- in.mlir
jit.unit @u(%x: tensor<?x4xf32>) {
  jit.return
}
//--- fraction.json
{"units": [{"name": "u", "calls": 1.5}]}
//--- overflow.json
{"units": [{"name": "u", "bytes": 9223372036854775808}]}
//--- infinite.json
{"units": [{"name": "u", "calls": 1000, "us_per_call": 1e306}]}
//--- version.json
{"profile_version": 2, "units": []}
//--- shapes.json
{"units": [{"name": "u", "shapes": [{"sizes": [[8, 4]], "count": 1}, {"sizes": [8, 4], "count": 1}]}]}
//--- rank.json
{"units": [{"name": "u", "shapes": [{"sizes": [[8, 5]], "count": 1}]}]}
//--- arity.json
{"units": [{"name": "u", "shapes": [{"sizes": [[8, 4], []], "count": 1}]}]}
//--- count.json
{"units": [{"name": "u", "calls": 4, "shapes": [{"sizes": [[8, 4]], "count": 5}]}]}
//--- branch.json
{"units": [{"name": "u", "branches": [0, 1.5]}]}
//--- alignment.json
{"units": [{"name": "u", "memory": [{"alignment": 48}]}]}
//--- contiguity.json
{"units": [{"name": "u", "memory": [{"contiguity": 1.5}]}]}
//--- branches.json
{"units": [{"name": "u", "branches": [0.5, 1]}]}
