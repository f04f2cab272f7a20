"""What is passed to a launch, held against the types in its plan, as launches elsewhere do it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tileir.codegen.arguments.assumed import check_assumed
from tileir.codegen.arguments.dlpack import HOST_DEVICES, Export, from_dlpack
from tileir.codegen.arguments.elements import (
    buffer_span,
    check_address,
    check_type,
    check_writable,
    plain_address,
)
from tileir.codegen.arguments.numbers import number_bytes
from tileir.codegen.arguments.shown import shown
from tileir.errors import LaunchError
from tileir.launch.buffer import Buffer
from tileir.types import Scalar

_KNOWN = (
    "i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "tf32", "f64",
    "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "fnv8E5M3FNU", "f4E2M1FN",
)  # fmt: skip


class _Lent:
    """Memory of another library, as NumPy takes it."""

    def __init__(self, export: Export) -> None:
        self.export = export  # keeps the memory alive
        self.__array_interface__ = {
            "version": 3, "shape": export.shape, "strides": export.strides,
            "typestr": f"|V{export.itemsize}", "data": (export.address, export.read_only),
        }  # fmt: skip


def checked(symbol: str, plan: Mapping[str, Any], args: Sequence[Any]) -> list[Any]:
    """The arguments as memory, addresses and the bytes of numbers.

    LaunchError for what cannot be one, or is no multiple of what the kernel assumes.
    """
    try:
        args = list(args)
    except TypeError:
        raise LaunchError(f"{symbol}: the arguments must be a list, got {shown(args)}") from None
    rows = plan["parameters"]
    if len(args) != len(rows):
        raise LaunchError(f"{symbol} takes {len(rows)} arguments, but {len(args)} were given")
    found, packed = [], bytearray(max((row["offset"] + row["size"] for row in rows), default=0))
    for row, argument in zip(rows, args, strict=True):
        try:
            argument, data = _checked(row, argument)
        except LaunchError as problem:
            where = f"{symbol}: parameter {row['index']} ({row['type']})"
            raise LaunchError(f"{where}: {problem}") from None
        packed[row["offset"] : row["offset"] + len(data)] = data
        found.append(argument)
    check_assumed(symbol, plan, packed)
    return found


def _checked(row: Mapping[str, Any], argument: Any) -> tuple[Any, bytes]:
    """What is passed on, and the bytes of the parameter as far as they are known by now."""
    kind = row["type"]
    if kind.startswith("ptr"):
        name = kind[len("ptr<") : -1].partition(",")[0]
        pointee = Scalar(name) if name else None
        memory, address = memory_of(argument, pointee, row.get("written", False))
        return memory, address.to_bytes(8, "little")
    if kind not in _KNOWN:
        return argument, b""
    data = number_bytes(Scalar(kind), argument)
    return data, data


def memory_of(argument: Any, pointee: Scalar | None, written: bool) -> tuple[Any, int]:
    """An array, Buffer or address, of elements of that type or (None) any, and where it starts.

    LaunchError where the argument is none of these, or its elements are others.
    """
    if isinstance(argument, Buffer):
        address, _ = buffer_span(argument)
    elif hasattr(argument, "__array_interface__") and not isinstance(argument, np.generic):
        argument = np.asarray(argument)
        if not argument.dtype.isnative:
            raise LaunchError(f"expected native byte order, got {argument.dtype.str}")
        address = _fits(argument, argument.dtype.name, pointee, written)
    elif hasattr(argument, "__dlpack__"):
        export = from_dlpack(argument)
        if export.device[0] not in HOST_DEVICES:
            raise LaunchError(f"expected host memory, got DLPack device {export.device[0]}")
        argument = np.asarray(_Lent(export))
        address = _fits(argument, export.dtype, pointee, written)
    else:
        address = argument = plain_address(argument)
    if pointee is not None:
        check_address(address, pointee)
    return argument, address


def _fits(array: np.ndarray, dtype: str, pointee: Scalar | None, written: bool) -> int:
    if pointee is not None:
        check_type(dtype, pointee)
    check_writable(not array.flags.writeable, written)
    return array.__array_interface__["data"][0]
