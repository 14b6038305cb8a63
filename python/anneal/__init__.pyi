import os
from collections.abc import Sequence
from typing import Any

import numpy

__version__: str

class Error(Exception):
    code: int
    unit: str
    location: str

class InvalidArgument(Error, ValueError): ...
class NotFound(Error, LookupError): ...
class OutOfRange(Error, IndexError): ...
class FailedPrecondition(Error, RuntimeError): ...
class DeadlineExceeded(Error, TimeoutError): ...
class ResourceExhausted(Error, MemoryError): ...
class Unimplemented(Error, NotImplementedError): ...

class Function:
    @property
    def name(self) -> str: ...
    @property
    def signature(self) -> str: ...
    def __call__(
        self,
        *args: Any,
        out: numpy.ndarray | Sequence[numpy.ndarray | None] | None = None,
        timeout: float | None = None,
    ) -> Any: ...

class Program:
    @property
    def functions(self) -> list[str]: ...
    def function(self, name: str | None = None) -> Function: ...
    def __getitem__(self, name: str) -> Function: ...
    def __getattr__(self, name: str) -> Function: ...
    def __call__(
        self,
        *arguments: Any,
        out: numpy.ndarray | Sequence[numpy.ndarray | None] | None = None,
        timeout: float | None = None,
    ) -> Any: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def wait_for_compiles(self) -> None: ...
    def report(self) -> dict[str, Any]: ...

class Engine:
    def __init__(
        self,
        *,
        threads: int = 0,
        tiers: str = "",
        policy: str = "",
        compile_threads: int = 0,
        compile_share: float = 0.0,
        deterministic: bool = False,
        force_tier: str = "",
    ) -> None: ...
    @property
    def threads(self) -> int: ...
    def load(self, model: str | os.PathLike[str] | bytes) -> Program: ...

def load(
    model: str | os.PathLike[str] | bytes,
    *,
    threads: int = 0,
    tiers: str = "",
    policy: str = "",
    compile_threads: int = 0,
    compile_share: float = 0.0,
    deterministic: bool = False,
    force_tier: str = "",
) -> Program: ...
