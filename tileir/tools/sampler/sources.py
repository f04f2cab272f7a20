"""Source locations for a function's ops: positions, nested scopes, inlined calls, or none."""

from __future__ import annotations

from tileir.ir.locations import (
    CallSite,
    CompileUnit,
    File,
    LexicalBlock,
    SourceLocation,
    Subprogram,
)

from .draws import Draws


class Sources:
    """The source locations of one function's ops; none if `located` is False."""

    def __init__(self, draws: Draws, name: str, located: bool) -> None:
        self.draws = draws
        self.function: SourceLocation | None = None
        self._last: SourceLocation | CallSite | None = None
        if located:
            file = File(f"source{draws.below(3)}.py", draws.pick(("", "/src", "/src/λ")))
            line = draws.between(1, 500)
            self._scope = Subprogram(file, line, name, name, CompileUnit(file), line + 1)
            self.function = self._last = SourceLocation(self._scope, str(file), line, 0)

    def next(self) -> SourceLocation | CallSite | None:
        """Draw the location of the next op, often that of the one before."""
        draws = self.draws
        if self.function is None or draws.chance(10):
            return None
        if draws.chance(40):
            self._last = self._position(self._scope)
            if draws.chance(25):
                file = File("inlined.py", "/src")
                callee = Subprogram(file, 7, "square", "square", CompileUnit(file), 7)
                self._last = CallSite(self._position(callee), self._last)
        return self._last

    def _position(self, scope: Subprogram) -> SourceLocation:
        draws = self.draws
        line, column = draws.between(1, 2000), draws.below(120)
        inner = scope
        for depth in range(draws.below(3)):
            inner = LexicalBlock(inner, scope.file, line - min(depth, line), column)
        return SourceLocation(inner, str(scope.file), line, column)
