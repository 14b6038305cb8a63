//===- Passes.td - Passes that show what analyses find ----*- tablegen -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_ANALYSIS_PASSES
#define ANNEAL_ANALYSIS_PASSES

include "mlir/Pass/PassBase.td"

def PrintOpCost : Pass<"jit-print-op-cost", "::mlir::ModuleOp"> {
  let summary = "Print FLOPs, bytes and arithmetic intensity of operations";
  let description = [{
    **What.** Prints, to standard output, what one run of each operation costs, and for each function
    and unit the sum of one call: FLOPs, bytes read, bytes written, FLOPs a byte (H5). Costs are
    polynomials in the sizes that aren't known, which are described before them; with `dims` they are
    numbers. What costs nothing is left out. docs/analyses/OpCost.md says what is counted.

    For
    ```mlir
    func.func @f(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
      %0 = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>)
          outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
      return %0 : tensor<?x4xf32>
    }
    ```
    it prints
    ```
    func.func @f
      d0 = dim 0 of %arg0
      %0 = linalg.matmul: flops=64*d0, read=48*d0 + 128, written=16*d0, intensity=d0/(d0 + 2)
      total: flops=64*d0, read=48*d0 + 128, written=16*d0, intensity=d0/(d0 + 2)
    ```

    **Options.**
    - `dims=arg0:16x8,arg2:16x4`: the sizes of arguments (`?` for one that isn't known, `arg3:7` for
      the value of an integer), of the only public function, or of `function`.
    - `function=f`: print this function alone.
    - `totals-only`: only the sums.
    - `trip-count=10`: how often loops run of which nothing is known (`scf.while`).
    - `flop-weights=math.exp:10,arith.divf:1`: what an operation counts for.
    - `annotate`: print nothing; put the costs on the operations, as `jit.cost = {flops = …,
      bytes_read = …, bytes_written = …}`, where an integer is a number and a string a polynomial or
      an integer beyond 64 bits, and `{unknown = "why"}` where the cost isn't known. Functions have
      their total, and `jit.cost_dims`, the symbols.

    **Needs and leaves.** Any module. All but those attributes stays as it is.

    **Limits.** A bound, not a measurement: each operation moves each element once, whatever caches do.
  }];
  let options = [
    ListOption<"dims", "dims", "std::string", "Sizes of arguments: arg0:1x32,arg1:1x32">,
    Option<"function", "function", "std::string", "", "The only function to print">,
    Option<"totalsOnly", "totals-only", "bool", "false", "Print only the sum of each function">,
    Option<"tripCount", "trip-count", "int64_t", "-1",
           "Iterations of loops of which nothing is known; negative: leave them a symbol">,
    ListOption<"flopWeights", "flop-weights", "std::string",
               "What operations count for: math.exp:10,arith.divf:1">,
    Option<"annotate", "annotate", "bool", "false", "Put costs on operations instead of printing">
  ];
}

def PropagateHeat : Pass<"jit-propagate-heat", "::mlir::ModuleOp"> {
  let summary = "Let the heat of a profile spread over uses and calls";
  let description = [{
    **What.** Starts from the heat that a profile gives to operations and units, spreads it along the
    edges of use-def chains, control flow and calls (H3), and writes what comes of it as the `score`
    of `#jit.hotness`; other fields stay. A step is

        H_v(t+1) = alpha * H_v(t) + (1 - alpha) * sum over edges (u, v) of H_u(t) / |succ(u)|

    for all nodes at once, from the heat of time t. Parallel edges count each. docs/analyses/Heat.md
    lists the edges.

    Before:
    ```mlir
    %0 = linalg.exp {jit.hotness = #jit.hotness<count = 8>} ...
    %1 = linalg.abs ins(%0 : ...) ...
    ```
    After one step, `alpha=0.5 steps=1`:
    ```mlir
    %0 = linalg.exp {jit.hotness = #jit.hotness<count = 8, score = 4.0>} ...
    %1 = linalg.abs {jit.hotness = #jit.hotness<score = 4.0>} ins(%0 : ...) ...
    ```

    **Options.**
    - `alpha=0.9`: what a node keeps in a step, from 0 to 1.
    - `steps=64`: the most steps that are done.
    - `tolerance=1e-9`: no further step after one in which no node changed by more.
    - `quantity=count`: the field of the profile that is the heat to start from: `count`, `time_us` or
      `score`.
    - `profile=report.json`: the file that `jit-run --report` writes; its units come before their
      attributes.

    **Needs and leaves.** Any module. A remark says how many steps were done. Nodes of heat 0
    that had no hotness get none.

    **Limits.** Operations in the bodies of structured ops are one with the op.
  }];
  let options = [
    Option<"alpha", "alpha", "double", "0.9", "What a node keeps of its heat in a step">,
    Option<"steps", "steps", "int64_t", "64", "The most steps">,
    Option<"tolerance", "tolerance", "double", "1e-9", "Largest change after which it stops">,
    Option<"quantity", "quantity", "std::string", "\"count\"",
           "Heat to start from: count, time_us or score">,
    Option<"profile", "profile", "std::string", "", "A JSON file with what was measured of units">
  ];
  let dependentDialects = ["::anneal::jit::JitDialect"];
}

