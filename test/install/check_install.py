#!/usr/bin/env python3
# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs a build, moves the tree, and uses it from outside.

By find_package from C and C++, by pkg-config from C, with the runtime half alone; and compiles each
installed header by itself.

Example: check_install.py --cmake cmake --build build/release --source .
"""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

MODEL = """
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
"""
ANSWER = "2 -4 6\n"


def run(*command, **options):
    """Runs a command; its output. Ends the test if it fails."""
    # A library path from outside would hide what the tree lacks.
    environment = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
    said = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, env=environment | options
    )
    if said.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nfailed:\n{said.stdout}{said.stderr}")
    return said.stdout


def expect(output, wanted, what):
    if wanted not in output:
        sys.exit(f"{what}: expected {wanted!r}, got {output!r}")


def check_projects(cmake, source, prefix, folder):
    """Outside projects; saves a plan with one, runs it with the runtime half."""
    project = folder / "project"
    shutil.copytree(source / "test" / "install" / "project", project)
    shutil.copy(source / "test" / "CAPI" / "use.c", project)
    build = folder / "build"
    run(cmake, "-G", "Ninja", "-S", project, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    run(cmake, "--build", build)
    model, plan = folder / "double.mlir", folder / "double.plan"
    model.write_text(MODEL)
    expect(run(build / "use-cxx", model), ANSWER, "C++ by find_package")
    expect(run(build / "use-c", model, plan), ANSWER, "C by find_package")
    expect(run(build / "use-runtime", plan), ANSWER, "the runtime half alone")
    expect(run(prefix / "bin" / "jit-run", model, "--input=2xf32=1 2"), "[2, 4]", "jit-run")
    linked = run("ldd", build / "use-runtime")
    if "LLVM" in linked or "MLIR" in linked:
        sys.exit(f"the runtime half links a compiler:\n{linked}")


def check_pkg_config(source, prefix, folder):
    path = {"PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}
    flags = run("pkg-config", "--cflags", "--libs", "anneal", **path).split()
    program = folder / "use-pkg-config"
    run("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", source / "test" / "CAPI" / "use.c",
        "-o", program, *flags)  # fmt: skip
    expect(run(program, LD_LIBRARY_PATH=str(prefix / "lib")), ANSWER, "C by pkg-config")
    expect(run("pkg-config", "--modversion", "anneal-runtime", **path), "0.", "anneal-runtime.pc")


def check_headers(prefix):
    """Each header compiles alone; those of C also as C."""
    include = prefix / "include"
    headers = sorted(include.rglob("*.h"))
    commands = []
    for header in headers:
        name = header.relative_to(include)
        strict = ["-Wall", "-Wextra", "-fsyntax-only", f"-I{include}", "-include", str(name)]
        commands.append(["c++", "-std=c++20", "-x", "c++", *strict, "/dev/null"])
        if name.parts[0] == "anneal-c":
            commands.append(["cc", "-std=c11", "-Werror", "-x", "c", *strict, "/dev/null"])
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda command: run(*command), commands))
    return len(headers)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run(arguments.cmake, "--install", arguments.build, "--prefix", folder / "first", "--strip")
        prefix = folder / "moved"
        (folder / "first").rename(prefix)
        for library in ("libanneal.so", "libanneal-runtime.so"):
            expect(run("readelf", "-d", prefix / "lib" / library), f"soname: [{library}.0]", "SONAME")
        check_projects(arguments.cmake, arguments.source, prefix, folder)
        check_pkg_config(arguments.source, prefix, folder)
        print(f"{check_headers(prefix)} headers compile alone")


if __name__ == "__main__":
    main()
