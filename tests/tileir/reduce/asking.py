"""Predicates in this process, about the ops of a module."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from tileir import Bytecode, TileIRError, verify


@dataclass
class Asking:
    """Holds if a function says so of the module; `files` are all that it was asked about."""

    found: Callable[[Bytecode], bool]
    files: list[bytes] = field(default_factory=list)
    description: str = "it is there"

    def holds(self, data: bytes) -> bool:
        """Whether the function says so."""
        self.files.append(data)
        return self.found(Bytecode.parse(data))


def has(*names: str) -> Callable[[Bytecode], bool]:
    """Whether a module has ops of all these names."""

    def found(bytecode: Bytecode) -> bool:
        return set(names) <= set(names_of(bytecode))

    return found


def names_of(bytecode: Bytecode) -> list[str]:
    """The names of all ops, in order."""
    return [op.name for function in bytecode.functions for op in function.walk()]


def errors(data: bytes) -> set[str]:
    """The ids of the rules that a file breaks."""
    try:
        return {each.kind for each in verify(data) if each.severity == "error"}
    except TileIRError:
        return {"unreadable"}


class Unsteady:
    """Holds the first times that it is asked."""

    description = "it is one of the first"

    def __init__(self, times: int) -> None:
        self._left = times
        self._lock = threading.Lock()

    def holds(self, data: bytes) -> bool:
        """Whether it is."""
        with self._lock:
            self._left -= 1
            return self._left >= 0
