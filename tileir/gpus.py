"""NVIDIA's GPUs as data: the features and limits of each, and which PTX it runs.

One row a target: a GPU as tileiras spells it (sm_90), or its architecture-specific form (sm_90a).
Code asks a row for a feature by its name (``target.has("cp.async")``), and never compares the
numbers in names, since features do not grow with them: of sm_90a, sm_107 and sm_120a, only the
first has wgmma and only the last has block-scaled mma. Only this file reads those numbers.

PTX for ``.target sm_90`` runs on compute capability 9.0 and all later ones; PTX for ``.target
sm_90a`` runs on 9.0 alone, and only it may use architecture-specific features (PTX ISA, .target).
So there are three ways to compile for such a GPU:

sm_90                plain PTX, unless code uses a feature that only sm_90a has: then that of sm_90a
sm_90, ``portable``  plain PTX always, without those features
sm_90a               PTX for sm_90a always

A row's `ptx` is the lowest PTX ISA version that has its `ptx_target`, so that the oldest possible
driver loads the result; none is above 9.0, which is what a driver of CUDA 13.0 reads. If LLVM or
PTX 9.0 do not have a GPU, its `ptx_target` is an older one whose PTX runs on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, get_args

from tileir.formats.forks import not_forking

from .errors import UnsupportedError

HOST = "host"
"""The target that is no GPU: the CPU of this machine."""
Capability = tuple[int, int]
"""A compute capability, major and minor: (9, 0)."""
PtxVersion = tuple[int, int]
"""A version of the PTX ISA, major and minor."""

Feature = Literal[
    # All GPUs here have mma.sync of f16 (m16n8k8) and of 8-bit integers (m8n8k16).
    "mma.sync f16 m16n8k16",
    "mma.sync bf16",
    "mma.sync tf32",
    "mma.sync f64",
    "mma.sync f64 m16n8",
    "mma.sync f8",
    "mma.sync int8 m16n8",
    "cp.async",
    "bf16 arithmetic",  # cvt.rn.bf16.f32, fma.rn.bf16
    "f8 conversions",  # cvt of two e4m3 or e5m2, from f32 and to f16
    "tf32 conversions",  # cvt.rn.tf32.f32
    "min.NaN",  # min and max of f32, f16 and bf16 that propagate NaNs
    "red bf16",  # memory adds bf16, or two of them
    "red vectors",  # red of up to sixteen bytes of f32, f16 or bf16
    "multimem",
    "clusters",
    "griddepcontrol",
    "tensor copies",  # cp.async.bulk.tensor, from and to shared memory of a block
    # No code uses these yet. They are the architecture-specific ones, which need the suffix a.
    "wgmma",
    "setmaxnreg",
    "tcgen05",
    "block-scaled mma",
]
"""A feature that PTX has for some GPUs and not for others."""
FEATURES: frozenset[str] = frozenset(get_args(Feature))

Gated = Literal[
    "f4E2M1FN", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "fnv8E5M3FNU", "add bf16", "multicast"
]
"""A capability that tileiras 13.5 refuses for some of its GPUs: a type, an atomic, pointers."""
GATED: frozenset[str] = frozenset(get_args(Gated))

RESERVED_BYTES = 1 << 10
"""Bytes of shared memory that the system reserves in each block, on GPUs after sm_75."""


TargetName = Literal[
    "sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a",
    "sm_103", "sm_103a", "sm_107", "sm_110", "sm_110a", "sm_120", "sm_120a", "sm_121", "sm_121a",
]  # fmt: skip
"""The keys of `TARGETS`, for type checkers and editors."""


MAX_GRID = (2**31 - 1, 65535, 65535)
"""The most blocks of a grid along x, y and z (CUDA C++ Programming Guide, compute capabilities)."""


@dataclass(frozen=True, slots=True)
class Target:
    """One row: a GPU, or its form with the suffix a."""

    name: str
    """The name that `compile` takes as target: sm_90, sm_90a."""
    gpu: str
    """The GPU, as tileiras, hints and attributes of a text spell it: sm_90 for both."""
    ptx_target: str
    """`.target` in the PTX, and LLVM's name of the processor."""
    ptx: PtxVersion
    features: frozenset[Feature]
    specific: frozenset[Feature]
    """Further features, which need PTX for the form with the suffix a."""
    later: tuple[tuple[Feature, PtxVersion], ...]
    """Features that need a later PTX ISA version on this GPU than on others, and that version."""
    emulated: frozenset[Feature]
    """Features that PTX has for this GPU and ptxas makes of other instructions."""
    tileiras: frozenset[Gated] | None
    """The capabilities in `Gated` that tileiras 13.5 has for it; None if it has no such GPU."""
    blocks_per_sm: int
    """The most resident blocks of one SM."""
    threads_per_sm: int
    """The most resident threads of one SM."""
    shared_bytes: int
    """The most bytes of shared memory that one block may ask for."""
    reserved_shared: int = RESERVED_BYTES
    """Bytes of shared memory that the system reserves in each block."""
    shared_unit: int = 128
    """Shared memory is given to blocks in multiples of so many bytes."""
    barriers_per_sm: int = 0
    """The barriers of one SM, for all of its blocks; 0 where they limit nothing."""
    registers_per_sm: int = 1 << 16
    warp: int = 32
    max_threads: int = 1024
    """The most threads of one block."""
    max_grid: tuple[int, int, int] = MAX_GRID
    """The most blocks of a launch along x, y and z."""

    def has(self, feature: Feature) -> bool:
        """Whether code for this target may use a feature; ValueError for an unknown one."""
        return _known(feature) in self.features or feature in self.specific

    def has_natively(self, feature: Feature) -> bool:
        """Whether this target has a feature, and instructions that are made for it."""
        return self.has(feature) and feature not in self.emulated

    def ptx_of(self, feature: Feature) -> PtxVersion:
        """Return the PTX ISA version from which on this target has a feature."""
        return dict(self.later).get(_known(feature), self.ptx)

    def using(self, features: Iterable[Feature]) -> Target:
        """Return this target for code with these features: with the suffix a if one needs it.

        ValueError for a feature that the target does not have.
        """
        used = list(features)
        for feature in used:
            if not self.has(feature):
                raise ValueError(f"{self.name} has no {feature}")
        if self.specific.isdisjoint(used):
            return self
        form = TARGETS[_alone(self.gpu)]
        return replace(self, ptx_target=form.ptx_target, ptx=max(self.ptx, form.ptx))

    def without(self, feature: Feature) -> Target:
        """Return this target without a feature that it has."""
        rest = self.features - {feature}
        return replace(self, features=rest, specific=self.specific - {feature})

    def portable(self) -> Target:
        """Return this target without the features that need the suffix a.

        UnsupportedError for a form with that suffix, whose PTX is never portable.
        """
        if self.name != self.gpu:
            where = described(self.ptx_target)
            raise UnsupportedError(
                f"option portable contradicts target {self.name}, whose PTX runs on {where};"
                f" compile for {self.gpu}"
            )
        return replace(self, specific=frozenset())

    def shared_of_each(self, blocks: int) -> int:
        """Return the bytes of shared memory for each of so many resident blocks of one SM."""
        each = self.shared_per_sm // blocks
        return each // self.shared_unit * self.shared_unit - self.reserved_shared

    @property
    def shared_per_sm(self) -> int:
        """Bytes of shared memory of one SM, for all of its blocks, what is reserved included."""
        return self.shared_bytes + self.reserved_shared

    def limits(
        self, threads: int, shared: int, registers: int = 1, barriers: int = 0
    ) -> dict[str, int]:
        """Return how many blocks one SM has room for, by what limits it.

        A block has so many threads, bytes of shared memory, registers a thread, and barriers, which
        count where they limit more than the number of blocks does. Registers are
        given to warps 256 at a time, and to four warps at a time (CUDA C++ Programming Guide,
        compute capabilities; each of the four schedulers has its part of them). It is what
        cuda_occupancy.h of NVIDIA's runtime computes (`python -m tests.lab.resources occupancy`).
        """
        warps = max(1, -(-threads // self.warp))
        each = -(-max(registers, 1) * self.warp // 256) * 256
        asked = -(-(shared + self.reserved_shared) // self.shared_unit) * self.shared_unit
        limits = {
            "blocks": self.blocks_per_sm,
            "threads": self.threads_per_sm // (warps * self.warp),
            "registers": self.registers_per_sm // each // 4 * 4 // warps,
            "shared memory": self.shared_per_sm // asked if asked else self.blocks_per_sm,
        }
        if self.barriers_per_sm and barriers * self.blocks_per_sm > self.barriers_per_sm:
            limits["barriers"] = self.barriers_per_sm // barriers
        return limits

    @property
    def llvm_features(self) -> str:
        """The PTX ISA version as LLVM's feature string."""
        return f"+ptx{self.ptx[0]}{self.ptx[1]}"


def _known(feature: Feature) -> Feature:
    if feature not in FEATURES:
        raise ValueError(f"{feature!r} is no feature of a GPU")
    return feature


def _parts(name: str) -> tuple[Capability, str]:
    match = re.fullmatch(r"sm_(\d+)(\d)(a?)", name)
    if match is None:
        raise ValueError(f"{name!r} is no name of a GPU")
    return (int(match[1]), int(match[2])), match[3]


def _alone(gpu: str) -> str:
    """Return the name of a GPU's form with the suffix a."""
    return f"{gpu}a"


@dataclass(frozen=True, slots=True)
class _Sm:
    """The most resident blocks and threads of an SM, and KB of shared memory of a block.

    Then the barriers of an SM, and bytes of shared memory that are reserved in a block, and a
    multiple of which it is given.
    """

    blocks: int
    threads: int
    shared: int
    barriers: int = 0
    reserved: int = RESERVED_BYTES
    unit: int = 128


_LARGE = _Sm(32, 2048, 227, barriers=64)
_ULTRA = replace(_LARGE, barriers=32)
_SMALL = _Sm(24, 1536, 99, barriers=24)

_TURING = frozenset[Feature]()
_AMPERE = frozenset[Feature]({
    *_TURING, "mma.sync f16 m16n8k16", "mma.sync bf16", "mma.sync tf32", "mma.sync f64",
    "mma.sync int8 m16n8", "cp.async", "bf16 arithmetic", "min.NaN",
})  # fmt: skip
_ADA = frozenset[Feature]({*_AMPERE, "mma.sync f8", "f8 conversions"})
_HOPPER = frozenset[Feature]({
    *_ADA, "tf32 conversions", "mma.sync f64 m16n8", "red bf16", "red vectors", "multimem",
    "clusters", "griddepcontrol", "tensor copies",
})  # fmt: skip
_BLACKWELL = _HOPPER

_NATIVE = frozenset[Feature]()
_F8_BY_F16 = frozenset[Feature]({"mma.sync f8"})
"""Of GPUs whose tensor cores take f8 by wgmma or tcgen05 only: ptxas converts operands to f16, and
adds to the accumulator what it has summed in another one."""

_NOTHING = frozenset[Gated]()
_F8 = frozenset[Gated]({"f8E4M3FN", "f8E5M2", "add bf16"})
_SCALES = frozenset[Gated]({*_F8, "f8E8M0FNU", "f4E2M1FN"})
_MULTICAST = frozenset[Gated]({*_SCALES, "multicast"})
_UE5M3 = frozenset[Gated]({*_MULTICAST, "fnv8E5M3FNU"})


class _Form(NamedTuple):
    """The form with the suffix a: the PTX ISA version that has it, and its further features."""

    ptx: PtxVersion
    features: frozenset[Feature]


_WGMMA = frozenset[Feature]({"wgmma", "setmaxnreg"})
_TCGEN05 = frozenset[Feature]({"tcgen05", "setmaxnreg"})
_BLOCK_SCALED = frozenset[Feature]({"block-scaled mma", "setmaxnreg"})


def _gpu(
    name: str,
    ptx: PtxVersion,
    sm: _Sm,
    features: frozenset[Feature],
    tileiras: frozenset[Gated] | None,
    form: _Form | None = None,
    ptx_target: str = "",
    later: tuple[tuple[Feature, PtxVersion], ...] = (),
    emulated: frozenset[Feature] = _NATIVE,
) -> Iterator[Target]:
    """Return the row of a GPU, and that of its form with the suffix a."""
    specific: frozenset[Feature] = form.features if form else frozenset()
    row = Target(
        name,
        name,
        ptx_target or name,
        ptx,
        features,
        specific,
        later,
        emulated,
        tileiras,
        blocks_per_sm=sm.blocks,
        threads_per_sm=sm.threads,
        shared_bytes=sm.shared << 10,
        barriers_per_sm=sm.barriers,
        reserved_shared=sm.reserved,
        shared_unit=sm.unit,
    )
    yield row
    if form:
        alone = _alone(name)
        yield replace(
            row,
            name=alone,
            ptx_target=alone,
            ptx=form.ptx,
            features=features | specific,
            specific=frozenset(),
        )


_ROWS = (
    *_gpu("sm_75", (6, 3), _Sm(16, 1024, 64, reserved=0, unit=256), _TURING, None),
    *_gpu("sm_80", (7, 0), _Sm(32, 2048, 163), _AMPERE, _NOTHING),
    *_gpu("sm_86", (7, 1), _Sm(16, 1536, 99), _AMPERE, _NOTHING),
    *_gpu("sm_87", (7, 4), _Sm(16, 1536, 163), _AMPERE, _NOTHING),
    # No guide gives the shared memory of sm_88; this is the least of the Ampere GPUs.
    *_gpu("sm_88", (9, 0), _Sm(16, 1536, 99), _AMPERE, _NOTHING),
    *_gpu("sm_89", (7, 8), _Sm(24, 1536, 99), _ADA, _F8, later=(("f8 conversions", (8, 1)),)),
    *_gpu(
        "sm_90", (7, 8), _LARGE, _HOPPER, _F8, _Form((8, 0), _WGMMA),
        later=(("tensor copies", (8, 0)),), emulated=_F8_BY_F16,
    ),
    *_gpu("sm_100", (8, 6), _LARGE, _BLACKWELL, _MULTICAST, _Form((8, 6), _TCGEN05),
          emulated=_F8_BY_F16),
    *_gpu("sm_103", (8, 8), _ULTRA, _BLACKWELL, _MULTICAST, _Form((8, 8), _TCGEN05),
          emulated=_F8_BY_F16),
    # PTX 9.0 and LLVM 22 have no sm_107. It runs PTX for sm_103, but not PTX for sm_103a.
    *_gpu("sm_107", (8, 8), _Sm(16, 1024, 227, 16), _BLACKWELL, _UE5M3, ptx_target="sm_103",
          emulated=_F8_BY_F16),
    *_gpu("sm_110", (9, 0), _Sm(24, 1536, 227, 24), _BLACKWELL, _SCALES,
          _Form((9, 0), _TCGEN05), emulated=_F8_BY_F16),
    *_gpu("sm_120", (8, 7), _SMALL, _BLACKWELL, _SCALES, _Form((8, 7), _BLOCK_SCALED)),
    *_gpu("sm_121", (8, 8), _SMALL, _BLACKWELL, _SCALES, _Form((8, 8), _BLOCK_SCALED)),
)  # fmt: skip

TARGETS: dict[str, Target] = {row.name: row for row in _ROWS}
"""Name -> target, for all targets but the host."""
GPUS = tuple(row.name for row in _ROWS if row.name == row.gpu)
"""The GPUs, without their forms with the suffix a, oldest first."""
TILEIRAS = tuple(name for name in GPUS if TARGETS[name].tileiras is not None)
"""The GPUs that tileiras compiles for."""


def gpus_with(feature: Feature) -> list[str]:
    """Return the GPUs that have a feature, with or without the suffix a."""
    return [name for name in GPUS if TARGETS[name].has(feature)]


def gpu_named(name: str) -> Target | None:
    """Return the row of a target, or that of its GPU if the form with the suffix a is not known.

    None for what is neither.
    """
    return TARGETS.get(name) or TARGETS.get(name.removesuffix("a"))


_NAME = re.compile(r"sm_[1-9]\d{1,3}a?", re.ASCII)


def is_name(text: object) -> bool:
    """Whether a text is spelled as the name of a GPU, known or not, or its form with suffix a."""
    return isinstance(text, str) and _NAME.fullmatch(text) is not None


def runs_cubin(target: str, capability: Capability) -> bool:
    """Whether a GPU of a compute capability runs a cubin for a target.

    Later ones of the same major number do, unless it is for a form with the suffix a (CUDA C++
    Programming Guide, binary compatibility).
    """
    made_for, suffix = _parts(target)
    later = not suffix and capability[0] == made_for[0] and capability > made_for
    return later or capability == made_for


def capability_of(name: str) -> Capability:
    """Return the compute capability of a GPU, known or not: sm_121 and sm_121a have 12.1."""
    return _parts(name)[0]


def gpu_name(capability: Capability) -> str:
    """Return the name of the GPU with a compute capability: sm_90 for 9.0."""
    major, minor = capability
    return gpu_of_number(f"{major}{minor}")


def gpu_of_number(number: object) -> str:
    """Return the name of the GPU that attributes of a text give by a number: sm_90 for 90."""
    return f"sm_{number}"


def gpus_among(words: Iterable[str]) -> list[str]:
    """Return the words that are names of GPUs, known or not, without suffix; oldest first."""
    return sorted({word for word in words if re.fullmatch(r"sm_\d\d+", word)}, key=capability_of)


def runs_on(ptx_target: str) -> tuple[Capability, bool]:
    """Return the compute capability that PTX for a `.target` runs on, and whether later ones do."""
    capability, suffix = _parts(ptx_target)
    return capability, not suffix


def runs(ptx_target: str, capability: Capability) -> bool:
    """Whether a GPU of a compute capability runs PTX for a `.target`."""
    first, later = runs_on(ptx_target)
    return capability == first or (later and capability > first)


def described(ptx_target: str) -> str:
    """Return where PTX for a `.target` runs, in words."""
    (major, minor), later = runs_on(ptx_target)
    return f"{major}.{minor} and later" if later else f"{major}.{minor} alone"


def newest_run_by(capability: Capability) -> str:
    """Return the newest GPU whose portable PTX a GPU runs; UnsupportedError if it is too old."""
    able = [name for name in GPUS if capability_of(name) <= capability]
    if not able:
        raise UnsupportedError(f"the GPU is an {gpu_name(capability)}, older than {GPUS[0]}")
    return max(able, key=capability_of)


def assembled_for(target: str, ptx_target: str) -> str:
    """Return the GPU for which ptxas assembles the PTX of a target.

    Plain PTX can be assembled for any GPU that runs it, PTX with the suffix a for that form alone.
    """
    return target if runs_on(ptx_target)[1] else ptx_target


def unknown(name: object, known: Iterable[str], noun: str = "target") -> UnsupportedError:
    """Return the error about a target, or another `noun`, that is none of the `known` ones."""
    with not_forking:
        from .messages.wording import did_you_mean

    known = list(known)
    # A digit too few is a slip; another digit is another GPU, and sm_70 does not mean sm_90.
    meant = did_you_mean(name, known, close=0.85) if isinstance(name, str) else ""
    several = [part.strip() for part in name.split(",")] if isinstance(name, str) else []
    if len(several) > 1 and set(several) <= set(known):
        meant = f", which are {len(several)}: name each by itself, as {several[0]}"
    return UnsupportedError(f"unknown {noun} {name!r}{meant}; known are {', '.join(known)}")
