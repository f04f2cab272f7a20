"""The check of a launch's arguments against the types in its plan, as on other targets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tileir.codegen.arguments.assumed import check_assumed
from tileir.codegen.arguments.dlpack import Export
from tileir.codegen.arguments.elements import DTYPES
from tileir.codegen.arguments.extents import of_allocations
from tileir.codegen.arguments.numbers import number_bytes
from tileir.codegen.arguments.pointers import memory_of
from tileir.codegen.arguments.shown import shown
from tileir.errors import LaunchError
from tileir.types import Scalar


class _Lent:
    """Memory of another library, as NumPy takes it."""

    def __init__(self, export: Export) -> None:
        self.export = export  # keeps the memory alive
        self.__array_interface__ = {
            "version": 3,
            "shape": export.shape,
            "strides": export.strides,
            "typestr": f"|V{export.itemsize}",
            "data": (export.address, export.read_only),
        }


def checked(symbol: str, plan: Mapping[str, Any], args: Sequence[Any]) -> list[Any]:
    """Return the arguments as arrays, Buffers, addresses and the bytes of numbers.

    LaunchError for an argument that does not fit its parameter, or is no multiple of what the
    kernel assumes.
    """
    try:
        args = list(args)
    except TypeError:
        raise LaunchError(f"{symbol}: the arguments must be a list, got {shown(args)}") from None
    rows = plan["parameters"]
    if len(args) != len(rows):
        raise LaunchError(f"{symbol} takes {len(rows)} arguments, but {len(args)} were given")
    passed, packed = [], bytearray(max((row["offset"] + row["size"] for row in rows), default=0))
    for row, argument in zip(rows, args, strict=True):
        try:
            argument, data = _checked(row, argument)
        except LaunchError as problem:
            where = f"{symbol}: parameter {row['index']} ({row['type']})"
            raise LaunchError(f"{where}: {problem}") from None
        packed[row["offset"] : row["offset"] + len(data)] = data
        passed.append(argument)
    check_assumed(symbol, plan, packed)
    return passed


def _checked(row: Mapping[str, Any], argument: Any) -> tuple[Any, bytes]:
    """Return the argument to pass on, and the bytes of the parameter that are known by now."""
    kind = row["type"]
    if kind.startswith("ptr"):
        name = kind[len("ptr<") : -1].partition(",")[0]
        pointee = Scalar(name) if name else None
        memory = memory_of(argument, pointee, row.get("written", False))
        return _array(memory.owner), memory.address.to_bytes(8, "little")
    if kind not in DTYPES:
        return argument, b""
    data = number_bytes(Scalar(kind), argument)
    return data, data


def checked_allocations(allocations: Iterable[Any]) -> list[Any]:
    """Return allocations as arrays and Buffers; LaunchError for anything else."""
    _, owners = of_allocations(allocations)
    return [_array(owner) for owner in owners]


def _array(owner: Any) -> Any:
    """Return an array for what DLPack exports; anything else as it is."""
    return np.asarray(_Lent(owner)) if isinstance(owner, Export) else owner
