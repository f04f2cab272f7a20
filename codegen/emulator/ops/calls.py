"""Calls of the functions that the driver provides: vprintf, __assertfail, malloc and free."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tileir.codegen.emulator.memory.heap import Heap
from tileir.codegen.emulator.memory.peek import peek, peek_text
from tileir.codegen.emulator.memory.spaces import GlobalMemory
from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.ptx.table import effect
from tileir.codegen.emulator.threads.lanes import Lanes

_DIRECTIVE = re.compile(
    r"%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+))?(hh|h|ll|l|j|z|t)?([diouxXeEfFgGaAcsp%])"
)


def formatted(text: str, take: Callable[[str], Any]) -> str:
    """Return what C's printf writes; `take` gets the next argument as an "i", "q", "Q", "d" .."""

    def fill(match: re.Match[str]) -> str:
        flags, wide, precise, length, verb = match.groups()
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
    """The arguments in the buffer of a call of vprintf, each aligned to its size."""

    def __init__(self, lanes: Lanes, statement: Statement, lane: int, address: int) -> None:
        self.reader = lanes, statement, lane
        self.address, self.offset = address, 0

    def __call__(self, code: str) -> Any:
        kind = np.dtype({"i": "i4", "I": "u4", "q": "i8", "d": "f8"}.get(code, "u8"))
        self.offset = -(-self.offset // kind.itemsize) * kind.itemsize
        data = peek(*self.reader, self.address + self.offset, kind.itemsize)
        self.offset += kind.itemsize
        number = np.frombuffer(data, kind)[0].item()
        return peek_text(*self.reader, number) if code == "s" else number


def vprintf(lanes: Lanes, statement: Statement, active: np.ndarray, arguments: list[Any]) -> Any:
    """Print the texts of the lanes in ascending order."""
    texts, buffers = (lanes.broadcast(each) for each in arguments)
    for index in np.flatnonzero(active):
        lane = int(lanes.numbers[index])
        text = peek_text(lanes, statement, lane, int(texts[index]))
        take = Arguments(lanes, statement, lane, int(buffers[index]))
        lanes.batch.printed.append((lane, formatted(text, take)))
    return np.uint32(0)


def assertfail(lanes: Lanes, statement: Statement, active: np.ndarray, arguments: list[Any]) -> Any:
    """Raise the error of a failed assertion; its arguments are message, file, line, function."""
    first = int(np.flatnonzero(active)[0])
    lane = int(lanes.numbers[first])
    numbers = [int(lanes.broadcast(each)[first]) for each in arguments[:4]]
    message, file, _, function = (
        peek_text(lanes, statement, lane, number) if index != 2 and number else ""
        for index, number in enumerate(numbers)
    )
    message = f"{file}:{numbers[2]}: {function}: assertion failed: {message}"
    raise lanes.error("assert", message, statement, active)


def malloc(lanes: Lanes, statement: Statement, active: np.ndarray, arguments: list[Any]) -> Any:
    """Allocate memory for the lanes in ascending order; 0 where the heap has too little left."""
    sizes, result = lanes.broadcast(arguments[0]), np.zeros(len(active), np.uint64)
    for index in np.flatnonzero(active):
        result[index] = _heap(lanes).allocate(int(sizes[index]))
    return result


def free(lanes: Lanes, statement: Statement, active: np.ndarray, arguments: list[Any]) -> None:
    """Free memory; EmulationError if it was not allocated, or freed before."""
    addresses = lanes.broadcast(arguments[0])
    for index in np.flatnonzero(active):
        address = int(addresses[index])
        if not _heap(lanes).free(address):
            message = f"free of {address:#x}, where malloc gave nothing"
            raise lanes.error("heap", message, statement, active)


def _heap(lanes: Lanes) -> Heap:
    memory = lanes.batch.spaces["global"]
    assert isinstance(memory, GlobalMemory)
    assert memory.heap is not None, "a launch makes a heap for kernels that call malloc or free"
    return memory.heap


_FUNCTIONS = {
    "vprintf": (vprintf, 2),
    "__assertfail": (assertfail, 4),
    "free": (free, 1),
    "malloc": (malloc, 1),
}
"""Name -> function, and how many arguments it reads."""


def call(match: re.Match[str]) -> Any:
    """`call`; its parameters have been stored before."""

    def run(lanes: Lanes, statement: Statement, mask: Any, *operands: str | None) -> None:
        parts = [part for part in operands if part]
        result = parts.pop(0)[1:-1].strip() if parts[0].startswith("(") else None
        name = parts.pop(0) if parts else ""
        if name not in _FUNCTIONS:
            raise lanes.error("unknown", f"no function {name}", statement)
        function, count = _FUNCTIONS[name]
        names = [each.strip() for each in parts[0][1:-1].split(",")] if parts else []
        if len(names) < count:
            raise lanes.error("syntax", f"{name} takes {count} arguments or more", statement)
        active = lanes.broadcast(True if mask is None else mask)
        for each in names:
            if each not in lanes.batch.outgoing:
                raise lanes.error("poison", f"no value for parameter {each}", statement, active)
        arguments = [lanes.batch.outgoing[each] for each in names]
        returned = function(lanes, statement, active, arguments)
        if result:
            lanes.batch.outgoing[result] = returned

    return run


effect("call(.uni)?", "= $ $? $? $?", call)
