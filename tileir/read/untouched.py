"""Whether a module is as it was read, by what has been looked at and what its lists hold."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from .function import Global
    from .original import OriginalFile


class Module(Protocol):
    """The module: a `Bytecode`."""

    original: OriginalFile
    globals: list[Global]
    producer: str | None

    @property
    def functions(self) -> Sequence[Any]:
        """The entries; those that were not read from a file have no `touched`."""
        ...


def untouched(module: Module) -> bool:
    """Whether nothing can have been changed."""
    original = module.original
    same_tables = same_globals(module) and module.producer == original.producer
    if not same_tables or "functions" not in vars(module):  # if not even read, they are the same
        return same_tables
    return same_objects(module.functions, original.functions) and not any(
        getattr(function, "touched", True) for function in module.functions
    )


def same_globals(module: Module) -> bool:
    """Whether the globals are those of the file."""
    return same_objects(module.globals, [variable for variable, _ in module.original.globals])


def same_objects(present: Sequence, original: Sequence) -> bool:
    """Whether two lists hold the same objects."""
    return len(present) == len(original) and all(map(operator.is_, present, original))