def AnnotateProfile : Pass<"jit-annotate-profile", "::mlir::ModuleOp"> {
  let summary = "Put what was measured of units on the IR";
  let description = [{
    **What.** Writes what a profile file says of units and functions as `jit.profile` and `jit.hotness` on
    them (on units `hotness`). What the file doesn't have, or has as null, stays absent: it isn't known. A
    time of 0 is that of a unit of which no call was timed, and isn't known either. docs/Profile.md has the
    format; `jit-run --report` writes it.

    Before:
    ```mlir
    jit.unit @u(%x: tensor<?xf32>) {
      jit.return
    }
    ```
    With this entry in the list `units` of the file
    ```json
    {"name": "u", "calls": 12, "us_per_call": 3.5, "shapes": [{"sizes": [[8]], "count": 12} ]}
    ```
    it becomes
    ```mlir
    jit.unit @u(%x: tensor<?xf32>) attributes {
        hotness = #jit.hotness<count = 12, time_us = 42.0>,
        jit.profile = #jit.profile<calls = 12, time_us = 42.0, shapes = [([8]) : 12]>} {
      jit.return
    }
    ```

    **Options.**
    - `profile=report.json`: the file.

    **Needs and leaves.** The module that was run, cut into the same units: `jit-normalize` and
    `jit-form-units` give them their names. Attributes of units in the file are replaced, others stay.
    `jit-strip-profile` takes all of it away again. Names that the module doesn't have are warned of, with
    the nearest that it has; a value that is none, or shapes that the unit can't have, are errors that name file
    and unit. A remark counts.

    **Limits.** Functions and units at the top of the module.
  }];
  let options = [
    Option<"profile", "profile", "std::string", "", "A JSON file with what was measured of units">
  ];
  let dependentDialects = ["::anneal::jit::JitDialect"];
}

def StripProfile : Pass<"jit-strip-profile", "::mlir::ModuleOp"> {
  let summary = "Take profiles off the IR";
  let description = [{
    **What.** Removes `jit.profile` and `jit.hotness` (on units `hotness`) from all operations, in nested
    regions too.

    Before:
    ```mlir
    jit.unit @u() attributes {hotness = #jit.hotness<count = 12>, jit.profile = #jit.profile<calls = 12>, tier = #jit.tier<peak>} {
      jit.return
    }
    ```
    After:
    ```mlir
    jit.unit @u() attributes {tier = #jit.tier<peak>} {
      jit.return
    }
    ```

    **Options.**
    - `also=tier,mode,schedule,critical_path_us`: what was derived from a profile and is to go too.

    **Needs and leaves.** Any module. After `jit-annotate-profile` on a module without profiles it gives back the
    module as it was.

    **Limits.** Attributes of other names stay, whatever they hold.
  }];
  let options = [
    ListOption<"also", "also", "std::string",
               "Further attributes to remove: tier, mode, schedule, critical_path_us">
  ];
}

