#!/usr/bin/env python3
"""Checks that the layers of the project see each other in one direction only (docs/Architecture.md).

Fails, naming file and line, on
  * an #include against the arrows: of a higher layer, of the other half, of MLIR, LLVM or Abseil where
    the layer has none of them, of a path with "..";
  * a static archive of MLIR or LLVM among what the build links, or beside it the shared library: two
    copies of MLIR that see each other break silently. Only libAnnealCompiler.so has a copy of its own, of
    which it exports nothing.

Example: check_layers.py --source . --build build/release
"""

import argparse
import pathlib
import re
import sys

STD = frozenset()
COMPILER = frozenset({"mlir", "llvm"})
RUNTIME = frozenset({"absl"})

# Layer: (own layers that it may include beside itself, foreign libraries that it may include).
# The compiler half and the runtime half don't see each other; only the engine sees both, and of the
# compiler only the C interface by which it is loaded.
LAYERS = {
    "Support": ((), STD),
    "Plan": (("Support",), STD),
    "IR": (("Support", "Plan"), COMPILER),
    "Analysis": (("Support", "Plan", "IR"), COMPILER),
    "Transforms": (("Support", "Plan", "IR", "Analysis"), COMPILER),
    "Conversion": (("Support", "Plan", "IR", "Analysis", "Transforms"), COMPILER),
    "Pipelines": (("Support", "Plan", "IR", "Analysis", "Transforms", "Conversion"), COMPILER),
    "Target": (("Support", "Plan", "IR"), COMPILER),
    "Compiler": (
        ("Support", "Plan", "IR", "Analysis", "Transforms", "Conversion", "Pipelines", "Target"),
        COMPILER,
    ),
    "Runtime": (("Support", "Plan"), RUNTIME),
    "Simulation": (("Support", "Plan", "Runtime"), RUNTIME),
    "Engine": (("Support", "Plan", "Runtime", "Compiler/CompilerApi.h", "Compiler/StockApi.h"), RUNTIME),
    "CAPI": (("Support", "Plan", "Runtime", "Engine"), RUNTIME),
}
# Folders that see less than the rest of their layer, so that they can be used without it.
FOLDERS = {
    "Runtime/Code": ("Support", "Plan"),
}
# The C interface by which the engine loads the compiler is itself without MLIR.
LOADER_INTERFACES = ("include/anneal/Compiler/CompilerApi.h", "include/anneal/Compiler/StockApi.h")
COMPILER_LAYERS = ("Support", "Plan", "IR", "Analysis", "Transforms", "Conversion", "Pipelines", "Target")
# Tools see the layers that they are made of.
TOOLS = {
    "jit-opt": (COMPILER_LAYERS, COMPILER),
    "jit-lsp-server": (COMPILER_LAYERS, COMPILER),
    "jit-reduce": (COMPILER_LAYERS, COMPILER),
    "upstream": (COMPILER_LAYERS, COMPILER),
    "jit-run": (("Support", "Plan", "Runtime", "Engine", "Simulation"), RUNTIME),
    "jit-sim": (("Support", "Plan", "Runtime", "Simulation"), RUNTIME),
}
OTHER_TOOLS = (("Support", "Plan", "Runtime", "Engine"), RUNTIME)
FOREIGN = COMPILER | RUNTIME

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
OWN_COPY = "libAnnealCompiler.so"
SHARED = re.compile(r"lib(?:MLIR|LLVM)\.so")
ARCHIVE = re.compile(r"\S*lib(?:MLIR|LLVM)[A-Z]\w*\.a\b")


def layer_of(path):
    """(name, own layers, foreign libraries) of a file, given relative to the source tree."""
    parts = path.parts
    if parts[0] == "tools":
        return parts[1], *TOOLS.get(parts[1], OTHER_TOOLS)
    inside = parts[2:] if parts[:2] == ("include", "anneal") else parts[1:]
    name = inside[0]
    if parts[0] == "include" and parts[1] == "anneal-c":
        return "anneal-c", (), STD
    if path.as_posix() in LOADER_INTERFACES:
        return path.name, ("Support", "Plan", "Compiler/CompilerApi.h"), STD
    if name not in LAYERS:
        return name, None, None
    allowed, foreign = LAYERS[name]
    folder = "/".join(inside[:2])
    if folder in FOLDERS:
        return folder, (folder, *FOLDERS[folder]), foreign
    return name, (name, *allowed), foreign


def wrong_include(target, allowed, foreign):
    """Why a layer must not include `target`; None if it may."""
    if ".." in pathlib.PurePosixPath(target).parts:
        return "leads out of its folder"
    root, _, rest = target.partition("/")
    if root in FOREIGN and root not in foreign:
        return f"this layer does without {root}"
    if root != "anneal":
        return None
    if any(rest == name or rest.startswith(name + "/") for name in allowed):
        return None
    return f"this layer sees {', '.join(allowed) if allowed else 'no other'}"


def check_file(source, path):
    """The wrong includes of a file, as lines of text."""
    relative = path.relative_to(source)
    name, allowed, foreign = layer_of(relative)
    if allowed is None:
        return [f"{relative}:1: '{name}' is no layer that {pathlib.Path(__file__).name} knows"]
    errors = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        reason = match and wrong_include(match[1], allowed, foreign)
        if reason:
            errors.append(f"{relative}:{number}: {name} must not include '{match[1]}': {reason}")
    return errors


def check_links(build):
    """Links that would bring a second copy of MLIR or LLVM into view, as lines of text."""
    errors = []
    own_copy = False
    files = [build / "build.ninja", *build.rglob("link.txt")]
    for path in filter(pathlib.Path.exists, files):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if line.startswith("build "):
                own_copy = OWN_COPY in line.split(":")[0]
            if own_copy and SHARED.search(line):
                errors.append(f"{path}:{number}: {OWN_COPY} links the shared library too")
            for archive in [] if own_copy else sorted(set(ARCHIVE.findall(line))):
                errors.append(f"{path}:{number}: links {archive}; link libMLIR.so and libLLVM.so only")
    return errors


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--source", type=pathlib.Path, required=True, help="the source tree")
    parser.add_argument("--build", type=pathlib.Path, help="a build folder, for the links")
    arguments = parser.parse_args()

    source = arguments.source.resolve()
    files = sorted(
        path
        for folder in ("include", "lib", "tools")
        for path in (source / folder).rglob("*")
        if path.suffix in (".h", ".cpp", ".def", ".inc", ".c") and len(path.relative_to(source).parts) > 2
    )
    if not files:
        sys.exit(f"check_layers.py: error: no sources in {source}")
    errors = [error for path in files for error in check_file(source, path)]
    if arguments.build:
        errors += check_links(arguments.build)
    for error in errors:
        print(error, file=sys.stderr)
    print(f"{len(files)} files, {len(errors)} against the layers")
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
