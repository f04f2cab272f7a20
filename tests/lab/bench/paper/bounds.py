"""Clocks of one trip through a loop of products, by what it takes, and what follows from them.

A trip takes the clocks of what is most wanted, if work of one kind goes on while another waits.
That needs something independent: another block on the multiprocessor, a second warpgroup that no
barrier of the loop keeps in step, or products that stay under way at a wait. Otherwise products and
instructions come one after the other. How well a schedule really overlaps is not modelled, so these
are bounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from tests.lab.bench.machine_code import figures, loops, sass
from tileir.resources.machine_code import multiplies

from .machines import MMA_SYNC, TENSOR_FMA, Machine

WARP, WARPGROUP, ROWS = 32, 4, 64
"""Threads of a warp, warps of a group, and rows of a product of wgmma."""
BYTES = {"f16": 2, "bf16": 2, "tf32": 4, "e4m3": 1, "i8": 1}
_BULK = ("UTMALDG", "UBLKCP")
_WIDTHS = {"128": 16, "64": 8, "U8": 1, "S8": 1, "U16": 2, "S16": 2}


@dataclass(frozen=True, slots=True)
class Product:
    """A product of a trip: m x n x k for the whole block; A comes from memory or from registers."""

    m: int
    n: int
    k: int
    registers: bool = False

    @property
    def fma(self) -> int:
        return self.m * self.n * self.k

    def read(self, size: int) -> int:
        """Bytes that wgmma reads of shared memory: each 64 rows of A meet all of B."""
        a = 0 if self.registers else ROWS * self.k
        return self.m // ROWS * (a + self.n * self.k) * size


@dataclass(frozen=True, slots=True)
class Trip:
    """What a trip of a block is asked for: its products, their type, and the bytes it loads."""

    kind: str
    products: tuple[Product, ...]
    loaded: int

    @property
    def fma(self) -> int:
        return sum(each.fma for each in self.products)


@dataclass(frozen=True, slots=True)
class Loop:
    """The loop of a kernel, by machine code: of one warp, as often as it runs `trips`."""

    opcodes: Counter[str]
    warps: int
    """That run it, of a block."""
    trips: float
    """Trips of the kernel's loop in one round of this one: 2 where it was unrolled once."""
    blocks: int
    """On a multiprocessor at once."""
    local: int
    """Accesses of local memory in the loop."""

    @property
    def grouped(self) -> bool:
        """Whether it multiplies with wgmma."""
        return any("GMMA" in name for name in self.opcodes)

    @property
    def keeps_products(self) -> bool:
        """Whether products stay under way at a wait for others."""
        return any(name.startswith(f"{loops.PRODUCTS_AWAITED}.") for name in self.opcodes)

    def count(self, *starts: str) -> int:
        return sum(n for name, n in self.opcodes.items() if name.startswith(starts))


def loop_of(code: figures.Code, trip: Trip, ours: bool) -> Loop | None:
    """The loop of a kernel that multiplies most with the fewest instructions, if one does."""
    multiplying = [each for each in code.loops if sass.products(each)]
    if not multiplying:
        return None
    loop = max(multiplying, key=lambda each: (sass.products(each), -each.total()))
    done = _fma(loop, trip)
    # If another loop starts the copies, that is another role, which takes a warpgroup.
    role = code.count(*_BULK) and not any(name.startswith(_BULK) for name in loop)
    warps = max(code.threads // WARP - (WARPGROUP if role else 0), WARPGROUP)
    if not ours:
        # How many warps of theirs multiply is not said, but that they do not unroll these loops is.
        warps = max(WARPGROUP, min(warps, round(trip.fma * WARPGROUP / done)))
    each = done / (WARPGROUP if any("GMMA" in name for name in loop) else 1)
    local = sum(n for name, n in loop.items() if name.startswith(("LDL", "STL")))
    return Loop(loop, warps, each * warps / trip.fma, code.blocks, local)


def _fma(loop: Counter[str], trip: Trip) -> int:
    """Multiply-adds of one round: of a warpgroup with wgmma, of a warp without."""
    total = 0
    for name, count in loop.items():
        if multiplies(name):
            total += count * _shape(name)
    return total


def _shape(name: str) -> int:
    """Multiply-adds of an instruction, from its name: HGMMA.64x128x16, HMMA.16816, IMMA.16832."""
    part = name.split(".")[1]
    if "x" in part:
        m, n, k = map(int, part.split("x"))
        return m * n * k
    return int(part[:2]) * int(part[2]) * int(part[3:])


def clocks(loop: Loop, trip: Trip, machine: Machine) -> Mapping[str, float]:
    """Clocks of a trip of one block, by what they are spent on."""
    size, warps, trips = BYTES[trip.kind], loop.warps, loop.trips
    rate = min(map(_rate, loops.products(loop.opcodes)))
    # What is not accessed by products: each of 32 lanes moves so many bytes.
    moved = sum(n * _width(name) * WARP for name, n in loop.opcodes.items()
                if name.startswith(("LDS", "STS")))  # fmt: skip
    shared = moved * warps / trips + trip.loaded
    if loop.grouped:
        shared += sum(each.read(size) for each in trip.products)
    return {
        "tensor cores": trip.fma / rate,
        "instructions": loop.opcodes.total() * warps / trips / machine.issued,
        "shared memory": shared / machine.shared,
        "special functions": loop.count("MUFU") * WARP * warps / trips / machine.functions,
        "L2": trip.loaded / machine.level2,
    }


def _rate(name: str) -> float:
    """Multiply-adds in a clock of an instruction: what it multiplies is said by its name."""
    kind = "e4m3" if name[0] in "QI" else "tf32" if ".TF32" in name else "f16"
    return TENSOR_FMA[kind] * (1 if "GMMA" in name else MMA_SYNC)


def _width(name: str) -> int:
    """Bytes of an access of shared memory for a lane; LDSM moves 4 for each matrix."""
    parts = name.split(".")
    if parts[0] in ("LDSM", "STSM"):
        return 4 * int(parts[-1] if parts[-1].isdigit() else 1)
    return next((_WIDTHS[part] for part in parts if part in _WIDTHS), 4)


@dataclass(frozen=True, slots=True)
class Bound:
    """Clocks of a trip, TFLOP/s of the machine, what limits them, and whether work overlaps."""

    clocks: float
    rate: float
    limit: str
    overlaps: bool


def bound(loop: Loop, trip: Trip, machine: Machine) -> Bound:
    """How fast the loop may be."""
    spent = clocks(loop, trip, machine)
    groups = loop.warps // WARPGROUP
    # Where threads arrive at a barrier and do not wait, they take turns.
    apart = groups > 1 and (not loop.count("BAR.") or loop.count("BAR.ARV") > 0)
    overlaps = apart or loop.keeps_products or loop.blocks > 1
    if overlaps:
        limit = max(spent, key=spent.__getitem__)
        total = spent[limit]
    else:
        # One after the other: what products read and what is loaded goes on meanwhile.
        during = max(spent["tensor cores"], spent["shared memory"], spent["L2"])
        total = during + max(spent["instructions"], spent["special functions"])
        limit = "nothing overlaps"
    rate = 2 * trip.fma / total * machine.clock * machine.processors / 1e12
    return Bound(total, rate, limit, overlaps)


def in_flight(code: figures.Code) -> int:
    """Bytes that the loads of a multiprocessor have under way at once, 16 for each load."""
    return code.in_flight * 16 * code.threads * code.blocks


def wanted(machine: Machine) -> float:
    """Bytes that have to be under way for all of the bandwidth, by Little's law."""
    return machine.memory / machine.processors * machine.latency