def PrintShapeClass : Pass<"jit-print-shape-class", "::mlir::ModuleOp"> {
  let summary = "Print what the sizes of functions and units follow from";
  let description = [{
    **What.** Prints, to standard output, the class of each function and unit by what has to be known before
    all of its sizes are (M2): `static` (nothing), `bucketable` (sizes of arguments), `dynamic` (scalar
    arguments, the course of a loop) or `data-dependent` (elements of tensors, or what no interface tells). Then
    the symbols that dynamic sizes are made of, with what each follows from and the largest value that it can
    have, and the sizes of the results in these symbols. docs/analyses/ShapeClass.md has the rules.

    For
    ```mlir
    func.func @f(%x: tensor<?x4xf32> {jit.shape_bucket = #jit.shape_bucket<[exp2(3 ... 4), 4]>}, %y: tensor<?xf32>, %n: index) -> (tensor<?x4xf32>, tensor<?xf32>) {
      %0 = math.absf %x : tensor<?x4xf32>
      %1 = tensor.extract_slice %y[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
      return %0, %1 : tensor<?x4xf32>, tensor<?xf32>
    }
    ```
    it prints
    ```
    func.func @f: dynamic
      d0 = dim 0 of %arg0: bucketable, at most 15
      d1 = dim 0 of %arg1: bucketable
      s0 = %arg2: dynamic, from %arg2
      result #0: [d0, 4]
      result #1: [s0]
    ```

    **Options.**
    - `function=f`: print this function alone.
    - `annotate`: print nothing; put `jit.shape_class = {class = "dynamic", sizes = {d0 = "…"}, results =
      ["[d0, 4]", …]}` on functions and units.

    **Needs and leaves.** Any module. All but that attribute stays as it is.

    **Limits.** Units are looked at alone: what their callers pass is not taken into account. Arguments of blocks
    that are reached by branches count as data-dependent.
  }];
  let options = [
    Option<"function", "function", "std::string", "", "The only function to print">,
    Option<"annotate", "annotate", "bool", "false", "Put classes on functions instead of printing">
  ];
}

def PrintCriticalPath : Pass<"jit-print-critical-path", "::mlir::ModuleOp"> {
  let summary = "Print the chain of operations that decides how long a call takes";
  let description = [{
    **What.** Prints, to standard output, the longest path through the operations of each function by
    time, and its sum: no schedule is faster, on any number of threads (M4). The time of an operation
    is its roofline, the larger of FLOPs / peak and bytes / bandwidth, or, of a call of a unit in the
    profile, what was measured. Loops count for each iteration, of branches the dearest counts, calls
    count for the path in what they call. docs/analyses/CriticalPath.md has the rules.

    For
    ```mlir
    func.func @f(%x: tensor<1000xf32>) -> (tensor<1000xf32>, tensor<1000xf32>) {
      %0 = math.absf %x : tensor<1000xf32>
      %1 = math.exp %0 : tensor<1000xf32>
      %2 = math.absf %x : tensor<1000xf32>
      return %1, %2 : tensor<1000xf32>, tensor<1000xf32>
    }
    ```
    with `peak-gflops=1 bandwidth-gbs=1` it prints
    ```
    func.func @f: critical path 26 us, all operations 34 us
      %0 = math.absf: 8 us (memory)
      %1 = math.exp: 18 us (compute)
    ```

    **Options.**
    - `dims=arg0:1x32`, `function=f`: as in `jit-print-op-cost`.
    - `default-dim=64`: the size of dimensions that nothing else tells.
    - `trip-count=10`: how often loops run of which nothing is known.
    - `peak-gflops=100`, `bandwidth-gbs=20`: the machine, in 10^9 FLOPs and bytes a second.
    - `profile=report.json`: measured times of units, as `jit-run --report` writes them.
    - `budget-us=1000`: say whether the path fits this latency.
    - `annotate`: print nothing; put `jit.critical_path_us` on the operations of the path, with their
      time, and on functions, with the sum.

    **Needs and leaves.** Any module; units are looked at through their calls.

    **Limits.** What has no known cost, or sizes that aren't known, counts as nothing and is listed.
    So is a function of several blocks.
  }];
  let options = [
    ListOption<"dims", "dims", "std::string", "Sizes of arguments: arg0:1x32,arg1:1x32">,
    Option<"function", "function", "std::string", "", "The only function to print">,
    Option<"defaultDim", "default-dim", "int64_t", "-1",
           "Size of dimensions that nothing tells; negative: none">,
    Option<"tripCount", "trip-count", "int64_t", "-1",
           "Iterations of loops of which nothing is known; negative: none">,
    Option<"peakGflops", "peak-gflops", "double", "100", "10^9 FLOPs a second">,
    Option<"bandwidthGbs", "bandwidth-gbs", "double", "20", "10^9 bytes a second">,
    Option<"profile", "profile", "std::string", "", "A JSON file with what was measured of units">,
    Option<"budgetUs", "budget-us", "double", "0", "Latency that the path is held against; 0: none">,
    Option<"annotate", "annotate", "bool", "false", "Put times on operations instead of printing">
  ];
}

