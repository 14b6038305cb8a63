"""Runs MLIR text through jit-run and hands the results back as NumPy arrays.

The tests beside this file compare the interpreter with NumPy, operation by operation
(docs/Architecture.md, D4). `JIT_RUN` names the program under test.
"""

import os
import pathlib
import subprocess
import tempfile

import numpy as np

JIT_RUN = os.environ.get("JIT_RUN", "jit-run")

NUMPY_TYPES = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "index": np.int64,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
}
INTEGERS = ["i8", "i16", "i32", "i64"]
FLOATS = ["f16", "bf16", "f32", "f64"]


class RunError(Exception):
    """jit-run failed; `message` is what it printed on stderr, `code` its exit status."""

    def __init__(self, code, message):
        super().__init__(f"exit status {code}: {message}")
        self.code = code
        self.message = message


def to_bf16(array):
    """float32 values rounded to bf16 (nearest, ties to even), as their 16-bit patterns."""
    # Not ascontiguousarray: it makes a vector of a scalar.
    bits = np.array(array, dtype=np.float32, order="C").view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    rounded = np.where(np.isnan(array), 0x7FC0, rounded)
    return np.asarray(rounded, np.uint16)


def from_bf16(patterns):
    """float32 values of bf16 bit patterns."""
    return (patterns.view(np.uint16).astype(np.uint32) << 16).view(np.float32)


def quantise(array, dtype):
    """The values of `array` as an element type holds them (bf16: still as float32)."""
    if dtype == "bf16":
        return from_bf16(to_bf16(np.asarray(array, np.float32)))
    return np.asarray(array).astype(NUMPY_TYPES[dtype])


def save(path, array, dtype):
    if dtype == "bf16":
        np.save(path, to_bf16(array).view("V2"))
    else:
        np.save(path, np.asarray(array).astype(NUMPY_TYPES[dtype]))


def load(path):
    array = np.load(path)
    return from_bf16(array.view(np.uint16)) if array.dtype == np.dtype("V2") else array


def run(text, inputs=(), entry=None, options=(), threads=2):
    """Results of the entry. `inputs`: (array, element type) pairs."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "m.mlir").write_text(text)
        command = [JIT_RUN, str(folder / "m.mlir"), f"--output-dir={folder}",
                   f"--threads={threads}"]
        for i, (array, dtype) in enumerate(inputs):
            save(folder / f"in{i}.npy", array, dtype)
            command.append(f"--input=@{folder}/in{i}.npy")
        if entry:
            command.append(f"--entry={entry}")
        done = subprocess.run(command + list(options), capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            raise RunError(done.returncode, done.stderr)
        results = []
        while (folder / f"out{len(results)}.npy").exists():
            results.append(load(folder / f"out{len(results)}.npy"))
        return results


def check(actual, expected, rtol=0.0, atol=0.0):
    """Shapes, types and values agree; NaN equals NaN."""
    assert len(actual) == len(expected), f"{len(actual)} results instead of {len(expected)}"
    for a, e in zip(actual, expected):
        e = np.asarray(e)
        assert a.shape == e.shape, f"shape {a.shape} instead of {e.shape}"
        assert a.dtype == e.dtype, f"type {a.dtype} instead of {e.dtype}"
        if a.dtype.kind in "fc":
            np.testing.assert_allclose(a, e, rtol=rtol, atol=atol, equal_nan=True)
        else:
            np.testing.assert_array_equal(a, e)


def tensor(dims, dtype):
    """MLIR type; None is a dynamic size."""
    sizes = "".join(f"{'?' if d is None else d}x" for d in dims)
    return f"tensor<{sizes}{dtype}>"


def random_array(rng, shape, dtype, low=-4, high=4):
    """Values that the element type holds exactly."""
    if dtype == "i1":
        return rng.integers(0, 2, shape).astype(np.bool_)
    if dtype in NUMPY_TYPES and np.issubdtype(NUMPY_TYPES[dtype], np.integer):
        return rng.integers(low, high + 1, shape).astype(NUMPY_TYPES[dtype])
    return quantise(rng.uniform(low, high, shape), dtype)
