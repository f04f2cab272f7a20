"""A launch on the host: check everything, then run the grid."""

from __future__ import annotations

import ctypes
import operator
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from tileir.codegen.arguments.extents import Extent, of_allocations
from tileir.codegen.arguments.grid import check_grid, is_number
from tileir.codegen.arguments.shown import shown
from tileir.errors import LaunchError, UncheckedWarning
from tileir.launch.counts import Counts
from tileir.launch.processors import usable_cpus
from tileir.messages.texts import display
from tileir.types import Pointer

from .arguments import Packed, Packer
from .context import make_context
from .kernel_info import KernelInfo
from .report import NAMELESS, Handler, Names
from .reports import Reports
from .tally import Tally
from .work import Blocks, Progress, Work

MAX_WORKSPACE = 4 << 30
"""Bytes of workspace that all threads of a launch may have together."""


OnCounts = Callable[[Counts], object]
Maps = Mapping[tuple[int, str], "np.ndarray | None"]
"""Pointer parameter and kind of access -> a byte for each byte of its memory: not 0 where that was
accessed; None where the extent of the memory is unknown, or too large."""
OnMaps = Callable[[Maps], object]


class LaunchOptions(NamedTuple):
    """How a grid runs; see `HostKernel.launch`."""

    threads: int | None = None
    progress: Progress | None = None
    allocations: Iterable[Any] = ()
    handlers: Sequence[Handler] | None = None
    """Those that stand in for the kernel's own."""
    only: range | None = None
    """The blocks that run, if not all do."""
    names: Names = NAMELESS
    """Names of parameters, for what is said."""
    on_counts: OnCounts | None = None
    """Takes what was counted."""
    on_maps: OnMaps | None = None
    """Takes which bytes were accessed."""


class Launcher:
    """Launches a kernel; it keeps what is the same in every launch."""

    def __init__(self, info: KernelInfo, blocks: Blocks, handlers: Sequence[Handler]) -> None:
        self._info = info
        self._blocks = blocks
        self._handlers = handlers
        self._symbol = display(info.symbol)
        self._packer = Packer(info)
        self._most = max(1, MAX_WORKSPACE // max(info.workspace, 1))

    def launch(self, grid: int | Sequence[int], args: Sequence[Any], how: LaunchOptions) -> None:
        """Check everything, then run the blocks; see `HostKernel.launch`."""
        extents = check_grid(self._symbol, grid)
        if how.threads is not None:
            how = how._replace(threads=check_threads(self._symbol, how.threads))
        self._check_workspace()
        packed = self._packer.pack(args)
        try:
            allocated, owners = of_allocations(how.allocations)
        except LaunchError as problem:
            raise LaunchError(f"{self._symbol}: {problem}") from None
        span = range(prod(extents)) if how.only is None else how.only
        if self._packer.needs_extents and span:
            _warn_of_unchecked(self._info, packed.extents)
        self._run(packed, allocated, owners, extents, span, how)

    def launch_packed(self, grid: tuple[int, int, int], data: bytes, how: LaunchOptions) -> None:
        """Run a grid, with arguments as the kernel reads them and memory that others keep alive.

        The kernel must not check its accesses, because nothing is known of the memory.
        """
        extents = check_grid(self._symbol, grid)
        self._check_workspace()
        packed = Packed(data, (), ())
        x, y, z = extents
        self._run(packed, (), None, extents, range(x * y * z), how)

    def _check_workspace(self) -> None:
        need = self._info.workspace
        if need > MAX_WORKSPACE:
            raise LaunchError(f"{self._symbol}: a thread would need {need} bytes of workspace")

    def _run(
        self,
        packed: Packed,
        allocated: Sequence[Extent],
        owners: Any,
        grid: tuple[int, int, int],
        span: range,
        how: LaunchOptions,
    ) -> None:
        info = self._info
        tally = None if info.counters is None else self._tally(packed, prod(grid))
        if span:
            self._run_blocks(packed, allocated, owners, grid, span, how, tally)
        if how.on_counts is not None and tally is not None:
            how.on_counts(tally.counts(info.symbol, info.elements, grid))
        if how.on_maps is not None and tally is not None:
            how.on_maps(tally.maps)

    def _tally(self, packed: Packed, blocks: int) -> Tally:
        """Return what the blocks of a launch count in."""
        info = self._info
        pointers = [n for n, element in enumerate(info.elements) if isinstance(element, Pointer)]
        known = packed.extents or [None] * len(pointers)
        extents = dict(zip(pointers, known, strict=True))
        try:
            return Tally(info.counters or {}, blocks, extents)
        except MemoryError:
            problem = f"{self._symbol}: no memory for what {blocks} blocks count"
            raise LaunchError(problem) from None

    def _run_blocks(
        self,
        packed: Packed,
        allocated: Sequence[Extent],
        owners: Any,
        grid: tuple[int, int, int],
        span: range,
        how: LaunchOptions,
        tally: Tally | None,
    ) -> None:
        info, threads = self._info, how.threads
        handlers = self._handlers if how.handlers is None else how.handlers
        context = make_context((*packed.extents, *allocated) if self._packer.needs_extents else ())
        if tally is not None:
            context.counts = tally.address
        problems: list[BaseException] = []
        if handlers:
            Reports(handlers, context, problems, how.names)
        arguments = (ctypes.c_char * len(packed.data)).from_buffer_copy(packed.data)
        keep = [packed.keep, owners, tally]
        need, end = info.workspace, span.stop
        work = Work(self._symbol, self._blocks, arguments, context, grid, need, end, keep, problems)
        work.start_at(span.start)

        def most() -> int:
            return min(usable_cpus() if threads is None else threads, len(span), self._most)

        work.run(most, info.may_run_long, how.progress, alone=threads == 1)


def _warn_of_unchecked(info: KernelInfo, extents: Sequence[Extent | None]) -> None:
    """Warn of parameters whose accesses cannot be checked because their extent is unknown."""
    accesses = [site for site in info.sites if site["kind"] == "access"]
    pointers = [n for n, element in enumerate(info.elements) if isinstance(element, Pointer)]
    unknown = [
        number
        for number, extent in zip(pointers, extents, strict=True)
        if extent is None and any(number in site["parameters"] for site in accesses)
    ]
    for number in unknown:
        warnings.warn(
            f"{display(info.symbol)}: parameter {number} is an address of unknown extent: accesses "
            "through it are not checked; pass an array or a Buffer",
            UncheckedWarning,
            stacklevel=4,
        )


def check_threads(symbol: str, threads: int | None) -> int:
    """Return the most threads to use; LaunchError for an invalid number."""
    if threads is None:
        return usable_cpus()
    if isinstance(threads, bool) or not is_number(threads) or threads < 1:
        raise LaunchError(f"{symbol}: threads must be an integer from 1, got {shown(threads)}")
    return operator.index(threads)
