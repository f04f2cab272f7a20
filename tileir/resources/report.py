"""The resources of kernels as a table, a column for each target and compiler, and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tileir.messages.texts import display, printable

from .kernel_resources import KernelResources
from .machine_code import CLASSES
from .of_kernels import OURS, UNKNOWN

_NOT_KNOWN = "?"


def _spilled(kernel: KernelResources) -> str:
    if kernel.spilled is None:
        return _NOT_KNOWN
    return f"{kernel.spill_stores:,} + {kernel.spill_loads:,}" if kernel.spilled else "0"


def _dynamic(kernel: KernelResources) -> int | None:
    """Return what the launch adds, which nobody knows of a cubin of PTX."""
    return None if kernel.compiler == UNKNOWN else kernel.dynamic_shared


def _warps(kernel: KernelResources) -> str:
    fits = kernel.occupancy
    return f"{fits.warps} of {fits.most_warps}" if fits else _NOT_KNOWN


_ROWS: Sequence[tuple[str, Callable[[KernelResources], object]]] = (
    ("registers of a thread", lambda kernel: kernel.registers),
    ("threads of a block", lambda kernel: kernel.threads),
    ("shared memory, static", lambda kernel: kernel.static_shared),
    ("shared memory, dynamic", _dynamic),
    ("stack of a thread", lambda kernel: kernel.stack),
    ("spilled, stores + loads", _spilled),
    ("barriers, of 16", lambda kernel: kernel.barriers),
    ("mbarriers", lambda kernel: kernel.mbarriers),
    ("code", lambda kernel: kernel.code_bytes),
    ("resident blocks of an SM", lambda kernel: kernel.occupancy and kernel.occupancy.blocks),
    ("resident warps of an SM", _warps),
    (
        "limited by",
        lambda kernel: ", ".join(kernel.occupancy.limited_by) if kernel.occupancy else None,
    ),
    ("instructions, main loop", lambda kernel: kernel.main_loop),
    ("instructions", lambda kernel: kernel.opcodes and sum(kernel.opcodes.values())),
)
"""What a line says, in bytes where it is memory or code, and how a kernel answers."""


def lines(kernels: Sequence[KernelResources]) -> Iterator[str]:
    """Yield the lines of a table for each kernel, with a column for each target and compiler."""
    names = list(dict.fromkeys(kernel.kernel for kernel in kernels))
    for number, name in enumerate(names):
        if number:
            yield ""
        yield from _table(name, [kernel for kernel in kernels if kernel.kernel == name])


def _table(name: str, kernels: Sequence[KernelResources]) -> Iterator[str]:
    heads = [
        each.target if each.compiler == OURS else f"{each.target} {each.compiler}"
        for each in kernels
    ]
    rows = [(f"kernel {display(name)}", heads), *rows_of(kernels)]
    first = max(len(title) for title, _ in rows)
    widths = [max(len(cells[column]) for _, cells in rows) for column in range(len(kernels))]
    for title, cells in rows:
        columns = (cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
        yield "   ".join([title.ljust(first), *columns]).rstrip()


def rows_of(kernels: Sequence[KernelResources]) -> list[tuple[str, list[str]]]:
    """Return the rows of a table of a kernel: what each says, and its cells, one a column."""
    rows = [(title, [_cell(of(each)) for each in kernels]) for title, of in _ROWS]
    for group in CLASSES:
        counts = [each.instructions[group] if each.instructions else 0 for each in kernels]
        if any(counts):
            rows.append((f"  {group}", [f"{count:,}" for count in counts]))
    return rows


def _cell(value: object) -> str:
    if value is None:
        return _NOT_KNOWN
    return f"{value:,}" if isinstance(value, int) else str(value)


def as_json(kernel: KernelResources) -> dict[str, Any]:
    """Return a kernel as JSON; its keys are those of `KernelResources`."""
    fits = kernel.occupancy
    row: dict[str, Any] = {name: getattr(kernel, name) for name in KernelResources.__slots__}
    row["kernel"], row["entry"] = printable(kernel.kernel), printable(kernel.entry)
    row["occupancy"] = fits and {
        "blocks": fits.blocks,
        "warps": fits.warps,
        "most_warps": fits.most_warps,
        "limits": dict(fits.limits),
        "limited_by": list(fits.limited_by),
    }
    return row
