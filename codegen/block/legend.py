"""What has to be known to read layouts and block IR: comments above a text, about what is in it.

Types are explained here; ops and attributes by their rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from tileir.formats.ops.spec import Attribute, Operand
from tileir.formats.ops.spec import Op as Spec
from tileir.ir import Op

from .rows import ROWS
from .tile_ops import ADDED
from .types import Flight, Frag, Mbarrier, Shared, Turn

LAYOUTS = """\
// How to read #l0 = layout<64x32: register (0,1) (8,0) ..., lane (0,2) (0,4) (1,0) ..., warp (16,0)
// (32,0)>: it says which thread of the block holds which elements of a tile of 64x32. Every bit of
// the number of a register, lane or warp has a base, a distance in the tile; a register has the
// element at the sum of the bases of the bits that are set: register 2 of lane 4 of warp 1 that at
// (8,0) + (1,0) + (16,0). `-` is no distance: threads that differ in that bit have copies.
"""
BLOCK_IR = """\
// How to read block IR: it says what each thread of the block does. All warps take the same way
// through all of it; layouts say which part of a tile a warp works on. An op without a line here is
// one of Tile IR, and tile<f32> one element, which every thread has.
"""
IN_ROLES = """\
// How to read block IR: it says what each thread of the block does. All warps take the same way up
// to the roles; there, each takes that of its role to the end, at the same time as those of others.
// Layouts say which part of a tile a warp works on; in a role, warps are counted from its first. An
// op without a line here is one of Tile IR, and tile<f32> one element, which every thread has.
"""
PHASED = "with the phase in which the mbarrier of the slot is when it is filled"
RING = "a ring: three slots, one behind the other, with such a tile in each"
TYPES: dict[type, tuple[str, str]] = {
    Frag: ("frag<64x32xf16, #l0>", "a tile in registers, spread over all threads by a layout"),
    Shared: (
        "shared<64x32xf16, #s0>",
        """a tile in shared memory. #s0 = offsets<64x32: 1 2 ...> has for each bit of an element's
        row-major number its distance in memory, in elements; those of set bits are xor-ed""",
    ),
    Turn: ("turn<3>", "the number of a slot of a ring"),
    Mbarrier: (
        "mbarrier<3>",
        """an mbarrier in shared memory for each slot of a ring: its phase ends when as many have
        arrived as mbarrier_init says, and the bytes of the copies that it counts""",
    ),
    Flight: (
        "flight<...>",
        """tiles that are being made: in shared memory by copies, or in registers by products of
        warpgroups; a wait gives them""",
    ),
}
"""Class of a type -> how it is spelled, and what it is."""
_OWN = {row.mnemonic: row for row in ROWS}
_COLUMN = 21
_WIDTH = 95


def legend(ops: Iterable[Op]) -> list[str]:
    """Return the explanations of what is in some ops, each as comments of one line or more."""
    seen = list(ops)
    how = IN_ROLES if any(op.name == "role" for op in seen) else BLOCK_IR
    return [LAYOUTS, how, *_types(seen), *_rows(seen), *_attributes(seen)]


def _types(ops: Sequence[Op]) -> Iterator[str]:
    kinds = {value.type for op in ops for value in (*op.operand_list(), *op.results)}
    for kind, (spelled, text) in TYPES.items():
        if any(isinstance(each, kind) for each in kinds):
            yield _entry(spelled, text)
        if kind is Shared and any(isinstance(each, Shared) and each.slots > 1 for each in kinds):
            yield _entry("shared<..., slots=3>", RING)
        if kind is Turn and any(isinstance(each, Turn) and each.phased for each in kinds):
            yield _entry("turn<3, phased>", PHASED)


def _rows(ops: Iterable[Op]) -> Iterator[str]:
    names = {op.name for op in ops}
    for name, row in _OWN.items():
        if name in names:
            yield _entry(name, row.doc)


def _attributes(ops: Iterable[Op]) -> Iterator[str]:
    """Yield the explanations of attributes that Tile IR does not have, each once."""
    said: dict[str, str] = {}
    for op in ops:
        for slot in _slots(op):
            if _is_printed(op, slot) and said.get(slot.name) != slot.doc:
                said[slot.name] = slot.doc
                yield _entry(f"{slot.name} = .." if _has_text(slot) else slot.name, slot.doc)


def _slots(op: Op) -> Iterable[Attribute | Operand]:
    row: Spec | None = _OWN.get(op.name)  # type: ignore[assignment]
    return ADDED.get(op.name, ()) if row is None else row.attributes


def _has_text(slot: Attribute | Operand) -> bool:
    return isinstance(slot, Attribute) and slot.node is not None


def _is_printed(op: Op, slot: Attribute | Operand) -> bool:
    if isinstance(slot, Operand):
        return op.operands.get(slot.name) is not None
    value = op.attributes.get(slot.name)
    default = slot.default
    return value is not None and value is not False and (default is None or value != default)


def _entry(name: str, text: str) -> str:
    """Return the name and the text in columns, or the text below a long name."""
    said = " ".join(text.split()).removesuffix(".")
    lines = wrap(said[:1].lower() + said[1:] if said[1:2].islower() else said, _WIDTH - _COLUMN)
    if len(name) >= _COLUMN:
        lines.insert(0, "")
    heads = [name, *[""] * len(lines)]
    pairs = zip(heads, lines, strict=False)
    return "".join(f"//   {head:{_COLUMN}}{line}".rstrip() + "\n" for head, line in pairs)
