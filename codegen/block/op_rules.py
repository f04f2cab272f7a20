"""Rules about single ops of the block IR that their rows cannot say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from tileir.ir import Block, Op
from tileir.ir.dialect import OpRule
from tileir.types import Scalar, Tile, ValueType

from .async_rows import PRODUCT_NAMES
from .types import Flight, Shared, Turn

TRUTH = Tile(Scalar("i1"))
WARPGROUP = 4
"""Warps of a warpgroup."""


def _types(block: Block) -> list[ValueType]:
    return [value.type for value in block.arguments]


def _passed(block: Block) -> list[ValueType] | None:
    """Return the types of what the last op of a block hands on; None if it has no terminator."""
    last = block.ops[-1] if block.ops else None
    if last is None or not last.spec.terminator:
        return None
    return [value.type for value in last.operands["operands"]]


def pipelined_regions(op: Op) -> str | None:
    """The prologue of a pipelined_for takes the index of an iteration, whether there is one, and
    the values of aheadValues; it yields their next values and the delayed ones. The body takes its
    index, the carried values, what the prologue takes, and the delayed values; it continues with
    the next of all but the indices."""
    blocks = [block for region in op.regions for block in region.blocks]
    if len(blocks) != 2:  # another rule says so, or they are still being read
        return None
    body, prologue = blocks
    index = op.operands["lowerBound"].type
    initial = [value.type for value in op.operands["initValues"]]
    ahead = [value.type for value in op.operands["aheadValues"]]
    taken = _types(prologue)
    if taken != [index, TRUTH, *ahead]:
        return _expected("the prologue", "takes", [index, TRUTH, *ahead], taken)
    yielded = _passed(prologue)
    if yielded is None:
        return None
    if yielded[: len(ahead)] != ahead:
        return _expected("the prologue", "first yields", ahead, yielded[: len(ahead)])
    delayed = yielded[len(ahead) :]
    due = [index, *initial, index, TRUTH, *ahead, *delayed]
    if _types(body) != due:
        return _expected("the body", "takes", due, _types(body))
    given, due = _passed(body), [*initial, *ahead, *delayed]
    if given is not None and body.ops[-1].name == "continue" and given != due:
        return _expected("the body", "continues with", due, given)
    return None


def _expected(who: str, does: str, due: Sequence[object], found: Sequence[object]) -> str:
    wanted, given = (", ".join(map(str, types)) or "nothing" for types in (due, found))
    return f"{who} {does} {wanted}, found {given}"


def commits_its_tiles(op: Op) -> str | None:
    """The flight of a commit_group is of the tiles that were copied, in their order."""
    flight = cast(Flight, op.result.type)
    tiles = tuple(value.type for value in op.operands["tiles"])
    if flight.tiles != tiles:
        return _expected("the flight", "is of", tiles, flight.tiles)
    return None


def waits_for_its_tiles(op: Op) -> str | None:
    """The results of a wait_group are the tiles of the flight, each in a slot of its ring."""
    due = op.operands["flight"].type.tiles
    found = tuple(value.type for value in op.results)
    if found != due:
        return _expected("the wait", "gives", due, found)
    slots = tuple(value.type.slot for value in op.operands["rings"])
    if slots != due:
        return _expected("the wait", "has rings of slots of", due, slots)
    return None


def slot_of_its_ring(op: Op) -> str | None:
    """The result is one slot of the ring, whose turn has as many slots."""
    ring = op.operands["ring"].type
    if op.result.type != ring.slot:
        return _expected("the result", "is", [ring.slot], [op.result.type])
    return turn_of_its_ring(op)


def turn_of_its_ring(op: Op) -> str | None:
    """A turn counts the slots of the rings that it is used with."""
    turn = cast(Turn, (op.operands.get("turn") or op.result).type)
    for ring in op.operands.get("rings") or (op.operands["ring"],):
        if turn.slots != ring.type.slots:
            return f"{turn} with a ring of {ring.type.slots} slots"
    return None


def turn_of_its_mbarriers(op: Op) -> str | None:
    """A turn of mbarriers has their phase, and counts as many slots."""
    turn, barriers = op.operands["turn"].type, op.operands["barriers"].type
    if not turn.phased or turn.slots != barriers.slots:
        return f"{turn} with {barriers}"
    return None


def gives_its_tiles(op: Op) -> str | None:
    """The results of a wait_slot are the tiles of the slots of its rings."""
    due = [value.type.slot for value in op.operands["rings"]]
    found = [value.type for value in op.results]
    return None if found == due else _expected("the wait", "gives", due, found)


def has_whole_warpgroups(op: Op) -> str | None:
    """A role has whole warpgroups, as setmaxnreg wants, and registers by eights."""
    first, warps, working = (op.attributes[each] for each in ("first", "warps", "working"))
    if first % WARPGROUP or warps % WARPGROUP or not 0 < working <= warps:
        return f"{working} of {warps} warps from warp {first} on are no warpgroups"
    registers = op.attributes["registers"]
    if registers % 8 or not 24 <= registers <= 256:
        return f"no thread can have {registers} registers"
    return None


def fills_its_slot(op: Op) -> str | None:
    """Tiles that are committed are in the slot whose mbarrier counts their bytes."""
    for tile in op.operands["tiles"]:
        slot = tile.owner
        is_slot = isinstance(slot, Op) and slot.name == "shared_slot"
        if is_slot and slot.operands["turn"] is not op.operands["turn"]:
            return "a tile is not in the slot whose mbarrier counts its bytes"
    return None


def starts_its_accumulator(op: Op) -> str | None:
    """The flight of a mma_async is of its accumulator, or of the flight that it goes on with."""
    found = cast(Flight, op.result.type).tiles
    kind = op.operands["acc"].type
    due = kind.tiles if isinstance(kind, Flight) else (kind,)
    return None if found == due else _expected("the flight", "is of", due, found)


def waits_for_its_accumulator(op: Op) -> str | None:
    """The result of a wait_mma is the tile of the flight, and `memory` what the product reads."""
    due = op.operands["flight"].type.tiles
    found = (op.result.type,)
    if found != due:
        return _expected("the wait", "gives", due, found)
    started = op.operands["flight"].owner
    if isinstance(started, Op) and started.name in PRODUCT_NAMES:
        operands = (started.operands[slot] for slot in ("lhs", "rhs"))
        memory = tuple(value for value in operands if isinstance(value.type, Shared))
        if op.operands["memory"] != memory:
            return "the operands in memory are not those of the product that is awaited"
    return None


def adds_its_columns(op: Op) -> str | None:
    """Threads have the same elements of the columns in the accumulator and in the product."""
    acc, part = op.operands["acc"].type, op.operands["product"].type
    (*rows, columns), (*others, count), first = acc.shape, part.shape, op.attributes["first"]
    if rows != others or first % count or not 0 <= first < columns or part.element != acc.element:
        return f"columns from {first} on of {acc} are not {part}"
    owners = [
        [[divmod(base, extent) for base in bases] for bases in (kind.layout.lane, kind.layout.warp)]
        for kind, extent in ((acc, columns), (part, count))
    ]
    return None if owners[0] == owners[1] else "threads have other elements of the product"


OP_RULES: Mapping[str, Sequence[OpRule]] = {
    "acquire_slot": (turn_of_its_ring, turn_of_its_mbarriers),
    "add_columns": (adds_its_columns,),
    "advance": (turn_of_its_ring,),
    "commit_copies": (commits_its_tiles, turn_of_its_mbarriers, fills_its_slot),
    "commit_group": (commits_its_tiles,),
    "commit_slot": (turn_of_its_mbarriers, fills_its_slot),
    "first_turn": (turn_of_its_ring,),
    "held_slot": (slot_of_its_ring,),
    "mma_async": (starts_its_accumulator,),
    "mma_init": (starts_its_accumulator,),
    "pipelined_for": (pipelined_regions,),
    "release_slot": (turn_of_its_ring, turn_of_its_mbarriers),
    "role": (has_whole_warpgroups,),
    "shared_slot": (slot_of_its_ring,),
    "wait_copies": (waits_for_its_tiles, turn_of_its_ring, turn_of_its_mbarriers),
    "wait_mma": (waits_for_its_accumulator,),
    "wait_group": (waits_for_its_tiles, turn_of_its_ring),
    "wait_slot": (gives_its_tiles, turn_of_its_ring, turn_of_its_mbarriers),
}
"""Mnemonic -> the rules about it."""
