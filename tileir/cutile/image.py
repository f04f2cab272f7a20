"""What our compiler hands to cuTile in place of a cubin, and how a kernel in it is launched."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

import tileir
from tileir.errors import LaunchError
from tileir.ir.arrays import DTYPES
from tileir.launch.buffer import Buffer
from tileir.messages.texts import display
from tileir.text.printer.disassembly import print_kernel
from tileir.text.printer.functions import FunctionPrinter
from tileir.types import Pointer, Tile

from .arguments import Region, region_at
from .options import Options

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
def compiled(bytecode: bytes, options: Options) -> Module:
    """A module for the CPU. The same bytecode is compiled once in a process."""
    return Module(bytecode, options)


class Module:
    """The kernels of a module. One without kernels, which cuTile tries, is only read.

    Raises BytecodeError for what cannot be read, UnsupportedError for what cannot be compiled.
    """

    def __init__(self, bytecode: bytes, options: Options) -> None:
        read = tileir.Bytecode.parse(bytecode)
        code = _compile(read, options) if read.functions else {}
        self.entries = {f.name: Entry(code[f.name], f.type.parameters) for f in read.functions}


def _compile(read: tileir.Bytecode, options: Options) -> Any:
    """Compile a module, to show those of the values to trace that there are in it."""
    wanted = {f"%{name.removeprefix('%')}" for name in options.trace}
    found = wanted.intersection(_tiles(read)) if wanted else ()
    return tileir.compile(read, check=options.check, trace=sorted(found))


def _tiles(read: tileir.Bytecode) -> Iterator[str]:
    """The names of all tiles, as they are printed; of several results also without the number."""
    for function in read.functions:
        printer = FunctionPrinter([], {}, None)
        print_kernel(printer, read, function)
        for value, name in printer.names.value.items():
            if isinstance(value.type, Tile):
                yield from (name, name.partition("#")[0])


class Entry:
    """A kernel as a driver launches it: its arguments lie in memory, one after the other."""

    def __init__(self, kernel: Any, parameters: list[Any]) -> None:
        self._kernel = kernel
        self._elements = [type.element for type in parameters]

    def launch(
        self, grid: tuple[int, int, int], arguments: int, known: Mapping[int, Region],
        threads: int | None,
    ) -> None:  # fmt: skip
        """Run the grid. `arguments` is the address of an array of their addresses.

        What is `known` of memory, by address, tells how far a pointer may go. LaunchError if the
        kernel writes to what is not to be written.
        """
        values = self._read(arguments)
        for number, element in enumerate(self._elements):
            region = isinstance(element, Pointer) and region_at(values[number], known)
            if region:
                if number in self._kernel.info.written and not region.writable:
                    kernel, what = display(self._kernel.symbol), f"argument {region.name}"
                    raise LaunchError(f"{kernel}: {what} is a read-only array, to which it writes")
                values[number] = Buffer(values[number], region.nbytes)
        allocations = [Buffer(address, region.nbytes) for address, region in known.items()]
        self._kernel.launch(grid, values, threads=threads, allocations=allocations)

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
