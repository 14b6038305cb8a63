#!/usr/bin/env python3
# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the files of a new pass: its entry in Passes.td, its source, its lit test.

  utils/new_pass.py FoldSquares                          pass jit-fold-squares on functions, in lib/Transforms
  utils/new_pass.py ShrinkUnits --layer Conversion --on module

What it makes compiles and does nothing yet: the entry and the source say what to write where.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import textwrap

SOURCE = pathlib.Path(__file__).resolve().parent.parent
LLVM = pathlib.Path("/usr/lib/llvm-22")
LAYERS = ("Analysis", "Transforms", "Conversion")
OPERATIONS = {
    "function": ("::mlir::func::FuncOp", "func.func", "mlir/Dialect/Func/IR/FuncOps.h"),
    "module": ("::mlir::ModuleOp", "builtin.module", "mlir/IR/BuiltinOps.h"),
}

ENTRY = """\
def {name} : Pass<"{flag}", "{op}"> {{
  let summary = "TODO: what it does, in one line";
  let description = [{{
    **What.** TODO: what becomes of what.

    Before:
    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {{
      return %x : tensor<4xf32>
    }}
    ```
    After:
    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {{
      return %x : tensor<4xf32>
    }}
    ```

    **Needs** TODO: what must have run. **Leaves** TODO: what holds afterwards.

    **Limits.** TODO: what it does not do.
  }}];
  // Dialects of operations that it makes: "::mlir::linalg::LinalgDialect", ...
  let dependentDialects = [];
}}

"""

CPP = """\
//===- {name}.cpp - TODO: what it does {fill}===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/{layer}/Passes.h"

#include "{header}"

#define DEBUG_TYPE "{flag}"

using namespace mlir;

namespace anneal {{
#define GEN_PASS_DEF_{upper}
#include "anneal/{layer}/Passes.h.inc"

namespace {{

struct {name} : impl::{name}Base<{name}> {{
  using {name}Base::{name}Base;

  void runOnOperation() override {{
    {short} {variable} = getOperation();
    // TODO: walk it, or apply patterns. A failure: {variable}.emitError() << "...", then
    // return signalPassFailure().
    markAllAnalysesPreserved();
    (void){variable};
  }}
}};

}} // namespace

}} // namespace anneal
"""

TEST = """\
// RUN: jit-opt %s --pass-pipeline='{pipeline}' -split-input-file | FileCheck %s

// TODO: one function for each case, named by it, with what the pass must and must not change.

// CHECK-LABEL: func.func @unchanged
// CHECK: return %arg0
func.func @unchanged(%arg0: tensor<4xf32>) -> tensor<4xf32> {{
  return %arg0 : tensor<4xf32>
}}
"""


def fail(message, code=1):
    print(f"new_pass.py: error: {message}", file=sys.stderr)
    sys.exit(code)


def dashed(name):
    return re.sub(r"(?<!^)(?=[A-Z][a-z])|(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


def camelled(name):
    """FoldSquares for fold-squares, jit-fold-squares and itself."""
    if "-" not in name:
        return name
    return "".join(part[:1].upper() + part[1:] for part in name.removeprefix("jit-").split("-"))


def files_of(root, layer, name):
    return {
        "td": root / "include" / "anneal" / layer / "Passes.td",
        "cmake": root / "lib" / layer / "CMakeLists.txt",
        "cpp": root / "lib" / layer / f"{name}.cpp",
        "test": root / "test" / layer / f"{dashed(name)}.mlir",
    }


def check(files, name, flag):
    """Refuses what is there already and names the td could not take, before anything is written."""
    if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", name):
        fail(f"'{name}' is no name of a pass: it is written like FoldSquares", 2)
    for kind in ("td", "cmake"):
        if not files[kind].exists():
            fail(f"'{files[kind]}' is not there; is --root a tree of this project?")
    for td in sorted(files["td"].parents[1].glob("*/Passes.td")):
        if re.search(rf'^def {name} |Pass<"{flag}"', td.read_text(), re.MULTILINE):
            fail(f"'{td}' has a pass '{name}' or '{flag}' already; take another name")
    for kind in ("cpp", "test"):
        if files[kind].exists():
            fail(f"'{files[kind]}' is there already; take another name")


def with_entry(text, entry):
    """The td file with the entry behind the others."""
    at = text.rindex("#endif")
    return text[:at] + entry + text[at:]


def with_source(text, name):
    """The CMakeLists.txt with the source among the others, by the alphabet."""
    lines = text.splitlines(keepends=True)
    sources = [i for i, line in enumerate(lines) if re.fullmatch(r"\s+\w+\.cpp\n", line)]
    behind = [i for i in sources if lines[i].strip() > f"{name}.cpp"]
    if not sources:
        fail("no list of sources was found in CMakeLists.txt; add the source by hand")
    lines.insert(behind[0] if behind else sources[-1] + 1, f"  {name}.cpp\n")
    return "".join(lines)


def check_td(root, llvm, td):
    """Has mlir-tblgen read the result."""
    command = [llvm / "bin" / "mlir-tblgen", "-gen-pass-decls", "-name", "Check",
               f"-I{root / 'include'}", f"-I{llvm / 'include'}", td, "-o", "/dev/null"]  # fmt: skip
    if not command[0].exists():
        return
    said = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if said.returncode != 0:
        fail(f"mlir-tblgen does not read '{td}' any more:\n{said.stderr}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", help="of the pass, FoldSquares or fold-squares")
    parser.add_argument("--layer", choices=LAYERS, default="Transforms", help="default: Transforms")
    parser.add_argument("--on", choices=OPERATIONS, default="function", help="what it runs on")
    parser.add_argument("--root", type=pathlib.Path, default=SOURCE, help="the source tree")
    parser.add_argument("--llvm", type=pathlib.Path, default=LLVM, help="where LLVM is installed")
    arguments = parser.parse_args()

    name, layer, root = camelled(arguments.name), arguments.layer, arguments.root.resolve()
    flag = f"jit-{dashed(name)}"
    files = files_of(root, layer, name)
    check(files, name, flag)
    op, anchor, header = OPERATIONS[arguments.on]
    pipeline = f"builtin.module({anchor}({flag}))" if arguments.on == "function" else f"builtin.module({flag})"
    values = {
        "name": name, "flag": flag, "op": op, "layer": layer, "header": header, "pipeline": pipeline,
        "upper": name.upper(), "short": op.removeprefix("::mlir::"), "variable": arguments.on,
        "fill": "-" * max(1, 44 - len(name)),
    }  # fmt: skip
    files["td"].write_text(with_entry(files["td"].read_text(), ENTRY.format(**values)))
    files["cmake"].write_text(with_source(files["cmake"].read_text(), name))
    files["cpp"].write_text(CPP.format(**values))
    files["test"].write_text(TEST.format(**values))
    check_td(root, arguments.llvm, files["td"])
    shown = {kind: path.relative_to(root) for kind, path in files.items()}
    print(
        textwrap.dedent(f"""\
        pass {flag}:
          {shown["td"]}: the entry `def {name}`; write what it does there
          {shown["cpp"]}: its code
          {shown["cmake"]}: builds it
          {shown["test"]}: its test
        Next:
          utils/make_docs.py                                       docs/Passes.md has it then
          cmake --build --preset release --target jit-opt
          build/release/bin/jit-opt {shown["test"]} --pass-pipeline='{pipeline}'
          ctest --preset release -R lit.{layer}""")
    )


if __name__ == "__main__":
    main()
