"""The rules: one row for each thing that keeps kernels from being fast.

A rule says where it may apply, by what the compiler remarks; which static figure that spoils; what
to do; how sure that is. Its trials carry out what it says, in a copy, and the best of them counts.
"""

from __future__ import annotations

from collections.abc import Iterator

from tileir.codegen.nvptx.schedule.view_facts import ACCESS_BYTES, SECTOR_BYTES
from tileir.codegen.remarks import Outcome, Topic
from tileir.formats.ops.spec import READS

from . import figures
from .computing import COMPUTING
from .doing import DOING
from .evidence import Evidence, Site, missed
from .finders import HINTS, LOWERED, MORE_WARPS, because
from .launches import BUSY, FULL, tailed, thin
from .multiplying import MULTIPLYING
from .numbered import number_of
from .numbers import NUMBERS
from .ordering import ORDERING
from .rule import Candidate, Rule, Sure
from .trials.arguments import AS_PASSED
from .trials.extents import ACROSS, inner, longer, shorter
from .trials.order import PADDED_WITH_ZERO
from .trials.promises import ALIGNED, AS_I32, SHORT
from .trials.strides import KNOWN_UNIT, SIDE_BY_SIDE, TRANSPOSED, UNIT_FACTORS
from .trials.trial import relaunched
from .trials.views import AS_VIEW, AS_VIEWS, block_of

FEW_SPILLED = 32
"""Fewer bytes that are spilled do not matter."""
FEW_TURNS = 2
"""Fewer turns that bank conflicts add do not matter."""
MANY_PARTS = 20
"""Accesses of a smaller part of what a kernel moves do not matter."""
SHORT_ROW = 8
"""Tiles of as few elements along a dimension leave no choice of layouts."""


def _refused(evidence: Evidence) -> Iterator[Candidate]:
    for symbol in evidence.symbols:
        for remark in filter(missed, evidence.of(symbol, Topic.HINTS)):
            if remark.facts["term"] in figures.FOLLOWED_AS_FAR:
                continue
            yield Candidate(Site(symbol), str(remark))


def _hinted(evidence: Evidence) -> Iterator[Candidate]:
    for symbol in evidence.symbols:
        said = [each for each in evidence.of(symbol, Topic.HINTS) if not missed(each)]
        if any(each.facts["term"] in LOWERED for each in said):
            yield Candidate(Site(symbol), "; ".join(each.what for each in said))


def _spilling(evidence: Evidence) -> Iterator[Candidate]:
    for symbol, found in evidence.resources.items():
        if found.spilled and found.spilled >= FEW_SPILLED:
            text = f"{found.registers} registers do not suffice: {found.spilled} bytes are spilled"
            yield Candidate(Site(symbol), text)


def _turned(evidence: Evidence) -> Iterator[Candidate]:
    """Yield the accesses of kernels that bring tiles into another layout through shared memory."""
    for remark in evidence.remarks:
        site = Site(remark.entry, number_of(remark.location))
        accesses = remark.topic is Topic.ACCESSES and site.number is not None
        if accesses and figures.EXCHANGED.read(evidence, site):
            yield Candidate(site, "its tile changes layout through shared memory")


def _conflicting(evidence: Evidence) -> Iterator[Candidate]:
    """Yield exchanges with bank conflicts; where a kernel has loops, only those in loops matter."""
    looping = {r.entry for r in evidence.remarks if r.facts.get("loops")}
    for remark in evidence.exchanges:
        turns = int(str(remark.facts["turns"]))
        if turns >= FEW_TURNS and (remark.facts["loops"] or remark.entry not in looping):
            site = Site(remark.entry, number_of(remark.location))
            yield Candidate(site, f"{remark.what}: {turns} turns more than one an access")


def _narrow(evidence: Evidence) -> Iterator[Candidate]:
    """Yield accesses to tiles that are short; those of layouts only, if they are very short."""
    yield from because(Topic.ACCESSES, "tile", "run")(evidence)
    for each in because(Topic.ACCESSES, "layout", outcomes=(*Outcome,))(evidence):
        if each.site.number is not None and (inner(evidence.op(each.site)) or 0) <= SHORT_ROW:
            yield each


