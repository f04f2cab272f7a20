"""The image that stands in for a cubin: the bytecode of a module, and the launch of its kernels."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import tileir
from tileir.bytecode import Function
from tileir.errors import LaunchError
from tileir.ir.arrays import DTYPES
from tileir.launch.buffer import Buffer
from tileir.messages.texts import display
from tileir.text.printer.disassembly import print_kernel
from tileir.text.printer.functions import FunctionPrinter
from tileir.text.printer.pieces import BoundedText
from tileir.types import Pointer, Tile

from .arguments import Region, region_at
from .options import Options
from .traced import present

if TYPE_CHECKING:
    from tileir.codegen.host.debugging.break_on import BreakOn
    from tileir.codegen.host.running.crashes import Crashes
    from tileir.codegen.host.running.work import Progress

_PITCH = 8
"""Bytes from one argument to the next where cuTile lays them out itself."""


@cache
def compiled(bytecode: bytes, options: Options) -> CpuModule:
    """Return a module compiled for the CPU; the same bytecode is compiled only once."""
    return CpuModule(bytecode, options)


class CpuModule:
    """The compiled kernels of a module. cuTile also tries modules without any kernel.

    Raises BytecodeError for a module that cannot be read, UnsupportedError for one that cannot be
    compiled.
    """

    def __init__(self, bytecode: bytes, options: Options) -> None:
        read = tileir.Bytecode.parse(bytecode)
        self.entries: dict[str, CpuKernel | KernelNotRun]
        if not options.run:
            self.entries = {f.name: KernelNotRun(f) for f in read.functions}
            return
        code = _compile(read, options) if read.functions else {}
        checked = "memory" in options.check
        self.entries = {
            f.name: CpuKernel(code[f.name], f, checked, _break_on(read, f.name, options))
            for f in read.functions
        }


class KernelNotRun:
    """A kernel of which every launch does nothing; `name` is the one in source."""

    def __init__(self, function: Function) -> None:
        from tileir.codegen.analysis.source_names import kernel_name

        self.name = kernel_name(function)

    def launch(self, *arguments: object) -> None:
        """Do nothing."""


def _compile(read: tileir.Bytecode, options: Options) -> Any:
    """Compile a module, with a trace of those values of `options.trace` that it has."""
    trace = present(options.trace, set(_tiles(read))) if options.trace else ()
    return tileir.compile(read, check=options.check, trace=trace)


def _tiles(read: tileir.Bytecode) -> Iterator[str]:
    """Yield the names of all tiles: of variables in the source, and those that are printed; for one
    of several results, also without its number."""
    from tileir.codegen.analysis.source_names import source_names

    for function in read.functions:
        yield from source_names(function).values()
        printer = FunctionPrinter(BoundedText(read, keep=False), {}, None)
        print_kernel(printer, read, function)
        for value, name in printer.names.value.items():
            if isinstance(value.type, Tile):
                yield from (name, name.partition("#")[0])


def _break_on(read: tileir.Bytecode, symbol: str, options: Options) -> BreakOn | None:
    if not options.break_on:
        return None
    from tileir.codegen.host.debugging.break_on import BreakOn

    return BreakOn(options.break_on, read, symbol, options.check)


class CpuKernel:
    """A kernel that is launched as by a driver, with its arguments in memory.

    `name` is the one in source. Where nothing checks its accesses, a sentence tells of it when it
    crashes.
    """

    def __init__(
        self, kernel: Any, function: Function, checked: bool, break_on: BreakOn | None = None
    ) -> None:
        from tileir.codegen.analysis.source_names import kernel_name
        from tileir.codegen.host.running.arguments import bits_layout
        from tileir.codegen.scalar.sizes import memory_bytes

        self._kernel = kernel
        self._break_on = break_on
        self._elements = [type.element for type in function.type.parameters]
        count, info = len(self._elements), kernel.info
        self._addresses = struct.Struct(f"<{count}Q")
        self._pitched = bits_layout(
            self._elements, range(0, _PITCH * count, _PITCH), _PITCH * count
        )
        self._packed = bits_layout(self._elements, info.offsets, max(info.size, 1))
        self._pointers = [
            (number, memory_bytes(element.pointee))
            for number, element in enumerate(self._elements)
            if isinstance(element, Pointer)
        ]
        where = f" ({function.location})" if function.location else ""
        self.name = kernel_name(function)
        self._told = f"tileir cutile: {display(self.name)}{display(where)}"
        self._checked = checked
        self._crashes: tuple[Crashes, int] | None = None  # with what is told of this kernel

    def launch(
        self,
        grid: tuple[int, int, int],
        arguments: int,
        known: Mapping[int, Region] | None,
        threads: int | None,
        progress: Progress | None = None,
    ) -> None:
        """Run the grid. `arguments` is the address of an array with the arguments' addresses.

        `known` has memory regions by address, which give the bounds of pointers; None if nothing
        has to know them. `progress` is that of `HostKernel.launch`. LaunchError if the kernel
        writes to a read-only region.
        """
        if self._checked:
            self._launch(grid, arguments, known, threads, progress)
            return
        crashes, text = self._crashes or self._find_crashes()
        before = crashes.enter(text)
        try:
            self._launch(grid, arguments, known, threads, progress)
        finally:
            crashes.leave(before)

    def _find_crashes(self) -> tuple[Crashes, int]:
        from tileir.codegen.host.running.crashes import crashes, text

        self._crashes = crashes(), text(self._told, "--check memory says where")
        return self._crashes

    def _launch(
        self,
        grid: tuple[int, int, int],
        arguments: int,
        known: Mapping[int, Region] | None,
        threads: int | None,
        progress: Progress | None,
    ) -> None:
        packed = self._pack(arguments) if known is None else None
        if packed is not None:
            self._kernel.launch_packed(grid, packed, threads, progress)
        else:
            self._launch_known(grid, self._read(arguments), known or {}, threads, progress)

    def _launch_known(
        self,
        grid: tuple[int, int, int],
        values: list[Any],
        known: Mapping[int, Region],
        threads: int | None,
        progress: Progress | None = None,
    ) -> None:
        names = {}
        for number, _ in self._pointers:
            region = region_at(values[number], known)
            if region:
                if region.name:
                    names[number] = region.name
                if number in self._kernel.info.written and not region.writable:
                    kernel, what = display(self.name), f"argument {region.name}"
                    raise LaunchError(f"{kernel}: {what} is a read-only array, to which it writes")
                values[number] = Buffer(values[number], region.nbytes)
        allocations = [Buffer(address, region.nbytes) for address, region in known.items()]
        with ExitStack() as around:
            if self._break_on is not None:
                memory = [
                    (start, region.nbytes) for start, region in known.items() if region.writable
                ]
                launch = self._break_on.launch(self._kernel, grid, values, memory, allocations)
                around.enter_context(launch)
            self._kernel.launch_named(grid, values, names, threads, allocations, progress)

    def _pack(self, arguments: int) -> bytes | None:
        """Return the arguments as the kernel reads them; None where they lie in an unusual way."""
        count = len(self._elements)
        addresses = self._addresses.unpack(ctypes.string_at(arguments, self._addresses.size))
        first = addresses[0] if count else 0
        if first % _PITCH or addresses != tuple(range(first, first + _PITCH * count, _PITCH)):
            return None
        values = self._pitched.unpack(ctypes.string_at(first, self._pitched.size))
        for number, size in self._pointers:
            if values[number] % size:
                return None  # the launch says what is wrong
        return self._packed.pack(*values)

    def _read(self, arguments: int) -> list[Any]:
        count = len(self._elements)
        addresses = (ctypes.c_uint64 * count).from_address(arguments) if count else ()
        return [_value(*pair) for pair in zip(self._elements, addresses, strict=True)]


def _value(element: Any, address: int) -> Any:
    """Return the value of an argument: a number, or the address that a pointer holds."""
    if isinstance(element, Pointer):
        return ctypes.c_uint64.from_address(address).value
    dtype = DTYPES[element.name]
    return np.frombuffer(ctypes.string_at(address, dtype.itemsize), dtype)[0]
