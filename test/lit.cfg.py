"""How lit runs the tests of this folder.

Tools (jit-opt, jit-run, FileCheck, not, split-file, ...) are found on PATH: this build's first, then
LLVM's. Further substitutions:

  %python     the interpreter that CMake found
  %models     folder of the imported test models, one folder each
  %build      the build folder
  %source     the source tree
  %libs       where this build's shared libraries are

Features, for REQUIRES and UNSUPPORTED:

  model-NAME  %models/NAME/model.mlirbc exists
  avx2, avx512f, ...   flags of this machine's CPU, as in /proc/cpuinfo
  address, undefined, thread   the sanitizers that own code is built with
"""

import glob
import os

import lit.formats

config.name = "Anneal"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "lib", "unit"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.anneal_build, "test")

config.environment["PATH"] = os.pathsep.join(
    [config.anneal_tools, config.llvm_tools, config.environment["PATH"]]
)
# FileCheck's own colours and context don't help in a log.
config.environment["FILECHECK_OPTS"] = "--dump-input=fail --color=0"

config.substitutions += [
    ("%python", config.python),
    ("%models", config.anneal_models),
    ("%build", config.anneal_build),
    ("%source", config.anneal_source),
    ("%libs", config.anneal_libraries),
]

for model in glob.glob(os.path.join(config.anneal_models, "*", "model.mlirbc")):
    config.available_features.add("model-" + os.path.basename(os.path.dirname(model)))

with open("/proc/cpuinfo") as cpuinfo:
    for line in cpuinfo:
        if line.startswith("flags"):
            config.available_features.update(line.partition(":")[2].split())
            break

config.available_features.update(filter(None, config.anneal_sanitizer.split(",")))
