"""Rules about debug information: the scopes of functions and ops."""

from __future__ import annotations

import dataclasses

from ..locations import CallSite, LexicalBlock, Location, Subprogram
from .catalogue import declare
from .constraints import Found

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


def function_problem(name: str, location: Location | None) -> Found:
    """What is wrong with where a function is in source."""
    if location is None:
        return None
    if isinstance(location, CallSite):
        text = (
            f"invalid function debug info location: {location}. Function location must not be a "
            "CallSiteLoc."
        )
        return FUNCTION_SCOPE, text, FUNCTION_SCOPE.hint
    scope = location.scope
    if not isinstance(scope, Subprogram):
        text = (
            f"invalid function debug info scope: {scope}. Function location must have "
            "cuda_tile.di_subprogram debug info scope."
        )
        return FUNCTION_SCOPE, text, FUNCTION_SCOPE.hint
    if scope.linkage_name == name:
        return None
    text = (
        f'invalid function debug info scope: {scope}. Function name "{name}" does not match '
        f'subprogram scope linkage name "{scope.linkage_name}".'
    )
    return FUNCTION_SCOPE, text, FUNCTION_SCOPE.hint


def outermost(location: Location | None) -> object:
    """The scope that a location is in once all inlining is undone; None where nobody knows."""
    while isinstance(location, CallSite):
        location = location.caller
    return None if location is None else location.scope


class Scopes:
    """The scope of one function, and which scopes of its ops have been found to be in it."""

    def __init__(self, name: str, function: Location | None) -> None:
        self.trusted = function_problem(name, function) is None
        self.function = outermost(function)
        self._inside: dict[int, bool] = {}
        self._whole = _content(self.function)

    def problem(self, location: Location | None) -> Found:
        """What is wrong with where an op is in source."""
        scope = outermost(location) if location is not None else None
        if scope is None or not self.trusted:
            return None
        if self.function is None:
            text = (
                f"invalid operation debug info scope: {scope}. Operation has debug info scope, but "
                "function debug info scope is undefined."
            )
            return OP_SCOPE, text, OP_SCOPE.hint
        known = self._inside.get(id(scope))
        if known is None:
            known = self._inside[id(scope)] = self._contains(scope)
        if known:
            return None
        text = (
            f"invalid operation debug info scope: {scope}. Operation debug info scope does "
            "not match "
            f"function debug info scope: {self.function}."
        )
        return OP_SCOPE, text, OP_SCOPE.hint

    def _contains(self, scope: object) -> bool:
        while isinstance(scope, LexicalBlock):
            scope = scope.scope
        return scope is self.function or _content(scope) == self._whole


def _content(scope: object) -> object:
    return dataclasses.astuple(scope) if isinstance(scope, Subprogram) else scope
