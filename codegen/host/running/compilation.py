"""Kernels as machine code in this process, just compiled or from the cache."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Never

from tileir.codegen.arguments.shown import shown
from tileir.codegen.cache.slot import Slot
from tileir.codegen.compilation import Compilation, Compiled
from tileir.codegen.host.lowering.entry import llvm_name
from tileir.codegen.host.machine import cpu
from tileir.codegen.host.machine.machine_code import MachineCode
from tileir.errors import LaunchError
from tileir.messages.flags import flag
from tileir.messages.texts import display

from .kernel_info import KernelInfo
from .launch import Launcher, LaunchOptions, OnCounts, OnMaps
from .report import Names
from .reports import handlers_of
from .traces import OnTrace
from .work import BLOCKS, Progress


class HostKernel(Compiled):
    """An entry as machine code, with its metadata in `info`.

    It may be launched from several threads at once.
    """

    def __init__(self, info: KernelInfo, address: int, keep: Any) -> None:
        super().__init__(info.symbol, info.elements, info.roles, info.written)
        self.info = info
        self._launcher = Launcher(info, BLOCKS(address), handlers_of(info.sites))
        self._keep = keep  # owns the machine code

    def launch(
        self,
        grid: int | Sequence[int],
        args: Sequence[Any],
        threads: int | None = None,
        *,
        allocations: Iterable[Any] = (),
        progress: Progress | None = None,
        on_trace: OnTrace | None = None,
        on_counts: OnCounts | None = None,
        print_assertions: bool = True,
        **others: Never,
    ) -> None:
        """Run the kernel on every block of the grid and return when all have finished.

        `grid` has up to three extents, each at most 16777215, missing ones are 1; with an extent of
        0 nothing runs. `args` has one entry a parameter: for a pointer a NumPy array (or what
        offers __array_interface__ or __dlpack__ in host memory), a `Buffer` or an address; for a
        scalar a number. `threads` defaults to the CPUs there are; with one, blocks run in order,
        x fastest, and results are reproducible even where blocks race.

        The kernel gets addresses, as on a GPU. Its scalar arguments give extents and strides (in
        elements), not the arrays; accesses are checked against sizes only in kernels compiled with
        such checks. For those, `allocations` are arrays and Buffers that the kernel may access
        besides its arguments. `progress(begun, total)`, numbers of blocks, is called on this thread
        now and then, and at the end.

        `on_trace(name, array, block)` is called with each traced value, on the thread that computed
        it; without it, traced values are printed. `on_counts(counts)` is called at the end, with
        the `Counts` of what all blocks have accessed and computed; TypeError for a kernel that was
        not compiled to count.

        KernelError if a check that is compiled in fails, KernelAssertionError if an assertion of
        the kernel is false; blocks that have not begun by then do not run. The first of several
        problems is raised, the others are dropped. A failed assertion is also printed on standard
        output, as a GPU does, unless `print_assertions` is false.
        Ctrl-C ends the launch at any time, also inside an endless loop. LaunchError if arguments or
        grid do not fit the kernel; then nothing has run.
        """
        self.refuse(others)
        handlers = None
        print_assertions = flag("print_assertions", print_assertions)
        for name, function in (
            ("progress", progress),
            ("on_trace", on_trace),
            ("on_counts", on_counts),
        ):
            if function is not None and not callable(function):
                found, symbol = shown(function), display(self.symbol)
                raise LaunchError(f"{symbol}: {name} must be a function, got {found}")
        if on_counts is not None and self.info.counters is None:
            raise TypeError("on_counts is for kernels compiled with count=True")
        if on_trace is not None or not print_assertions:
            handlers = handlers_of(self.info.sites, on_trace, print_assertions)
        how = LaunchOptions(threads, progress, allocations, handlers, on_counts=on_counts)
        self._launcher.launch(grid, args, how)

    def launch_named(
        self,
        grid: tuple[int, int, int],
        args: Sequence[Any],
        names: Names,
        threads: int | None,
        allocations: Iterable[Any],
        progress: Progress | None = None,
    ) -> None:
        """Launch as `launch` does; what a check finds is told with these names of parameters."""
        how = LaunchOptions(threads, progress, allocations, names=names)
        self._launcher.launch(grid, args, how)

    def run_blocks(
        self,
        blocks: range,
        grid: int | Sequence[int],
        args: Sequence[Any],
        allocations: Iterable[Any] = (),
        on_trace: OnTrace | None = None,
        on_maps: OnMaps | None = None,
    ) -> None:
        """Run some blocks of a grid, one after the other; breakpoints do not stop.

        `on_maps` takes which bytes they have accessed, if the kernel was compiled to count.
        """
        handlers = handlers_of(self.info.sites, on_trace, False, stopping=False)
        how = LaunchOptions(1, None, allocations, handlers, blocks, on_maps=on_maps)
        self._launcher.launch(grid, args, how)

    def launch_packed(
        self,
        grid: tuple[int, int, int],
        data: bytes,
        threads: int | None,
        progress: Progress | None = None,
    ) -> None:
        """Launch with arguments as they lie in memory, each at its offset (see `KernelInfo`).

        That is for kernels that do not check their accesses: nothing is known of the arguments'
        memory, which has to stay alive.
        """
        self._launcher.launch_packed(grid, data, LaunchOptions(threads, progress))


class HostCompilation(Compilation[HostKernel]):
    """A module compiled for the CPU this process runs on."""

    def __init__(self, code: MachineCode) -> None:
        engine = cpu.load(code.object_file)
        entries = {}
        for info in code.entries:
            address = engine.get_function_address(llvm_name(info.symbol, "blocks"))
            if not address:
                raise ValueError(f"the machine code has no {info.symbol}")
            entries[info.symbol] = HostKernel(info, address, engine)
        super().__init__("host", entries)
        self._code = code

    @property
    def llvm_ir(self) -> str:
        """The LLVM IR before optimisation."""
        return self._code.llvm_ir

    @property
    def assembly(self) -> str:
        """The machine code as text, for reading."""
        return cpu.assembly(cpu.optimised(self.llvm_ir))

    def to_bytes(self) -> bytes:
        """Serialise the compilation; `from_bytes` restores it on the same kind of machine."""
        return self._code.to_bytes()

    def keep(self, slot: Slot) -> None:
        """Keep the compilation in a slot of the cache."""
        slot.put(self.to_bytes())

    @classmethod
    def from_bytes(cls, data: bytes) -> HostCompilation:
        """Restore a compilation; ValueError for bytes that `to_bytes` did not write."""
        return cls(MachineCode.from_bytes(data))
