"""Every pass and pipeline of jit-opt on modules of all kinds: it changes them, or refuses them with an error
at a place; it never crashes or hangs, its result verifies, is the same again, and where it is a normal form
another run changes nothing.

Modules: Inputs/odd-modules.mlir, large ones made here, and what the stages of the compiler make of them; with
ANNEAL_SWEEP=all also those of all lit tests. Many go through one process (--split-input-file); where that dies
the ones that are to blame are found by halving.
"""

import functools
import os
import pathlib
import re
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
JIT_OPT = str(pathlib.Path(os.environ.get("JIT_RUN", "jit-run")).with_name("jit-opt"))
TIMEOUT_S = 120
STAGES = ["jit-normalize", "jit-form-units", "jit-bufferize-host"]

# What a pass needs to do anything.
OPTIONS = {"jit-extract-unit": "unit=u", "jit-extract-function": "function=main"}
# Steps of a tier, which go on from what they have made to something else: another run need not change
# nothing.
STEPS = {
    "jit-bufferize-functions",
    "jit-bufferize-host",
    "jit-expand-math",
    "jit-hoist-vector-constants",
    "jit-lower-unit-bodies",
    "jit-stock-locate-checks",
    "jit-stock-prepare",
    "jit-tier-baseline",
    "jit-tier-stock",
}
# MLIR's own lowerings, with crashes of their own; the engine runs them where a crash is caught.
NOT_OURS = {"jit-tier-stock"}
FATAL = re.compile(r"LLVM ERROR|Stack dump|PLEASE submit|Assertion|terminate called")


def deep_module(depth=200):
    """`scf.if` in `scf.if`."""
    begin = "".join(f"%r{i} = scf.if %c -> tensor<4xf32> {{\n" for i in range(depth))
    rest = "} else {\n scf.yield %x : tensor<4xf32>\n}\n"
    end = "".join(f"{rest}scf.yield %r{i} : tensor<4xf32>\n" for i in range(depth - 1, 0, -1))
    return f"""
func.func @deep(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {{
  {begin}
  %e = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  scf.yield %e : tensor<4xf32>
  {end}{rest}
  return %r0 : tensor<4xf32>
}}"""


def long_module(length=3000):
    """A block of many operations, each of which reads two earlier ones."""
    lines = [
        f"%v{i} = linalg.add ins(%v{i - 1}, %v{i // 2} : tensor<?x8xf32>, tensor<?x8xf32>) "
        "outs(%x : tensor<?x8xf32>) -> tensor<?x8xf32>"
        for i in range(1, length)
    ]
    text = "\n".join(lines)
    return f"""
func.func @long(%v0: tensor<?x8xf32>, %x: tensor<?x8xf32>) -> tensor<?x8xf32> {{
{text}
  return %v{length - 1} : tensor<?x8xf32>
}}"""


def scalar_module(length=3000):
    """The same of sizes, whose products soon overflow."""
    text = "\n".join(f"%v{i} = arith.muli %v{i - 1}, %v{i // 2} : index" for i in range(1, length))
    return f"""
func.func @scalars(%v0: index) -> (index, tensor<?xf32>) {{
{text}
  %e = tensor.empty(%v{length - 1}) : tensor<?xf32>
  return %v{length - 1}, %e : index, tensor<?xf32>
}}"""


def doubling_module(depth=12):
    """Functions that call each other twice."""
    text = "func.func private @f0(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n}\n"
    for i in range(1, depth):
        text += f"""
func.func @f{i}(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %a = call @f{i - 1}(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = call @f{i - 1}(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}}"""
    return text


def resource_module(elements, name):
    """Constants outside of the IR: one that is there, whole or too short, and one that is missing."""
    blob = "04000000" + "0000803F" * 4
    return f"""
func.func @resources(%x: tensor<{elements}xf32>) -> (tensor<{elements}xf32>, f32) {{
  %c1 = arith.constant 1 : index
  %w = arith.constant dense_resource<{name}> : tensor<{elements}xf32>
  %m = arith.constant dense_resource<missing> : tensor<{elements}xf32>
  %0 = linalg.add ins(%w, %m : tensor<{elements}xf32>, tensor<{elements}xf32>)
      outs(%x : tensor<{elements}xf32>) -> tensor<{elements}xf32>
  %1 = linalg.exp ins(%w : tensor<{elements}xf32>) outs(%x : tensor<{elements}xf32>) -> tensor<{elements}xf32>
  %2 = linalg.add ins(%0, %1 : tensor<{elements}xf32>, tensor<{elements}xf32>)
      outs(%x : tensor<{elements}xf32>) -> tensor<{elements}xf32>
  %3 = tensor.extract %w[%c1] : tensor<{elements}xf32>
  return %2, %3 : tensor<{elements}xf32>, f32
}}
{{-# dialect_resources: {{ builtin: {{ {name}: "0x{blob}" }} }} #-}}"""


