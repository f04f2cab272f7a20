"""The frames of ops: the line of source that an op is written on, and the calls it was inlined by.

Frames are shared: each has the frame of its caller, and ops that were inlined by one call have that
in common.
"""

from __future__ import annotations

from typing import Any

from tileir.bytecode import Bytecode
from tileir.ir import Op
from tileir.ir.locations import CallSite, LexicalBlock, Location, SourceLocation, Subprogram
from tileir.messages.texts import printable

from .columns import Pool

DEEPEST = 64
"""Most frames of an op that are told: the innermost ones."""


class Frames:
    """The frames of a module's ops, in the order of the file; none of a module that is None.

    locations  the location of each frame
    callers    the number of the frame that each is called from, -1 for none
    """

    def __init__(self, bytecode: Bytecode | None) -> None:
        self.locations: list[SourceLocation] = []
        self.callers: list[int] = []
        self._numbers: dict[tuple[int, int], int] = {}
        self._known: dict[int, int] = {}
        functions = () if bytecode is None else bytecode.functions
        self._kept = [op.location for function in functions for op in function.walk()]
        for location in self._kept:
            self._innermost(location)

    def of_op(self, op: Op) -> int:
        """Return the number of the innermost frame of an op, -1 for none."""
        return self._known.get(id(op.location), -1)

    def columns(self, pool: Pool) -> dict[str, list[int]]:
        """Return the frames as columns of a model."""
        return {
            "location": [pool.index(printable(str(each))) for each in self.locations],
            "name": [pool.index(printable(_function(each))) for each in self.locations],
            "caller": self.callers,
        }

    def _innermost(self, location: Location | None) -> int:
        known = self._known.get(id(location))
        if known is None:
            known = self._known[id(location)] = self._made(location)
        return known

    def _made(self, location: Location | None) -> int:
        """Return the innermost frame of a location, made behind those of its callers."""
        number = -1
        for each in reversed(_chain(location)):
            key = (id(each), number)
            if key not in self._numbers:
                self._numbers[key] = len(self.locations)
                self.locations.append(each)
                self.callers.append(number)
            number = self._numbers[key]
        return number


def _chain(location: Location | None) -> list[SourceLocation]:
    """Return the locations of an op, the innermost first."""
    found: list[SourceLocation] = []
    waiting = [location]
    while waiting and len(found) < DEEPEST:
        each = waiting.pop()
        for _ in range(DEEPEST):
            if not isinstance(each, CallSite):
                break
            waiting.append(each.caller)
            each = each.callee
        each = None if each is None else each.innermost
        if isinstance(each, SourceLocation):
            found.append(each)
    return found


def _function(place: SourceLocation) -> str:
    """Return the name of the function that a location is in; "" if that is not known."""
    scope: Any = place.scope
    for _ in range(DEEPEST):
        if not isinstance(scope, LexicalBlock):
            break
        scope = scope.scope
    return str(scope.name) if isinstance(scope, Subprogram) else ""
