# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions for the failures of the C interface."""


class Error(Exception):
    """A failure of Anneal.

    `code` is the canonical code as a number, `unit` the unit that failed, or "", and
    `location` "file:line:col" in the model, or "".
    """

    def __init__(self, message, code=2, unit="", location=""):
        super().__init__(message)
        self.code = code
        self.unit = unit
        self.location = location


class InvalidArgument(Error, ValueError):
    """A model that does not parse, or arguments that do not fit."""


class NotFound(Error, LookupError):
    """A file or a function that is not there; the message names those that are."""


class OutOfRange(Error, IndexError):
    """The program used an index outside a tensor."""


class FailedPrecondition(Error, RuntimeError):
    """An assert of the program fired, or an engine was used after fork()."""


class DeadlineExceeded(Error, TimeoutError):
    """A call took longer than its timeout."""


class ResourceExhausted(Error, MemoryError):
    """Memory did not suffice."""


class Unimplemented(Error, NotImplementedError):
    """The model has something that cannot be run."""


_CLASSES = {
    3: InvalidArgument,
    4: DeadlineExceeded,
    5: NotFound,
    8: ResourceExhausted,
    9: FailedPrecondition,
    11: OutOfRange,
    12: Unimplemented,
}


def error_of(code, message, unit, location):
    """The exception for a failure of the C interface."""
    return _CLASSES.get(code, Error)(message, code, unit, location)
