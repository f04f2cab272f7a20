"""Linking: records that refer to each other by number become objects, innermost first.

A record is linked when first asked for, and only once, even if that fails. Chains of records can be
long and share parts, so an explicit stack takes the place of recursion and limits the depth.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tileir.errors import BytecodeError
from tileir.formats.forks import Lock

from .bad_reference import BadReference


class Linker:
    """Objects by record number: the `linked` ones, and the errors of those that cannot be linked.

    `limit` is the greatest number of levels of one record inside another. A subclass says what a
    record refers to, and makes the object once its references are linked.
    """

    def __init__(self, limit: int) -> None:
        self.linked: dict[int, Any] = {}
        self._broken: dict[int, BadReference | BytecodeError] = {}
        self._levels: dict[int, int] = {}
        self._limit = limit
        self._lock = Lock()

    def _references(self, number: int) -> Iterator[int]:
        """Yield the numbers of the existing records that a record refers to."""
        raise NotImplementedError

    def _made(self, number: int) -> Any:
        """Return the object of a record. BadReference or BytecodeError if there is none."""
        raise NotImplementedError

    def _circle(self, number: int, inner: int) -> BadReference:
        """Return the error of a record `number` that refers to a record that contains it."""
        raise NotImplementedError

    def _too_deep(self, number: int, inner: int) -> BadReference:
        """Return the error of a record `number` whose reference is one level too deep."""
        raise NotImplementedError

    def _settle(self, start: int) -> None:
        """Link a record and all that it refers to, or note their errors; one thread at a time.

        A reference to a record that still waits for others is a circle. A chain is followed beyond
        the limit by half of it: all records that far from its end are then known to be too deep,
        so that no part of a long chain is walked again for each of its records.
        """
        with self._lock:
            if start not in self.linked and start not in self._broken:
                self._follow(start)

    def _follow(self, start: int) -> None:
        beyond = self._limit // 2 + 1
        path, waiting = [start], {start}
        inner = [self._references(start)]
        while path:
            current = path[-1]
            for number in inner[-1]:
                if number in self.linked or number in self._broken:
                    continue
                if number in waiting:
                    self._broken[current] = self._circle(current, number)
                    break
                if len(path) == self._limit + beyond:
                    bad = self._too_deep(*path[self._limit - 1 : self._limit + 1])
                    self._broken.update(dict.fromkeys(path[:beyond], bad))
                    return
                path.append(number)
                waiting.add(number)
                inner.append(self._references(number))
                break
            else:
                self._try(current)
            if path[-1] == current:
                waiting.discard(path.pop())
                inner.pop()

    def _try(self, number: int) -> None:
        """Link a record whose references are linked or broken."""
        try:
            made = self._made(number)
            level = deepest = 0
            for inner in self._references(number):
                if self._levels[inner] > level:
                    level, deepest = self._levels[inner], inner
            if level == self._limit:
                raise self._too_deep(number, deepest)
        except (BadReference, BytecodeError) as error:
            self._broken[number] = error.with_traceback(None)
        else:
            self._levels[number] = level + 1
            self.linked[number] = made
