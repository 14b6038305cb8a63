# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Engines and programs: what `import anneal` offers for running models."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import threading

try:
    from anneal import _native
except ImportError as error:
    raise ImportError(
        f"anneal cannot run models here: {error}. Install the wheel: cmake --build "
        "--preset release --target anneal-wheel; pip install build/release/wheels/*.whl"
    ) from error

Function = _native.Function


class Engine:
    """Threads and settings that programs share.

    >>> engine = anneal.Engine(threads=4, policy="fixed:baseline")
    >>> program = engine.load("model.mlirbc")

    threads          that execute, the caller included; default: 0.8 of the cores
    tiers            that may be used: "interpreter", "interpreter,baseline"
    policy           what is compiled: "cost-benefit" (default), "fixed:baseline"
    compile_threads  that compile at one time
    compile_share    of a core that compiling gets at least; below 0: what is left
    deterministic    compile between calls, on modelled time
    force_tier       that every unit is brought to while a model is loaded: "baseline"
    """

    def __init__(self, **options):
        self._native = _native.Engine(**options)

    @property
    def threads(self):
        """Threads that execute."""
        return self._native.threads

    def load(self, model):
        """Loads a model; see `anneal.load`."""
        return _load(self._native, model)


class Program(_native.Entry):
    """A loaded model.

    >>> y = program(x)                  its only function, or `main`
    >>> y = program.decode(x)           a function by name
    >>> y = program["name.with dots"](x)
    >>> program.functions
    ['decode', 'main']
    >>> program.report()["units"][0]["tier"]
    'baseline'
    """

    def __init__(self, native):
        super().__init__(native)
        self._native = native
        self._functions = {}

    @property
    def functions(self):
        """Names of the public functions."""
        return self._native.names()

    def function(self, name=None):
        """The function of that name, or the entry; raises `anneal.NotFound`."""
        if name not in self._functions:
            self._functions[name] = Function(self._native, name)
        return self._functions[name]

    __getitem__ = function

    def __getattr__(self, name):
        if not name.startswith("_") and name in self._native.names():
            return self.function(name)
        raise AttributeError(
            f"the program has no function '{name}'; it has {', '.join(self.functions)}"
        )

    def __dir__(self):
        return [*super().__dir__(), *self.functions]

    def __repr__(self):
        return f"<anneal.Program with {', '.join(self.functions)}>"

    def save(self, path):
        """Writes the plan to a file that loads without the compiler."""
        self._native.save(os.fspath(path))

    def wait_for_compiles(self):
        """Returns when nothing is being compiled, or wants to be."""
        self._native.wait_for_compiles()

    def report(self):
        """What happened, as a dict with the keys of `jit-run --report`."""
        return json.loads(self._native.report())


_lock = threading.Lock()
_default = None


def _forget_default():
    # The threads of the parent's engine are not in the child.
    global _default, _lock
    _default, _lock = None, threading.Lock()


os.register_at_fork(after_in_child=_forget_default)


def load(model, **options):
    """Loads a model and returns a `Program`.

    `model` is a path (MLIR text or bytecode, a saved plan, or .onnx), MLIR text, or
    MLIR bytecode as bytes. A string is taken for text if it has lines, or if it has a
    `(` or `{` and is no path of a file. `options` are those of `Engine`; without them, all programs
    share one engine.

    >>> import anneal, numpy
    >>> program = anneal.load('''
    ... func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    ...   %e = tensor.empty() : tensor<2xf32>
    ...   %y = linalg.exp ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
    ...   return %y : tensor<2xf32>
    ... }''')
    >>> program(numpy.zeros(2, numpy.float32))
    array([1., 1.], dtype=float32)
    """
    global _default
    if options:
        return Engine(**options).load(model)
    with _lock:
        if _default is None:
            _default = Engine()
        engine = _default
    return engine.load(model)


def _load(engine, model):
    if isinstance(model, (bytes, bytearray, memoryview)):
        return Program(_native.Program(engine, "<bytes>", bytes(model), False))
    path = os.fspath(model)
    if isinstance(path, str) and _is_text(path):
        return Program(_native.Program(engine, "<text>", path.encode(), False))
    path = os.fsdecode(path)
    if not os.path.exists(path):
        raise FileNotFoundError(
            f"no model '{path}': neither a file, nor MLIR text, which has lines, a '(' or a '{{'"
        )
    if os.path.splitext(path)[1].lower() == ".onnx":
        return _load_onnx(engine, path)
    return Program(_native.Program(engine, path, b"", True))


def _is_text(model):
    """Whether a string is MLIR text rather than a path."""
    return "\n" in model or (
        ("(" in model or "{" in model) and not os.path.exists(model)
    )


def _load_onnx(engine, path):
    for package in ("onnx", "torch_mlir"):
        if importlib.util.find_spec(package) is None:
            raise ImportError(
                f"'{path}' is an ONNX model, and the package '{package}' that imports it "
                "is not installed: pip install 'anneal[onnx]'"
            )
    with tempfile.TemporaryDirectory(prefix="anneal-") as folder:
        imported = os.path.join(folder, "model.mlirbc")
        # In a process of its own: the importer has an LLVM of its own, and two of them
        # end a process in which the stock lowering is used too.
        said = subprocess.run(
            [sys.executable, "-m", "anneal.importer", path, "-o", imported],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if said.returncode != 0:
            message = said.stderr.strip() or f"the importer ended with {said.returncode}"
            raise ValueError(message.removeprefix("anneal-import: error: "))
        # The file stays mapped after its folder has gone.
        return Program(_native.Program(engine, imported, b"", True))
