"""NVIDIA GPUs as data: what a lowering may ask about the machine it writes for.

One row a target. A lowering asks the row ("how wide may an access be?"), never which number the
name holds, so a new GPU is a new row.

`ptx` is the lowest PTX ISA version that knows `base`, so that the oldest possible driver loads the
result; none is above 9.0, which is what a driver of CUDA 13.0 reads. Where LLVM or PTX 9.0 do not
know a GPU, `base` is the nearest older GPU whose PTX runs on it: PTX for a base runs on that GPU
and all later ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tileir.verifier.rules.targets import ADD_BF16, MULTICAST

F8_OF_SM_89 = (8, 1)
"""The first PTX ISA version with conversions of 8-bit floats for sm_89."""
RESERVED_BYTES = 1 << 10
"""Shared memory that each block takes beside what it asks for."""


@dataclass(frozen=True, slots=True)
class Target:
    """One GPU. `name` is tileiras' spelling, `base` the name LLVM and the PTX get."""

    name: str
    base: str
    ptx: tuple[int, int]
    """PTX ISA version, major and minor."""
    warp: int = 32
    max_threads: int = 1024
    """Threads of one block."""
    blocks_per_sm: int = 32
    """Blocks that one SM runs at the same time, at most."""
    threads_per_sm: int = 2048
    """Threads that one SM runs at the same time, at most."""
    registers_per_sm: int = 1 << 16
    shared_bytes: int = 227 << 10
    """Shared memory that one block may ask for."""
    nan_extremes: bool = True
    """Minimum and maximum of f32 exist in a form that propagates NaNs."""
    clusters: bool = True
    """Blocks can be launched in clusters."""
    overlaps_grids: bool = True
    """A grid may start before the one it depends on has ended."""
    async_copies: bool = True
    """Threads can copy from global to shared memory without waiting for it."""
    max_grid: tuple[int, int, int] = (2**31 - 1, 65535, 65535)
    """Blocks along x, y and z that the hardware launches."""

    def shared_of_each(self, blocks: int) -> int:
        """Bytes of shared memory for each of so many blocks that one SM runs at the same time."""
        return (self.shared_bytes + RESERVED_BYTES) // blocks - RESERVED_BYTES

    @property
    def adds_bf16(self) -> bool:
        """Memory can add bf16."""
        return self.name in ADD_BF16.native

    @property
    def rounds(self) -> frozenset[str]:
        """Floats narrower than f16 or shorter than it that an instruction rounds an f32 to."""
        found = {"bf16"} if self.capability >= 80 else set()
        if self.capability >= 90 or (self.capability == 89 and self.ptx >= F8_OF_SM_89):
            found |= {"f8E4M3FN", "f8E5M2"}
        return frozenset(found)

    @property
    def multicasts(self) -> bool:
        """An address may stand for memory of several devices."""
        return self.name in MULTICAST.native

    @property
    def capability(self) -> int:
        """The compute capability that code may rely on: 90 for 9.0."""
        return int(self.base.removeprefix("sm_"))

    @property
    def feature(self) -> str:
        """The PTX version as LLVM's feature string."""
        return f"+ptx{self.ptx[0]}{self.ptx[1]}"


@dataclass(frozen=True, slots=True)
class _Sm:
    """What one SM holds at the same time, and KB of shared memory that a block may ask for."""

    blocks: int
    threads: int
    shared: int


_LARGE = _Sm(32, 2048, 227)


def _gpu(name: str, ptx: tuple[int, int], sm: _Sm = _LARGE, base: str = "") -> Target:
    return Target(
        name, base or name, ptx, blocks_per_sm=sm.blocks,
        threads_per_sm=sm.threads, shared_bytes=sm.shared << 10,
    )  # fmt: skip


def _before_hopper(name: str, ptx: tuple[int, int], sm: _Sm) -> Target:
    return replace(
        _gpu(name, ptx, sm), nan_extremes=name != "sm_75", clusters=False,
        overlaps_grids=False, async_copies=name != "sm_75",
    )  # fmt: skip


_ROWS = (
    _before_hopper("sm_75", (6, 3), _Sm(16, 1024, 64)),
    _before_hopper("sm_80", (7, 0), _Sm(32, 2048, 163)),
    _before_hopper("sm_86", (7, 1), _Sm(16, 1536, 99)),
    _before_hopper("sm_87", (7, 4), _Sm(16, 1536, 163)),
    # No guide says what a block of sm_88 may ask for; none of its kind has less.
    _before_hopper("sm_88", (9, 0), _Sm(16, 1536, 99)),
    _before_hopper("sm_89", (7, 8), _Sm(24, 1536, 99)),
    _gpu("sm_90", (7, 8)),
    _gpu("sm_100", (8, 6)),
    _gpu("sm_103", (8, 8)),
    # PTX 9.0 and LLVM 22 have no sm_107; it runs what was written for sm_103.
    _gpu("sm_107", (8, 8), _Sm(16, 1024, 227), base="sm_103"),
    _gpu("sm_110", (9, 0), _Sm(24, 1536, 227)),
    _gpu("sm_120", (8, 7), _Sm(24, 1536, 99)),
    _gpu("sm_121", (8, 8), _Sm(24, 1536, 99)),
)

TARGETS: dict[str, Target] = {row.name: row for row in _ROWS}
"""Every GPU that can be compiled for, by name."""
