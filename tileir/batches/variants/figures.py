"""The figures of a variant, and the order that they make: static ones all, and none is a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

OCCUPANCY = "occupancy"
"""The failure of a variant of which no block fits an SM."""

WARP = 32
"""Threads of a warp, on every GPU."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a variant: its head in a table, and whether more of it comes first."""

    head: str
    more: bool = False


FIGURES: Mapping[str, Figure] = {
    "spilled": Figure("spilled"),
    "resident_warps": Figure("warps", more=True),
    "issued": Figure("issued"),
    "registers": Figure("registers"),
    "shared": Figure("shared"),
}
"""Name -> the figure, in the order in which they are compared.

spilled         bytes of spilled registers that a thread stores and loads
resident_warps  warps that one SM holds
issued          instructions that the warps of a block issue for one trip of the main loop
registers       registers of a thread
shared          bytes of shared memory of a block
"""


def figures_of(kernels: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return the figures of a variant with these kernels, {} without any.

    `kernels` are as `tileir resources --json` has them. Of several, the one that is worst counts.
    """
    found = list(map(_of_kernel, kernels))
    return {
        name: (min if figure.more else max)(each[name] for each in found)
        for name, figure in FIGURES.items()
        if found
    }


def _of_kernel(kernel: Mapping[str, Any]) -> dict[str, int]:
    warps = -(-kernel["threads"] // WARP)
    return {
        "spilled": kernel["spill_stores"] + kernel["spill_loads"],
        "resident_warps": kernel["occupancy"]["warps"],
        "issued": kernel["main_loop"] * warps,
        "registers": kernel["registers"],
        "shared": kernel["static_shared"] + kernel["dynamic_shared"],
    }


def order(figures: Mapping[str, int]) -> tuple[int, ...]:
    """Return what figures are sorted by; those that come first are less."""
    return tuple(
        -figures[name] if figure.more else figures[name]
        for name, figure in FIGURES.items()
        if name in figures
    )


def unfit(kernels: Iterable[Mapping[str, Any]], target: str) -> str:
    """Return why a kernel cannot be launched on a GPU, "" if all can."""
    for kernel in kernels:
        fits = kernel["occupancy"]
        if fits["blocks"]:
            continue
        takes: dict[str, str] = {
            "registers": f"{kernel['registers']:,} registers of {kernel['threads']:,} threads",
            "shared memory": f"{kernel['static_shared'] + kernel['dynamic_shared']:,} bytes of"
            " shared memory",
        }
        what = " and ".join(takes.get(str(name), str(name)) for name in fits["limited_by"])
        return f"no block of {kernel['kernel']} fits an SM of {target}: it takes {what}"
    return ""