def _narrow_and_many(evidence: Evidence) -> Iterator[Candidate]:
    """Yield accesses to short tiles that are a good part of what the kernel moves."""
    for each in (*_narrow(evidence), *_partly(evidence)):
        total = figures.moved_by(evidence, each.site.symbol)
        if (figures.MOVED.read(evidence, each.site) or 0) >= total / MANY_PARTS:
            yield each


def _partly(evidence: Evidence) -> Iterator[Candidate]:
    """Yield accesses that are as wide as can be, to rows that are shorter than a sector."""
    for remark in evidence.remarks:
        together = remark.facts.get("together")
        if remark.topic is not Topic.ACCESSES or together is None:
            continue
        if ACCESS_BYTES <= int(str(together)) < SECTOR_BYTES:
            op = remark.what.partition(":")[0]
            site = Site(remark.entry, number_of(remark.location))
            yield Candidate(site, f"{op}: its tile has {together} bytes side by side")


def _blocks(evidence: Evidence) -> Iterator[Candidate]:
    """Yield the loads through pointers that could be loads of a view."""
    for number, op in evidence.copy.ops.items():
        if block_of(op) is not None:
            site = Site(evidence.copy.functions[number].name, number)
            yield Candidate(site, f"{op.name}: its pointers and its mask are those of a block")


def _idle(evidence: Evidence) -> Iterator[Candidate]:
    """Yield the loads of kernels whose resident blocks load few bytes at once."""
    for symbol in evidence.symbols:
        loaded = figures.LOADED.read(evidence, Site(symbol))
        if loaded is None or loaded >= figures.ENOUGH_LOADED:
            continue
        rings = any("slots" in each.facts for each in evidence.of(symbol, Topic.RINGS))
        if rings or evidence.of(symbol, Topic.TENSOR_CORES):
            continue
        for remark in evidence.of(symbol, Topic.ACCESSES):
            site = Site(symbol, number_of(remark.location))
            if site.number is None or evidence.copy.ops[site.number].spec.effects != READS:
                continue
            text = f"all blocks of an SM load {loaded:.0f} bytes at once"
            yield Candidate(site, f"{text}, of the {figures.ENOUGH_LOADED} that hide latency")


