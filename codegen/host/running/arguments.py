"""Packs the arguments of a launch on the host, and collects the extents of their memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tileir.codegen.arguments import packing
from tileir.codegen.arguments.extents import Extent
from tileir.codegen.arguments.pointers import memory_of
from tileir.types import Scalar

from .kernel_info import KernelInfo


@dataclass(frozen=True, slots=True)
class Packed:
    """Arguments as machine code takes them.

    data     the struct
    extents  of the memory of each pointer argument, in order; None if unknown
    keep     objects that must stay alive while the struct is in use
    """

    data: bytearray
    extents: list[Extent | None]
    keep: list[Any]


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
