"""Occupancy: how many blocks of a kernel one SM holds at once, and what limits them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tileir.gpus import gpu_named


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Resident blocks and warps of one SM.

    blocks      blocks that one SM holds at once; 0 if not even one fits
    warps       their warps
    most_warps  warps that one SM has room for
    limits      what limits blocks -> how many fit by it: blocks, threads, registers, shared memory,
                and barriers where they may limit more than the number of blocks does
    """

    blocks: int
    warps: int
    most_warps: int
    limits: Mapping[str, int]

    @property
    def limited_by(self) -> tuple[str, ...]:
        """What would have to grow for one block more: the names of the least limits."""
        return tuple(name for name, blocks in self.limits.items() if blocks == self.blocks)

    @property
    def fraction(self) -> float:
        """Resident warps of those that an SM has room for, from 0 to 1."""
        return self.warps / self.most_warps


def occupancy(
    target: str, threads: int, registers: int, shared: int, barriers: int = 0
) -> Occupancy:
    """Return the occupancy of a kernel on a GPU, given what a block takes.

    `shared` is in bytes, without those that the system reserves; `registers` are of one thread.
    ValueError for a target that is not known.
    """
    gpu = gpu_named(target)
    if gpu is None:
        raise ValueError(f"nothing is known of the limits of {target!r}")
    limits = gpu.limits(threads, shared, registers, barriers)
    blocks = min(limits.values())
    warps = blocks * -(-threads // gpu.warp)
    return Occupancy(blocks, warps, gpu.threads_per_sm // gpu.warp, limits)
