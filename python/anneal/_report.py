# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the importer says: errors for the user, progress on a terminal."""

import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass

TOOL = "anneal-import"

# A step that takes less than this prints nothing.
PROGRESS_AFTER_S = 1.0


class ImportFailed(Exception):
    """A failed import, with the whole message for the user.

    `code` is the exit status: 1 for a failed run, 2 for wrong usage.
    """

    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Unsupported:
    """One operation of the model that has no form the engine can run."""

    op: str
    node: str
    why: str = ""


def describe_unsupported(found, limit=8):
    """The list of what could not be imported: ops with counts, then the nodes.

    `found` is a sequence of `Unsupported`; at most `limit` nodes of an op are
    named. Ops come in order of falling count, then by name.
    """
    by_op = {}
    for item in found:
        by_op.setdefault((item.op, item.why), []).append(item.node)
    lines = []
    for (op, why), nodes in sorted(
        by_op.items(), key=lambda entry: (-len(entry[1]), entry[0])
    ):
        named = ", ".join(f"'{node}'" for node in nodes[:limit] if node)
        more = f" and {len(nodes) - limit} more" if len(nodes) > limit else ""
        reason = f" ({why})" if why else ""
        where = f": {named}{more}" if named else ""
        lines.append(f"  {op} x{len(nodes)}{reason}{where}")
    return "\n".join(lines)


@contextmanager
def step(what):
    """Shows `what` on stderr while it runs, if that is a terminal and it is slow."""
    if not sys.stderr.isatty():
        yield
        return
    start = time.monotonic()
    shown = threading.Event()

    def show():
        shown.set()
        print(f"{TOOL}: {what} ...", end="", file=sys.stderr, flush=True)

    timer = threading.Timer(PROGRESS_AFTER_S, show)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        if shown.is_set():
            print(f" {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)
