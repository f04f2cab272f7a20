"""Linking: records that refer to each other by number become objects, innermost first.

Records are linked when first asked for, each once, whether that works or not. Chains can be long
and share parts, so this is no recursion, and levels are counted on the way down.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

from tileir.errors import BytecodeError

from .bad_reference import BadReference


class Linker:
    """Objects by number: those that are `linked`, and what is wrong with those that cannot be.

    `limit` is how many levels of one record inside another there may be. A subclass says what a
    record refers to and makes the object; what a record refers to is settled then.
    """

    def __init__(self, limit: int) -> None:
        self.linked: dict[int, object] = {}
        self._broken: dict[int, BadReference | BytecodeError] = {}
        self._levels: dict[int, int] = {}
        self._limit = limit
        self._lock = threading.RLock()

    def _references(self, number: int) -> Iterator[int]:
        """The records that a record refers to, as far as there are any."""
        raise NotImplementedError

    def _made(self, number: int) -> object:
        """The object of a record. BadReference or BytecodeError if there is none."""
        raise NotImplementedError

    def _circle(self, number: int, inner: int) -> BadReference:
        """What is wrong with a record that refers to one that contains it."""
        raise NotImplementedError

    def _too_deep(self, number: int, inner: int) -> BadReference:
        """What is wrong with a record whose reference is one level too many."""
        raise NotImplementedError

    def _settle(self, start: int) -> None:
        """Link a record and what it refers to, or say what is wrong with them; one thread does.

        Coming back to a record that still waits for others means going in a circle. What is too
        deep is followed somewhat beyond the limit: then all that is so far from the end of the way
        is too deep, and nothing of a long chain is walked again and again, whoever asks for it.
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
        """Link a record; those it refers to are settled."""
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