def ScoreHotness : Pass<"jit-score-hotness", "::mlir::ModuleOp"> {
  let summary = "Weigh calls, time, bytes and FLOPs of units into one score";
  let description = [{
    **What.** Writes the `score` of each unit's hotness (H5),

        weight-count * count + weight-time * T_ratio + weight-bytes * B_ratio + weight-density * C_density

    with each term from 0 to 1:

        count     = calls / the most calls of a unit
        T_ratio   = time / time of all units
        B_ratio   = bytes / (bandwidth * time), at most 1
        C_density = FLOPs a byte / the most of a unit

    Calls and time are the profile's. So are bytes and FLOPs; where it doesn't have them, they are the unit's cost at each of
    the shapes that the profile has, else where sizes are known. What isn't known counts as 0.

    Before:
    ```mlir
    jit.unit @u() attributes {hotness = #jit.hotness<count = 10, time_us = 5.0>} {
      jit.return
    }
    ```
    After, as the only unit:
    ```mlir
    jit.unit @u() attributes {hotness = #jit.hotness<count = 10, time_us = 5.0, score = 0.5>} {
      jit.return
    }
    ```

    **Options.**
    - `weight-count=0.25`, `weight-time=0.25`, `weight-bytes=0.25`, `weight-density=0.25`.
    - `roofline-floor`: `B_ratio` as the chapter writes it, bytes / bandwidth, over the largest of a unit.
    - `bandwidth-gbs=20`: 10^9 bytes a second; the measured one is `host` in a report.
    - `default-dim=64`: the size of dimensions that nothing else tells.

    **Needs and leaves.** Units with a profile (`jit-annotate-profile`); others get no score. A score that was there is
    replaced, the rest of the hotness stays. A remark for each unit has the terms.

    **Limits.** The weights are given, not derived from the machine.
  }];
  let options = [
    Option<"weightCount", "weight-count", "double", "0.25", "Weight of the calls">,
    Option<"weightTime", "weight-time", "double", "0.25", "Weight of the time">,
    Option<"weightBytes", "weight-bytes", "double", "0.25", "Weight of the bytes">,
    Option<"weightDensity", "weight-density", "double", "0.25", "Weight of FLOPs a byte">,
    Option<"rooflineFloor", "roofline-floor", "bool", "false", "Take bytes as the time to move them">,
    Option<"bandwidthGbs", "bandwidth-gbs", "double", "20", "10^9 bytes a second">,
    Option<"defaultDim", "default-dim", "int64_t", "-1",
           "Size of dimensions that nothing tells; negative: none">
  ];
  let dependentDialects = ["::anneal::jit::JitDialect"];
}

