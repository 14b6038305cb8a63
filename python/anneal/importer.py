# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`anneal-import`: a trained model as MLIR bytecode that `jit-run` loads."""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter

import anneal
from anneal import _blobs, _onnx, _tm_tensor, _tools, _trials
from anneal._report import (
    TOOL,
    ImportFailed,
    Unsupported,
    describe_unsupported,
    step,
)


class _LoweringFailed(ImportFailed):
    """The module was read but has no form on linalg."""


STABLEHLO_TO_LINALG = ["--stablehlo-legalize-to-linalg"]

_EXAMPLES = """\
examples:
  anneal-import model.onnx -o model.mlirbc        ONNX, any operator set, also with
                                                  weights in files beside it
  anneal-import exported.mlir -o model.mlirbc     StableHLO, as JAX exports it
  jit-run model.mlirbc --input=1x2048xi32=iota    then run it

The result is linalg on tensors, in bytecode of LLVM 22, with every weight as a
resource blob that is mapped when it is loaded. Sizes that the model leaves open
stay open. What cannot be imported is listed by op and node, and nothing is written.

exit status: 0 imported; 1 the model could not be imported; 2 wrong usage."""

# Seconds for lowering a model; real ones take a few.
LOWERING_LIMIT_S = 600


def main(argv=None):
    """Runs the command; returns its exit status."""
    options = _parser().parse_args(argv)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        if options.version:
            _print_versions(options.mlir_opt)
            return 0
        if not options.model or not options.output:
            raise ImportFailed("give a model and -o FILE; see --help", code=2)
        for note in import_model(options.model, options.output, options.mlir_opt):
            print(f"{TOOL}: warning: {note}", file=sys.stderr)
    except ImportFailed as failure:
        print(f"{TOOL}: error: {failure}", file=sys.stderr)
        return failure.code
    except KeyboardInterrupt:
        print(f"{TOOL}: error: interrupted; nothing was written", file=sys.stderr)
        return 1
    return 0


def _parser():
    parser = argparse.ArgumentParser(
        prog=TOOL,
        description="Imports a trained model (ONNX or StableHLO) for jit-run.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", nargs="?", help="MODEL.onnx, or StableHLO as .mlir")
    parser.add_argument("-o", "--output", metavar="FILE", help="the .mlirbc to write")
    parser.add_argument(
        "--mlir-opt", metavar="PATH", help="mlir-opt of LLVM 22 (default: Debian's)"
    )
    parser.add_argument("--version", action="store_true", help="print the versions")
    return parser


def _interrupt(*_):
    raise KeyboardInterrupt


def _print_versions(asked):
    from importlib import metadata

    def package(name):
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            return "not installed"

    try:
        release = _tools.release_of(_tools.mlir_opt(asked))
    except ImportFailed:
        release = "not installed"
    print(f"{TOOL} {anneal.__version__}")
    for name in ("torch-mlir", "onnx"):
        print(f"  {name} {package(name)}")
    print(f"  LLVM {release}")


def import_model(source, output, mlir_opt=None):
    """Imports the model at `source` into the file `output`.

    The kind follows from the name: `.onnx`, or `.mlir`/`.mlirbc` for StableHLO.
    Returns warnings as strings. Raises `ImportFailed`; `output` is then as it was.
    """
    if not os.path.exists(source):
        raise ImportFailed(f"cannot read '{source}': no such file")
    writer = _tools.mlir_opt(mlir_opt)
    _tools.check_release(writer)
    kind = os.path.splitext(source)[1].lower()
    if kind not in (".onnx", ".mlir", ".mlirbc"):
        raise ImportFailed(f"'{source}' is neither .onnx nor .mlir (StableHLO)", code=2)
    lower = _tools.torch_mlir_opt()
    if not os.access(os.path.dirname(os.path.abspath(output)), os.W_OK):
        raise ImportFailed(f"cannot write '{output}': no such folder, or not writable")
    with tempfile.TemporaryDirectory(prefix="anneal-import-") as folder:
        if kind == ".onnx":
            return _import_onnx(source, output, folder, lower, writer)
        try:
            _lower(source, STABLEHLO_TO_LINALG, output, lower, writer)
        except _LoweringFailed as failure:
            raise ImportFailed(f"cannot import '{source}': {failure}") from failure
        return []


