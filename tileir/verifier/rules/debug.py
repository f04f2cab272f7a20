"""Rules about debug information: the scopes of functions and ops."""

from __future__ import annotations

import dataclasses

from tileir.ir.locations import CallSite, LexicalBlock, Location, Subprogram
from tileir.verifier.catalogue import declare
from tileir.verifier.constraints import Problem
from tileir.verifier.wording import named

FUNCTION_SCOPE = declare(
    "function-scope",
    "The location of a function is in a Subprogram whose linkage name is the function's "
    "symbol, and "
    "not in a block of it: debuggers find the function by that name.",
    "make a Subprogram with the symbol as linkage name",
)
OP_SCOPE = declare(
    "op-scope",
    "An op with a location is in the Subprogram of its function, or in a block of it; what was "
    "inlined is so at the outermost of its call sites. A function without a location has no ops "
    "with one.",
    "put it in the scope of its function, or make it a call site there",
)


def function_problem(name: str, location: Location | None) -> Problem | None:
    """Return what is wrong with the location of a function."""
    if location is None:
        return None
    if isinstance(location, CallSite):
        text = (
            f"invalid function debug info location: {location}. Function location must not be a "
            "CallSiteLoc."
        )
        return FUNCTION_SCOPE, text, FUNCTION_SCOPE.hint
    scope = getattr(location, "scope", None)
    if not isinstance(scope, Subprogram):
        text = (
            f"invalid function debug info scope: {scope}. Function location must have "
            "cuda_tile.di_subprogram debug info scope."
        )
        return FUNCTION_SCOPE, text, FUNCTION_SCOPE.hint
    if scope.linkage_name == name:
        return None
    text = (
        f'invalid function debug info scope: {scope}. Function name "{named(name)}" does not match '
        f'subprogram scope linkage name "{named(scope.linkage_name)}".'
    )
    return FUNCTION_SCOPE, text, FUNCTION_SCOPE.hint


class Scopes:
    """The scope of one function, and the scopes known to be inside or outside of it.

    Chains of inlined calls and of blocks can be long and share parts, so the result for each part
    is remembered, by its identity.
    """

    def __init__(self, name: str, function: Location | None) -> None:
        self.trusted = function_problem(name, function) is None
        self.function = None if function is None else getattr(function, "scope", None)
        self._outer: dict[int, object] = {}
        self._inside: dict[int, bool] = {}
        self._whole = _content(self.function)

    def problem(self, location: Location | None) -> Problem | None:
        """Return what is wrong with the location of an op."""
        scope = self._outermost(location)
        if scope is None or not self.trusted:
            return None
        if self.function is None:
            text = (
                f"invalid operation debug info scope: {scope}. Operation has debug info scope, but "
                "function debug info scope is undefined."
            )
            return OP_SCOPE, text, OP_SCOPE.hint
        if self._contains(scope):
            return None
        text = (
            f"invalid operation debug info scope: {scope}. Operation debug info scope does not "
            f"match function debug info scope: {self.function}."
        )
        return OP_SCOPE, text, OP_SCOPE.hint

    def _outermost(self, location: Location | None) -> object:
        """Return the scope of the outermost caller of a location; None if unknown."""
        chain = []
        while isinstance(location, CallSite) and id(location) not in self._outer:
            chain.append(id(location))
            location = location.caller
        if isinstance(location, CallSite):
            scope = self._outer[id(location)]
        else:
            scope = getattr(location, "scope", None)
        self._outer.update(dict.fromkeys(chain, scope))
        return scope

    def _contains(self, scope: object) -> bool:
        chain = []
        while isinstance(scope, LexicalBlock) and id(scope) not in self._inside:
            chain.append(id(scope))
            scope = scope.scope
        inside = self._inside.get(id(scope))
        if inside is None:
            inside = scope is self.function or _content(scope) == self._whole
            chain.append(id(scope))
        self._inside.update(dict.fromkeys(chain, inside))
        return inside


def _content(scope: object) -> object:
    return dataclasses.astuple(scope) if isinstance(scope, Subprogram) else scope