RULES: dict[str, Rule] = {
    rule.id: rule
    for rule in (
        *MULTIPLYING,
        Rule(
            "unknown-alignment",
            "accesses are narrow, because nothing promises alignment",
            "An instruction moves up to 16 bytes of a thread if their address is known to be a "
            "multiple of that. Where the base address, a stride or an offset is a parameter, "
            "only `assume div_by` tells; otherwise each element is moved by itself. cuTile "
            "promises it for arrays whose address and strides allow.",
            "promise multiples of 16 bytes with `assume div_by`",
            Sure.LIKELY,
            figures.ACCESS,
            because(Topic.ACCESSES, "base", "stride", "address", "mask", "run"),
            (ALIGNED,),
            2.0,
        ),
        Rule(
            "unknown-contiguity",
            "neighbours are not known to be adjacent in memory",
            "Threads of a warp that access neighbours in memory share sectors of 32 bytes, and "
            "each can take 16 bytes at once. If no stride is known to be 1, each element is an "
            "access of its own, and may be a sector of its own.",
            "make the stride of the last dimension a constant 1, where arrays are contiguous",
            Sure.LIKELY,
            figures.ACCESS,
            because(Topic.ACCESSES, "no_unit_stride", "not_adjacent", "run", "address"),
            (KNOWN_UNIT, *UNIT_FACTORS),
            4.0,
        ),
        Rule(
            "neighbours-far-apart",
            "neighbours in a tile are far apart in memory",
            "Memory is read and written in sectors of 32 bytes, of which lanes with neighbours "
            "share one. Where offsets are counted in steps of a constant or of the grid's size, "
            "each element takes a sector of its own.",
            "let a block have neighbours: count offsets in steps of 1, and blocks in steps of the "
            "tile's size",
            Sure.MAYBE,
            figures.SECTORS,
            because(Topic.ACCESSES, "not_adjacent", "run"),
            (SIDE_BY_SIDE,),
            4.0,
        ),
        Rule(
            "no-tensor-copy",
            "threads copy a tile that the copy engine could copy",
            "One thread starts a tensor copy (TMA) of a whole tile, which needs no registers and "
            "no addresses. Base and strides have to be multiples of 16 bytes.",
            "promise multiples of 16 bytes with `assume div_by`",
            Sure.LIKELY,
            figures.TENSOR_COPY,
            because(Topic.TENSOR_COPIES, outcomes=(Outcome.MISSED, Outcome.ANALYSIS)),
            (ALIGNED, KNOWN_UNIT),
            2.0,
        ),
        Rule(
            "computed-tensor",
            "the kernel computes where a tensor begins, or how large it is",
            "A tensor map for the copy engine is made by the host, from arguments. What a kernel "
            "computes is in no map, so threads copy the tiles of such a tensor.",
            "pass address, extents and strides as parameters, and use them as they are",
            Sure.MAYBE,
            figures.TENSOR_COPY,
            because(
                Topic.TENSOR_COPIES,
                *("computed_base", "computed_extent", "computed_stride"),
                outcomes=(Outcome.MISSED, Outcome.ANALYSIS),
            ),
            (AS_PASSED,),
            2.0,
        ),
        Rule(
            "padding-in-the-way",
            "a tile is padded with something else than zero",
            "Tensor copies and asynchronous copies fill what lies outside of a tensor with zeros. "
            "With any other padding value threads load the tile themselves.",
            "pad with zero, and select another value behind the load",
            Sure.MAYBE,
            figures.AHEAD_OR_TENSOR_COPY,
            because(Topic.TENSOR_COPIES, "padding"),
            (PADDED_WITH_ZERO,),
            2.0,
        ),
        *ORDERING,
        Rule(
            "transposed-tensor",
            "a tensor lies the other way round than its tiles are used",
            "If the contiguous dimension of one tensor is not that of the others, tiles are "
            "brought from one layout into the other through shared memory, with barriers, or "
            "their accesses are narrow.",
            "store the tensor with the other dimension contiguous",
            Sure.MAYBE,
            figures.EXCHANGED,
            _turned,
            (TRANSPOSED,),
            1.0,
            others=(figures.A_TENTH,),
        ),
        Rule(
            "transposed-access",
            "a tile is short along the contiguous dimension of its tensor",
            "Accesses have as many bytes as elements lie side by side in the tile. A tile that is "
            "long the other way is read in pieces.",
            "store the tensor with the other dimension contiguous",
            Sure.MAYBE,
            figures.ACCESS,
            because(Topic.ACCESSES, "tile"),
            (TRANSPOSED,),
            2.0,
        ),
        Rule(
            "pointers-for-view",
            "a block of a tensor is loaded through pointers that are computed",
            "Offsets that are an index times a stride, with a stride of 1, and a mask that bounds "
            "each index, are what a view of a tensor says in one op. Of a view the compiler knows "
            "that neighbours are adjacent, and up to where; of a mask for each element it only "
            "knows what numbers are promised.",
            "load a tile of a partition view (`ct.load`)",
            Sure.MAYBE,
            figures.ACCESS_OR_COPY,
            _blocks,
            (AS_VIEWS,),
            2.0,
        ),
        Rule(
            "computed-addresses",
            "an address and a mask are computed for each element of a block",
            "A load through pointers takes an address and a condition for each vector of a "
            "thread. Of a view, one index says where a tile begins, and one thread can copy all "
            "of it.",
            "load a tile of a partition view (`ct.load`)",
            Sure.MAYBE,
            figures.A_TENTH,
            _blocks,
            (AS_VIEW,),
            2.0,
        ),
        Rule(
            "narrow-tile",
            "a tile is so short that accesses are narrow, or take parts of sectors",
            "Accesses have at most as many bytes as elements lie side by side in the tile: 16 "
            "bytes need 4 elements of f32, or 8 of f16. Memory is read and written in sectors of "
            "32 bytes: where fewer lie side by side, the rest of each is moved in vain.",
            "make the tile longer along the contiguous dimension, and shorter along another one",
            Sure.MAYBE,
            figures.SECTORS,
            _narrow_and_many,
            (*(longer(inner, factor) for factor in (2, 8, 64)), ACROSS),
            1.5,
            others=(figures.ACCESS,),
        ),
        Rule(
            "bank-conflicts",
            "lanes meet in the banks of shared memory",
            "Shared memory has 32 banks of four bytes. Where lanes of a warp want different words "
            "of one bank, the access takes as many turns. Layouts are chosen so that this does not "
            "happen, if tiles have room for it.",
            "give the tile another size, or the block other warps",
            Sure.MAYBE,
            figures.CONFLICTS,
            _conflicting,
            (HINTS, *MORE_WARPS, TRANSPOSED, longer(inner, 2)),
            0.5,
        ),
        Rule(
            "little-in-flight",
            "tiles are too small to keep memory busy",
            "Memory is busy if enough bytes are under way: latency times bandwidth, some tens of "
            "kilobytes for each SM. Blocks with small tiles load few bytes each, and an SM holds "
            "a limited number of blocks.",
            "make tiles larger",
            Sure.LIKELY,
            figures.LOADED,
            _idle,
            tuple(longer(inner, factor) for factor in (4, 16)),
            1.0,
        ),
        Rule(
            "long-offsets",
            "offsets of elements take 64 bits",
            "An offset for each element of a tile of pointers takes two registers, and twice the "
            "instructions, if it is not known to fit in 32 bits.",
            "compute offsets in i32, or bound what they follow from: `assume bounded`",
            Sure.LIKELY,
            figures.REGISTERS,
            because(Topic.INDICES, "long_offsets"),
            (SHORT, AS_I32),
            0.5,
            others=(figures.A_TENTH,),
        ),
        Rule(
            "refused-hint",
            "a hint is not followed",
            "Hints are advice. One that cannot be followed on this GPU, or contradicts another, "
            "has no effect, which its author should know.",
            "leave the hint away, or ask for something that the GPU has",
            Sure.CERTAIN,
            figures.REFUSED,
            _refused,
            (relaunched("leave the hint away", **LOWERED, cluster_dim=None),),
            0.2,
        ),
        Rule(
            "limiting-hint",
            "a hint keeps warps from an SM",
            "Warps hide each other's latency. A number of warps, of registers or of resident "
            "blocks that is asked for may leave an SM with fewer warps than it has room for.",
            "leave the choice to the compiler",
            Sure.MAYBE,
            figures.WARPS,
            _hinted,
            (HINTS,),
            0.5,
        ),
        Rule(
            "spills",
            "registers do not suffice",
            "What does not fit in the registers of a thread is stored to local memory and loaded "
            "again. A limit of registers, or a number of resident blocks, may be the reason.",
            "lift the limit, ask for more warps, or make tiles smaller",
            Sure.LIKELY,
            figures.SPILLED,
            _spilling,
            (HINTS, *MORE_WARPS, shorter(2), shorter(4)),
            3.0,
        ),
        *COMPUTING,
        *DOING,
        *NUMBERS,
        Rule(
            "thin-grid",
            "the grid has fewer blocks than the GPU has SMs",
            "Each block runs on one SM. SMs without a block are idle, however fast the kernel is.",
            "launch more blocks",
            Sure.LIKELY,
            BUSY,
            thin,
            ideal=100.0,
            weight=4.0,
        ),
        Rule(
            "last-wave",
            "the last wave of blocks leaves much of the GPU idle",
            "As many blocks run at once as all SMs hold: a wave. If the last of a few waves has "
            "few blocks, the rest of the GPU waits for them.",
            "make tiles of another size, or share the work of all tiles among one wave of blocks",
            Sure.MAYBE,
            FULL,
            tailed,
            ideal=100.0,
        ),
    )
}
"""Id -> rule, in the order in which they are listed."""
