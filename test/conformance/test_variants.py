"""Variants of all units of real models: a call takes those that fit, and results stay the same, bit for bit.

Every unit with unknown sizes is specialised to a bucket or to one size of each first unknown dimension; what
fits no shape goes to the generic unit.
"""

import json
import os
import pathlib
import re
import subprocess

import pytest

from harness import JIT_RUN

JIT_OPT = str(pathlib.Path(JIT_RUN).with_name("jit-opt"))
FOLDER = pathlib.Path(os.environ.get("ANNEAL_TEST_MODELS", ""))
ELIDED = ["--mlir-elide-resource-strings-if-larger=10", "--mlir-elide-elementsattrs-if-larger=10"]
UNIT = re.compile(r"^ *jit\.unit private @(\S+?|\"[^\"]*\")\((.*?)\)(?: ->| attributes| \{)", re.MULTILINE)
ARGUMENT = re.compile(r"%\w+: (?:tensor<([^>]*)>|\w+)")


def jit_opt(*arguments):
    said = subprocess.run([JIT_OPT, *arguments], capture_output=True, text=True, timeout=300)
    assert said.returncode == 0, said.stderr[-2000:]
    return said.stdout


def asked_of(tensor, size):
    """What a variant asks of an argument: `size` of its first unknown dimension."""
    sizes = (tensor or "").split("x")[:-1]
    if "?" not in sizes:
        return "any"
    sizes[sizes.index("?")] = size
    return f"[{', '.join(sizes)}]"


def specialisations(units, size):
    """The options that specialise each unit with unknown sizes, by the text of the module."""
    for name, arguments in UNIT.findall(units):
        asked = [asked_of(tensor, size) for tensor in ARGUMENT.findall(arguments)]
        if any(text != "any" for text in asked):
            yield f'--jit-specialize-shapes=unit={name} shapes="{", ".join(asked)}"'


def run(module, entry, inputs, folder, *options):
    """The bytes of the results, and the calls of each unit."""
    folder.mkdir()
    report = folder / "report.json"
    command = [JIT_RUN, module, f"--entry={entry}", f"--inputs-dir={inputs}", f"--output-dir={folder}"]
    said = subprocess.run([*command, f"--report={report}", *options], capture_output=True, text=True, timeout=300)
    assert said.returncode == 0, said.stderr[-2000:]
    units = json.loads(report.read_text())["units"]
    outputs = [path.read_bytes() for path in sorted(folder.glob("out*.npy"))]
    return outputs, {unit["name"]: unit["calls"] for unit in units if unit["calls"]}


@pytest.mark.parametrize("size", ["exp2(0 ... 3)", "1"])
@pytest.mark.parametrize("name", ["cls", "minilm", "vadseq"])
def test_variants_of_all_units(name, size, tmp_path):
    model = FOLDER / name
    if not model.exists():
        pytest.skip(f"{model} is not there; utils/fetch-models build/models imports it")
    entry = json.loads((model / "meta.json").read_text())["entry"]
    units, guarded = tmp_path / "units.mlirbc", tmp_path / "guarded.mlirbc"
    jit_opt(model / "model.mlirbc", "--jit-normalize", "--jit-form-units", "--emit-bytecode", "-o", units)
    options = list(specialisations(jit_opt(units, *ELIDED), size))
    assert len(options) >= 10
    jit_opt(units, *options, "--jit-insert-guards", "--emit-bytecode", "-o", guarded)
    called = 0
    for case in sorted(model.glob("case*"))[:3]:
        want, generic = run(units, entry, case, tmp_path / f"{case.name}-generic")
        for tier in ["interpreter", "baseline"]:
            folder = tmp_path / f"{case.name}-{tier}"
            got, calls = run(guarded, entry, case, folder, f"--force-tier={tier}")
            assert got == want, f"{case.name} at {tier}"
            assert sum(calls.values()) == sum(generic.values())
            called += sum(count for unit, count in calls.items() if unit not in generic)
    assert called > 0
