"""Arguments of a launch: the bytes of the parameters, and the memory that a kernel may access."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tileir.codegen.arguments.numbers import number_bytes
from tileir.codegen.arguments.shown import shown
from tileir.codegen.emulator.errors import emulation_error
from tileir.codegen.emulator.memory.mapped import writable
from tileir.codegen.emulator.memory.tensor_map import UNIT, TensorMap
from tileir.codegen.scalar.sizes import memory_bytes
from tileir.launch.buffer import Buffer
from tileir.types import Scalar

from .module import KernelCode

_FLOATS = ("f16", "bf16", "f32", "tf32", "f64", "f8E4M3FN", "f8E5M2", "f8E8M0FNU")
"""Types whose arguments are numbers; those of others are bits."""


class Reach:
    """The memory that a launch may access: address and size of each region."""

    def __init__(self, allocations: Sequence[Any]) -> None:
        self.regions: list[tuple[int, int]] = []
        self.parameters: dict[int, tuple[int, int]] = {}
        """Address and size of the memory that a parameter points to, by its number."""
        self._read_only: list[tuple[int, int]] = []
        self._writable: list[tuple[int, int]] = []
        for each in allocations:
            self.add(each)

    def add(self, argument: Any, parameter: int | None = None) -> None:
        """Add the memory of an array or a Buffer, to which a parameter may point."""
        if isinstance(argument, Buffer):
            region, read_only = (argument.address, argument.nbytes), False
        else:
            array = np.asarray(argument)
            low, high = np.lib.array_utils.byte_bounds(array)
            region, read_only = (low, high - low), not array.flags.writeable
        self.regions.append(region)
        if parameter is not None:
            self.parameters[parameter] = region
        (self._read_only if read_only else self._writable).append(region)

    def add_addresses(self, addresses: Sequence[int]) -> None:
        """Add all mapped memory if an address lies in none of the regions."""
        if not all(
            any(low <= each < low + size for low, size in self.regions) for each in addresses
        ):
            self.regions += writable()

    def read_only(self) -> list[tuple[int, int]]:
        """Return start and end of each span that must not be written, in ascending order."""
        spans = [(start, start + size) for start, size in self._read_only]
        for low, size in self._writable:
            below = [(start, min(end, low)) for start, end in spans]
            above = [(max(start, low + size), end) for start, end in spans]
            spans = [(start, end) for start, end in below + above if start < end]
        merged: list[tuple[int, int]] = []
        for start, end in sorted(spans):
            if merged and start <= merged[-1][1]:
                start, end = merged[-1][0], max(merged.pop()[1], end)
            merged.append((start, end))
        return merged


def _is_array(argument: Any) -> bool:
    return hasattr(argument, "__array_interface__") and not isinstance(argument, np.generic)


def pack(kernel: KernelCode, plan: dict[str, Any], args: Sequence[Any], reach: Reach) -> bytes:
    """Return the bytes of the parameters, and add the memory of pointer arguments to `reach`."""
    declared, rows = kernel.scope.entry.parameters, plan["parameters"]
    if not isinstance(args, Sequence):
        raise emulation_error("launch", f"expected a list of arguments, got {shown(args)}")
    if not len(declared) == len(rows) == len(args):
        message = (
            f"{len(declared)} parameters in the PTX, {len(rows)} in the plan, {len(args)} given"
        )
        raise emulation_error("launch", message)
    for variable, row in zip(declared, rows, strict=True):
        if (kernel.scope.parameters[variable.name], variable.size) != (row["offset"], row["size"]):
            message = f"the plan puts parameter {row['index']} elsewhere than the PTX"
            raise emulation_error("launch", message)
    packed = packed_rows(rows, args, reach)
    plain = [int(each.base) for each in args if _at_address(each)]
    plain += [
        int(argument)
        for row, argument in zip(rows, args, strict=True)
        if row["type"].startswith("ptr") and not _is_memory(argument) and int(argument)
    ]
    reach.add_addresses(plain)
    return bytes(packed.ljust(max(kernel.scope.parameter_bytes, 1), b"\0"))


def packed_rows(rows: Sequence[Mapping[str, Any]], args: Sequence[Any], reach: Reach) -> bytearray:
    """Return the bytes of arguments at the offsets of their parameters in a plan."""
    packed = bytearray(max((row["offset"] + row["size"] for row in rows), default=0))
    for row, argument in zip(rows, args, strict=True):
        try:
            data = _bytes(row, argument, reach)
        except (TypeError, ValueError, OverflowError) as problem:
            message = f"parameter {row['index']} ({row['type']}): {problem}"
            raise emulation_error("launch", message) from None
        packed[row["offset"] : row["offset"] + row["size"]] = data
    return packed


def _bytes(row: Mapping[str, Any], argument: Any, reach: Reach) -> bytes:
    size, kind = row["size"], row["type"]
    if kind == "tensor_map":
        _add_map(argument, reach)
        return bytes(size)
    if kind.startswith("ptr"):
        _check_elements(kind, argument)
        return _address(argument, reach, row["index"]).to_bytes(8, "little")
    if isinstance(argument, bytes):
        return argument.ljust(size, b"\0")
    if kind in _FLOATS:
        return number_bytes(Scalar(kind), argument)
    bits, number = int(kind[1:]) if kind.startswith("i") else 8 * size, _whole(argument)
    low, high = -(1 << bits - 1), (1 << bits) - 1
    if not low <= number <= high:
        raise ValueError(f"{number} is not within {low} to {high}")
    return (number & high).to_bytes(size, "little")


def _add_map(argument: Any, reach: Reach) -> int:
    """Add the memory of a tensor map to `reach`; return its address."""
    if not isinstance(argument, TensorMap):
        raise ValueError(f"expected a TensorMap, got {shown(argument)}")
    address = _address(argument.base, reach)
    if address % UNIT:
        raise ValueError(f"the base of a tensor map, {address:#x}, is no multiple of {UNIT}")
    return address


def tensor_maps(
    kernel: KernelCode, plan: dict[str, Any], args: Sequence[Any], reach: Reach
) -> dict[int, TensorMap]:
    """Return the tensor maps among the arguments, by the offset of the parameter."""
    return {
        row["offset"]: replace(argument, base=_add_map(argument, reach))
        for row, argument in zip(plan["parameters"], args, strict=True)
        if row["type"] == "tensor_map"
    }


def _check_elements(kind: str, argument: Any) -> None:
    """ValueError for an array whose elements have another size than those of the pointer.

    In the plan of hand-written PTX, a pointer may have no element type: ``ptr``.
    """
    name = kind[len("ptr<") : -1].partition(",")[0]
    if not name or not _is_array(argument):
        return
    size, dtype = memory_bytes(Scalar(name)), np.asarray(argument).dtype
    if dtype.itemsize != size:
        raise ValueError(f"expected elements of {size} bytes, got an array of {dtype}")


def _address(argument: Any, reach: Reach, parameter: int | None = None) -> int:
    """Return the address of an argument, whose memory is added to `reach` if its size is known."""
    if not _is_memory(argument):
        return _whole(argument)
    reach.add(argument, parameter)
    if isinstance(argument, Buffer):
        return argument.address
    return np.asarray(argument).__array_interface__["data"][0]


def _is_memory(argument: Any) -> bool:
    """Whether an argument is an array or a Buffer, not an address."""
    return isinstance(argument, Buffer) or _is_array(argument)


def _at_address(argument: Any) -> bool:
    """Whether an argument is a tensor map whose memory is known by its address only."""
    return isinstance(argument, TensorMap) and not _is_memory(argument.base)


def _whole(argument: Any) -> int:
    return int(argument) if isinstance(argument, np.bool_) else operator.index(argument)