def SelectMode : Pass<"jit-select-mode", "::mlir::ModuleOp"> {
  let summary = "Decide whether units are compiled before the program runs or while it runs";
  let description = [{
    **What.** Gives each unit its `mode`. First comes the tree of M2, by the shape class (docs/analyses/ShapeClass.md):
    `static` is `aot`; `dynamic` and `data-dependent` are `jit`. A `bucketable` unit can be compiled ahead for all sizes,
    or for those that are seen; there the larger of M3's benefits wins,

        B(op, mode) = P_hot(op) * G_opt(op, mode) - C_compile(op, mode)

    with, in microseconds,

        P_hot     = calls of the unit / calls of all units                                          (H1)
        G_opt     = calls * time of a call * (1 - 1 / gain-MODE)
        C_compile = (compile-us + compile-us-per-op * operations of the unit) * weight-MODE * variants

    Operations in bodies count too. `variants` is 1 for `aot`, and for `jit` the number of shapes in the unit's profile, up to `max-variants`. The
    time of a call is the profile's, else the unit's roofline where its sizes are known.

    Before:
    ```mlir
    jit.unit @u(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
      jit.return %0 : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    jit.unit @u(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {mode = #jit.mode<aot>} {
      %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
      jit.return %0 : tensor<4xf32>
    }
    ```

    **Options.**
    - `realtime`: units on the critical path (M4) are `aot`, whatever their shapes; so are those of which it isn't known,
      since they have no time. Paths are those of the public functions, or of `function=f`, with the sizes
      `dims=arg0:1x32`. A remark says how long they are.
    - `calls=1000`: calls of units that are expected, all together; each unit gets its share.
    - `quantity=count`: what the share is taken of: `count` (hotness, else profile), or `score`, as
      `jit-propagate-heat` leaves it.
    - `unknown-share=0`: the share of a unit of which no calls are known.
    - `gain-aot=1.5`, `gain-jit=2`: how much faster than interpreted the code is.
    - `compile-us=2000`, `compile-us-per-op=200`, `weight-aot=0.1`, `weight-jit=1`, `max-variants=4`: what compiling
      costs; before the program runs it keeps nobody waiting.
    - `threshold-us=0`: by how much the benefit of `aot` must be the larger.
    - `default-dim=64`, `peak-gflops=100`, `bandwidth-gbs=20`: as in `jit-print-critical-path`.
    - `overwrite`: decide on units too that have a mode already.

    **Needs and leaves.** Units, as `jit-form-units` makes them; a profile, if there is one, by `jit-annotate-profile`. A
    remark for each unit has all the terms.

    **Limits.** Gains are the same for all units. Nothing compiles ahead by this mark yet.
  }];
  let options = [
    Option<"realtime", "realtime", "bool", "false", "Units on the critical path are aot">,
    Option<"function", "function", "std::string", "", "The function whose critical path counts">,
    ListOption<"dims", "dims", "std::string", "Sizes of its arguments: arg0:1x32,arg1:1x32">,
    Option<"calls", "calls", "double", "1000", "Calls of units that are expected">,
    Option<"quantity", "quantity", "std::string", "\"count\"", "What shares are of: count or score">,
    Option<"unknownShare", "unknown-share", "double", "0",
           "Share of a unit of which no calls are known">,
    Option<"gainAot", "gain-aot", "double", "1.5", "Speed of code compiled ahead over interpreting">,
    Option<"gainJit", "gain-jit", "double", "2", "Speed of code compiled at run time over interpreting">,
    Option<"compileUs", "compile-us", "double", "2000", "Microseconds of any compile">,
    Option<"compileUsPerOp", "compile-us-per-op", "double", "200",
           "Microseconds of a compile for each operation">,
    Option<"weightAot", "weight-aot", "double", "0.1", "What compiling ahead counts for">,
    Option<"weightJit", "weight-jit", "double", "1", "What compiling at run time counts for">,
    Option<"maxVariants", "max-variants", "int64_t", "4", "Most variants that are compiled at run time">,
    Option<"thresholdUs", "threshold-us", "double", "0", "By how much the benefit of aot must be larger">,
    Option<"defaultDim", "default-dim", "int64_t", "-1",
           "Size of dimensions that nothing tells; negative: none">,
    Option<"peakGflops", "peak-gflops", "double", "100", "10^9 FLOPs a second">,
    Option<"bandwidthGbs", "bandwidth-gbs", "double", "20", "10^9 bytes a second">,
    Option<"overwrite", "overwrite", "bool", "false", "Decide on units that have a mode too">
  ];
  let dependentDialects = ["::anneal::jit::JitDialect"];
}