def split(text):
    return re.split(r"^// -----$\n?", text, flags=re.MULTILINE)


def lit_modules():
    """The modules of all lit tests, also those that are parts of one file."""
    for file in sorted(HERE.parent.rglob("*.mlir")):
        for part in re.split(r"^//--- .*$", file.read_text(), flags=re.MULTILINE):
            yield from re.split(r"^// -----.*$", part, flags=re.MULTILINE)


def run(option, modules):
    """Exit status (None: it hung), stdout, stderr of one process for all modules."""
    command = [JIT_OPT, "-", "--split-input-file", "--allow-unregistered-dialect"]
    command += ["--mlir-print-op-on-diagnostic=false", *([f"--{option}"] if option else [])]
    text = "\n// -----\n".join(modules)
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return None, "", ""
    return done.returncode, done.stdout, done.stderr


def results_of(option, modules):
    """What comes of each module (empty: it was refused), and what was said. Fails if a process dies, and
    names one module that does it."""
    status, out, err = run(option, modules)
    if status in (0, 1) and not FATAL.search(err):
        results = split(out)
        assert len(results) == len(modules), f"{option}: {len(results)} results of {len(modules)} modules"
        return results, err
    if len(modules) == 1:
        how = "hangs" if status is None else f"ends with status {status}"
        pytest.fail(f"{option} {how} on\n{modules[0]}\n{err[-3000:]}")
    half = len(modules) // 2
    first, second = results_of(option, modules[:half]), results_of(option, modules[half:])
    return first[0] + second[0], first[1] + second[1]


def unique(modules):
    return list(dict.fromkeys(text for text in modules if text.strip()))


@functools.cache
def corpus():
    """Modules as jit-opt prints them, and what the stages make of them."""
    modules = split((HERE / "Inputs" / "odd-modules.mlir").read_text())
    number = len(modules)
    modules += [deep_module(), long_module(), scalar_module(), doubling_module()]
    modules += [resource_module(4, "whole"), resource_module(400, "short")]
    if os.environ.get("ANNEAL_SWEEP") == "all":
        modules += [text for text in lit_modules() if text.strip()]
    stage, said = results_of("", modules)
    assert all(text.strip() for text in stage[:number]), f"an odd module does not parse:\n{said}"
    stage = unique(stage)
    found = list(stage)
    for name in STAGES:
        stage = unique(results_of(name, stage)[0])
        found += stage
    return unique(found)


def unordered(text):
    """What does not depend on the order in which folding leaves constants at the head of a block."""
    return sorted(re.sub(r"%\w+", "%", text).splitlines())


def passes():
    text = subprocess.run([JIT_OPT, "--help"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^\s+--(jit-[\w-]+)\s+-", text, flags=re.MULTILINE)


def test_there_are_passes():
    assert len(passes()) > 30


@pytest.mark.parametrize("name", [name for name in passes() if name not in NOT_OURS])
def test_pass_on_all_modules(name):
    option = f"{name}={OPTIONS[name]}" if name in OPTIONS else name
    modules = corpus()
    results, said = results_of(option, modules)
    for line in said.splitlines():
        assert " error: " not in line or re.search(r":\d+:\d+: error: \S", line), f"no place: {line}"
        assert not re.search(r"<unknown>:0: error", line), f"no place: {line}"
    # Nothing is refused without a word.
    refused = sum(not text.strip() for text in results)
    assert refused == 0 or said.count(": error: ") >= refused, said

    changed = unique(results)
    again, said = results_of(option, modules + changed)
    for module, first, second in zip(modules, results, again):
        assert first == second, f"{option} gives two results of\n{module}"
    if name in STEPS or "print" in name:
        return
    for first, second in zip(changed, again[len(modules):]):
        assert unordered(first) == unordered(second), f"{option}, run twice, does not give\n{first}\nbut\n{second}\n{said[-2000:]}"
