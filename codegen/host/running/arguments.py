"""Packs the arguments of a launch on the host, and collects the extents of their memory.

Most launches are like one before: the same kernel, arrays of the same types. `Packer` knows what
does not change. It packs arguments of the usual types itself, if nothing is wrong with them;
whatever else they are, `pack` looks at them, and says what is wrong.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tileir.codegen.arguments import packing
from tileir.codegen.arguments.extents import Extent
from tileir.codegen.arguments.pointers import memory_of
from tileir.codegen.scalar.sizes import memory_bytes
from tileir.launch.array_address import address_of
from tileir.types import Element, Pointer, Scalar

from .kernel_info import KernelInfo


class Packed(NamedTuple):
    """Arguments as machine code takes them.

    data     the struct
    extents  of the memory of each pointer argument, in order; None if unknown
    keep     objects that must stay alive while the struct is in use
    """

    data: bytes | bytearray
    extents: Sequence[Extent | None]
    keep: Sequence[Any]


def pack(info: KernelInfo, args: Sequence[Any]) -> Packed:
    """Pack the arguments of a launch. LaunchError, with number and type, for an unfit one."""
    extents: list[Extent | None] = []
    keep: list[Any] = []

    def address_of(number: int, argument: Any, pointee: Scalar) -> int:
        memory = memory_of(argument, pointee, number in info.written)
        extents.append(memory.extent)
        keep.append(memory.owner)
        return memory.address

    data = packing.pack(info.symbol, info.elements, info.offsets, info.size, args, address_of)
    return Packed(data, extents, keep)


_UNSIGNED = {1: "B", 2: "H", 4: "I", 8: "Q"}
"""Bytes -> the letter of `struct` for an unsigned number."""

_USUAL = {"i8": "b", "i16": "h", "i32": "i", "i64": "q", "f16": "e", "f32": "f", "f64": "d"}
"""Scalars of which `struct` makes the same bytes as `pack`, of numbers that it takes -> its letter.

It takes fewer: no integers that only fit unsigned."""


def layout(
    letters: Iterable[str], elements: Iterable[Element], offsets: Iterable[int], size: int
) -> struct.Struct:
    """Return the struct of arguments, each at its offset."""
    text, end = "<", 0
    for letter, element, offset in zip(letters, elements, offsets, strict=True):
        text += f"{offset - end}x{letter}"
        end = offset + memory_bytes(element)
    return struct.Struct(f"{text}{size - end}x")


def bits_layout(elements: Sequence[Element], offsets: Iterable[int], size: int) -> struct.Struct:
    """Return the struct of arguments, each taken as an unsigned number with its bits."""
    letters = (_UNSIGNED[memory_bytes(element)] for element in elements)
    return layout(letters, elements, offsets, size)


class Packer:
    """Packs the arguments of launches of one kernel, quickly where they are of the usual types.

    `needs_extents`: the kernel checks or counts its accesses, so the memory of its arguments has to
    be known.
    """

    def __init__(self, info: KernelInfo) -> None:
        self._info = info
        checks = any(site["kind"] == "access" for site in info.sites)
        self.needs_extents = checks or info.counters is not None
        self._struct: struct.Struct | None = None
        self._pointers: list[tuple[int, int, bool, set[np.dtype]]] = []
        self._floats: list[int] = []
        letters = []
        for number, element in enumerate(info.elements):
            if isinstance(element, Pointer):
                written = number in info.written
                self._pointers.append((number, memory_bytes(element.pointee), written, set()))
            elif not element.is_integer:
                self._floats.append(number)
            letters.append("Q" if isinstance(element, Pointer) else _USUAL.get(element.name, ""))
        if all(letters) and not self.needs_extents:
            self._struct = layout(letters, info.elements, info.offsets, max(info.size, 1))

    def pack(self, args: Sequence[Any]) -> Packed:
        """Pack the arguments of a launch. LaunchError, with number and type, for an unfit one."""
        if self._struct is not None and type(args) in (list, tuple):
            data = self._pack_usual([*args], self._struct)
            if data is not None:
                return Packed(data, (), args)
        packed = pack(self._info, args)
        for (_, _, _, fitting), owner in zip(self._pointers, packed.keep, strict=True):
            if type(owner) is np.ndarray:
                fitting.add(owner.dtype)
        return packed

    def _pack_usual(self, args: list[Any], form: struct.Struct) -> bytes | None:
        """Pack arguments of the usual types with which nothing is wrong; None for others.

        Types of arrays are usual when `pack` has found one that fits.
        """
        if len(args) != len(self._info.elements):
            return None
        for number, size, written, fitting in self._pointers:
            array = args[number]
            if type(array) is not np.ndarray or array.dtype not in fitting:
                return None
            if written and not array.flags.writeable:
                return None
            args[number] = address = address_of(array)
            if address % size:
                return None
        for number in self._floats:
            if type(args[number]) is not float:
                return None
        try:
            return form.pack(*args)
        except (struct.error, OverflowError, TypeError):
            return None
