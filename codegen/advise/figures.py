"""Static figures that rules name: each is read from remarks, at one op or for a kernel.

A figure is None where nothing is said about it. `higher` tells which way is better.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from tileir.codegen.nvptx.schedule.view_facts import SECTOR_BYTES
from tileir.codegen.remarks import Outcome, Remark, Topic
from tileir.resources.kernel_resources import KernelResources

from .evidence import Evidence, Site
from .instructions import LOOP
from .numbered import number_of
from .trials.loops import loops_around

Read = Callable[[Evidence, Site], "float | None"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A static figure: what it is called, its unit, and how it is read.

    words   the words for numbers that stand for cases
    least   by how much it has to improve, as a part of what it was, to be worth a word
    """

    name: str
    read: Read
    unit: str = ""
    higher: bool = True
    words: Mapping[float, str] = field(default_factory=dict)
    least: float = 0.0

    def better(self, before: float, after: float) -> bool:
        """Whether a change from one number to the other is an improvement."""
        gained = after - before if self.higher else before - after
        return gained > self.least * abs(before)

    def show(self, number: float) -> str:
        """Return a number with its unit, or the word for it."""
        if number in self.words:
            return self.words[number]
        text = f"{number:.0f}" if number == int(number) else f"{number:.1f}"
        unit = self.unit.removesuffix("s") if number == 1 else self.unit
        return f"{text} {unit}".strip()


def _least(topic: Topic, fact: Callable[[Remark], float | None]) -> Read:
    """Return the reader of the worst of what remarks on a topic say of an op; higher is better."""

    def read(evidence: Evidence, site: Site) -> float | None:
        found = [fact(remark) for remark in evidence.at(site, topic)]
        return min((each for each in found if each is not None), default=None)

    return read


def _passed(remark: Remark) -> float:
    return float(remark.outcome is Outcome.PASSED)


def _bytes(remark: Remark) -> float | None:
    number = remark.facts.get("bytes")
    return float(number) if isinstance(number, int) else None


def _of_sector(remark: Remark) -> float:
    return float(min(int(str(remark.facts["together"])), SECTOR_BYTES))


def _unit_of_product(remark: Remark) -> float:
    name = str(remark.facts.get("instruction", ""))
    return float(2 * name.startswith("wgmma") or name.startswith("mma."))


def _slots(evidence: Evidence, site: Site) -> float:
    said = [each.facts.get("slots") for each in evidence.of(site.symbol, Topic.RINGS)]
    return float(min((each for each in said if isinstance(each, int)), default=1))


def _ahead(evidence: Evidence, site: Site) -> float:
    said = evidence.at(site, Topic.RINGS)
    return float(not any("slots" not in each.facts for each in said))


def _roles(evidence: Evidence, site: Site) -> float:
    said = evidence.of(site.symbol, Topic.ROLES)
    return 2.0 if any(each.outcome is Outcome.PASSED for each in said) else 1.0


def _overlapped(evidence: Evidence, site: Site) -> float | None:
    said = evidence.of(site.symbol, Topic.OVERLAP)
    if not said:
        return 1.0 if _products(evidence, site) == 2.0 else None
    return min(map(_passed, said))


def _products(evidence: Evidence, site: Site) -> float | None:
    said = evidence.of(site.symbol, Topic.TENSOR_CORES)
    return min(map(_unit_of_product, said), default=None)


FOLLOWED_AS_FAR = ("minnctapersm",)
"""Hints that are followed as far as registers suffice, which costs nothing."""


def _refused_hints(evidence: Evidence, site: Site) -> float:
    said = evidence.of(site.symbol, Topic.HINTS)
    missed = (each for each in said if each.outcome is Outcome.MISSED)
    return float(sum(each.facts["term"] not in FOLLOWED_AS_FAR for each in missed))


def _of_ptxas(read: Callable[[KernelResources], float | None]) -> Read:
    def figure(evidence: Evidence, site: Site) -> float | None:
        found = evidence.resources.get(site.symbol)
        return None if found is None else read(found)

    return figure


