"""Packs the arguments of a launch as a kernel reads them: in one struct, each at its offset."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tileir.errors import LaunchError
from tileir.messages.texts import display
from tileir.types import Element, Pointer, Scalar

from .numbers import number_bytes
from .shown import shown

AddressOf = Callable[[int, Any, Scalar], int]
"""Returns the address of a pointer argument: parameter number, argument, element type."""


def pack(
    symbol: str,
    elements: Sequence[Element],
    offsets: Sequence[int],
    size: int,
    args: Sequence[Any],
    address_of: AddressOf,
) -> bytearray:
    """Return `size` bytes, at least one, with each argument at its offset.

    LaunchError, with number and type, for an unfit argument; `address_of` raises it for memory.
    """
    symbol = display(symbol)
    try:
        args = list(args)
    except TypeError:
        raise LaunchError(f"{symbol}: the arguments must be a list, got {shown(args)}") from None
    if len(args) != len(elements):
        expected, given = _count(len(elements)), len(args)
        raise LaunchError(f"{symbol} takes {expected}, but {given} were given")
    packed = bytearray(max(size, 1))
    for number, (element, argument) in enumerate(zip(elements, args, strict=True)):
        try:
            if isinstance(element, Pointer):
                data = address_of(number, argument, element.pointee).to_bytes(8, "little")
            else:
                data = number_bytes(element, argument)
        except LaunchError as problem:
            raise LaunchError(f"{symbol}: parameter {number} ({element}): {problem}") from None
        packed[offsets[number] : offsets[number] + len(data)] = data
    return packed


def _count(number: int) -> str:
    return f"{number} argument{'' if number == 1 else 's'}"
