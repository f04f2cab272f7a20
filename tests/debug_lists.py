"""Where a function's list in the debug section is; it should have its ops and one more."""

from __future__ import annotations

from bisect import bisect_right

from tileir import Function
from tileir.read.debug_info import DebugInfo


def list_range(debug: DebugInfo, number: int) -> tuple[int, int]:
    """Where list `number` begins and ends in `indices`: at the next list, or with the table."""
    start, starts = debug.start_of(number), sorted(debug.starts)
    following = starts[bisect_right(starts, start) :]
    return start, following[0] if following else len(debug.indices)


def list_length(function: Function) -> int | None:
    """Length of the function's list of locations; None if it has none. BytecodeError if it lies."""
    number, source = function.record["location"], function.source
    debug = source.debug
    if not number or (source.version.open and not 0 < number <= len(debug.starts if debug else ())):
        return None
    with source.located():
        start, end = list_range(source.debug, number)
    return end - start