def blocks_of(evidence: Evidence, symbol: str) -> int:
    """Return the resident blocks of an SM: as far as ptxas was asked, with its registers."""
    found = evidence.resources.get(symbol)
    if found is not None and found.occupancy is not None:
        return found.occupancy.blocks
    (launch,) = evidence.at(Site(symbol), Topic.OCCUPANCY)
    return int(str(launch.facts["blocks"]))


def _loaded(evidence: Evidence, site: Site) -> float | None:
    """Return the bytes that the resident blocks of an SM load at once.

    Of a loop that is unrolled, those are the bytes of several iterations.
    """
    each = 0
    unrolled = {
        number_of(remark.location): int(str(remark.facts["factor"]))
        for remark in evidence.of(site.symbol, Topic.UNROLLING)
    }
    for remark in evidence.of(site.symbol, Topic.ACCESSES):
        if "load" in remark.what.partition(":")[0]:
            around = evidence.loop_around(number_of(remark.location))
            each += int(str(remark.facts["tile_bytes"])) * unrolled.get(around, 1)
    return float(each * blocks_of(evidence, site.symbol)) if each else None


SECTORS = Figure(
    "bytes of each sector of memory that the tile has", _least(Topic.ACCESSES, _of_sector), "bytes"
)
ACCESS = Figure("bytes of each access", _least(Topic.ACCESSES, _bytes), "bytes")
TENSOR_COPY = Figure(
    "who copies the tile",
    _least(Topic.TENSOR_COPIES, _passed),
    words={0.0: "threads", 1.0: "tensor copies"},
)
PRODUCT = Figure(
    "instruction that multiplies",
    _least(Topic.TENSOR_CORES, _unit_of_product),
    words={0.0: "fused multiply-adds", 1.0: "mma.sync", 2.0: "wgmma"},
)
REGISTERS = Figure(
    "registers of a thread", _of_ptxas(lambda found: found.registers), higher=False, least=0.1
)
WARPS = Figure(
    "warps that an SM holds",
    _of_ptxas(lambda found: found.occupancy and found.occupancy.warps),
    "warps",
    least=0.25,
)
SLOTS = Figure("slots of the ring", _slots, "slots")
AHEAD = Figure(
    "when it is loaded", _ahead, words={0.0: "in its own iteration", 1.0: "iterations ahead"}
)
ROLES = Figure("roles of warps", _roles, words={1.0: "one role", 2.0: "a producer and consumers"})
OVERLAP = Figure(
    "products under way in the next iteration", _overlapped, words={0.0: "none", 1.0: "all"}
)
REFUSED = Figure("hints that are not followed", _refused_hints, "", higher=False)
SPILLED = Figure(
    "spilled bytes", _of_ptxas(lambda found: found.spilled), "bytes a thread", higher=False
)
LOADED = Figure("bytes that an SM loads at once", _loaded, "bytes", least=0.5)


def _slots_there(evidence: Evidence, site: Site) -> float:
    return float(evidence.slots_at(site))


def _slots_of_all(evidence: Evidence, site: Site) -> float:
    return float(evidence.instructions.totals[site.symbol])


def _beside_products(evidence: Evidence, site: Site) -> float:
    places = {number_of(e.location) for e in evidence.of(site.symbol, Topic.TENSOR_CORES)}
    return float(sum(evidence.instructions.slots[Site(site.symbol, each)] for each in places))


def _beside_each(evidence: Evidence, site: Site) -> float | None:
    made = evidence.instructions
    products = made.products[site.symbol]
    return (made.totals[site.symbol] - products) / products * 100 if products else None


def _doubles_there(evidence: Evidence, site: Site) -> float:
    return float(evidence.instructions.doubles[site])


def _moved(remark: Remark) -> int:
    return int(str(remark.facts["tile_bytes"])) * LOOP ** int(str(remark.facts["loops"]))