def _import_onnx(source, output, folder, lower, writer):
    with step(f"reading '{source}'"):
        model, notes, refused = _onnx.load(source)
    refused = _onnx.untyped_nodes(model) + refused
    if refused:
        raise _cannot_import(source, refused)
    with step("importing the graph"):
        module = _onnx.to_torch(model)
        path = os.path.join(folder, "graph.mlirbc")
        with open(path, "wb") as file:
            module.write_bytecode(file)
        del module
    try:
        _lower(path, _onnx.LOWER_TO_LINALG, output, lower, writer)
    except _LoweringFailed as failure:
        with step("looking for what could not be imported"):
            found = _trials.find_unsupported(model, lower)
        if not found:
            raise ImportFailed(f"cannot import '{source}': {failure}") from failure
        raise _cannot_import(source, found) from failure
    return notes


def _cannot_import(source, found):
    return ImportFailed(
        f"cannot import '{source}'; no form for {len(found)} of its nodes:\n"
        + describe_unsupported(found)
        + "\nReplace them before the model is exported, or compute them outside of it."
    )


def _lower(source, passes, output, lower, writer):
    """Lowers the file `source` by `passes` and writes `output`, whole or not at all."""
    folder = os.path.dirname(os.path.abspath(output))
    try:
        handle, part = tempfile.mkstemp(prefix=".anneal-import-", dir=folder)
    except OSError as error:
        raise ImportFailed(f"cannot write '{output}': {error.strerror}") from error
    os.close(handle)
    try:
        with step("lowering to linalg"):
            _run_lowering(source, passes, part, lower, writer)
        os.chmod(part, 0o666 & ~_umask())
        os.replace(part, output)
    except OSError as error:
        raise ImportFailed(f"cannot write '{output}': {error.strerror}") from error
    finally:
        if os.path.exists(part):
            os.unlink(part)


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _run_lowering(source, passes, part, lower, writer):
    """torch-mlir-opt | align and extract blobs | mlir-opt --emit-bytecode."""
    hexadecimal = (
        f"--mlir-print-elementsattrs-with-hex-if-larger={_blobs.INLINE_ELEMENTS}"
    )
    foreign = Counter()
    with (
        tempfile.TemporaryFile("w+") as lower_said,
        tempfile.TemporaryFile("w+") as writer_said,
        subprocess.Popen(
            [lower, source, *passes, hexadecimal],
            stdout=subprocess.PIPE,
            stderr=lower_said,
            text=True,
        ) as first,
        subprocess.Popen(
            [writer, "-", "--emit-bytecode", "-o", part],
            stdin=subprocess.PIPE,
            stderr=writer_said,
            text=True,
        ) as second,
    ):
        # Some modules send its canonicaliser round in circles.
        patience = threading.Timer(LOWERING_LIMIT_S, first.kill)
        patience.start()
        try:
            _feed(first.stdout, second.stdin, foreign)
            failed = first.wait() != 0
            if failed or foreign:
                second.kill()
            rejected = second.wait() != 0
        except BaseException:
            first.kill()
            second.kill()
            raise
        finally:
            patience.cancel()
        if first.returncode == -signal.SIGKILL:
            raise _LoweringFailed(
                f"torch-mlir-opt did not end within {LOWERING_LIMIT_S} s, or was killed"
            )
        if failed:
            raise _LoweringFailed(
                f"torch-mlir-opt failed:\n{_first_errors(lower_said)}"
            )
        if foreign:
            left = [Unsupported(op, "") for op in foreign.elements()]
            raise _LoweringFailed(
                "these ops have no form on linalg:\n" + describe_unsupported(left)
            )
        if rejected:
            raise _LoweringFailed(
                f"mlir-opt of LLVM {_tools.MLIR_MAJOR} rejects the lowered module:\n"
                + _first_errors(writer_said)
            )


def _feed(lines, sink, foreign):
    """Streams the module into `sink`, counting the ops that the engine lacks."""
    try:
        for line in _blobs.align_and_extract(_tm_tensor.lower(lines)):
            op = _blobs.foreign_op(line)
            if op:
                foreign[op] += 1
            sink.write(line)
        sink.close()
    except BrokenPipeError:
        # The reader has said why on its stderr.
        lines.close()


def _first_errors(file, limit=5):
    file.seek(0)
    errors = [line.strip()[:500] for line in file if "error" in line]
    return "\n".join(f"  {line}" for line in errors[:limit])


if __name__ == "__main__":
    sys.exit(main())