def AssignTiers : Pass<"jit-assign-tiers", "::mlir::ModuleOp"> {
  let summary = "Decide how far each unit is to be compiled";
  let description = [{
    **What.** Gives units their `tier` by what a profile says. Tier i + 1 is open to a unit that was called often
    enough (T4), and of the open ones that with the largest benefit is taken (T6):

        count > theta_i,  theta_i = theta-0 * gamma^i
        l* = argmax over l of N_expected * (t_0 - t_l) - C_l,  where that is above min-benefit-us

    with `t_l = t_0 / speedup-l`, `C_l = compile-ms-l`, and `N_expected = alpha * count + (1 - alpha) * expected-calls`. A
    tier on the way that saves less is skipped. `t_0` is the profile's time of a call, else the unit's roofline where its
    sizes are known. Of equal tiers the lower is taken.

    Before:
    ```mlir
    jit.unit @u(%x: tensor<?xf32>) attributes {hotness = #jit.hotness<count = 5000, time_us = 500000.0>} {
      jit.return
    }
    ```
    After:
    ```mlir
    jit.unit @u(%x: tensor<?xf32>) attributes {hotness = #jit.hotness<count = 5000, time_us = 500000.0>, tier = #jit.tier<optimized>} {
      jit.return
    }
    ```
    and with `--remarks-filter=jit-assign-tiers` it says
    ```
    @u: tier optimized; N = 5000, N_expected = 5000, t_0 = 100 us; baseline: theta = 10, benefit = 79333.3 us, paid back after 240 calls, skipped: a higher one saves more; optimized: theta = 100, benefit = 200000 us, paid back after 1000 calls, chosen; peak: theta = 1000, benefit = -166667 us, paid back after 7500 calls, does not pay
    ```

    **Options.**
    - `theta-hot=0`: the share of all calls that a unit must have more of (H1); 0: any.
    - `theta-0=10`, `gamma=10`, `min-benefit-us=0`: of T4.
    - `alpha=1`, `expected-calls=N`: of T6; without it, as many calls are expected to come as there were.
    - `speedup-baseline=1.2`, `speedup-optimized=2`, `speedup-peak=3`: over the interpreter.
    - `compile-ms-baseline=4`, `compile-ms-optimized=50`, `compile-ms-peak=500`.
    - `tiers=baseline,peak`: those that may be taken; all if it isn't given.
    - `quantity=count`: `count` (hotness, else profile), or `score`, as `jit-propagate-heat` leaves it.
    - `default-dim=64`, `peak-gflops=100`, `bandwidth-gbs=20`: as in `jit-print-critical-path`.
    - `overwrite`: decide on units too that have a tier already.

    **Needs and leaves.** Units with a profile (`jit-annotate-profile`). A unit stays without a tier if its calls aren't
    known, or, called often enough for a higher one, its time. A remark says why for each unit, with the numbers and M1's
    break-even.

    **Limits.** Speed-ups and compile times are the same for all units. A tier that isn't built can be assigned: the engine
    decides by its own policy, and doesn't read this mark yet. T5 (demotion) compares two profiles, and is left to the
    run time.
  }];
  let options = [
    Option<"thetaHot", "theta-hot", "double", "0",
           "Share of all calls that a unit must have more of; 0: any">,
    Option<"theta0", "theta-0", "double", "10", "Calls that a unit must have more of to be compiled">,
    Option<"gamma", "gamma", "double", "10", "By what the calls grow from tier to tier">,
    Option<"minBenefitUs", "min-benefit-us", "double", "0", "Microseconds that a tier must save">,
    Option<"alpha", "alpha", "double", "1", "Weight of the counted calls in the expected ones">,
    Option<"expectedCalls", "expected-calls", "double", "-1",
           "Calls expected before these were counted; negative: as many">,
    Option<"speedupBaseline", "speedup-baseline", "double", "1.2", "Speed over the interpreter">,
    Option<"speedupOptimized", "speedup-optimized", "double", "2", "Speed over the interpreter">,
    Option<"speedupPeak", "speedup-peak", "double", "3", "Speed over the interpreter">,
    Option<"compileMsBaseline", "compile-ms-baseline", "double", "4", "Milliseconds of a compile">,
    Option<"compileMsOptimized", "compile-ms-optimized", "double", "50", "Milliseconds of a compile">,
    Option<"compileMsPeak", "compile-ms-peak", "double", "500", "Milliseconds of a compile">,
    ListOption<"tiers", "tiers", "std::string", "Tiers that may be taken">,
    Option<"quantity", "quantity", "std::string", "\"count\"", "What counts as calls: count or score">,
    Option<"defaultDim", "default-dim", "int64_t", "-1",
           "Size of dimensions that nothing tells; negative: none">,
    Option<"peakGflops", "peak-gflops", "double", "100", "10^9 FLOPs a second">,
    Option<"bandwidthGbs", "bandwidth-gbs", "double", "20", "10^9 bytes a second">,
    Option<"overwrite", "overwrite", "bool", "false", "Decide on units that have a tier too">
  ];
  let dependentDialects = ["::anneal::jit::JitDialect"];
}

#endif // ANNEAL_ANALYSIS_PASSES
