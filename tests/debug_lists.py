"""How long a function's list in the debug section is; it should have its ops and one more."""

from __future__ import annotations

from tileir import Function


def list_length(function: Function) -> int | None:
    """Length of the function's list of locations; None if it has none. BytecodeError if it lies."""
    number, source = function.record["location"], function.source
    if not number:
        return None
    with source.located():
        start, end = source.debug.list_of(number)
    return end - start
