"""What is said where an optional package is needed and not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tileir.errors import MissingPackageError

_LLVMLITE = "compiling needs llvmlite; install it with: pip install 'tileir[codegen]'"


@contextmanager
def compiling() -> Iterator[None]:
    """Around whatever imports the compilers: MissingPackageError without llvmlite."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != "llvmlite":
            raise
        raise MissingPackageError(_LLVMLITE) from None
