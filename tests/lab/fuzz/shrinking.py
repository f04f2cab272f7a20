"""A failing input made small: what can be left out while the same thing still goes wrong, is.

Pieces first, with the frame written anew, then bytes of pieces, then bytes of the file.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from tileir import Bytecode, BytecodeError

from .framing import Framed, Unframed, take_apart

LONGEST_S = 20.0
"""Seconds that one input is worth."""


def shrink(data: bytes, fails: Callable[[bytes], bool], seconds: float = LONGEST_S) -> bytes:
    """A smaller input for which `fails` holds as it does for `data`."""
    until = time.monotonic() + seconds

    def holds(candidate: bytes) -> bool:
        return time.monotonic() < until and fails(candidate)

    size = len(data) + 1
    while len(data) < size and time.monotonic() < until:
        size = len(data)
        framed = _framed(data)
        if framed is not None:
            data = _shrink_framed(framed, holds)
        data = bytes(reduced(data, lambda kept: holds(bytes(kept))))
    return data


def reduced(items: Sequence, fails: Callable[[Sequence], bool]) -> Sequence:
    """Delta debugging: `items` without any run of them that is not needed for `fails`."""
    size = len(items) // 2
    while size:
        start = 0
        while start < len(items):
            candidate = items[:start] + items[start + size :]
            if fails(candidate):
                items = candidate
            else:
                start += size
        size //= 2
    return items


def _framed(data: bytes) -> Framed | None:
    """The pieces, bodies included where the file can be parsed; None if they cannot be told."""
    bodies = ()
    try:
        functions = Bytecode.parse(data).functions
        bodies = tuple((f.code.offset, len(f.code.data)) for f in functions)
    except BytecodeError:
        pass
    try:
        return take_apart(data, bodies)
    except Unframed:
        return None


def _shrink_framed(made: Framed, fails: Callable[[bytes], bool]) -> bytes:
    def with_sections(kept: list) -> bool:
        return fails(Framed(made.header, kept).data())

    made.sections = list(reduced(made.sections, with_sections))
    for section in made.sections:

        def with_pieces(kept: list, section=section) -> bool:
            before, section.pieces = section.pieces, kept
            failed = fails(made.data())
            section.pieces = before
            return failed

        section.pieces = list(reduced(section.pieces, with_pieces))
        for index in range(len(section.pieces)):

            def with_bytes(kept: bytes, pieces=section.pieces, index=index) -> bool:
                before, pieces[index] = pieces[index], kept
                failed = fails(made.data())
                pieces[index] = before
                return failed

            section.pieces[index] = bytes(reduced(section.pieces[index], with_bytes))
    return made.data()
