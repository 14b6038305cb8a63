#!/usr/bin/env python3
"""Checks that all C and C++ sources look as clang-format with .clang-format leaves them.

Example: check_format.py --clang-format clang-format-22 --source .   (--fix rewrites the files)
"""

import argparse
import pathlib
import subprocess
import sys

FOLDERS = ("include", "lib", "tools", "test")
SUFFIXES = (".h", ".cpp", ".c")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--source", type=pathlib.Path, required=True, help="the source tree")
    parser.add_argument("--clang-format", required=True, help="the clang-format to use")
    parser.add_argument("--fix", action="store_true", help="rewrite the files")
    arguments = parser.parse_args()
    files = sorted(
        path
        for folder in FOLDERS
        for path in (arguments.source / folder).rglob("*")
        if path.suffix in SUFFIXES
    )
    if not files:
        sys.exit(f"check_format.py: error: no sources in {arguments.source}")
    action = ["-i"] if arguments.fix else ["--dry-run", "-Werror"]
    sys.exit(subprocess.run([arguments.clang_format, *action, *files]).returncode)


if __name__ == "__main__":
    main()
