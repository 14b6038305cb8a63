# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures jit-run beside ONNX Runtime and OpenVINO on the test models, case by case, interleaved."""

import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from importlib import metadata

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "utils", "models"))

import op_bench  # noqa: E402
import peer  # noqa: E402
import regression  # noqa: E402
import report  # noqa: E402
import sources  # noqa: E402
import tiers  # noqa: E402

# How long one steady loop should run, and the calls it may take.
STEADY_S = 0.5
LEAST_CALLS, MOST_CALLS = 10, 2000

_EXAMPLES = """\
examples:
  utils/bench/bench                              all models and cases, about 5 minutes
  utils/bench/bench --only vadseq --rounds=1     one model, once
  utils/bench/bench --models=FOLDER              models that are imported already
  utils/bench/bench --jit-run=build/dev/bin/jit-run --json=dev.json
  utils/bench/bench --tiers                      compiled code beside the interpreter
  utils/bench/bench --policy=fixed:interpreter   the interpreter alone beside the peer
  utils/bench/bench --ops --threads 1            single operations beside the peers
  utils/bench/bench --ops matmul softmax         some of them
  utils/bench/bench --save-baseline=old.json --rounds=9
  utils/bench/bench --compare=old.json --rounds=9
                                                 has jit-run become slower since?
  utils/bench/bench --against=old/bin/jit-run    the same, both in turn: least noise

All run in turn, round by round, each in processes of its own; a figure is the median
over the rounds. Times to the first answer count from the end of the import on a
peer's side and from main() on jit-run's; `cold` is the whole process."""


class BenchFailed(Exception):
    """A measurement that could not be made, with its reason."""


def main():
    options = _parser().parse_args()
    for program in filter(None, [options.jit_run, options.against]):
        if not os.access(program, os.X_OK):
            print(f"bench: error: no jit-run at '{program}'", file=sys.stderr)
            return 1
    if options.compare and options.against:
        print("bench: error: give --compare or --against, not both", file=sys.stderr)
        return 2
    if options.tiers:
        return _bench_tiers(options)
    if options.ops is not None:
        return _bench_ops(options)
    if options.save_baseline or options.compare or options.against:
        return _bench_regression(options)
    result = {"machine": _machine(), "versions": _versions(options)}
    result["peak"] = _peak(max(options.threads))
    result["cases"], result["skipped"] = [], {}
    for name in options.only or _models_in(options.models):
        try:
            _bench_model(name, options, result["cases"])
        except (BenchFailed, sources.FetchFailed) as failure:
            result["skipped"][name] = str(failure)
    print(report.markdown(result))
    _save(result, options.json)
    return 1 if result["skipped"] else 0


def _bench_tiers(options):
    """Tier `baseline` beside the interpreter, at the most of --threads."""
    names = options.only or _models_in(options.models)

    def measure(result, progress):
        args = (options.jit_run, options.models, names, options.cases, max(options.threads))
        result |= tiers.measure(*args, options.rounds, progress)

    return _run_bench(options, measure, tiers.markdown)


def _bench_ops(options):
    """Single operations, at the fewest of --threads."""

    def measure(result, progress):
        threads = result["threads"] = min(options.threads)
        peaks = _peak(threads)["threads"]
        peak = result["peak"] = next(p for p in peaks if p["n"] == threads)
        args = (options.jit_run, options.ops, options.peers, threads)
        result["ops"] = op_bench.measure(*args, options.rounds, peak, progress)

    return _run_bench(options, measure, op_bench.markdown)


def _bench_regression(options):
    """jit-run alone, to a baseline or beside one: 1 if it has become slower."""
    try:
        old = regression.load(options.compare) if options.compare else None
        options.peers = []
        new, before = _samples(options)
        old = old or before
    except (regression.BadBaseline, BenchFailed) as failure:
        print(f"bench: error: {failure}", file=sys.stderr)
        return 1
    if options.save_baseline:
        _save(new, options.save_baseline)
    if old is None:
        print(f"bench: wrote {options.save_baseline}", file=sys.stderr)
        return 0
    found = regression.compare(old, new, options.tolerance)
    print(regression.markdown(found))
    _save(found, options.json)
    return 1 if regression.is_slower(found) or not found["verdicts"] else 0


def _samples(options):
    """A baseline of jit-run, and one of that which it is measured against, if any. Round by round
    over all cases, so that what disturbs the machine for a while spoils one sample of many cases
    and not all of one."""
    sides = [options]
    if options.against:
        sides.append(argparse.Namespace(**{**vars(options), "jit_run": options.against}))
    found = [
        {
            "format": regression.FORMAT,
            "version": regression.VERSION,
            "machine": _machine(),
            "versions": _versions(side),
            "entries": [],
        }
        for side in sides
    ]
    runs = []
    for case, entry in _regression_cases(options):
        calls = case.steady_calls(entry["threads"])
        for side, baseline in zip(sides, found, strict=True):
            own = {**entry, "samples": []}
            baseline["entries"].append(own)
            runs.append((case.of(side), own, calls))
    for done in range(options.rounds):
        for case, entry, calls in runs:
            entry["samples"].append(case.sample(entry["threads"], calls))
        print(f"bench: round {done + 1} of {options.rounds} done", file=sys.stderr, flush=True)
    return found[0], found[1] if options.against else None


