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
      d1 = dim 0 of %arg2
      %0 = linalg.matmul: flops=64*d0, read=48*d0 + 128, written=16*d0, intensity=4*d0/(4*d0 + 8)
      total: flops=64*d0, read=48*d0 + 128, written=16*d0, intensity=4*d0/(4*d0 + 8)
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
    After one step with `alpha=0.5`:
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

#endif // ANNEAL_ANALYSIS_PASSES
