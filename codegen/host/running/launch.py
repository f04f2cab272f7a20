"""A launch on the host: check everything, then run the grid."""

from __future__ import annotations

import ctypes
import operator
import os
import warnings
from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

from tileir.codegen.arguments.extents import Extent, of_allocations
from tileir.codegen.arguments.grid import check_grid, is_number
from tileir.codegen.arguments.shown import shown
from tileir.errors import LaunchError, UncheckedWarning
from tileir.messages.texts import display
from tileir.types import Pointer

from .arguments import pack
from .context import make_context
from .kernel_info import KernelInfo
from .report import Handler
from .reports import Reports
from .work import Blocks, Progress, Work

MAX_WORKSPACE = 4 << 30
"""Bytes of workspace that all threads of a launch may have together."""


def run_grid(
    info: KernelInfo,
    blocks: Blocks,
    handlers: Sequence[Handler],
    grid: int | Sequence[int],
    args: Sequence[Any],
    threads: int | None,
    allocations: Iterable[Any],
    progress: Progress | None,
    only: range | None = None,
) -> None:
    """Check everything, then run the blocks, or `only` some; see `HostKernel.launch`."""
    symbol = display(info.symbol)
    extents = check_grid(symbol, grid)
    wanted = check_threads(symbol, threads)
    if info.workspace > MAX_WORKSPACE:
        raise LaunchError(f"{symbol}: a thread would need {info.workspace} bytes of workspace")
    packed = pack(info, args)
    try:
        allocated, owners = of_allocations(allocations)
    except LaunchError as problem:
        raise LaunchError(f"{symbol}: {problem}") from None
    span = range(prod(extents)) if only is None else only
    if not span:
        return
    _warn_of_unchecked(info, packed.extents)
    context = make_context([*packed.extents, *allocated])
    problems: list[BaseException] = []
    if handlers:
        Reports(handlers, context, problems)
    arguments = (ctypes.c_char * len(packed.data)).from_buffer(packed.data)
    keep = [packed.keep, owners]
    need, end = info.workspace, span.stop
    work = Work(symbol, blocks, arguments, context, extents, need, end, keep, problems)
    work.start_at(span.start)
    most = max(1, MAX_WORKSPACE // max(info.workspace, 1))
    work.run(min(wanted, len(span), most), info.may_run_long, progress)


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
        return _cpus()
    if isinstance(threads, bool) or not is_number(threads) or threads < 1:
        raise LaunchError(f"{symbol}: threads must be an integer from 1, got {shown(threads)}")
    return operator.index(threads)


def _cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
