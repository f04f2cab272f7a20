"""A module that is being changed for a trial: its edits are collected and made at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tileir.bytecode import Bytecode, Function
from tileir.ir import Op
from tileir.reduce.edit import Edit


class Candidate:
    """A module with an edit for each function that a unit changes."""

    def __init__(self, bytecode: Bytecode) -> None:
        self.bytecode = bytecode
        self._edits: dict[Function, Edit] = {}

    def edit(self, function: Function) -> Edit:
        """Return the edit of a function."""
        if function not in self._edits:
            self._edits[function] = Edit(function)
        return self._edits[function]

    def finish(self) -> None:
        """Make all changes; BuildError if that cannot be."""
        for edit in self._edits.values():
            edit.finish()


Unit = Callable[[Candidate], Any]
"""A change of the module of a candidate."""


def ops_of(bytecode: Bytecode) -> Iterator[tuple[Function, Op]]:
    """Yield every op, with its function."""
    for function in bytecode.functions:
        for op in function.walk():
            yield function, op


def in_edit(change: Callable[..., Any], function: Function, *given: object) -> Unit:
    """Return the unit that calls a function with the edit of a function and what is given."""
    return partial(_edited, change, function, given)


def _edited(
    change: Callable[..., Any], function: Function, given: tuple, candidate: Candidate
) -> None:
    change(candidate.edit(function), *given)