def _moved_there(evidence: Evidence, site: Site) -> float:
    """Return the bytes that a block moves for an op."""
    said = [*evidence.at(site, Topic.ACCESSES), *evidence.at(site, Topic.TENSOR_COPIES)]
    return float(max(map(_moved, said), default=0))


def moved_by(evidence: Evidence, symbol: str) -> float:
    """Return the bytes that a block moves for all ops of a kernel."""
    said = (*evidence.of(symbol, Topic.ACCESSES), *evidence.of(symbol, Topic.TENSOR_COPIES))
    places = {Site(symbol, number_of(each.location)) for each in said}
    return sum(_moved_there(evidence, each) for each in places)


WORK = Figure(
    f"issue slots of a thread, those of loops counted {LOOP} times",
    _slots_there,
    higher=False,
    least=0.25,
)
ALL_WORK = Figure(
    f"issue slots of a thread for all of the kernel, those of loops counted {LOOP} times",
    _slots_of_all,
    higher=False,
    least=0.02,
)
A_TWENTIETH = replace(ALL_WORK, least=0.05)
"""The same, of what takes a change of the source that is more than a line."""
A_TENTH = replace(ALL_WORK, least=0.1)
"""The same, of what only matters if it is a good part of a kernel."""
BESIDE_PRODUCTS = Figure(
    f"issue slots of a thread for products beside tensor cores, loops counted {LOOP} times",
    _beside_products,
    higher=False,
    least=0.25,
)
BESIDE_EACH = Figure(
    "issue slots beside those of tensor cores",
    _beside_each,
    "%",
    higher=False,
    least=0.3,
)
DOUBLES = Figure(
    f"instructions of f64, those of loops counted {LOOP} times", _doubles_there, higher=False
)
MOVED = Figure(
    f"bytes of it that a block moves, those of loops counted {LOOP} times",
    _moved_there,
    "bytes",
    higher=False,
)

ALL_MOVED = Figure(
    f"bytes that a block moves, those of loops counted {LOOP} times",
    lambda evidence, site: moved_by(evidence, site.symbol),
    "bytes",
    higher=False,
    least=0.02,
)


def _updates(evidence: Evidence, site: Site) -> float | None:
    op = None if site.number is None else evidence.copy.ops.get(site.number)
    arg = op.operands.get("arg") if op is not None and op.name.startswith("atomic_rmw") else None
    return None if op is None or arg is None else float(arg.type.size * LOOP ** loops_around(op))


UPDATES = Figure(
    f"updates of memory by an atomic op, those of loops counted {LOOP} times",
    _updates,
    higher=False,
)


def _ahead_or_copied(evidence: Evidence, site: Site) -> float | None:
    copied = TENSOR_COPY.read(evidence, site)
    if copied == 1.0:
        return 2.0
    return None if copied is None else _ahead(evidence, site)


def _exchanged(evidence: Evidence, site: Site) -> float:
    own = (each for each in evidence.exchanges if each.entry == site.symbol)
    return float(sum(each.facts["converts"] is True for each in own))


def _conflicts(evidence: Evidence, site: Site) -> float:
    return float(sum(int(str(each.facts["turns"])) for each in evidence.at(site, None)))


CONFLICTS = Figure("turns that bank conflicts add", _conflicts, higher=False)
AHEAD_OR_TENSOR_COPY = Figure(
    "how the tile is loaded",
    _ahead_or_copied,
    words={
        0.0: "by threads, in its own iteration",
        1.0: "by threads",
        2.0: "by tensor copies",
    },
)
EXCHANGED = Figure("layouts converted through shared memory", _exchanged, "", higher=False)


def _wide(evidence: Evidence, site: Site) -> float | None:
    return _COPIED if TENSOR_COPY.read(evidence, site) == 1.0 else ACCESS.read(evidence, site)


_COPIED = 128.0
ACCESS_OR_COPY = Figure(ACCESS.name, _wide, ACCESS.unit, words={_COPIED: "those of tensor copies"})
ENOUGH_LOADED = 16 << 10
"""Bytes under way for an SM that hide the latency of memory on most GPUs, about."""