def _regression_cases(options):
    """Each case of each model, at each number of threads."""
    cases = []
    for name in options.only or _models_in(options.models):
        folder = os.path.join(options.models, name)
        try:
            with open(os.path.join(folder, "meta.json")) as file:
                shapes = json.load(file)["cases"]
        except OSError as failure:
            raise BenchFailed(f"no model '{name}' in '{options.models}'") from failure
        for index in range(len(shapes)):
            if options.cases and index not in options.cases:
                continue
            case = _Case(name, index, folder, None, options)
            for threads in options.threads:
                entry = {"model": name, "case": index, "shape": shapes[index][0]}
                cases.append((case, {**entry, "threads": threads}))
    return cases


def _run_bench(options, measure, markdown):
    """Prints and saves what measure(result, progress) adds to what is known of the machine."""
    result = {"machine": _machine(), "versions": _versions(options)}
    try:
        measure(result, lambda what: print(f"bench: {what} done", file=sys.stderr, flush=True))
    except (tiers.TiersFailed, op_bench.OpsFailed, OSError) as failure:
        print(f"bench: error: {failure}", file=sys.stderr)
        return 1
    print(markdown(result))
    _save(result, options.json)
    return 0


def _save(result, path):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path + ".part", "w") as file:
        json.dump(result, file, indent=1)
    os.replace(path + ".part", path)


def _parser():
    parser = argparse.ArgumentParser(
        prog="bench",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    build = os.path.join(ROOT, "build")
    parser.add_argument("--models", default=os.path.join(build, "models"))
    parser.add_argument(
        "--jit-run", default=os.path.join(build, "release", "bin", "jit-run")
    )
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these models")
    parser.add_argument(
        "--cases", nargs="+", type=int, metavar="K", help="these cases of each"
    )
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2], metavar="N")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--peers",
        nargs="+",
        choices=list(peer.PEERS),
        default=list(peer.PEERS),
        help="those to measure beside",
    )
    parser.add_argument(
        "--tiers",
        action="store_true",
        help="compiled code beside the interpreter, without peers",
    )
    parser.add_argument(
        "--ops",
        nargs="*",
        metavar="KIND",
        help="single operations beside the peers; all kinds, or those named",
    )
    parser.add_argument(
        "--policy",
        help="jit-run's: fixed:interpreter measures the interpreter alone",
    )
    parser.add_argument(
        "--save-baseline",
        metavar="FILE",
        help="measure jit-run alone, and keep all samples for --compare",
    )
    parser.add_argument(
        "--compare",
        metavar="FILE",
        help="measure jit-run alone; exit status 1 if a case is slower than in this baseline",
    )
    parser.add_argument(
        "--against",
        metavar="JIT_RUN",
        help="as --compare, with another jit-run that is measured in turn with this one",
    )
    parser.add_argument(
        "--tolerance",
        type=_fraction,
        default=0.05,
        help="what is not a difference yet (0.05)",
    )
    parser.add_argument("--json", default=os.path.join(build, "bench", "results.json"))
    return parser


