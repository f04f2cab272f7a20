"""Calls of the functions that a driver provides: for messages, and for memory of the heap."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tileir.codegen.emulator.memory.peek import peek, peek_text
from tileir.codegen.emulator.ptx.table import effect

_DIRECTIVE = re.compile(
    r"%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+))?(hh|h|ll|l|j|z|t)?([diouxXeEfFgGaAcsp%])"
)


def formatted(text: str, take: Callable[[str], Any]) -> str:
    """What C's printf writes; `take` gives the next argument as "i", "q", "Q", "d" ..."""

    def fill(found: re.Match[str]) -> str:
        flags, wide, precise, length, verb = found.groups()
        if verb == "%":
            return "%"
        wide, precise = (str(take("i")) if part == "*" else part for part in (wide, precise))
        shape = f"%{flags}{wide or ''}" + (f".{precise}" if precise is not None else "")
        long = length in ("l", "ll", "j", "z", "t")
        if verb in "di":
            return f"{shape}d" % take("q" if long else "i")
        if verb in "ouxX":
            verb = "d" if verb == "u" else verb
            return f"{shape}{verb}" % take("Q" if long else "I")
        if verb == "c":
            return f"{shape}c" % chr(take("i") & 255)
        if verb == "s":
            return f"{shape}s" % take("s")
        if verb == "p":
            return f"{shape}s" % hex(take("Q"))
        if verb in "aA":
            return float.hex(take("d"))
        return f"{shape}{verb}" % take("d")

    return _DIRECTIVE.sub(fill, text)


class Arguments:
    """The buffer of a call of vprintf: each argument aligned to its size."""

    def __init__(self, lanes: Any, statement: Any, lane: int, address: int) -> None:
        self.place, self.address, self.offset = (lanes, statement, lane), address, 0

    def __call__(self, code: str) -> Any:
        kind = np.dtype({"i": "i4", "I": "u4", "q": "i8", "d": "f8"}.get(code, "u8"))
        self.offset = -(-self.offset // kind.itemsize) * kind.itemsize
        data = peek(*self.place, self.address + self.offset, kind.itemsize)
        self.offset += kind.itemsize
        number = np.frombuffer(data, kind)[0].item()
        return peek_text(*self.place, number) if code == "s" else number


def vprintf(lanes: Any, statement: Any, active: np.ndarray, given: list[Any]) -> Any:
    """Lanes print in ascending order."""
    texts, arguments = (lanes.spread(each) for each in given)
    for place in np.flatnonzero(active):
        lane = int(lanes.numbers[place])
        text = peek_text(lanes, statement, lane, int(texts[place]))
        take = Arguments(lanes, statement, lane, int(arguments[place]))
        lanes.batch.printed.append((lane, formatted(text, take)))
    return np.uint32(0)


def assertfail(lanes: Any, statement: Any, active: np.ndarray, given: list[Any]) -> Any:
    """Message, file, line, function."""
    first = int(np.flatnonzero(active)[0])
    lane = int(lanes.numbers[first])
    numbers = [int(lanes.spread(each)[first]) for each in given[:4]]
    message, file, _, function = (
        peek_text(lanes, statement, lane, number) if place != 2 and number else ""
        for place, number in enumerate(numbers)
    )
    told = f"{file}:{numbers[2]}: {function}: assertion failed: {message}"
    raise lanes.error("assert", told, statement, active)


def malloc(lanes: Any, statement: Any, active: np.ndarray, given: list[Any]) -> Any:
    """Lanes get memory in ascending order, as long as there is some."""
    sizes, result = lanes.spread(given[0]), np.zeros(len(active), np.uint64)
    for place in np.flatnonzero(active):
        result[place] = lanes.batch.spaces["global"].heap.take(int(sizes[place]))
    return result


def free(lanes: Any, statement: Any, active: np.ndarray, given: list[Any]) -> None:
    """What has been given out, and once."""
    addresses = lanes.spread(given[0])
    for place in np.flatnonzero(active):
        address = int(addresses[place])
        if not lanes.batch.spaces["global"].heap.give_back(address):
            told = f"free of {address:#x}, where malloc gave nothing"
            raise lanes.error("heap", told, statement, active)


_FUNCTIONS = {"vprintf": vprintf, "__assertfail": assertfail, "free": free, "malloc": malloc}


def call(match: re.Match[str]) -> Any:
    """A call whose parameters have been stored."""

    def run(lanes: Any, statement: Any, mask: Any, *operands: str | None) -> None:
        parts = [part for part in operands if part]
        result = parts.pop(0)[1:-1].strip() if parts[0].startswith("(") else None
        function = _FUNCTIONS.get(parts[0])
        if function is None:
            raise lanes.error("unknown", f"no function {parts[0]}", statement)
        names = [name.strip() for name in parts[1][1:-1].split(",")] if len(parts) > 1 else []
        given = [lanes.batch.outgoing[name] for name in names]
        active = lanes.spread(True if mask is None else mask)
        returned = function(lanes, statement, active, given)
        if result:
            lanes.batch.outgoing[result] = returned

    return run


effect("call(.uni)?", "= $ $? $? $?", call)
