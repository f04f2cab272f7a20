"""The error about an optional package that is needed but not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tileir.errors import MissingPackageError

_LLVMLITE = "compiling needs llvmlite; install it with: pip install 'tileir[codegen]'"


@contextmanager
def compiling() -> Iterator[None]:
    """Turn a failed import of llvmlite inside into a MissingPackageError."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != "llvmlite":
            raise
        raise MissingPackageError(_LLVMLITE) from None