def _fraction(text):
    value = float(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError("it is between 0 and 1")
    return value


def _models_in(folder):
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    found = [n for n in names if os.path.exists(os.path.join(folder, n, "meta.json"))]
    if not found:
        sys.exit(f"bench: error: no models in '{folder}'; run utils/fetch-models")
    return found


def _machine():
    with open("/proc/cpuinfo") as file:
        match = re.search(r"model name\s*: (.*)", file.read())
    return {
        "cpu": match.group(1) if match else platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "system": platform.platform(),
        "load": os.getloadavg()[0],
    }


def _versions(options):
    said = subprocess.run(
        [options.jit_run, "--version"], capture_output=True, text=True
    )
    return {
        "jit-run": " ".join(said.stdout.split()),
        "python": platform.python_version(),
        **{name: metadata.version(peer.PEERS[name].package) for name in options.peers},
    }


def _peak(threads):
    """FMA rate and read bandwidth, by utils/bench/peak.cpp built for this machine."""
    source = os.path.join(HERE, "peak.cpp")
    program = os.path.join(ROOT, "build", "bench", "peak")
    os.makedirs(os.path.dirname(program), exist_ok=True)
    newest = os.path.exists(program) and os.path.getmtime(program)
    if not newest or newest < os.path.getmtime(source):
        flags = ["-std=c++17", "-O3", "-march=native", "-ffp-contract=fast", "-pthread"]
        subprocess.run(["g++", *flags, source, "-o", program], check=True)
    said = subprocess.run([program, str(threads)], capture_output=True, check=True)
    return json.loads(said.stdout)


def _bench_model(name, options, cases):
    folder = os.path.join(options.models, name)
    onnx = os.path.join(folder, "model.onnx")
    if not os.path.exists(onnx):
        if name not in sources.SOURCES:
            raise BenchFailed(f"no '{onnx}' for the peer")
        onnx = sources.fetch_onnx(name, os.path.join(ROOT, "build", "onnx"))
    with open(os.path.join(folder, "meta.json")) as file:
        meta = json.load(file)
    for index, shapes in enumerate(meta["cases"]):
        if options.cases and index not in options.cases:
            continue
        case = _Case(name, index, folder, onnx, options)
        entry = {"model": name, "case": index, "shape": shapes[0]}
        entry["agrees"] = case.agrees(meta)
        entry["threads"] = {n: case.measure(n) for n in options.threads}
        cases.append(entry)
        print(f"bench: {name} case{index} done", file=sys.stderr, flush=True)


class _Case:
    """One case of one model, and how each side runs it."""

    def __init__(self, name, index, folder, onnx, options):
        self.name, self.index, self.folder = name, index, folder
        self.inputs = os.path.join(folder, f"case{index}")
        self.model = os.path.join(folder, "model.mlirbc")
        self.onnx = onnx
        self.options = options

    def of(self, options):
        """The same case, by the jit-run of other options."""
        return _Case(self.name, self.index, self.folder, self.onnx, options)

    def agrees(self, meta):
        """Whether jit-run's results are the expected ones, within the tolerance."""
        expected = [f"--expected-dir={self.inputs}"]
        expected += [f"--rtol={meta['rtol']}", f"--atol={meta['atol']}"]
        return self._jit_run(expected).returncode == 0

    def measure(self, threads):
        """Medians over the rounds of each side: first answer, cold start, steady call."""
        calls = self.steady_calls(threads)
        rounds = [self._round(threads, calls) for _ in range(self.options.rounds)]
        return {
            side: {
                what: statistics.median(r[side][what] for r in rounds)
                for what in rounds[0][side]
            }
            for side in rounds[0]
        }

    def steady_calls(self, threads):
        """Calls that take about STEADY_S."""
        probe = self._anneal(threads, LEAST_CALLS)["steady_us"]
        return int(min(MOST_CALLS, max(LEAST_CALLS, STEADY_S * 1e6 / probe)))

    def sample(self, threads, calls):
        """Of one process: regression.FIGURES, and the machine's peak meanwhile."""
        found = self._anneal(threads, calls)
        return {what: found[what] for what in [*regression.FIGURES, "peak_gflops"]}

    def _round(self, threads, calls):
        sides = {}
        for name in self.options.peers:
            start = time.perf_counter()
            sides[name] = self._peer(name, threads, 0)
            sides[name]["cold_ms"] = (time.perf_counter() - start) * 1e3
        anneal = sides["anneal"] = self._anneal(threads, 1)
        # Without a report, which takes its time to measure the machine.
        start = time.perf_counter()
        self._jit_run([f"--threads={threads}"])
        anneal["cold_ms"] = (time.perf_counter() - start) * 1e3
        for name in self.options.peers:
            sides[name]["steady_us"] = self._peer(name, threads, calls)["steady_us"]
        anneal["steady_us"] = self._anneal(threads, calls)["steady_us"]
        return sides

    def _peer(self, name, threads, calls):
        command = [sys.executable, os.path.join(HERE, "peer.py"), name, self.onnx]
        command += [self.inputs, str(threads), str(calls)]
        said = subprocess.run(command, capture_output=True, text=True)
        if said.returncode != 0:
            raise BenchFailed(f"{name} failed: {said.stderr.strip()[-300:]}")
        return json.loads(said.stdout)

    def _anneal(self, threads, calls):
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            said = self._jit_run(
                [f"--threads={threads}", f"--repeat={calls}", f"--report={file.name}"]
            )
            if said.returncode != 0:
                raise BenchFailed(f"jit-run failed: {said.stderr.strip()[-300:]}")
            with open(file.name) as written:
                found = json.load(written)
        return {
            "first_ms": found["first_result_ms"],
            "steady_us": found["steady_us"],
            "peak_gflops": found["host"]["peak_gflops"],
            "rss_mb": found.get("memory", {}).get("rss_mb", 0),
            "steps": found.get("steps", 0),
        }

    def _jit_run(self, arguments):
        command = [self.options.jit_run, self.model, f"--inputs-dir={self.inputs}"]
        if self.options.policy:
            command.append(f"--policy={self.options.policy}")
        return subprocess.run([*command, *arguments], capture_output=True, text=True)


if __name__ == "__main__":
    sys.exit(main())
