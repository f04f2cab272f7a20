"""What our compiler hands to cuTile in place of a cubin, and how a kernel in it is launched."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

import tileir

from ..arrays import DTYPES
from ..errors import LaunchError
from ..types import Pointer

MAGIC = b"tileir\r\n"
_SIZE = 8
"""Bytes of the header's second half: how long the bytecode behind it is."""


def pack(bytecode: bytes) -> bytes:
    """The image of a module: a header and its bytecode. The driver is told no size."""
    return MAGIC + len(bytecode).to_bytes(_SIZE, "little") + bytecode


def unpack(address: int) -> bytes:
    """The bytecode of the image at an address; LaunchError for what was compiled for a GPU."""
    if ctypes.string_at(address, len(MAGIC)) != MAGIC:
        raise LaunchError("this kernel was compiled for a GPU, not for the CPU")
    start = address + len(MAGIC) + _SIZE
    size = int.from_bytes(ctypes.string_at(address + len(MAGIC), _SIZE), "little")
    return ctypes.string_at(start, size)


@cache
def compiled(bytecode: bytes) -> Module:
    """A module for the CPU. The same bytecode is compiled once in a process."""
    return Module(bytecode)


class Module:
    """The kernels of a module. One without kernels, which cuTile tries, is only read.

    Raises BytecodeError for what cannot be read, UnsupportedError for what cannot be compiled.
    """

    def __init__(self, bytecode: bytes) -> None:
        read = tileir.Bytecode.parse(bytecode)
        code = tileir.compile(read) if read.functions else {}
        self.entries = {f.name: Entry(code[f.name], f.type.parameters) for f in read.functions}


class Entry:
    """A kernel as a driver launches it: its arguments lie in memory, one after the other."""

    def __init__(self, kernel: Any, parameters: list[Any]) -> None:
        self._kernel = kernel
        self._elements = [type.element for type in parameters]

    def launch(self, grid: tuple[int, int, int], arguments: int, threads: int | None) -> None:
        """Run the grid. `arguments` is the address of an array of their addresses."""
        self._kernel.launch(grid, self._read(arguments), threads=threads)

    def _read(self, arguments: int) -> list[Any]:
        count = len(self._elements)
        addresses = (ctypes.c_uint64 * count).from_address(arguments) if count else ()
        return [_value(*pair) for pair in zip(self._elements, addresses, strict=True)]


def _value(element: Any, address: int) -> Any:
    """An argument: a number, or the address that a pointer is."""
    if isinstance(element, Pointer):
        return ctypes.c_uint64.from_address(address).value
    dtype = DTYPES[element.name]
    return np.frombuffer(ctypes.string_at(address, dtype.itemsize), dtype)[0]
