"""What an error of the emulator is about: whose memory, and which line of source."""

from __future__ import annotations

from collections.abc import Mapping

from tileir.codegen.emulator.ptx.locations import source_lines
from tileir.errors import EmulationError


def tell_whereabouts(
    error: EmulationError, parameters: Mapping[int, tuple[int, int]], ptx: str
) -> None:
    """Add to the text of an error what is known of its address and of its line of the PTX.

    `parameters` has address and size of the memory that each pointer points to.
    """
    told = [_memory(error.address, parameters), _source(error.line, ptx)]
    error.args = ("\n  ".join([str(error), *filter(None, told)]),)


def _memory(address: int | None, parameters: Mapping[int, tuple[int, int]]) -> str:
    """Return where an address lies in the memory of parameters, or close to it; "" elsewhere.

    Addresses of shared memory are far from all of them.
    """
    if address is None:
        return ""
    away = {
        number: max(start - address, address - (start + size - 1), 0)
        for number, (start, size) in parameters.items()
        if size
    }
    number = min(away, key=lambda each: away[each], default=None)
    if number is None or away[number] > parameters[number][1]:
        return ""
    start, size = parameters[number]
    of = f"the {size} bytes of parameter {number}"
    if not away[number]:
        return f"byte {address - start} of {of}"
    if address < start:
        return f"{start - address} bytes before {of}"
    gap = address - start - size
    return f"{gap} bytes behind {of}" if gap else f"right behind {of}"


def _source(line: int | None, ptx: str) -> str:
    place = source_lines(ptx).get(line) if line is not None else None
    return f"at {place}" if place else ""
